//! `contiguous(..)` names the slices of rows that follow each other. Rows of a query enum differ, so there are no slices to name.
//! Derive a struct, with an `Option` where entities differ.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armour(u32);

#[derive(QueryData)]
#[query_data(contiguous(all))]
enum Target {
    Armoured(&'static Health, &'static Armour),
    Alive(&'static Health),
}

fn main() {
    World::new().query::<Target>();
}
