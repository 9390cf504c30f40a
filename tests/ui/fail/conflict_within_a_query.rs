use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let mut query = world.query::<(&mut Health, Option<&Health>)>();
    for (mut health, same) in query.iter_mut(&mut world) {
        health.0 += same.map_or(0, |same| same.0);
    }
}
