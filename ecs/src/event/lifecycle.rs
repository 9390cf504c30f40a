//! Events of the life of components.

use core::marker::PhantomData;

use super::traits::{EntityEvent, Event, EventPattern, Moment, SetEntityEventTarget};
use super::trigger::EntityComponentsTrigger;
use crate::bundle::Bundle;
use crate::component::TypeSlot;
use crate::entity::Entity;
use crate::query::{FilterTerms, QueryFilter};
use crate::term::ConstTerm;

/// An event of the life of components, which operations trigger.
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
            /// The entity.
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
    /// An entity has got components that it had not: see [`Add`].
    AddEvent;
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
    Add<B: Bundle>, B, None;

    /// An entity has got values of components: see [`Insert`].
    InsertEvent;
    /// What an observer observes to be told of entities that have got a value of a component, the first one or another one, after the
    /// operation that inserts it. Values that a system changes in place are no insertions: see
    /// [`Changed`](crate::query::Changed).
    Insert<B: Bundle>, B, None;

    /// An entity is about to lose values of components: see [`Discard`].
    DiscardEvent;
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
    Discard<B: Bundle>, B, None;

    /// An entity is about to lose components: see [`Remove`].
    RemoveEvent;
    /// What an observer observes to be told of entities that are about to lose a component, or to end with it, before the operation: the
    /// value is there.
    Remove<B: Bundle>, B, None;

    /// An entity is about to end: see [`Despawn`].
    DespawnEvent;
    /// What an observer observes to be told of entities with a component that are about to end, before the operation: everything is
    /// there.
    Despawn<B: Bundle>, B, None;

    /// An entity is about to match a filter no more: see [`EndMatch`].
    EndMatchEvent;
    /// What an observer observes to be told of entities that match a filter and will not when the operation has ended that is about to
    /// begin: everything is there. Its end is such an operation. See [`BeginMatch`] for the filters.
    EndMatch<F: QueryFilter>, (), Some(&<F::Terms as FilterTerms>::TERM);

    /// An entity matches a filter: see [`BeginMatch`].
    BeginMatchEvent;
    /// What an observer observes to be told of entities that match a filter and had not, after the operation that makes them do so.
    ///
    /// The filter says which components an entity has and has not: `With`, `Without`, `Or`, tuples, and structs with
    /// `#[derive(QueryFilter)]`. An entity matches as it does in a query: not if it is disabled. An entity without components must not
    /// match, so one of the components comes when it begins to. Such an observer is asked in all operations that add or remove one of
    /// the components; it is told of the result of each operation on the whole.
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
