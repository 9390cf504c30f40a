use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;

#[derive(Bundle)]
struct Monster {
    health: Health,
    kind: Enemy,
}

fn main() {
    let mut world = World::new();
    let monster = world.spawn(Monster { health: Health(4), kind: Enemy }).id();
    assert_eq!(world.get::<Health>(monster).unwrap().0, 4);
}
