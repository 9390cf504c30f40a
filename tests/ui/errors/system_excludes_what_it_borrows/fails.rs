//! A row system visits the entities that have all the components which it borrows, and `without` leaves those out. If
//! it is to run for both, borrow `Option<&mut Health>`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system(without(Health))]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
