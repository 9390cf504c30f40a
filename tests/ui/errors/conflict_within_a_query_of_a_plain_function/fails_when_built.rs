//! All terms of a query are of one entity, so two of the same component would be the same value, borrowed twice.
//! `&mut` alone is enough: it reads, too.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn heal(mut patients: Query<(&mut Health, Option<&Health>)>) {
    for (mut health, before) in &mut patients {
        health.0 += before.map_or(0, |before| before.0);
    }
}

fn main() {
    Schedule::default().add_systems(heal);
}
