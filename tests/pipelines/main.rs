//! Systems run block by block: what is done so, that nobody can tell afterwards, and what happens if something goes wrong
//! on the way.
//!
//! What random worlds and schedules are made of is shared with the tests of determinism.

#[path = "../determinism/build.rs"]
mod build;
#[path = "../determinism/commands.rs"]
mod commands;
#[path = "../determinism/conditions.rs"]
mod conditions;
#[path = "../determinism/facts.rs"]
mod facts;
mod faults;
mod fusion;
#[path = "../determinism/others.rs"]
mod others;
#[path = "../determinism/parts.rs"]
mod parts;
#[path = "../determinism/systems.rs"]
mod plain;
#[path = "../determinism/plan.rs"]
mod plan;
#[path = "../determinism/probe.rs"]
mod probe;
mod random;
mod systems;
mod worlds;
