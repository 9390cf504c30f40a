use strata_ecs::entity::MapEntities;
use strata_ecs::prelude::*;

#[derive(Component, MapEntities)]
#[component(map_entities)]
struct Members(#[entities] Vec<Entity>);

fn main() {
    World::new().spawn(Members(Vec::new()));
}
