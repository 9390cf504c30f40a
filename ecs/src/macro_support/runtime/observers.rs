//! The runtime part of `#[observer]`, for functions that take components of the target.
//!
//! Such an observer is a system with an additional query and a loop over rows. The rows belong to all entities of one
//! operation, or to the target of an event. The function is called for the rows that match. As for other systems,
//! errors are reported by the check that the macro emits.
//!
//! Tests: tests/observers/targets.rs, tests/observers/rows.rs

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;

use crate::entity::{Entity, TableId};
use crate::events::event::{EntityEvent, EventPattern};
use crate::events::observer::{On, OnAbout, OnInput};
use crate::query::{ContiguousFetch, Query, QueryData, QueryFilter, SliceKernel, lacking};
use crate::structure::cell::StoreCell;
use crate::structure::store::{AffectedEntities, Store};
use crate::system::for_macros::{SliceOf, impl_kernel};
use crate::system::{
    BoxedSystem, EcsError, LoopKind, MacroMarker, SystemInput, SystemParam, SystemParamFunction, SystemParamItem,
    function_system,
};

/// The event of each row, for an observer that takes components.
pub struct GivenRows<'g, P: EventPattern>(RowEvents<'g, P>);

enum RowEvents<'g, P: EventPattern> {
    /// An event with one target.
    One(OnInput<'g, P>),
    /// One event for each entity.
    Each(OnAbout<'g, P>),
}

impl<P: EventPattern> GivenRows<'_, P> {
    /// Returns the event for an entity.
    #[inline(always)]
    pub fn of(&mut self, entity: Entity) -> On<'_, '_, P> {
        On::<P>::wrap(match &mut self.0 {
            RowEvents::One(given) => given.reborrow(),
            RowEvents::Each(about) => On::<P>::about(about, entity),
        })
    }
}

/// The source of the events for loops over rows of several tables.
trait GiveRows<P: EventPattern> {
    /// Returns the events for one loop. The caller stores them in a local variable: then the compiler knows that other
    /// writes of the function do not overlap with them.
    fn for_loop(&mut self) -> GivenRows<'_, P>;
}

impl<P: EventPattern> GiveRows<P> for OnInput<'_, P> {
    #[inline(always)]
    fn for_loop(&mut self) -> GivenRows<'_, P> {
        GivenRows(RowEvents::One(self.reborrow()))
    }
}

impl<P: EventPattern> GiveRows<P> for OnAbout<'_, P> {
    #[inline(always)]
    fn for_loop(&mut self) -> GivenRows<'_, P> {
        GivenRows(RowEvents::Each(On::<P>::begin(self)))
    }
}

/// A function that loops over the rows of one table, whose entities are targets of events. Its arguments are the number
/// of rows, the entities and columns with this number of values, the events, and the parameters.
pub trait TargetKernel<P: EventPattern, D: QueryData<Terms: ContiguousFetch>, Marker>: Send + Sync + 'static {
    /// The system parameters.
    type Params: SystemParam + 'static;

    /// Runs the loop over the rows.
    fn run(
        &self,
        len: usize,
        entities: &[Entity],
        columns: SliceOf<'_, D>,
        given: &mut GivenRows<'_, P>,
        params: &mut SystemParamItem<'_, '_, Self::Params>,
    ) -> Result<(), EcsError>;
}

impl_kernel! {
    [P: EventPattern, D: QueryData<Terms: ContiguousFetch>] TargetKernel<P, D>, fn(Params), for<'a, 'e, 'h, 'g>
    (
        entities E: &'e [Entity] = &[Entity],
        columns C: SliceOf<'a, D> = SliceOf<'_, D>,
        given G: &'h mut GivenRows<'g, P> = &mut GivenRows<'_, P>
    ) {}
}

/// Reports the first target that lacks components which the function takes.
struct LackReport {
    observer: &'static str,
    is_done: bool,
}

impl LackReport {
    /// Handles a row that was skipped. `lacking` returns the components that an entity lacks.
    #[cold]
    fn skip_row(
        &mut self,
        event: &str,
        store: &Store,
        (table, row): (TableId, usize),
        lacking: fn(&Store, Entity) -> Vec<&'static str>,
    ) {
        if self.is_done {
            return;
        }
        let Some(&entity) = store.structure.archetypes.tables.get(table).and_then(|table| table.entities().get(row))
        else {
            return;
        };
        let lacking: Vec<String> = lacking(store, entity).iter().map(|name| format!("`{name}`")).collect();
        if lacking.is_empty() {
            return;
        }
        self.is_done = true;
        let (observer, lacking) = (self.observer, lacking.join(", "));
        let text = format!(
            "observer `{observer}` of event `{event}` was not called for entity {entity}, which lacks {lacking}: insert it, take an \
             `Option` of it, or write `#[observer(with(..))]` if other targets are to be passed over; more of them are not reported"
        );
        store.commands.errors.warn_once(observer, &text, Some(observer));
    }
}

/// A loop with its arguments.
struct ObserverLoop<'k, 'p, 'w, 's, P, D, F, K, G, Marker>
where
    P: EventPattern,
    D: QueryData<Terms: ContiguousFetch>,
    K: TargetKernel<P, D, Marker>,
    Marker: 'static,
{
    kernel: &'k K,
    report: &'k mut LackReport,
    given: G,
    params: &'p mut SystemParamItem<'w, 's, K::Params>,
    marker: PhantomData<fn() -> (P, D, F, Marker)>,
}

impl<P, D, F, K, G, Marker> SliceKernel<<(Entity, D) as QueryData>::Terms>
    for ObserverLoop<'_, '_, '_, '_, P, D, F, K, G, Marker>
where
    P: EventPattern,
    D: QueryData<Terms: ContiguousFetch>,
    F: QueryFilter,
    K: TargetKernel<P, D, Marker>,
    G: GiveRows<P>,
    Marker: 'static,
{
    type Error = EcsError;

    const VISITS_SKIPPED: bool = true;

    fn skip_row(&mut self, cell: StoreCell<'_>, table: TableId, row: usize) {
        self.report.skip_row(type_name::<P>(), cell.store(), (table, row), lacking::<D, F>);
    }

    #[inline(always)]
    fn run(&mut self, len: usize, (entities, columns): SliceOf<'_, (Entity, D)>) -> Result<(), EcsError> {
        self.kernel.run(len, entities, columns, &mut self.given.for_loop(), self.params)
    }
}

/// An observer of the pattern `P` that takes the data `D` of targets that match the filter `F`.
pub struct TargetSystem<P, D, F, K, Marker> {
    kernel: K,
    may_fail: bool,
    report: LackReport,
    marker: PhantomData<fn() -> (P, D, F, Marker)>,
}

impl<P, D, F, K, Marker> TargetSystem<P, D, F, K, Marker> {
    /// Wraps a loop. There are no bounds on the loop.
    pub const fn new(kernel: K) -> Self {
        Self { kernel, may_fail: false, report: LackReport { observer: "", is_done: false }, marker: PhantomData }
    }

    /// Marks the function of the observer as one that may fail.
    #[must_use]
    pub const fn may_fail(mut self) -> Self {
        self.may_fail = true;
        self
    }
}

impl<P, D, F, K, Marker> TargetSystem<P, D, F, K, Marker>
where
    P: EventPattern<Event: EntityEvent>,
    D: QueryData<Terms: ContiguousFetch> + 'static,
    F: QueryFilter + 'static,
    K: TargetKernel<P, D, Marker>,
    Marker: 'static,
{
    /// Returns the system that calls the function if the target of the event matches.
    pub fn build(
        mut self,
        name: &'static str,
        params: &'static [&'static str],
    ) -> BoxedSystem<On<'static, 'static, P>, Result<(), EcsError>> {
        self.report.observer = name;
        function_system(name, params, self)
    }

    /// Calls the function for those of the given entities that match.
    #[inline(always)]
    fn for_each(
        &mut self,
        entities: AffectedEntities<'_>,
        given: impl GiveRows<P>,
        (mut targets, mut params): SystemParamItem<'_, '_, <Self as SystemParamFunction<MacroMarker>>::Param>,
    ) -> Result<(), EcsError> {
        let Self { kernel, report, .. } = self;
        let mut bound =
            ObserverLoop::<P, D, F, K, _, Marker> { kernel, report, given, params: &mut params, marker: PhantomData };
        targets.for_each_affected(entities, &mut bound)
    }
}

impl<P, D, F, K, Marker> SystemParamFunction<MacroMarker> for TargetSystem<P, D, F, K, Marker>
where
    P: EventPattern<Event: EntityEvent>,
    D: QueryData<Terms: ContiguousFetch> + 'static,
    F: QueryFilter + 'static,
    K: TargetKernel<P, D, Marker>,
    Marker: 'static,
{
    type In = On<'static, 'static, P>;
    type Out = Result<(), EcsError>;
    type Param = (Query<'static, 'static, (Entity, D), F>, K::Params);

    const INPUTS: usize = 1;

    const LOOP: LoopKind = LoopKind::Observed;

    fn went_well(out: &Result<(), EcsError>) -> bool {
        out.is_ok()
    }

    fn may_fail(&self) -> bool {
        self.may_fail
    }

    #[inline]
    fn run_rows(
        &mut self,
        rows: AffectedEntities<'_>,
        about: OnAbout<'_, P>,
        params: SystemParamItem<'_, '_, Self::Param>,
    ) -> Result<(), EcsError> {
        self.for_each(rows, about, params)
    }

    #[inline]
    fn run(&mut self, given: OnInput<'_, P>, params: SystemParamItem<'_, '_, Self::Param>) -> Result<(), EcsError> {
        let target = given.event.event_target();
        self.for_each(AffectedEntities::Listed(&[target]), given, params)
    }
}

impl<P, D, F, K> super::Refused for TargetSystem<P, D, F, K, ()> {}

/// Checks at compile time that the event of an observer that takes components has a target.
pub const fn has_target<P: EventPattern<Event: EntityEvent>>() {}
