//! A field has entities inside or it has not: one attribute says so.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Friends {
    #[entities]
    #[entities]
    list: Vec<Entity>,
}

fn main() {
    World::new().spawn(Friends { list: vec![] });
}
