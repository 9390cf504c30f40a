use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(QueryData)]
struct Writer {
    a: &'static mut A,
}

fn main() {}
