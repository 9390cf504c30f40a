//! What observers can be given: an event, or all of an operation at once.

use core::convert::Infallible;
use core::marker::PhantomData;
use core::ops::Range;

use super::id::ObserverId;
use super::on::{On, OnAbout, OnInput, TriggerOf};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::event::{EntityComponentsTrigger, Event, EventPattern, LifecycleEvent, Trigger};
use crate::origin::Origin;
use crate::store::{Affected, Store};
use crate::system::{
    NotifySystem, ObservedRows, Outcome, RowScope, SystemInput, WrittenInput, observes_nothing, outcome, plain_inputs,
    run_on_entities,
};

/// What a system that observes has for its first parameter: [`On`] or [`OnBatch`].
#[diagnostic::on_unimplemented(
    message = "a system that is given `{Self}` is no observer",
    label = "not an observer",
    note = "the first parameter of an observer is `On<E>`, where `E` is an event, or `OnBatch<Add<C>>`, where `C` is a component"
)]
pub trait ObserverInput: SystemInput + 'static {
    /// What it observes.
    type Pattern: EventPattern;

    /// Has a system observe an event.
    #[doc(hidden)]
    fn observe(
        system: &mut impl NotifySystem<In = Self>,
        event: &mut EventOf<Self>,
        trigger: &mut TriggerOf<EventOf<Self>>,
        observer: ObserverId,
        store: &mut Store,
    ) -> Observed;

    /// Whether a system observes several entities at once.
    #[doc(hidden)]
    const IS_BATCH: bool;

    /// Has a system observe the events of some rows, one by one or at once. Ends early after an error. Returns which row is the next.
    #[doc(hidden)]
    fn observe_rows(
        system: &mut impl NotifySystem<In = Self>,
        rows: EventRows<'_, EventOf<Self>>,
        store: &mut Store,
    ) -> (usize, Observed);
}

/// The lifecycle events of some of several entities to which an operation does the same, for one observer.
#[doc(hidden)]
pub struct EventRows<'a, E: Event> {
    pub(super) affected: Affected<'a>,
    /// Which of the entities.
    pub(super) rows: Range<usize>,
    /// The components of the events.
    pub(super) components: &'a [ComponentId],
    pub(super) trigger: &'a mut TriggerOf<E>,
    pub(super) observer: ObserverId,
}

/// The event that an observer is told of.
pub type EventOf<I> = <<I as ObserverInput>::Pattern as EventPattern>::Event;

/// What became of a run of it.
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

/// What one operation does to components of entities of one table: the first parameter of an observer that is called once for all of
/// them, and not for each. `P` is [`Add<C>`](crate::event::Add), [`Insert<C>`](crate::event::Insert),
/// [`Discard<C>`](crate::event::Discard), [`Remove<C>`](crate::event::Remove) or [`Despawn<C>`](crate::event::Despawn).
///
/// The entities are in the order in which an observer of each of them would be told. If several of them have other components, the
/// observer is called once for those of each table; an entity in an operation for itself is a batch of one. Entities whose sparse
/// components differ may come in several batches. An observer that watches single entities is called for each of them.
///
/// [`Query::contiguous_many`](crate::query::Query::contiguous_many) has their values as slices, if they lie together.
///
/// An operation costs one call for each table, and no copy of its entities if they stay where they are until they are told of.
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

/// What an observer of batches is given: see [`OnBatch`].
pub struct OnBatchInput<'w, P: EventPattern> {
    entities: &'w [Entity],
    trigger: &'w EntityComponentsTrigger,
    observer: ObserverId,
    caller: Origin,
    marker: PhantomData<fn() -> P>,
}

impl<'w, P: EventPattern> OnBatch<'w, '_, P> {
    getters! {
        /// The entities, of which there is at least one.
        pub fn entities(&self) -> &'w [Entity] = self.given.entities;

        /// The components that it is about, as far as the observer watches them. It is the same ones for all entities.
        pub fn components(&self) -> &'w [ComponentId] = &self.given.trigger.components;

        /// The observer that is told.
        pub fn observer(&self) -> ObserverId = self.given.observer;

        /// What carries out the operation, or has recorded the command for it. Known with the feature `track_location` only.
        pub fn caller(&self) -> Origin = self.given.caller;
    }
}

/// What an observer is given of entities.
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
        use crate::event::EntityEvent as _;

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
            Affected::Listed(entities) => system.notify(batch(entities, about), store),
            Affected::Rows { .. } if system.access().is_exclusive() => {
                let entities = affected.entities(&store.structure.archetypes.tables).to_vec();
                system.notify(batch(&entities, about), store)
            }
            Affected::Rows { .. } => {
                let out = run_on_entities(system, (affected, about), batch, store);
                outcome(out, || system.name())
            }
        };
        (affected.len(), done)
    }
}
