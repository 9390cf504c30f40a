//! The schedule waits for each system and continues when it has finished, so a system cannot pause in between. Long
//! work goes to a separate thread or runtime, and a system picks up the result.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
async fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
