//! Values of types that are `Clone` are cloned with their entity, so nothing has to be said for that. `clone` demands
//! that the type can be cloned, and `clone = "never"` forbids to clone its values.
use strata_ecs::prelude::*;

#[derive(Component, Clone)]
#[component(clone = "no")]
struct Owner(u32);

fn main() {
    World::new().spawn(Owner(1));
}
