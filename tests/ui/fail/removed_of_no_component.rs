//! Removals of a type that is no component.

use strata_ecs::prelude::*;

struct Speed;

#[derive(Component)]
struct Position(f32);

#[system]
fn world_system(mut removed: RemovedComponents<Speed>) {
    removed.clear();
}

#[system]
fn rows(position: &mut Position, removed: RemovedValues<Speed>) {
    position.0 += removed.len() as f32;
}

fn main() {}
