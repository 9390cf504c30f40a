//! Systems run block by block: what is done so, that the result does not tell it, and what happens if something goes wrong
//! on the way.
//!
//! The parts of random worlds and schedules are shared with the tests of determinism.

mod broken_off;
#[path = "../schedules/determinism/build.rs"]
mod build;
#[path = "../schedules/determinism/commands.rs"]
mod commands;
#[path = "../schedules/determinism/conditions.rs"]
mod conditions;
#[path = "../schedules/determinism/facts.rs"]
mod facts;
mod faults;
mod fusion;
#[path = "../schedules/determinism/others.rs"]
mod others;
#[path = "../schedules/determinism/parts.rs"]
mod parts;
#[path = "../schedules/determinism/systems.rs"]
mod plain;
#[path = "../schedules/determinism/plan.rs"]
mod plan;
#[path = "../schedules/determinism/probe.rs"]
mod probe;
mod random;
#[path = "../schedules/determinism/relations.rs"]
mod relations;
mod systems;
mod worlds;
