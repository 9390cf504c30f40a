use strata_ecs::prelude::*;

#[derive(Component)]
struct Enemy;

#[system]
fn census(enemies: Query<&Enemy>, #[param] world: &World) -> bool {
    enemies.count() == world.len()
}

fn main() {
    let mut world = World::new();
    world.spawn(Enemy);
    assert!(world.run_system_once(census).unwrap());
}
