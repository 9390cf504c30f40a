use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
fn unresolved(a: &mut A, b: &Velocityy) {
    a.0 += b.0;
}

fn main() {
    Schedule::default().add_systems(unresolved);
}
