//! In `#[system]` a reference borrows a component of the row. Commands, queries and resources are borrowed from the
//! world by the system itself, and a parameter takes them by value.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn bury(entity: Entity, health: &Health, commands: &mut Commands) {
    if health.0 == 0 {
        commands.entity(entity).despawn();
    }
}

fn main() {
    Schedule::default().add_systems(bury);
}
