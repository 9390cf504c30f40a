//! A reference in the parameters of a system borrows a component of each row, and any type must say that it is a
//! component. Write `#[derive(Component)]` above it.
use strata_ecs::prelude::*;

struct Position(f32);

#[system]
fn movement(position: &mut Position) {
    position.0 += 1.0;
}

fn main() {
    Schedule::default().add_systems(movement);
}
