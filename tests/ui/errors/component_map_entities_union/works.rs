use strata_ecs::entity::MapEntities;
use strata_ecs::prelude::*;

#[derive(MapEntities)]
enum Target {
    Entity(Entity),
    Nothing,
}

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    let mut targets = [Target::Entity(a), Target::Nothing];
    targets.map_entities(&mut (a, b));
    assert!(matches!(targets, [Target::Entity(entity), Target::Nothing] if entity == b));
}
