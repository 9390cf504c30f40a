use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

trait Motor {}

#[system]
fn drive(a: &mut A, motor: &impl Motor) {
    a.0 += 1;
}

fn main() {
    Schedule::new().add_systems(drive);
}
