//! `#[entities]` marks a field and says no more: how the entities in it are exchanged for others, its type says.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Friends {
    #[entities(all)]
    list: Vec<Entity>,
}

fn main() {
    World::new().spawn(Friends { list: vec![] });
}
