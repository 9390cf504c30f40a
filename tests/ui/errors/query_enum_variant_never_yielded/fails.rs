//! The first variant that matches is yielded, and a variant without fields matches every entity. So it comes last.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[derive(QueryData)]
enum Target {
    Other,
    Shielded(&'static Shield),
}

fn main() {}
