use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
extern "C" fn foreign(a: &mut A) {
    a.0 += 1;
}

fn main() {
    Schedule::new().add_systems(foreign);
}
