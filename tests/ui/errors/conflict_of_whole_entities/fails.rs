//! `EntityMut` borrows every component of the entities that its query matches, and `EntityRef` reads every one. Filters keep such a
//! query apart from others; or leave out what another query needs, with `EntityMutExcept` or `EntityRefExcept`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(mut patients: Query<EntityMut>, healers: Query<EntityRef>) {
    let most = healers.iter().filter_map(|healer| healer.get()).map(|health: &Health| health.0).max();
    for mut patient in &mut patients {
        if let Some(mut health) = patient.get_mut::<Health>() {
            health.0 = health.0.max(most.unwrap_or(0));
        }
    }
}

fn main() {
    Schedule::default().add_systems(heal);
}
