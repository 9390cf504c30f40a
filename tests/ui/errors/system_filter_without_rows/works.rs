use strata_ecs::prelude::*;

#[derive(Component)]
struct Enemy;

#[system]
fn census(all: Query<Entity, With<Enemy>>) {
    assert!(all.count() < 100);
}

fn main() {
    let mut world = World::new();
    world.spawn(Enemy);
    world.run_system_once(census).unwrap();
}
