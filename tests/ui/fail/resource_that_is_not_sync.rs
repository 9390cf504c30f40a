use strata_ecs::prelude::*;

use std::cell::Cell;

#[derive(Resource)]
struct Counter(Cell<u8>);

fn main() {
    World::new().insert_resource(Counter(Cell::new(1)));
}
