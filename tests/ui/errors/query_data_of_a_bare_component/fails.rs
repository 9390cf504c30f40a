//! The fields of a query struct are terms of a query, which say how to borrow a component. `&'static Position` reads
//! it and `&'static mut Position` changes it; the lifetime is always written `'static`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryData)]
struct Place {
    entity: Entity,
    position: Position,
}

fn main() {}
