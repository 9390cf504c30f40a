use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

trait Motor {}

#[system]
fn drive(a: &mut A, motor: &dyn Motor) {
    a.0 += 1;
}

#[system]
fn slice(a: &mut A, values: &[u8]) {
    a.0 += 1;
}

fn main() {
    Schedule::default().add_systems((drive, slice));
}
