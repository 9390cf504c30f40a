//! An event is a type that says so.
use strata_ecs::prelude::*;

struct Hit;

fn main() {
    World::new().add_observer(|_: On<Hit>| {});
}
