//! Each of the two components names the other one.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship_target(linked_spawn)]
struct Crew(Vec<Entity>);

fn main() {
    World::new().spawn(Crew(Vec::new()));
}
