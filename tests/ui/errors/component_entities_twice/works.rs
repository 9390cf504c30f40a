use strata_ecs::prelude::*;

#[derive(Component)]
struct Friends {
    #[entities]
    list: Vec<Entity>,
}

fn main() {
    World::new().spawn(Friends { list: vec![] });
}
