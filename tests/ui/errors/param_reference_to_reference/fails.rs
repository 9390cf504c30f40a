//! A row parameter is one reference to a component that the world stores. There is no second reference stored
//! anywhere that could be borrowed.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system]
fn check(position: &&Position) {
    assert!(position.0.is_finite());
}

fn main() {
    Schedule::default().add_systems(check);
}
