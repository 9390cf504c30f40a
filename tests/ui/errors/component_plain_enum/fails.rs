//! Of a `plain` component any bytes are a value. An enum has only as many values as variants, so that a damaged file could hold none of
//! them.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(plain)]
enum Team {
    Red,
}

fn main() {
    World::new().spawn(Team::Red);
}
