use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(2)).id();
    for mut health in world.query::<&mut Health>().iter_mut(&mut world) {
        health.0 *= 2;
    }
    assert_eq!(world.get::<Health>(entity).unwrap().0, 4);
}
