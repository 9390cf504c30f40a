use strata_ecs::prelude::*;

#[derive(Component)]
struct Wheel;

fn main() {
    let mut world = World::new();
    let car = world.spawn(Children::spawn(Spawn(Wheel))).id();
    world.spawn(children![Wheel, Wheel]);
    assert_eq!(world.get::<Children>(car).unwrap().len(), 1);
}
