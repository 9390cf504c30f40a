//! `pipeline = off` keeps the loop of a row system from being run block by block together with those of other systems. A
//! system without row parameters has no such loop, and is never run so.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Total(u32);

#[system(pipeline = off)]
fn total(all: Query<&Health>, mut total: ResMut<Total>) {
    total.0 = all.iter().map(|health| health.0).sum();
}

fn main() {
    Schedule::default().add_systems(total);
}
