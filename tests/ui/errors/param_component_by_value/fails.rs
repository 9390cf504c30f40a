//! The world keeps its components, and a system borrows them: `&Health` to read, `&mut Health` to change. To take one
//! away from its entity, use `Commands`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn check(health: Health) {
    assert!(health.0 > 0);
}

fn main() {
    Schedule::default().add_systems(check);
}
