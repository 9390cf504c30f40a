use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(QueryData)]
struct Unit;

#[derive(QueryData)]
struct Empty {}

#[derive(QueryData)]
union Either {
    a: &'static A,
    b: u8,
}

#[derive(QueryData)]
struct Lifetime<'w> {
    a: &'w A,
}

#[derive(QueryData)]
enum LifetimeToo<'w> {
    A(&'w A),
}

fn main() {}
