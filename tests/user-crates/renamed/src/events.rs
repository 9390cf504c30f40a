//! Events, observers and hooks. The macros find the name of the core in the manifest.

use ecs_renamed::component::HookContext;
use ecs_renamed::event::Traversal;
use ecs_renamed::prelude::*;
use ecs_renamed::world::DeferredWorld;

/// The end of a day.
#[derive(Event, Clone, Copy, Debug)]
pub struct Evening;

/// Something has been hit.
#[derive(EntityEvent, Clone, Copy, Debug)]
#[entity_event(auto_propagate, propagate = &'static Owner)]
pub struct Hit {
    /// The entity that is hit.
    #[event_target]
    pub what: Entity,
    /// How much.
    pub points: u32,
}

/// Something of a kind has been found.
#[derive(EntityEvent, Clone, Copy, Debug)]
pub struct Found<T: Send + Sync + 'static>(pub Entity, #[event_target] pub Entity, pub T);

/// The owner of something.
#[derive(Component, Clone, Copy, Debug)]
#[component(immutable)]
pub struct Owner(pub Entity);

impl<E> Traversal<E> for &Owner {
    fn traverse(item: &Owner, _: &E) -> Option<Entity> {
        Some(item.0)
    }
}

/// The remaining health.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[component(on_add, on_insert = counted::<Self>, on_remove = |mut world, _| world.resource_mut::<Count>().0 -= 1)]
#[component(on_discard = nothing("discarded"), on_despawn = nothing("despawned"))]
pub struct Health(pub u32);

impl Health {
    fn on_add(mut world: DeferredWorld<'_>, _: HookContext) {
        world.resource_mut::<Count>().0 += 1;
    }
}

fn counted<C: Component>(mut world: DeferredWorld<'_>, context: HookContext) {
    let has_one = world.entity(context.entity).contains::<C>();
    world.resource_mut::<Count>().0 += u32::from(!has_one);
}

const fn nothing(what: &'static str) -> impl Fn(DeferredWorld<'_>, HookContext) {
    move |_, _| {
        let _ = what;
    }
}

/// How many are alive.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Count(pub u32);

/// Takes points off.
#[observer]
pub fn hurt(on: On<'_, '_, Hit>, health: &mut Health, owner: Option<&Owner>, mut commands: Commands<'_, '_>) {
    health.0 = health.0.saturating_sub(on.points);
    if health.0 == 0 && owner.is_none() {
        commands.entity(on.what).despawn();
    }
}

/// Heals what is still there.
#[observer]
pub fn sleep(_: On<'_, '_, Evening>, mut all: Query<'_, '_, &mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

/// How many are left after a hit of a thing of someone.
#[must_use]
pub fn play() -> u32 {
    let mut world = World::new();
    world.init_resource::<Count>();
    world.add_observer(hurt);
    world.add_observer(sleep);
    let owner = world.spawn(Health(2)).id();
    let thing = world.spawn((Health(3), Owner(owner))).id();
    world.trigger(Hit { what: thing, points: 2 });
    world.trigger(Evening);
    world.trigger(Found(owner, thing, 3_u8));
    world.resource::<Count>().0
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_is_left() {
        assert_eq!(super::play(), 1);
    }
}
