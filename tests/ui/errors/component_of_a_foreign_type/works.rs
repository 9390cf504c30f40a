use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let patient = world.spawn(Health(5)).id();
    assert_eq!(world.get::<Health>(patient).unwrap().0, 5);
}
