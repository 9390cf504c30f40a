//! With the option `map_entities` alone the type has to say how its entities are replaced.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(map_entities)]
struct Members(Vec<Entity>);

fn main() {
    World::new().spawn(Members(Vec::new()));
}
