//! A tuple of query data has at most 16 members. More terms go into tuples in a tuple, or into a struct with
//! `#[derive(QueryData)]`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct A;

#[rustfmt::skip]
fn main() {
    World::new().query::<(&A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A)>();
}
