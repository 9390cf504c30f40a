//! Each option is written in one way: alone, with a value behind `=`, or with a list in parentheses. The message
//! shows it.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(storage(sparse))]
struct Stunned;

fn main() {
    World::new().spawn(Stunned);
}
