use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(Component)]
struct B;

#[system(with(B), without(B))]
fn nowhere(a: &mut A) {
    a.0 += 1;
}

#[system(without(A))]
fn excluded(a: &mut A) {
    a.0 += 1;
}

fn main() {
    Schedule::default().add_systems((nowhere, excluded));
}
