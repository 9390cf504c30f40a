//! An observer runs once for an event, and the entity of the event has to be looked for.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(EntityEvent)]
struct Hit(Entity);

#[system]
fn hurt(_hit: On<Hit>, health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    World::new().add_observer(hurt);
}
