//! A world finds components by their type, and `dyn Trait` is not a type that a value could be stored as. Write the
//! system for any component of the trait, and add it once for each.
use strata_ecs::prelude::*;

trait Motor {
    fn start(&mut self);
}

#[system]
fn start(motor: &mut dyn Motor) {
    motor.start();
}

fn main() {
    Schedule::default().add_systems(start);
}
