//! Lifecycle events of components.
//!
//! Tests: tests/storage/lifecycle.rs

use core::marker::PhantomData;

use super::traits::{EntityEvent, Event, EventPattern, Moment, SetEntityEventTarget};
use super::trigger::EntityComponentsTrigger;
use crate::access::term::ConstTerm;
use crate::component::TypeSlot;
use crate::entity::Entity;
use crate::query::{FilterTerms, QueryFilter};
use crate::structure::bundle::Bundle;

/// A lifecycle event. Structural operations trigger it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event of the life of components: no operation triggers it for many entities at once",
    label = "triggered for itself",
    note = "observe each of them with `On<{Self}>`; `OnBatch` is for `Add<C>`, `Insert<C>`, `Discard<C>`, `Remove<C>`, `Despawn<C>`, \
            `BeginMatch<F>` and `EndMatch<F>`"
)]
pub trait LifecycleEvent: EntityEvent + Event<Trigger<'static> = EntityComponentsTrigger> {}

macro_rules! lifecycle {
    ($(
        $(#[$of_event:meta])* $Event:ident;
        $(#[$of_pattern:meta])* $Pattern:ident<$Of:ident: $Bound:ident>, $Components:ty, $filter:expr;
    )*) => {$(
        $(#[$of_event])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $Event {
            /// The target of the event.
            pub entity: Entity,
        }

        impl Event for $Event {
            type Trigger<'a> = EntityComponentsTrigger;

            const MOMENT: Option<Moment> = Some(Moment::$Pattern);

            #[inline]
            fn of_operation(entity: Entity) -> Self {
                Self { entity }
            }

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

        impl LifecycleEvent for $Event {}

        $(#[$of_pattern])*
        #[derive(Clone, Copy, Default, Debug)]
        pub struct $Pattern<$Of: $Bound>(PhantomData<fn() -> $Of>);

        impl<$Of: $Bound + 'static> EventPattern for $Pattern<$Of> {
            type Event = $Event;
            type Components = $Components;

            const FILTER: Option<&'static ConstTerm> = $filter;
        }
    )*};
}

lifecycle! {
    /// Operations have added components to an entity that did not have them: see [`Add`].
    AddEvent;
    /// Observers of this pattern run after an operation has added a component to an entity that did not have it. With
    /// `Add<(A, B)>`, an observer runs if one or both of the components were added, once for each entity and operation.
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
    Add<B: Bundle>, B, None;

    /// An operation has inserted values of components into an entity: see [`Insert`].
    InsertEvent;
    /// Observers of this pattern run after an operation has inserted a value of a component, whether or not the entity
    /// had the component before. Changing a value in place is not an insertion: see [`Changed`](crate::query::Changed).
    Insert<B: Bundle>, B, None;

    /// An operation is about to remove or replace values of an entity's components: see [`Discard`].
    DiscardEvent;
    /// Observers of this pattern run before an operation removes a value of a component, or replaces it by another one.
    /// They can still read the value.
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
    Discard<B: Bundle>, B, None;

    /// An operation is about to remove components of an entity: see [`Remove`].
    RemoveEvent;
    /// Observers of this pattern run before an operation removes a component, or despawns an entity with the component.
    /// They can still read the value.
    Remove<B: Bundle>, B, None;

    /// An entity is about to be despawned: see [`Despawn`].
    DespawnEvent;
    /// Observers of this pattern run before an entity with the component is despawned. They can still read all values
    /// of the entity.
    Despawn<B: Bundle>, B, None;

    /// An entity is about to stop matching a filter: see [`EndMatch`].
    EndMatchEvent;
    /// Observers of this pattern run before an operation after which an entity no longer matches a filter. They can
    /// still read all values of the entity. Despawning the entity is such an operation. See [`BeginMatch`] for the
    /// filters that are allowed.
    EndMatch<F: QueryFilter>, (), Some(&<F::Terms as FilterTerms>::TERM);

    /// An entity has begun to match a filter: see [`BeginMatch`].
    BeginMatchEvent;
    /// Observers of this pattern run after an operation that makes an entity match a filter which it did not match before.
    ///
    /// The filter requires or excludes components: `With`, `Without`, `Or`, tuples, and structs with
    /// `#[derive(QueryFilter)]` are allowed. It must not match an entity without components. An entity matches as in a
    /// query, so a disabled entity does not match. The filter is evaluated for every operation that adds or removes one
    /// of its components, and only the final result of the operation counts.
    ///
    /// ```
    /// use strata_ecs::event::{BeginMatch, EndMatch};
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Enemy;
    /// #[derive(Component)]
    /// struct Hidden;
    /// #[derive(Resource, Default)]
    /// struct InSight(i32);
    ///
    /// type Seen = (With<Enemy>, Without<Hidden>);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<InSight>();
    /// world.add_observer(|_: On<BeginMatch<Seen>>, mut count: ResMut<InSight>| count.0 += 1);
    /// world.add_observer(|_: On<EndMatch<Seen>>, mut count: ResMut<InSight>| count.0 -= 1);
    /// let orc = world.spawn(Enemy).id();
    /// world.spawn((Enemy, Hidden));
    /// assert_eq!(world.resource::<InSight>().0, 1);
    /// world.entity_mut(orc).insert(Hidden);
    /// assert_eq!(world.resource::<InSight>().0, 0);
    /// world.all::<With<Hidden>>().remove::<Hidden>();
    /// assert_eq!(world.resource::<InSight>().0, 2);
    /// world.despawn(orc);
    /// assert_eq!(world.resource::<InSight>().0, 1);
    /// ```
    BeginMatch<F: QueryFilter>, (), Some(&<F::Terms as FilterTerms>::TERM);
}
