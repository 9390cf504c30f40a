use std::sync::atomic::{AtomicU32, Ordering};
use strata_ecs::prelude::*;

#[derive(Component)]
struct Enemy;
#[derive(Resource, Default)]
struct Census(AtomicU32);

#[system(par)]
fn count(_enemy: &Enemy, census: Res<Census>) {
    census.0.fetch_add(1, Ordering::Relaxed);
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Census>();
    world.spawn_batch([Enemy, Enemy]);
    world.run_system_once(count).unwrap();
    assert_eq!(world.resource::<Census>().0.load(Ordering::Relaxed), 2);
}
