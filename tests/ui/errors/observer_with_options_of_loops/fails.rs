//! An observer with components runs once for an event: there is no loop that threads could share.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system(par)]
fn hurt(_: On<Add<Health>>, health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    World::new().add_observer(hurt);
}
