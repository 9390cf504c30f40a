//! A query struct is a list of what to borrow; for how long is decided anew each time that it is asked. The lifetime
//! in its fields is always written `'static`, and what the query yields has the right one.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryData)]
struct Place<'w> {
    position: &'w Position,
}

fn main() {
    World::new().query::<Place>();
}
