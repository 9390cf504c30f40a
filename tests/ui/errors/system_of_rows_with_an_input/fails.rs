//! A row system runs once for each row, but gets its input once. Use a resource for data that all rows need.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(In(amount): In<u32>, health: &mut Health) {
    health.0 += amount;
}

fn main() {
    let _ = World::new().run_system_once_with(heal, 3);
}
