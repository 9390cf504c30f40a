//! All row parameters are of one entity, so two of the same type would be the same value, borrowed twice. An alias
//! does not make it another component.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
type Life = Health;

#[system]
fn heal(health: &mut Health, life: &Life) {
    health.0 += life.0;
}

fn main() {
    Schedule::default().add_systems(heal);
}
