//! A system's borrows of the world end when it has finished, so it cannot return any of them. To pass a value on, write
//! it to a resource or a component.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn points(health: &Health) -> &u32 {
    &health.0
}

fn main() {
    Schedule::default().add_systems(points);
}
