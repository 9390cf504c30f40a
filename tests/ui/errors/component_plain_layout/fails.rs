//! A `plain` component goes into files as its values lie in memory, so that the order of its fields has to be fixed.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(plain)]
struct Position(f32, f32);

fn main() {
    World::new().spawn(Position(1.0, 2.0));
}
