//! A component describes itself: deriving `Describe` too says it twice.
use strata_ecs::component::Describe;
use strata_ecs::prelude::*;

#[derive(Component, Describe)]
struct Health(u32);

fn main() {}
