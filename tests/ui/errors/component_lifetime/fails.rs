//! A component stays in the world for as long as its entity, which the borrow checker cannot follow, so it may not
//! borrow anything. Store the value itself, or the `Entity` that has it.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Name<'a> {
    text: &'a str,
}

fn main() {
    World::new().spawn(Name { text: "Troll" });
}
