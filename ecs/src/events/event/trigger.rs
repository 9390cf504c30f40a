//! How an event finds its observers.
//!
//! Tests: tests/observers/propagation.rs

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::traits::{EntityEvent, Event, SetEntityEventTarget, Trigger};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::query::{QueryState, ReadOnlyQueryData};
use crate::relations::relationship::Relationship;
use crate::world::World;

/// The trigger of an event without target.
#[derive(Clone, Copy, Default, Debug)]
pub struct GlobalTrigger;

impl<E: Event> Trigger<E> for GlobalTrigger {
    type State = ();

    #[inline]
    fn first(&mut self, _: &E) -> Option<Entity> {
        None
    }
}

/// The trigger of an event with one entity as its target.
#[derive(Clone, Copy, Default, Debug)]
pub struct EntityTrigger;

impl<E: EntityEvent> Trigger<E> for EntityTrigger {
    type State = ();

    #[inline]
    fn first(&mut self, event: &E) -> Option<Entity> {
        Some(event.event_target())
    }
}

/// The trigger of an event about components of one entity: see [`Add`](super::Add).
#[derive(Clone, Default, Debug)]
pub struct EntityComponentsTrigger {
    /// The components that the event is about, limited to the components that the observer watches.
    pub components: Vec<ComponentId>,
}

impl<E: EntityEvent> Trigger<E> for EntityComponentsTrigger {
    type State = Self;

    #[inline(always)]
    fn of_operation(state: &mut Self) -> Option<&mut Self> {
        Some(state)
    }

    #[inline(always)]
    fn set_components(&mut self, components: &[ComponentId]) {
        // Usually the event is about the same single component as the event before it.
        if let ([one], [other]) = (&*self.components, components)
            && one == other
        {
            return;
        }
        set_others(&mut self.components, components);
    }

    #[inline]
    fn first(&mut self, event: &E) -> Option<Entity> {
        Some(event.event_target())
    }
}

#[inline(never)]
fn set_others(kept: &mut Vec<ComponentId>, components: &[ComponentId]) {
    if kept != components {
        kept.clear();
        kept.extend_from_slice(components);
    }
}

/// The trigger of an event that has one entity as its target and propagates from there along `T`: see [`Traversal`]. If
/// `AUTO` is true, it propagates by default. Otherwise it propagates if an observer requests it with
/// [`On::propagate`](crate::observer::On::propagate). A step costs a look-up of the component that `T` follows, plus
/// the calls of the observers.
pub struct PropagateEntityTrigger<const AUTO: bool, E: EntityEvent, T: Traversal<E>> {
    /// The entity for which the event was triggered.
    pub original_event_target: Entity,
    /// Whether the event propagates further from the current entity.
    pub propagate: bool,
    marker: PhantomData<fn() -> (E, T)>,
}

impl<const AUTO: bool, E: EntityEvent, T: Traversal<E>> Default for PropagateEntityTrigger<AUTO, E, T> {
    fn default() -> Self {
        Self { original_event_target: Entity::PLACEHOLDER, propagate: AUTO, marker: PhantomData }
    }
}

impl_debug!([const AUTO: bool, E: EntityEvent, T: Traversal<E>] PropagateEntityTrigger<AUTO, E, T> => |this, f|
    f.debug_struct("PropagateEntityTrigger")
        .field("original_event_target", &this.original_event_target)
        .field("propagate", &this.propagate)
        .finish());

impl<const AUTO: bool, E, T> Trigger<E> for PropagateEntityTrigger<AUTO, E, T>
where
    E: SetEntityEventTarget,
    T: Traversal<E> + 'static,
{
    type State = Option<QueryState<T>>;

    fn first(&mut self, event: &E) -> Option<Entity> {
        self.original_event_target = event.event_target();
        Some(self.original_event_target)
    }

    fn next(&mut self, event: &mut E, state: &mut Self::State, world: &World) -> Option<Entity> {
        if !self.propagate {
            return None;
        }
        if state.is_none() {
            *state = QueryState::find(&world.store);
        }
        let next = T::traverse(state.as_mut()?.of_one(world.read(), event.event_target())?, event)?;
        event.set_event_target(next);
        Some(next)
    }
}

/// The path along which events propagate from an entity. It determines which data of the entity is read, and the next
/// entity that follows from this data.
///
/// If the path leads back to an earlier entity, the propagation does not end by itself. An observer can end it with
/// `on.propagate(false)`.
///
/// ```
/// use strata_ecs::event::Traversal;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct HangsOn(Entity);
///
/// impl<E> Traversal<E> for &HangsOn {
///     fn traverse(item: &HangsOn, _: &E) -> Option<Entity> {
///         Some(item.0)
///     }
/// }
///
/// #[derive(EntityEvent)]
/// #[entity_event(auto_propagate, propagate = &'static HangsOn)]
/// struct Pull {
///     entity: Entity,
/// }
/// #[derive(Resource, Default)]
/// struct Pulled(Vec<Entity>);
///
/// let mut world = World::new();
/// world.init_resource::<Pulled>();
/// let hook = world.spawn_empty().id();
/// let lamp = world.spawn(HangsOn(hook)).id();
/// world.add_observer(|pull: On<Pull>, mut pulled: ResMut<Pulled>| pulled.0.push(pull.entity));
/// world.trigger(Pull { entity: lamp });
/// assert_eq!(world.resource::<Pulled>().0, [lamp, hook]);
/// ```
#[diagnostic::on_unimplemented(
    message = "events cannot go on along `{Self}`: implement `Traversal<{D}>` for it",
    label = "leads nowhere"
)]
pub trait Traversal<D: ?Sized>: ReadOnlyQueryData {
    /// Returns the next entity; `None` ends the propagation.
    fn traverse(item: Self::Item<'_, '_>, data: &D) -> Option<Entity>;
}

/// Propagates from a source to its target: for [`ChildOf`](crate::hierarchy::ChildOf), from a child to its parent.
impl<R: Relationship, D> Traversal<D> for &R {
    fn traverse(item: Self::Item<'_, '_>, _: &D) -> Option<Entity> {
        Some(item.get())
    }
}

/// Ends the propagation at the first entity.
impl<D> Traversal<D> for () {
    fn traverse((): Self::Item<'_, '_>, _: &D) -> Option<Entity> {
        None
    }
}
