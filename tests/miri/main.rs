//! Small programs that reach each kind of unsafe code, for Miri: `.ci/run miri`. It takes about a thousand times as long as
//! the processor, so each program has few entities.
//!
//! `cargo test` runs them too, as quick tests of the same behaviour.

#![forbid(unsafe_code)]
#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

mod events;
mod panics;
mod queries;
mod schedules;
mod snapshots;
mod structure;

use strata_ecs::prelude::*;
use strata_tests::drops::Token;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Position(f32, f32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Velocity(f32, f32);

/// It has a destructor.
#[derive(Component, Clone, Debug, PartialEq)]
struct Label(String);

/// It notes that it was dropped, and can panic then.
#[derive(Component)]
struct Counted(Token);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Poison(Box<u32>);

/// It has no size.
#[derive(Component, Clone, Copy)]
struct Marked;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[repr(align(128))]
struct Aligned(u8);

#[derive(Resource, Default)]
struct Total(u32);
