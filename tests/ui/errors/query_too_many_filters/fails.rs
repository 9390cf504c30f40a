//! A tuple of filters has at most 16 members, and so has the tuple in `Or`. More alternatives go into an `Or` in an `Or`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct A;

type W = With<A>;

#[rustfmt::skip]
fn main() {
    World::new().query_filtered::<Entity, Or<(W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W)>>();
}
