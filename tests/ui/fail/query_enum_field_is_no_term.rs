use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
struct Plain(u8);

#[derive(QueryData)]
enum ByValue {
    Missing(Plain),
    A(&'static A),
}

fn main() {
    let _ = Plain(A(1).0);
}
