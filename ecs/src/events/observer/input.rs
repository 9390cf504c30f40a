//! Inputs of observers: a single event, or all events of an operation at once.
//!
//! Tests: tests/observers/batches.rs

use core::convert::Infallible;
use core::marker::PhantomData;
use core::ops::Range;

use super::id::ObserverId;
use super::on::{On, OnAbout, OnInput, TriggerOf};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::events::event::{EntityComponentsTrigger, Event, EventPattern, LifecycleEvent, Trigger};
use crate::structure::store::{AffectedEntities, Store};
use crate::system::{
    NotifySystem, ObservedRows, Outcome, RowScope, SystemInput, WrittenInput, observes_nothing, outcome, plain_inputs,
    run_on_entities,
};
use crate::util::origin::Origin;

/// The first parameter of an observer system: [`On`] or [`OnBatch`].
#[diagnostic::on_unimplemented(
    message = "a system that is given `{Self}` is no observer",
    label = "not an observer",
    note = "the first parameter of an observer is `On<E>`, where `E` is an event, or `OnBatch<Add<C>>`, where `C` is a component"
)]
pub trait ObserverInput: SystemInput + 'static {
    /// The event pattern that the system observes.
    type Pattern: EventPattern;

    /// Runs a system with an event.
    #[doc(hidden)]
    fn observe(
        system: &mut impl NotifySystem<In = Self>,
        event: &mut EventOf<Self>,
        trigger: &mut TriggerOf<EventOf<Self>>,
        observer: ObserverId,
        store: &mut Store,
    ) -> Observed;

    /// Whether the system observes several entities in one call.
    #[doc(hidden)]
    const IS_BATCH: bool;

    /// Runs a system with the events of some rows, one by one or all in one call. Stops after an error. Returns the
    /// index of the next row.
    #[doc(hidden)]
    fn observe_rows(
        system: &mut impl NotifySystem<In = Self>,
        rows: EventRows<'_, EventOf<Self>>,
        store: &mut Store,
    ) -> (usize, Observed);
}

/// The lifecycle events of one operation for a range of entities, for one observer.
#[doc(hidden)]
pub struct EventRows<'a, E: Event> {
    pub(super) affected: AffectedEntities<'a>,
    /// The range of the entities.
    pub(super) rows: Range<usize>,
    /// The components of the events.
    pub(super) components: &'a [ComponentId],
    pub(super) trigger: &'a mut TriggerOf<E>,
    pub(super) observer: ObserverId,
}

/// The type of event that an observer with input `I` is notified of.
pub type EventOf<I> = <<I as ObserverInput>::Pattern as EventPattern>::Event;

/// The outcome of a run of an observer.
pub type Observed = Outcome;

impl<P: EventPattern> ObserverInput for On<'static, 'static, P> {
    type Pattern = P;

    const IS_BATCH: bool = false;

    #[inline(always)]
    fn observe(
        system: &mut impl NotifySystem<In = Self>,
        event: &mut P::Event,
        trigger: &mut TriggerOf<P::Event>,
        observer: ObserverId,
        store: &mut Store,
    ) -> Observed {
        let caller = store.events.dispatch.caller();
        system.notify(OnInput { event, trigger, observer, caller, is_kept: &mut false }, store)
    }

    #[inline]
    fn observe_rows(
        system: &mut impl NotifySystem<In = Self>,
        EventRows { affected, rows: Range { start, end }, components, trigger, observer }: EventRows<'_, P::Event>,
        store: &mut Store,
    ) -> (usize, Observed) {
        let caller = store.events.dispatch.caller();
        let about = OnAbout { event: None, trigger, is_set: false, components, observer, caller };
        let mut rows = ObservedRows { affected, next: start, end, about };
        let out = system.run_rows(RowScope::Observed(&mut rows, store));
        (rows.next, outcome(out, || system.name()))
    }
}

/// The lifecycle events of one operation for entities of one table. If it is the first parameter of an observer, the
/// observer runs once for all of these entities, instead of once per entity. `P` is [`Add<C>`](crate::event::Add),
/// [`Insert<C>`](crate::event::Insert), [`Discard<C>`](crate::event::Discard), [`Remove<C>`](crate::event::Remove) or
/// [`Despawn<C>`](crate::event::Despawn).
///
/// The entities are in the order in which an observer of single events would be notified. If the entities of an
/// operation are in several tables, the observer runs once per table. A single entity is a batch of one. Entities with
/// different sparse components may be split into several batches. If an observer watches single entities, it runs once
/// for each of them.
///
/// [`Query::contiguous_many`](crate::query::Query::contiguous_many) returns the values of the entities as slices, if
/// they are contiguous.
///
/// An operation costs one call per table. The entities are not copied if they stay in place until the observer runs.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Mass(f64);
/// #[derive(Resource, Default)]
/// struct Total(f64);
///
/// fn weigh(batch: OnBatch<Add<Mass>>, masses: Query<&Mass>, mut total: ResMut<Total>) {
///     total.0 += match masses.contiguous_many(batch.entities()) {
///         Some(slice) => slice.iter().map(|mass| mass.0).sum::<f64>(),
///         None => masses.iter_many(batch.entities()).matched().map(|mass| mass.0).sum(),
///     };
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Total>();
/// world.add_observer(weigh);
/// world.spawn_batch((0..100).map(|n| Mass(f64::from(n)))); // One call.
/// assert_eq!(world.resource::<Total>().0, 4950.0);
/// ```
pub struct OnBatch<'w, 't, P: EventPattern> {
    given: OnBatchInput<'w, P>,
    marker: PhantomData<&'t ()>,
}

/// The input of an observer of batches: see [`OnBatch`].
pub struct OnBatchInput<'w, P: EventPattern> {
    entities: &'w [Entity],
    trigger: &'w EntityComponentsTrigger,
    observer: ObserverId,
    caller: Origin,
    marker: PhantomData<fn() -> P>,
}

impl<'w, P: EventPattern> OnBatch<'w, '_, P> {
    getters! {
        /// Returns the entities. There is at least one.
        pub fn entities(&self) -> &'w [Entity] = self.given.entities;

        /// Returns the components of the event that the observer watches. They are the same for all entities of the
        /// batch.
        pub fn components(&self) -> &'w [ComponentId] = &self.given.trigger.components;

        /// Returns the id of the observer that is running.
        pub fn observer(&self) -> ObserverId = self.given.observer;

        /// Returns the origin of the operation, or of the command that carries it out. It is recorded only with the
        /// feature `track_location`.
        pub fn caller(&self) -> Origin = self.given.caller;
    }
}

/// Makes the input for a batch of entities.
fn batch<'i, P: EventPattern>(
    entities: &'i [Entity],
    &(trigger, observer, caller): &'i (&EntityComponentsTrigger, ObserverId, Origin),
) -> OnBatchInput<'i, P> {
    OnBatchInput { entities, trigger, observer, caller, marker: PhantomData }
}

impl_debug_as_struct! {
    [P: EventPattern] OnBatch<'_, '_, P>, "OnBatch", |this| {
        entities: this.entities(), components: this.components(), observer: this.observer()
    } finish;
}

plain_inputs! {
    [P: EventPattern] OnBatch<'_, '_, P> => OnBatch<'i, 'i, P>, OnBatchInput<'i, P>, |given| OnBatch { given, marker: PhantomData };
}

impl<P: EventPattern<Event: LifecycleEvent>> ObserverInput for OnBatch<'static, 'static, P> {
    type Pattern = P;

    const IS_BATCH: bool = true;

    fn observe(
        system: &mut impl NotifySystem<In = Self>,
        event: &mut P::Event,
        trigger: &mut TriggerOf<P::Event>,
        observer: ObserverId,
        store: &mut Store,
    ) -> Observed {
        use crate::events::event::EntityEvent as _;

        let entities = &[event.event_target()];
        let about = &(&*trigger, observer, store.events.dispatch.caller());
        system.notify(batch(entities, about), store)
    }

    fn observe_rows(
        system: &mut impl NotifySystem<In = Self>,
        EventRows { affected, rows, components, trigger, observer }: EventRows<'_, P::Event>,
        store: &mut Store,
    ) -> (usize, Observed) {
        debug_assert_eq!(rows.start, 0);
        Trigger::<P::Event>::set_components(trigger, components);
        let about = &(&*trigger, observer, store.events.dispatch.caller());
        let done = match affected {
            AffectedEntities::Listed(entities) => system.notify(batch(entities, about), store),
            AffectedEntities::Rows { .. } if system.access().is_exclusive() => {
                let entities = affected.entities(&store.structure.archetypes.tables).to_vec();
                system.notify(batch(&entities, about), store)
            }
            AffectedEntities::Rows { .. } => {
                let out = run_on_entities(system, (affected, about), batch, store);
                outcome(out, || system.name())
            }
        };
        (affected.len(), done)
    }
}
