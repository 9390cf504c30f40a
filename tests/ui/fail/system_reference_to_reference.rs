use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
fn shared(a: &&A) {
    assert!(a.0 > 0);
}

#[system]
fn unique(a: &mut &A) {
    assert!(a.0 > 0);
}

fn main() {
    Schedule::default().add_systems((shared, unique));
}
