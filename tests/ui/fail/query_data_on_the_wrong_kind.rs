use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(QueryData)]
struct Tuple(&'static A);

#[derive(QueryData)]
struct Unit;

#[derive(QueryData)]
struct Empty {}

#[derive(QueryData)]
enum Either {
    A(&'static A),
}

#[derive(QueryData)]
struct Lifetime<'w> {
    a: &'w A,
}

fn main() {}
