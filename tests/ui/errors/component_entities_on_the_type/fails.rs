//! Which fields hold entities is said of each field, also in the variants of an enum. Fields of the type `Entity` hold one
//! without an attribute.
use strata_ecs::prelude::*;

#[derive(Component)]
#[entities]
struct Friends {
    list: Vec<Entity>,
}

fn main() {
    World::new().spawn(Friends { list: vec![] });
}
