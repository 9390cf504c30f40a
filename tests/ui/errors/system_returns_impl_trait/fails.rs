//! The return type of a system is part of the type of the system, which the macro has to write down, and `impl Trait`
//! has no name. A system returns nothing, or a `Result`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn wounded(all: Query<(Entity, &Health)>) -> impl Iterator<Item = Entity> {
    let wounded: Vec<Entity> = all.iter().filter(|(_, health)| health.0 < 5).map(|(entity, _)| entity).collect();
    wounded.into_iter()
}

fn main() {
    Schedule::default().add_systems(wounded);
}
