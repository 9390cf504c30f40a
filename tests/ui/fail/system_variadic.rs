use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
fn many(a: &mut A, ...) {
    a.0 += 1;
}

fn main() {
    Schedule::new().add_systems(many);
}
