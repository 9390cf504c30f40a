//! Each parameter of a row system is a component of the row. A tuple is a tuple of system parameters.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);

#[system]
fn movement((position, velocity): (&mut Position, &Velocity)) {
    position.0 += velocity.0;
}

fn main() {
    Schedule::default().add_systems(movement);
}
