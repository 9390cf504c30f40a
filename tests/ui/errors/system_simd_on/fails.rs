//! `simd` and `pipeline` only turn off what happens without them: loops over rows are compiled for several instruction sets,
//! and may be run block by block, wherever that is worth it.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system(simd = on)]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
