//! A user of a query struct should see at once whether it changes anything, so a struct that borrows mutably says
//! so: `#[query_data(mutable)]`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryData)]
struct Mover {
    position: &'static mut Position,
}

fn main() {
    World::new().query::<Mover>();
}
