//! A column holds the values of one component for many entities, so it is made of a vector or an array even if there
//! is only one.
use strata_ecs::bundle::ColumnBatch;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

fn main() {
    let mut columns = ColumnBatch::new();
    columns.add(Position(1.0));
}
