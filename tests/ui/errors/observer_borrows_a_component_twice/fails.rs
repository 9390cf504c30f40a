//! The components of the target are borrowed while the observer runs, so no query may borrow them as well.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(EntityEvent)]
struct Heal(Entity);

#[observer]
fn heal(_: On<Heal>, health: &mut Health, all: Query<&Health>) {
    health.0 = all.iter().map(|health| health.0).max().unwrap_or(1);
}

fn main() {
    World::new().add_observer(heal);
}
