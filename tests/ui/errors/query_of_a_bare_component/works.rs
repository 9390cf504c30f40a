use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    world.spawn(Health(3));
    let mut query = world.query::<&Health>();
    assert_eq!(query.single(&world).unwrap().0, 3);
}
