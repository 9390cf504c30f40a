use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(QueryData)]
struct Reader {
    a: A,
}

#[derive(QueryData)]
#[query_data(mutabel)]
struct Misspelt {
    a: &'static mut A,
}

fn main() {}
