//! The options of an observer are those of a system that are not about loops.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[observer(par)]
fn hurt(_: On<Add<Health>>, health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    World::new().add_observer(hurt);
}
