//! The option `map_entities` names a function, or stands alone: then the type says by `MapEntities` how its entities are replaced.
use strata_ecs::entity::EntityMapper;
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(map_entities = "replace")]
struct Target(Option<Entity>);

fn replace<M: EntityMapper>(target: &mut Target, mapper: &mut M) {
    target.0 = target.0.map(|entity| mapper.get_mapped(entity));
}

fn main() {
    World::new().spawn(Target(None));
}
