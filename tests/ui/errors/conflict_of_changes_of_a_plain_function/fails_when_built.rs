//! To look for the changes of a component is to read it, so no other query may write it, unless filters exclude that both
//! are about the same entity.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn heal(mut all: Query<&mut Health>, wounded: Query<Entity, Changed<Health>>) {
    for mut health in &mut all {
        health.0 += wounded.count() as u32;
    }
}

fn main() {
    Schedule::default().add_systems(heal);
}
