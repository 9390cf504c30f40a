//! A component belongs to entities, of which there may be many, so it is no resource. A system borrows it for each row, or has a
//! query.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(mut health: ResMut<Health>) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
