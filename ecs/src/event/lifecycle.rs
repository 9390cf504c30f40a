//! Events of the life of components.

use core::marker::PhantomData;

use super::traits::{EntityEvent, Event, EventPattern, Moment, SetEntityEventTarget};
use super::trigger::EntityComponentsTrigger;
use crate::bundle::Bundle;
use crate::component::TypeSlot;
use crate::entity::Entity;

/// An event of the life of components, which operations trigger.
#[doc(hidden)]
pub trait LifecycleEvent: EntityEvent + Event<Trigger<'static> = EntityComponentsTrigger> {
    /// That of an entity.
    fn of(entity: Entity) -> Self;
}

macro_rules! lifecycle {
    ($($(#[$of_event:meta])* $Event:ident, $(#[$of_pattern:meta])* $Pattern:ident)*) => {$(
        $(#[$of_event])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $Event {
            /// The entity.
            pub entity: Entity,
        }

        impl Event for $Event {
            type Trigger<'a> = EntityComponentsTrigger;

            const MOMENT: Option<Moment> = Some(Moment::$Pattern);

            fn slot() -> Option<&'static TypeSlot<Self>> {
                static SLOT: TypeSlot<$Event> = TypeSlot::new();
                Some(&SLOT)
            }
        }

        impl EntityEvent for $Event {
            fn event_target(&self) -> Entity {
                self.entity
            }
        }

        impl SetEntityEventTarget for $Event {
            fn set_event_target(&mut self, entity: Entity) {
                self.entity = entity;
            }
        }

        impl LifecycleEvent for $Event {
            fn of(entity: Entity) -> Self {
                Self { entity }
            }
        }

        $(#[$of_pattern])*
        #[derive(Clone, Copy, Default, Debug)]
        pub struct $Pattern<B: Bundle>(PhantomData<fn() -> B>);

        impl<B: Bundle> EventPattern for $Pattern<B> {
            type Event = $Event;
            type Components = B;
        }
    )*};
}

lifecycle! {
    /// An entity has got components that it had not: see [`Add`].
    AddEvent,
    /// What an observer observes to be told of entities that have got a component which they had not, after the operation that adds it.
    /// `Add<(A, B)>`: one of these components or both, once for each entity and operation.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(u32);
    /// #[derive(Resource, Default)]
    /// struct Total(u32);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Total>();
    /// world.add_observer(|add: On<Add<Health>>, all: Query<&Health>, mut total: ResMut<Total>| {
    ///     total.0 += all.get(add.entity).unwrap().0;
    /// });
    /// let entity = world.spawn(Health(3)).id();
    /// world.entity_mut(entity).insert(Health(5)); // It had one.
    /// assert_eq!(world.resource::<Total>().0, 3);
    /// ```
    Add

    /// An entity has got values of components: see [`Insert`].
    InsertEvent,
    /// What an observer observes to be told of entities that have got a value of a component, the first one or another one, after the
    /// operation that inserts it. Values that a system changes in place are no insertions: see
    /// [`Changed`](crate::query::Changed).
    Insert

    /// An entity is about to lose values of components: see [`Discard`].
    DiscardEvent,
    /// What an observer observes to be told of entities that are about to lose a value of a component, also if another one takes its
    /// place, before the operation: the value is there.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Price(u32);
    /// #[derive(Resource, Default)]
    /// struct Sum(u32);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Sum>();
    /// world.add_observer(|new: On<Insert<Price>>, all: Query<&Price>, mut sum: ResMut<Sum>| sum.0 += all.get(new.entity).unwrap().0);
    /// world.add_observer(|old: On<Discard<Price>>, all: Query<&Price>, mut sum: ResMut<Sum>| sum.0 -= all.get(old.entity).unwrap().0);
    /// let apple = world.spawn(Price(3)).id();
    /// let bread = world.spawn(Price(4)).id();
    /// world.entity_mut(apple).insert(Price(2));
    /// assert_eq!(world.resource::<Sum>().0, 6);
    /// world.despawn(bread);
    /// assert_eq!(world.resource::<Sum>().0, 2);
    /// ```
    Discard

    /// An entity is about to lose components: see [`Remove`].
    RemoveEvent,
    /// What an observer observes to be told of entities that are about to lose a component, or to end with it, before the operation: the
    /// value is there.
    Remove

    /// An entity is about to end: see [`Despawn`].
    DespawnEvent,
    /// What an observer observes to be told of entities with a component that are about to end, before the operation: everything is
    /// there.
    Despawn
}
