use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

fn plain(_: Lookup<&mut Position>) {}

fn main() {}
