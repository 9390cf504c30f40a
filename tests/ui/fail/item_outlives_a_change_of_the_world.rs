use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1)).id();
    let a = world.get::<A>(entity).unwrap();
    world.despawn(entity);
    assert_eq!(a.0, 1);

    let mut query = world.query::<&A>();
    let mut iter = query.iter(&world);
    world.spawn(A(2));
    assert!(iter.next().is_some());
}
