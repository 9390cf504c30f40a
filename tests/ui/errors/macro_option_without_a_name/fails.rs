//! The parentheses of an attribute contain options, each of which begins with its name.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component("sparse")]
struct Stunned;

fn main() {
    World::new().spawn(Stunned);
}
