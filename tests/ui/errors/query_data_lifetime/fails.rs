//! A query struct is a list of borrows; their lifetime is determined each time the query is used. The lifetime in its
//! fields is always written `'static`, and the items of the query have the right one.
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
