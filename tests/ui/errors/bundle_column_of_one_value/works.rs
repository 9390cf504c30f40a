use strata_ecs::bundle::ColumnBatch;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

fn main() {
    let mut columns = ColumnBatch::new();
    columns.add(vec![Position(1.0)]);
    assert_eq!(World::new().spawn_columns(columns).unwrap().len(), 1);
}
