use strata_ecs::event::Traversal;
use strata_ecs::prelude::*;

#[derive(Component)]
struct HangsOn(Entity);

#[derive(EntityEvent)]
struct Pull(Entity);

impl<E> Traversal<E> for &HangsOn {
    fn traverse(item: &HangsOn, _: &E) -> Option<Entity> {
        Some(item.0)
    }
}

fn next<T: Traversal<Pull>>(item: T::Item<'_, '_>, pull: &Pull) -> Option<Entity> {
    T::traverse(item, pull)
}

fn main() {
    let hook = World::new().spawn_empty().id();
    assert_eq!(next::<&HangsOn>(&HangsOn(hook), &Pull(hook)), Some(hook));
}
