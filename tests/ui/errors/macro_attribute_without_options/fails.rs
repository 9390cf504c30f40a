//! The attribute is there to change something about the type, and without an option it would change nothing. Leave it
//! out, or say what is to be different.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component]
struct Stunned;

fn main() {
    World::new().spawn(Stunned);
}
