use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn check(health: &Health, #[param] world: &World) {
    assert!(health.0 > 0 && !world.is_empty());
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(3));
    world.run_system_once(check).unwrap();
}
