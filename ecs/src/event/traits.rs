//! What an event is, and how it finds its observers.

use crate::bundle::Bundle;
use crate::component::{ComponentId, ComponentKey, Kinds, TypeSlot};
use crate::entity::Entity;
use crate::term::ConstTerm;
use crate::world::World;

/// A value that all observers of its type get, at the moment at which it is triggered.
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
    /// How it finds its observers: [`GlobalTrigger`](super::GlobalTrigger), [`EntityTrigger`](super::EntityTrigger) or
    /// [`PropagateEntityTrigger`](super::PropagateEntityTrigger).
    type Trigger<'a>: Trigger<Self>;

    /// The moment in the life of components at which it is triggered, if it is such an event.
    #[doc(hidden)]
    const MOMENT: Option<Moment> = None;

    /// An event that operations trigger, of an entity.
    ///
    /// # Panics
    ///
    /// If it is no such event: it has no [`MOMENT`](Self::MOMENT).
    #[doc(hidden)]
    #[inline]
    fn of_operation(_: Entity) -> Self {
        unreachable!("no operation triggers the event")
    }

    /// A number that is the same for the same type while the program is compiled, for checks at that time. None if there
    /// are none.
    #[doc(hidden)]
    const KEY: Option<ComponentKey> = None;

    /// Where the process remembers a number for this type, if it has such a place.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}

/// An event that has an entity as its target. Observers of the entity are told of it, and those of all events of the type before them.
///
/// With `#[derive(EntityEvent)]` the target is the field with the name `entity`, the one with `#[event_target]`, or the only field.
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
    /// The entity that it is for.
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
    /// Whether it is about entities that begin or end to match a filter.
    pub(crate) fn is_of_matches(self) -> bool {
        matches!(self, Self::BeginMatch | Self::EndMatch)
    }

    pub(crate) fn kinds(self) -> Kinds {
        match self {
            Self::Despawn => Kinds::DESPAWN,
            Self::Discard => Kinds::DISCARD,
            Self::Remove => Kinds::REMOVE,
            Self::Add => Kinds::ADD,
            Self::Insert => Kinds::INSERT,
            Self::EndMatch => Kinds::BEFORE_MATCH,
            Self::BeginMatch => Kinds::AFTER_MATCH,
        }
    }
}

/// An event whose target can be changed, as it is for those that go on to other entities.
pub trait SetEntityEventTarget: EntityEvent {
    /// Makes it an event for an entity.
    fn set_event_target(&mut self, entity: Entity);
}

/// What an observer observes: an event.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be observed: it is neither an event (`#[derive(Event)]`, `#[derive(EntityEvent)]`) nor a moment in the \
               life of components",
    label = "not an event",
    note = "moments are `Add<C>`, `Insert<C>`, `Discard<C>`, `Remove<C>` and `Despawn<C>` of a component `C`, or of a tuple of components, \
            and `BeginMatch<F>` and `EndMatch<F>` of a filter `F`",
    note = "a message (`#[derive(Message)]`) is not an event: systems read it from a `MessageReader<T>`"
)]
pub trait EventPattern: Send + Sync + 'static {
    /// The event.
    type Event: Event;
    /// The components that the event is about, `()` for any.
    type Components: Bundle;

    /// What entities match, or match no more, if that is what it is about.
    #[doc(hidden)]
    const FILTER: Option<&'static ConstTerm> = None;
}

impl<E: Event> EventPattern for E {
    type Event = E;
    type Components = ();
}

/// How an event finds its observers: those of all events of its type, and of which entities, one after the other.
///
/// See [`GlobalTrigger`](super::GlobalTrigger), [`EntityTrigger`](super::EntityTrigger) and
/// [`PropagateEntityTrigger`](super::PropagateEntityTrigger); derives choose one of them.
pub trait Trigger<E: Event>: 'static {
    /// What is remembered from one event of the type to the next, of one world.
    #[doc(hidden)]
    type State: Default + Send + Sync + 'static;

    /// The trigger of lifecycle events, which operations trigger; `None` for those of other events.
    #[doc(hidden)]
    #[inline]
    fn of_operation(_: &mut Self::State) -> Option<&mut Self> {
        None
    }

    /// Says which components an event is about that an operation triggers.
    #[doc(hidden)]
    #[inline]
    fn set_components(&mut self, _: &[ComponentId]) {}

    /// The entity whose observers are told of the event first, beside those of all events.
    #[doc(hidden)]
    fn first(&mut self, event: &E) -> Option<Entity>;

    /// The entity that the event goes on to; it has been told.
    #[doc(hidden)]
    #[inline]
    fn next(&mut self, event: &mut E, state: &mut Self::State, world: &World) -> Option<Entity> {
        let _ = (event, state, world);
        None
    }
}
