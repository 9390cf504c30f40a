//! A system that only reads has parameters that only read. Commands change the world, too.
use strata_ecs::prelude::*;
use strata_ecs::system::assert_is_read_only_system;

#[derive(Component)]
struct Health(u32);

fn heal(mut all: Query<&mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

fn main() {
    assert_is_read_only_system(heal);
}
