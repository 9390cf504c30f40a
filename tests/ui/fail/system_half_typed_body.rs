use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
fn typing(a: &mut A) {
    a.
}

fn main() {
    Schedule::default().add_systems(typing);
}
