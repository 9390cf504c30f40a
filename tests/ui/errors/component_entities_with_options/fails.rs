//! `#[entities]` has one option, `ignore`, which keeps the entities of a field as they are. What is mapped, the type of the field says.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Friends {
    #[entities(all)]
    list: Vec<Entity>,
}

fn main() {
    World::new().spawn(Friends { list: vec![] });
}
