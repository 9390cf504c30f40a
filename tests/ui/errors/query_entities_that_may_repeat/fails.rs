//! What gives out several entities to be changed takes a set, since a list may have one twice.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn visit(mut all: Query<&mut Health>, ids: Vec<Entity>) {
    _ = all.iter_many_unique_mut(ids);
}

fn main() {
    let mut world = World::new();
    let ids = vec![world.spawn(Health(3)).id()];
    visit(world.query().query_mut(&mut world), ids);
}
