use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
#[derive(Component)]
struct B(u8);

#[derive(QueryData)]
enum Nothing {}

#[derive(QueryData)]
enum AsksForNothing {
    One,
    Two,
}

#[derive(QueryData)]
enum Unreachable {
    A(&'static A),
    Other,
    B { b: &'static B },
}

#[derive(QueryData)]
enum Writes {
    A(&'static A),
    B { b: &'static mut B },
}

#[derive(QueryData)]
#[query_data(mutabel)]
enum Misspelt {
    A(&'static mut A),
}

#[derive(QueryData)]
enum AttributeInside {
    #[query_data(mutable)]
    A(&'static mut A),
}

fn main() {}
