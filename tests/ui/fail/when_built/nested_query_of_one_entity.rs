use strata_ecs::prelude::*;
use strata_ecs::query::NestedQuery;

#[derive(Component)]
struct Health(u32);

fn others(entity: EntityRef<'_>) -> u32 {
    let (own, others) = entity.get_components::<(&Health, NestedQuery<&Health>)>().unwrap();
    own.0 + others.iter().map(|health| health.0).sum::<u32>()
}

fn main() {
    let mut world = World::new();
    let id = world.spawn(Health(1)).id();
    others(world.entity(id));
}
