use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
fn by_value(a: A) {
    drop(a);
}

fn main() {
    Schedule::new().add_systems(by_value);
}
