use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(Component)]
struct B;

#[system(with)]
fn bare(a: &mut A) {
    a.0 += 1;
}

#[system(with())]
fn empty(a: &mut A) {
    a.0 += 1;
}

#[system(with = B)]
fn assigned(a: &mut A) {
    a.0 += 1;
}

#[system(with(B), with(B))]
fn twice(a: &mut A) {
    a.0 += 1;
}

#[system(crate = "strata_ecs")]
fn quoted(a: &mut A) {
    a.0 += 1;
}

fn main() {}
