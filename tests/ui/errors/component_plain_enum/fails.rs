//! Any bytes are a value of a `plain` component. An enum has only as many values as variants, so the bytes of a damaged
//! file might not be a value.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(plain)]
enum Team {
    Red,
}

fn main() {
    World::new().spawn(Team::Red);
}
