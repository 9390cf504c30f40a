//! Each parameter has one type, which the macro has to write down, and `impl Trait` has no name. A type parameter has
//! one, and the system is added with a type in its place.
use strata_ecs::prelude::*;

trait Motor {
    fn start(&mut self);
}

#[system]
fn start(motor: &mut impl Motor) {
    motor.start();
}

fn main() {
    Schedule::default().add_systems(start);
}
