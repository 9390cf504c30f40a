use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

#[derive(Component)]
#[require(Health)]
struct Enemy;

fn main() {
    let mut world = World::new();
    let enemy = world.spawn(Enemy).id();
    assert!(world.get::<Health>(enemy).is_some());
}
