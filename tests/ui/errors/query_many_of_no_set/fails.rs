//! A plain list may have an entity twice, and what a query yields to be changed must not be given out twice at a time.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch([Health(1), Health(2)]).collect();
    let mut query = world.query::<&mut Health>();
    let mut query = query.query_mut(&mut world);
    drop(query.iter_many_unique_mut(&ids));
}
