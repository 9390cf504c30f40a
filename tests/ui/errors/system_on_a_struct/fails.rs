//! `#[system]` turns a function into a system. On anything else it means nothing; data is a component or a resource,
//! by a derive.
use strata_ecs::prelude::*;

#[system]
struct Gravity(f32);

fn main() {
    World::new();
}
