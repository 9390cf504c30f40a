//! A parameter that returns the id of a component.
//!
//! Tests: tests/storage/world.rs

use core::marker::PhantomData;

use super::cast::World;
use super::systems::FromWorld;
use crate::component::{Component, ComponentId};
use crate::system::{Local, ParamSource, SystemParam};

/// A system parameter: the id of a component in the world of the system. It registers the component if necessary.
///
/// ```
/// use strata_ecs::component::ComponentIdFor;
/// use strata_ecs::prelude::*;
/// # #[derive(Component)]
/// # struct Health(u32);
///
/// fn has_health(health: ComponentIdFor<Health>, all: Query<Entity>, world: &World) -> usize {
///     all.iter().filter(|&entity| world.entity(entity).contains_id(health.get())).count()
/// }
///
/// let mut world = World::new();
/// world.spawn_empty();
/// world.spawn(Health(3));
/// assert_eq!(world.run_system_once(has_health).unwrap(), 1);
/// ```
pub struct ComponentIdFor<'s, T> {
    id: ComponentId,
    marker: PhantomData<(&'s (), fn() -> T)>,
}

impl<T: Component> ComponentIdFor<'_, T> {
    /// Returns the id of the component.
    #[must_use]
    pub fn get(&self) -> ComponentId {
        self.id
    }
}

impl_deref!([T] ComponentIdFor<'_, T> => ComponentId, |this| this.id);

impl<T> From<ComponentIdFor<'_, T>> for ComponentId {
    fn from(id: ComponentIdFor<'_, T>) -> Self {
        id.id
    }
}

/// The state of a [`ComponentIdFor`] in its system.
pub struct IdOf<T>(ComponentId, PhantomData<fn() -> T>);

impl<T: Component> FromWorld for IdOf<T> {
    fn from_world(world: &mut World) -> Self {
        Self(world.register_component::<T>(), PhantomData)
    }
}

impl<T: Component> SystemParam for ComponentIdFor<'_, T> {
    type Source = <Local<'static, IdOf<T>> as SystemParam>::Source;
    type Item<'w, 's> = ComponentIdFor<'s, T>;

    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        let kept = <Local<'_, IdOf<T>> as SystemParam>::item(got);
        ComponentIdFor { id: kept.0, marker: PhantomData }
    }
}

impl_debug!([T] ComponentIdFor<'_, T> => |this, f| f.debug_tuple("ComponentIdFor").field(&this.id).finish());
