//! Events, and how they find their observers.
//!
//! Tests: tests/observers/params.rs, tests/observers/entities.rs

use crate::access::term::ConstTerm;
use crate::component::{ComponentId, ComponentKey, LifecycleMask, TypeSlot};
use crate::entity::Entity;
use crate::structure::bundle::Bundle;
use crate::world::World;

/// A value that is passed to all observers of its type when it is triggered.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Event)]
/// struct Explosion {
///     radius: f32,
/// }
/// #[derive(Resource, Default)]
/// struct Damage(f32);
///
/// fn burn(explosion: On<Explosion>, mut damage: ResMut<Damage>) {
///     damage.0 += explosion.radius * 10.0;
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Damage>();
/// world.add_observer(burn);
/// world.trigger(Explosion { radius: 3.0 });
/// assert_eq!(world.resource::<Damage>().0, 30.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event: add `#[derive(Event)]` or `#[derive(EntityEvent)]` to it, or to a struct of your own around \
               it",
    label = "not an event",
    note = "a message (`#[derive(Message)]`) is not an event: `write_message` or a `MessageWriter<T>` sends it, and systems read it from \
            a `MessageReader<T>`"
)]
pub trait Event: Send + Sync + Sized + 'static {
    /// Determines how the event finds its observers: [`GlobalTrigger`](super::GlobalTrigger),
    /// [`EntityTrigger`](super::EntityTrigger) or [`PropagateEntityTrigger`](super::PropagateEntityTrigger).
    type Trigger<'a>: Trigger<Self>;

    /// The lifecycle moment at which the event is triggered, if it is a lifecycle event.
    #[doc(hidden)]
    const MOMENT: Option<Moment> = None;

    /// Creates the lifecycle event of an entity.
    ///
    /// # Panics
    ///
    /// If this is not a lifecycle event, that is, if it has no [`MOMENT`](Self::MOMENT).
    #[doc(hidden)]
    #[inline]
    fn of_operation(_: Entity) -> Self {
        unreachable!("no operation triggers the event")
    }

    /// Identifies the type at compile time, for checks in constants. `None` if the type has no key.
    #[doc(hidden)]
    const KEY: Option<ComponentKey> = None;

    /// Returns the static that caches an id for this type in the process, if there is one.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}

/// An event that has an entity as its target. The observers of all events of the type run first, then the observers of the entity.
///
/// With `#[derive(EntityEvent)]`, the target is the field with the name `entity`, the field with `#[event_target]`, or
/// the only field.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(EntityEvent)]
/// struct Hit {
///     entity: Entity,
///     damage: u32,
/// }
/// #[derive(Component)]
/// struct Health(u32);
///
/// fn hurt(hit: On<Hit>, mut all: Query<&mut Health>) {
///     let mut health = all.get_mut(hit.entity).unwrap();
///     health.0 = health.0.saturating_sub(hit.damage);
/// }
///
/// let mut world = World::new();
/// let [orc, rock] = [9, 100].map(|n| world.spawn(Health(n)).id());
/// world.entity_mut(orc).observe(hurt);
/// world.trigger(Hit { entity: orc, damage: 4 });
/// world.trigger(Hit { entity: rock, damage: 4 }); // It has no observer.
/// assert_eq!((world.get::<Health>(orc).unwrap().0, world.get::<Health>(rock).unwrap().0), (5, 100));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event of an entity: add `#[derive(EntityEvent)]` to it",
    label = "not an event with a target"
)]
pub trait EntityEvent: Event {
    /// Returns the target of the event.
    fn event_target(&self) -> Entity;
}

/// A moment in the life of a component.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moment {
    Despawn,
    Discard,
    Remove,
    Add,
    Insert,
    EndMatch,
    BeginMatch,
}

impl Moment {
    /// Returns whether this moment is the beginning or the end of a match with a filter.
    pub(crate) fn is_of_matches(self) -> bool {
        matches!(self, Self::BeginMatch | Self::EndMatch)
    }

    pub(crate) fn kinds(self) -> LifecycleMask {
        match self {
            Self::Despawn => LifecycleMask::DESPAWN,
            Self::Discard => LifecycleMask::DISCARD,
            Self::Remove => LifecycleMask::REMOVE,
            Self::Add => LifecycleMask::ADD,
            Self::Insert => LifecycleMask::INSERT,
            Self::EndMatch => LifecycleMask::BEFORE_MATCH,
            Self::BeginMatch => LifecycleMask::AFTER_MATCH,
        }
    }
}

/// An event whose target can be changed. This is required for events that propagate to other entities.
pub trait SetEntityEventTarget: EntityEvent {
    /// Sets the target of the event.
    fn set_event_target(&mut self, entity: Entity);
}

/// A pattern that observers can observe: an event, or a lifecycle event of some components.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be observed: it is neither an event (`#[derive(Event)]`, `#[derive(EntityEvent)]`) nor a moment in the \
               life of components",
    label = "not an event",
    note = "moments are `Add<C>`, `Insert<C>`, `Discard<C>`, `Remove<C>` and `Despawn<C>` of a component `C`, or of a tuple of components, \
            and `BeginMatch<F>` and `EndMatch<F>` of a filter `F`",
    note = "a message (`#[derive(Message)]`) is not an event: systems read it from a `MessageReader<T>`"
)]
pub trait EventPattern: Send + Sync + 'static {
    /// The type of the event.
    type Event: Event;
    /// The components that the event is about; `()` for any.
    type Components: Bundle;

    /// The filter, if the pattern is about entities that begin or stop matching a filter.
    #[doc(hidden)]
    const FILTER: Option<&'static ConstTerm> = None;
}

impl<E: Event> EventPattern for E {
    type Event = E;
    type Components = ();
}

/// Determines how an event finds its observers: the observers of all events of its type, and the observers of single
/// entities, one entity after the other.
///
/// See [`GlobalTrigger`](super::GlobalTrigger), [`EntityTrigger`](super::EntityTrigger) and
/// [`PropagateEntityTrigger`](super::PropagateEntityTrigger). A derive chooses one of them.
pub trait Trigger<E: Event>: 'static {
    /// The state that a world keeps for the type of event from one event to the next.
    #[doc(hidden)]
    type State: Default + Send + Sync + 'static;

    /// Returns the trigger of a lifecycle event; `None` for other events.
    #[doc(hidden)]
    #[inline]
    fn of_operation(_: &mut Self::State) -> Option<&mut Self> {
        None
    }

    /// Sets the components of a lifecycle event.
    #[doc(hidden)]
    #[inline]
    fn set_components(&mut self, _: &[ComponentId]) {}

    /// Returns the first entity whose observers run, in addition to the observers of all events.
    #[doc(hidden)]
    fn first(&mut self, event: &E) -> Option<Entity>;

    /// Returns the next entity to which the event propagates. Called after the observers of the current entity have
    /// run.
    #[doc(hidden)]
    #[inline]
    fn next(&mut self, event: &mut E, state: &mut Self::State, world: &World) -> Option<Entity> {
        let _ = (event, state, world);
        None
    }
}
