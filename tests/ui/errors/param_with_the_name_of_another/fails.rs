//! `#[system]` tells parameters of the row by the names of their types: `Entity`, `Mut`, `Has` and `Option`. A type
//! of yours with one of these names hides ours; give it another one, or write ours with its path.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Resource)]
struct Entity(u32);

#[system]
fn heal(entity: Entity, health: &mut Health) {
    health.0 += entity.0;
}

fn main() {
    Schedule::default().add_systems(heal);
}
