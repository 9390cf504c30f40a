//! A query struct may be a field of another one. If the inner one changes something, so does the outer one, and both
//! have to say so: `#[query_data(mutable)]`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryData)]
#[query_data(mutable)]
struct Mover {
    position: &'static mut Position,
}

#[derive(QueryData)]
struct Player {
    entity: Entity,
    mover: Mover,
}

fn main() {}
