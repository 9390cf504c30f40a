//! The members of `AnyOf` are a tuple, be it of one.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn heal(_: Query<AnyOf<&mut Health>>) {}

fn main() {}
