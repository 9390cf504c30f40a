use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
unsafe fn raw(a: &mut A) {
    a.0 += 1;
}

fn main() {
    Schedule::new().add_systems(raw);
}
