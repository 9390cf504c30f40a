//! The rows are chosen by their changes, which no other code may make at the same time. A parameter for the rows themselves may:
//! a system may write what it asks the changes of, and does not see its own writes.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[system(changed(Health))]
fn heal(shield: &Shield, mut all: Query<&mut Health>) {
    for mut health in &mut all {
        health.0 += shield.0;
    }
}

fn main() {
    Schedule::default().add_systems(heal);
}
