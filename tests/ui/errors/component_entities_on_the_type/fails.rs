//! `#[entities]` stands above a field, also in the variants of an enum. A field whose type can be mapped needs no attribute.
use strata_ecs::prelude::*;

#[derive(Component)]
#[entities]
struct Friends {
    list: Vec<Entity>,
}

fn main() {
    World::new().spawn(Friends { list: vec![] });
}
