//! What stands in the parentheses of an attribute begins with the name of an option.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component("sparse")]
struct Stunned;

fn main() {
    World::new().spawn(Stunned);
}
