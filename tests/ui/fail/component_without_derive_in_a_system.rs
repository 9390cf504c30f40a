use strata_ecs::prelude::*;

struct Position(f32);

#[system]
fn movement(position: &mut Position) {
    position.0 += 1.0;
}

fn main() {
    Schedule::new().add_systems(movement);
}
