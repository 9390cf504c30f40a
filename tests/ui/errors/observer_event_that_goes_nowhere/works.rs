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
#[entity_event(auto_propagate, propagate = &'static HangsOn)]
struct Pull(Entity);

fn main() {
    let mut world = World::new();
    let hook = world.spawn_empty().id();
    let lamp = world.spawn(HangsOn(hook)).id();
    world.add_observer(|_: On<Pull>| {});
    let mut pull = Pull(lamp);
    world.trigger_ref(&mut pull);
    assert_eq!(pull.0, hook);
}
