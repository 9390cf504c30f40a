//! A row system borrows one component twice, once mutably: under its name, by an alias, and among other parameters.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armor(u32);
type Life = Health;

#[system]
fn heal(health: &mut Health, other: &Life) {
    health.0 += other.0;
}

#[system]
fn repair(armor: &Armor, health: Option<&mut Health>, entity: Entity, life: Mut<Life>) {
    let _ = (armor.0, health, entity, life);
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((heal, repair));
}
