use strata_ecs::prelude::*;

#[derive(Component)]
struct A;

type W = With<A>;

#[rustfmt::skip]
fn main() {
    let mut world = World::new();
    world.spawn(A);
    let mut query = world.query_filtered::<Entity, Or<(Or<(W, W, W, W, W, W, W, W)>, Or<(W, W, W, W, W, W, W, W, W)>)>>();
    assert_eq!(query.iter(&world).count(), 1);
}
