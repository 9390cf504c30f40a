//! Loops over rows along a relationship: `#[system(down = ..)]` and `#[system(up = ..)]` on a function over components.
//!
//! Such a system has a query for the rows that it visits, and another one that reads the targets or the sources of these rows. The
//! second may read components that the first writes: the two never access one entity at the same time, see [`LinkedRows`].
//!
//! Tests: tests/relationships/down.rs

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::base::BoxedSystem;
use super::function::{MacroMarker, function_system};
use super::memory::StateVisitor;
use super::meta::SystemMeta;
use super::param::{ParamSource, SystemParam, SystemParamItem};
use super::param_error::ParamError;
use super::param_function::SystemParamFunction;
use super::rows::{BoundKernel, SliceOf, impl_kernel};
use super::tasks::{Fetched, TaskSource, run_tasks};
use crate::access::ParamAccess;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::query::{
    ContiguousFetch, Forest, ForestNeeds, LinkedKernel, LinkedRows, LinkedWalk, Query, QueryData, QueryFilter,
    QueryState, ReadOnlyFetch, SlotRun,
};
use crate::relations::relationship::Relationship;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::util::error::EcsError;
use crate::util::pool::Tasks;
use crate::util::simd::Variants;

/// The rows to visit: their data, their filter, and the filter that selects changed rows.
#[doc(hidden)]
pub struct Visited<D, F, S>(PhantomData<fn() -> (D, F, S)>);

/// The read of targets or sources: its data, the filter that allows disabled entities, and the relationship.
#[doc(hidden)]
pub struct Along<P, A, R>(PhantomData<fn() -> (P, A, R)>);

/// The types of the visited rows.
#[doc(hidden)]
pub trait VisitedRows: 'static {
    /// The data.
    type Data: QueryData<Terms: ContiguousFetch> + 'static;
    /// The filter.
    type Filter: QueryFilter + 'static;
    /// The filter that selects changed rows.
    type Seeds: QueryFilter + 'static;
}

impl<D, F, S> VisitedRows for Visited<D, F, S>
where
    D: QueryData<Terms: ContiguousFetch> + 'static,
    F: QueryFilter + 'static,
    S: QueryFilter + 'static,
{
    type Data = D;
    type Filter = F;
    type Seeds = S;
}

/// The types of the data read along the relationship.
#[doc(hidden)]
pub trait ReadAlong: 'static {
    /// The data.
    type Data: QueryData<Terms: ReadOnlyFetch> + 'static;
    /// The filter that allows disabled entities.
    type Allowed: QueryFilter + 'static;
    /// The relationship.
    type Relation: Relationship;
}

impl<P, A, R> ReadAlong for Along<P, A, R>
where
    P: QueryData<Terms: ReadOnlyFetch> + 'static,
    A: QueryFilter + 'static,
    R: Relationship,
{
    type Data = P;
    type Allowed = A;
    type Relation = R;
}

/// A loop over rows of one depth. It takes the number of rows, the columns with that many values, the data of linked entities, and
/// the system parameters.
#[doc(hidden)]
pub trait LinkedRowKernel<D: QueryData<Terms: ContiguousFetch>, P: QueryData, Marker>: Send + Sync + 'static {
    /// The system parameters.
    type Params: SystemParam + 'static;

    /// Runs the loop over the rows.
    fn run(
        &self,
        len: usize,
        columns: SliceOf<'_, D>,
        linked: &LinkedRows<'_, P>,
        params: &mut SystemParamItem<'_, '_, Self::Params>,
    ) -> Result<(), EcsError>;
}

impl_kernel! {
    [D: QueryData<Terms: ContiguousFetch>, P: QueryData] LinkedRowKernel<D, P>, fn(Params), for<'a, 'h, 'l>
    (columns C: SliceOf<'a, D> = SliceOf<'_, D>, linked L: &'h LinkedRows<'l, P> = &LinkedRows<'_, P>) {}
}

impl<D, P, K, Marker> LinkedKernel<D::Terms, P> for BoundKernel<'_, '_, '_, '_, K, K::Params, (D, P, Marker)>
where
    D: QueryData<Terms: ContiguousFetch>,
    P: QueryData,
    K: LinkedRowKernel<D, P, Marker>,
{
    type Error = EcsError;

    #[inline(always)]
    fn run(&mut self, len: usize, rows: SliceOf<'_, D>, linked: &LinkedRows<'_, P>) -> Result<(), EcsError> {
        self.kernel.run(len, rows, linked, self.params)
    }
}

/// The options of a loop along a relationship.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct LinkedOptions {
    /// Whether sources are visited before their targets.
    upwards: bool,
    /// Whether only rows that are reached from changed rows are visited.
    changed: bool,
}

impl LinkedOptions {
    /// Targets before their sources, all rows.
    #[must_use]
    pub const fn down() -> Self {
        Self { upwards: false, changed: false }
    }

    /// Sources before their targets, all rows.
    #[must_use]
    pub const fn up() -> Self {
        Self { upwards: true, changed: false }
    }

    /// The same order, but only changed rows and the rows that are reached from them.
    #[must_use]
    pub const fn changed(self) -> Self {
        Self { changed: true, ..self }
    }

    fn needs(self) -> ForestNeeds {
        let Self { upwards, changed } = self;
        ForestNeeds { sources: upwards, changes: changed, changed_targets: upwards }
    }
}

/// The parameter through which a loop along a relationship accesses the world.
#[doc(hidden)]
pub struct LinkedParam<'w, 's, T: VisitedRows, L: ReadAlong> {
    cell: StoreCell<'w>,
    rows: &'s QueryState<T::Data, T::Filter>,
    seeds: Query<'w, 's, Entity, (T::Filter, T::Seeds)>,
    linked: &'s QueryState<L::Data, L::Allowed>,
    relation: ComponentId,
    forest: &'s mut Forest,
}

/// The state that a system keeps for a `LinkedParam`.
#[doc(hidden)]
pub struct LinkedState<T: VisitedRows, L: ReadAlong> {
    rows: QueryState<T::Data, T::Filter>,
    seeds: QueryState<Entity, (T::Filter, T::Seeds)>,
    linked: QueryState<L::Data, L::Allowed>,
    relation: ComponentId,
    forest: Forest,
}

/// The source of a `LinkedParam`.
#[doc(hidden)]
pub struct LinkedSource<T, L>(PhantomData<fn() -> (T, L)>);

/// Makes the state of a query. The system is refused if the query borrows something twice, once mutably.
fn state<D: QueryData, F: QueryFilter>(store: &mut Store, meta: &mut SystemMeta) -> QueryState<D, F> {
    QueryState::new_or_refused(store, |store, twice| {
        let what = twice.text(&store.structure.archetypes.components);
        let param = meta.describe_current();
        meta.refuse(&alloc::format!("{param}: {what} is borrowed twice, once mutably"));
    })
}

// SAFETY: `init` adds the access of the rows, and the access of the data read from their targets or sources. `LinkedRows` ensures
// that the two never access one entity at the same time.
unsafe impl<T: VisitedRows, L: ReadAlong> ParamSource for LinkedSource<T, L> {
    type State = LinkedState<T, L>;
    type Got<'w, 's> = LinkedParam<'w, 's, T, L>;

    const COUNT: usize = 1;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
        // The filter on changes, `T::Seeds`, requires only components that all visited rows have.
        let all = state::<T::Data, (T::Filter, T::Seeds)>(store, meta);
        meta.add_access(ParamAccess::Query(all.access().clone()), store);
        let linked = state(store, meta);
        meta.add_disjoint_access(ParamAccess::Query(linked.access().clone()), store);
        let (rows, seeds) = (state(store, meta), state(store, meta));
        let relation = store.register_component::<L::Relation>();
        store.events.links.keep_journal();
        meta.next_param();
        LinkedState { rows, seeds, linked, relation, forest: Forest::default() }
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        let LinkedState { rows, seeds, linked, relation, forest } = state;
        rows.update_known(cell.store());
        seeds.update_known(cell.store());
        linked.update_known(cell.store());
        // SAFETY: the state is up to date; the caller grants the access of all parts, which includes this one.
        let seeds = unsafe { Query::new(cell, seeds) };
        Ok(LinkedParam { cell, rows, seeds, linked, relation: *relation, forest })
    }

    fn visit_state(state: &mut Self::State, keeper: &mut StateVisitor<'_>) {
        keeper.forest(&mut state.forest);
    }

    fn rows(state: &Self::State, store: &Store) -> Option<usize> {
        Some(state.rows.rows(store))
    }
}

params! {
    [T: VisitedRows, L: ReadAlong] LinkedParam<'_, '_, T, L> => LinkedParam<'w, 's, T, L>, LinkedSource<T, L>, |got| got;
}

/// The walk of a `LinkedParam<T, L>`.
type WalkOf<'a, T, L> = LinkedWalk<
    'a,
    <<T as VisitedRows>::Data as QueryData>::Terms,
    <<T as VisitedRows>::Filter as QueryFilter>::Terms,
    <L as ReadAlong>::Data,
    <<L as ReadAlong>::Allowed as QueryFilter>::Terms,
>;

impl<T: VisitedRows, L: ReadAlong> LinkedParam<'_, '_, T, L> {
    /// Updates the forest, and calls `then` with the walk and with the levels to visit, by depth.
    #[inline]
    fn walk<Out>(self, options: LinkedOptions, then: impl FnOnce(WalkOf<'_, T, L>, &[Vec<SlotRun>]) -> Out) -> Out {
        let Self { cell, rows, seeds, linked, relation, forest } = self;
        let store = cell.store();
        let tables = rows.cache.matches.iter().map(|found| found.table);
        forest.update(store, relation, options.needs(), tables);
        let reached = options.changed.then(|| {
            let links = forest.take_changed();
            let changed = seeds.iter().filter_map(|entity| forest.slot_of(store, entity));
            forest.slots_to_visit(changed.chain(links), options.upwards)
        });
        let forest = &*forest;
        // SAFETY: `get` has updated both states, and the forest was updated above. The caller of `get` granted the access; the
        // parameter is consumed.
        let walk = unsafe { LinkedWalk::new(cell, &rows.cache, &linked.cache, forest) };
        then(walk, reached.as_deref().unwrap_or(forest.levels()))
    }
}

/// A loop over rows in the order of their depths, in the variants `V`: `T` are the visited rows, `L` the data read along the
/// relationship.
pub struct LinkedSystem<T, L, V, K, Marker> {
    kernel: K,
    options: LinkedOptions,
    marker: PhantomData<fn() -> (T, L, V, Marker)>,
}

impl<T, L, V, K, Marker> LinkedSystem<T, L, V, K, Marker> {
    /// A loop with this kernel.
    pub const fn new(kernel: K, options: LinkedOptions) -> Self {
        Self { kernel, options, marker: PhantomData }
    }
}

impl<T, L, V, K, Marker> LinkedSystem<T, L, V, K, Marker>
where
    T: VisitedRows,
    L: ReadAlong,
    V: Variants,
    K: LinkedRowKernel<T::Data, L::Data, Marker>,
    Marker: 'static,
{
    /// The system that calls the loop.
    pub fn build(self, name: &'static str, params: &'static [&'static str]) -> BoxedSystem<(), Result<(), EcsError>> {
        function_system(name, params, self)
    }
}

impl<T, L, V, K, Marker> LinkedSystem<T, L, V, K, Marker>
where
    T: VisitedRows,
    L: ReadAlong,
    V: Variants,
    K: LinkedRowKernel<T::Data, L::Data, Marker, Params: SystemParam<Source: TaskSource>>,
    Marker: 'static,
{
    /// The system that calls the loop for parts of each level, on several threads.
    pub fn build_par(
        self,
        name: &'static str,
        params: &'static [&'static str],
    ) -> BoxedSystem<(), Result<(), EcsError>> {
        function_system(name, params, ParLinkedSystem(self))
    }
}

impl<T, L, V, K, Marker> SystemParamFunction<MacroMarker> for LinkedSystem<T, L, V, K, Marker>
where
    T: VisitedRows,
    L: ReadAlong,
    V: Variants,
    K: LinkedRowKernel<T::Data, L::Data, Marker>,
    Marker: 'static,
{
    type In = ();
    type Out = Result<(), EcsError>;
    type Param = (LinkedParam<'static, 'static, T, L>, K::Params);

    #[inline]
    fn run(&mut self, (): (), (rows, mut params): SystemParamItem<'_, '_, Self::Param>) -> Result<(), EcsError> {
        let options = self.options;
        let mut kernel = BoundKernel::<K, K::Params, (T::Data, L::Data, Marker)>::new(&self.kernel, &mut params);
        rows.walk(options, |walk, levels| {
            let is_marked = !options.changed && walk.mark_all();
            // SAFETY: the levels belong to the forest, in which no slot occurs twice. Entities linked with a run are on another
            // level or are not visited. This thread processes all runs, one after the other.
            unsafe {
                if options.upwards {
                    walk.for_each::<V, _>(levels.iter().rev().flatten().copied(), is_marked, &mut kernel)
                } else {
                    walk.for_each::<V, _>(levels.iter().flatten().copied(), is_marked, &mut kernel)
                }
            }
        })
    }
}

/// Like [`LinkedSystem`], on several threads.
struct ParLinkedSystem<T, L, V, K, Marker>(LinkedSystem<T, L, V, K, Marker>);

/// The source of a loop's parameters.
type SourceOf<T, L, K, Marker> =
    <<K as LinkedRowKernel<<T as VisitedRows>::Data, <L as ReadAlong>::Data, Marker>>::Params as SystemParam>::Source;

impl<T, L, V, K, Marker> SystemParamFunction<MacroMarker> for ParLinkedSystem<T, L, V, K, Marker>
where
    T: VisitedRows,
    L: ReadAlong,
    V: Variants,
    K: LinkedRowKernel<T::Data, L::Data, Marker, Params: SystemParam<Source: TaskSource>>,
    Marker: 'static,
{
    type In = ();
    type Out = Result<(), EcsError>;
    type Param = (LinkedParam<'static, 'static, T, L>, Fetched<'static, 'static, SourceOf<T, L, K, Marker>>);

    /// # Errors
    ///
    /// The first error, in the order of levels and rows. Commands that were recorded before it are kept.
    #[inline]
    fn run(&mut self, (): (), (rows, mut params): SystemParamItem<'_, '_, Self::Param>) -> Result<(), EcsError> {
        let LinkedSystem { options, kernel, .. } = &self.0;
        let options = *options;
        let pool = &rows.cell.store().pool;
        rows.walk(options, |walk, levels| {
            let is_marked = !options.changed && walk.mark_all();
            for step in 0..levels.len() {
                let level = &levels[if options.upwards { levels.len() - 1 - step } else { step }];
                let pieces = LevelSlots::of(level);
                let tasks = Tasks::of(pieces.len()).joined();
                run_tasks::<SourceOf<T, L, K, Marker>, (), _>(pool, tasks, &mut params.0, |(), range, got| {
                    let mut params = <K::Params as SystemParam>::item(got);
                    let mut kernel = BoundKernel::<K, K::Params, (T::Data, L::Data, Marker)>::new(kernel, &mut params);
                    // SAFETY: the runs are parts of the level's runs, in which no slot occurs twice, and each task is run once.
                    // Entities linked with them are on another level or are not visited, so they are only read until all tasks are
                    // done.
                    unsafe { walk.for_each::<V, _>(pieces.of_range(range), is_marked, &mut kernel) }
                })?;
            }
            Ok(())
        })
    }
}

/// The slots of a level, indexed from its first slot.
struct LevelSlots<'a> {
    runs: &'a [SlotRun],
    /// For each run: the number of slots up to its end.
    ends: Vec<u32>,
}

impl<'a> LevelSlots<'a> {
    fn of(runs: &'a [SlotRun]) -> Self {
        let mut end = 0;
        let ends = runs.iter().map(|run| {
            end += run.len;
            end
        });
        Self { runs, ends: ends.collect() }
    }

    fn len(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// The slots in a range, as parts of runs.
    fn of_range(&self, range: core::ops::Range<usize>) -> impl Iterator<Item = SlotRun> + Clone {
        let (start, end) = (range.start as u32, range.end as u32);
        let first = self.ends.partition_point(|&end| end <= start);
        let parts = self.runs[first..].iter().zip(&self.ends[first..]);
        parts.map_while(move |(run, &run_end)| {
            let run_start = run_end - run.len;
            let (from, to) = (start.max(run_start), end.min(run_end));
            let skipped = from - run_start;
            (from < to).then(|| SlotRun { row: run.row + skipped, slot: run.slot + skipped, len: to - from, ..*run })
        })
    }
}
