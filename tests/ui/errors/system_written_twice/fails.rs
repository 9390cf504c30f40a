//! The attribute turns a function into a system. The result is no longer a function.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);

#[system]
#[system]
fn movement(position: &mut Position, velocity: &Velocity) {
    position.0 += velocity.0;
}

fn main() {
    Schedule::default().add_systems(movement);
}
