use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Component)]
struct Building;

#[derive(Bundle)]
struct Soldier {
    health: Health,
}

fn main() {
    let mut world = World::new();
    let soldier = world.spawn(Soldier { health: Health(10) }).id();
    world.spawn(Building);
    assert_eq!(world.get::<Health>(soldier).unwrap().0, 10);
}
