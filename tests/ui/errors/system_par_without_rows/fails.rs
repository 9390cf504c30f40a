//! `par` divides the rows of a row system among threads. A system without row parameters has no rows; in it, the loops
//! over its queries can be divided.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system(par)]
fn heal(mut all: Query<&mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

fn main() {
    Schedule::default().add_systems(heal);
}
