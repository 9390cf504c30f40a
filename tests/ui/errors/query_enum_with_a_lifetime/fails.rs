//! A query enum says what is borrowed, not for how long: that is decided each time that the query is used.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[derive(QueryData)]
enum Target<'a> {
    Shielded(&'a Shield),
    Naked(&'a Health),
}

fn main() {}
