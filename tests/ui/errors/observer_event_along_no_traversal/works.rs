use strata_ecs::event::Traversal;
use strata_ecs::prelude::*;

#[derive(Component)]
struct HangsOn(Entity);

impl<E> Traversal<E> for &HangsOn {
    fn traverse(item: &HangsOn, _: &E) -> Option<Entity> {
        Some(item.0)
    }
}

#[derive(EntityEvent)]
#[entity_event(propagate = &'static HangsOn)]
struct Pull(Entity);

fn main() {
    let mut world = World::new();
    let lamp = world.spawn_empty().id();
    world.trigger(Pull(lamp));
}
