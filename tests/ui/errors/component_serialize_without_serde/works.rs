use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;

#[derive(Component, Serialize, Deserialize)]
#[component(serialize)]
struct Health(u32);

fn main() {
    World::new().spawn(Health(3));
}
