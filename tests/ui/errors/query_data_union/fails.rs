//! A query asks for all of its parts, so a struct describes it and a union cannot.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(QueryData)]
union Vitals {
    health: &'static Health,
}

fn main() {
    World::new().query::<Vitals>();
}
