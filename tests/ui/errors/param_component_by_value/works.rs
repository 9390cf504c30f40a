use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn check(health: &Health) {
    assert!(health.0 > 0);
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(3));
    world.run_system_once(check).unwrap();
}
