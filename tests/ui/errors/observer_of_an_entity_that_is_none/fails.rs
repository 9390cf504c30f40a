//! The first parameter of an observer is the event that it observes.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn heal(mut all: Query<&mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

fn main() {
    World::new().spawn_empty().observe(heal);
}
