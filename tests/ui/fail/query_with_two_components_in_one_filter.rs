use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(Component)]
struct B;

fn main() {
    let mut world = World::new();
    let mut query = world.query_filtered::<Entity, With<(A, B)>>();
    assert!(query.is_empty(&world));
}
