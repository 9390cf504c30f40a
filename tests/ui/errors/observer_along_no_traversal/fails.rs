//! The component along which an event goes on says where to.
use strata_ecs::event::Traversal;
use strata_ecs::prelude::*;

#[derive(Component)]
struct HangsOn(Entity);

#[derive(EntityEvent)]
struct Pull(Entity);

fn next<T: Traversal<Pull>>(item: T::Item<'_, '_>, pull: &Pull) -> Option<Entity> {
    T::traverse(item, pull)
}

fn main() {
    let hook = World::new().spawn_empty().id();
    next::<&HangsOn>(&HangsOn(hook), &Pull(hook));
}
