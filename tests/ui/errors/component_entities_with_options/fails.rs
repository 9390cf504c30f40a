//! The only option of `#[entities]` is `ignore`, which keeps the entities of a field unchanged. Its type determines how it is mapped.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Friends {
    #[entities(all)]
    list: Vec<Entity>,
}

fn main() {
    World::new().spawn(Friends { list: vec![] });
}
