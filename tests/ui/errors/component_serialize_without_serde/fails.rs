//! The option has the derive register functions that serialize the values, whatever the bounds of the type prove, so the type has to
//! implement both traits of `serde`.
use serde::Serialize;
use strata_ecs::prelude::*;

#[derive(Component, Serialize)]
#[component(serialize)]
struct Health(u32);

fn main() {
    World::new().spawn(Health(3));
}
