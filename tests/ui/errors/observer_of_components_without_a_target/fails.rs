//! An observer takes components of the target of an event. This event has no target.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Event)]
struct Poison;

#[observer]
fn hurt(_: On<Poison>, health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    World::new().add_observer(hurt);
}
