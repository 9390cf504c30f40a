//! Functions as systems.
//!
//! Tests: tests/systems/systems.rs

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::{TypeId, type_name};
use core::panic::Location;

use super::base::{
    BlockScope, BoxedSystem, ObservedRows, RowScope, RunScope, SharedScope, System, SystemCore, SystemFacts,
    no_row_loop,
};
use super::input::{InputItem, SystemInput};
use super::memory::StateVisitor;
use super::meta::SystemMeta;
use super::notify::{NotifySystem, Outcome, notify_and_apply, outcome};
use super::param::{BuildParam, BuildSite, ParamSource, SystemParam, SystemParamItem};
use super::param_error::ParamError;
use super::param_function::{LoopKind, SourceOf, SystemParamFunction};
use super::params::ReadOnlySource;
use crate::entity::Entity;
use crate::storage::tick::{LastRun, RunTicks};
use crate::structure::cell::{ReadCell, StoreCell};
use crate::structure::store::{AffectedEntities, Store, WorldId};
use crate::system::commands::defer_world_commands;
use crate::util::error::EcsError;

/// The state of parameters, and the world that it was made for.
#[repr(C)]
pub(crate) struct ParamState<S: ParamSource> {
    pub(crate) world: WorldId,
    state: S::State,
}

impl<S: ParamSource> ParamState<S> {
    /// Prepares the parameters for a world. Returns `None` if two of them conflict.
    ///
    /// # Panics
    ///
    /// If a parameter replaces the world with another one.
    pub(crate) fn new(store: &mut Store, meta: &mut SystemMeta) -> Option<Self> {
        if let Some(built) = meta.build(store) {
            return *built.downcast().expect("the builder is one for these parameters");
        }
        let world = store.id();
        let state = S::init(store, meta);
        assert!(world == store.id(), "system `{}`: a parameter has replaced the world", meta.name());
        meta.access.refusal().is_none().then_some(Self { world, state })
    }

    /// Like [`new`](Self::new), but a builder prepares the parameters.
    ///
    /// # Panics
    ///
    /// If a parameter replaces the world with another one.
    pub(crate) fn built<P: SystemParam<Source = S>>(
        builder: impl BuildParam<P>,
        store: &mut Store,
        meta: &mut SystemMeta,
    ) -> Option<Self> {
        let world = store.id();
        let state = builder.build(&mut BuildSite::new(store, meta)).state;
        assert!(world == store.id(), "system `{}`: a parameter has replaced the world", meta.name());
        meta.access.refusal().is_none().then_some(Self { world, state })
    }

    /// Visits all state that is kept from run to run.
    pub(crate) fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        S::visit_state(&mut self.state, keeper);
    }

    /// Fetches parameters that only read.
    ///
    /// # Panics
    ///
    /// If this state was made for another world.
    #[inline]
    pub(crate) fn read<'w>(&mut self, cell: ReadCell<'w>, run_ticks: RunTicks) -> Result<S::Got<'w, '_>, ParamError>
    where
        S: ReadOnlySource,
    {
        assert!(self.world == cell.store().id());
        // SAFETY: the state was made for this store (checked above). The parameters only read, and `cell` grants read access to the
        // whole store for 'w.
        unsafe { S::get(&mut self.state, cell.cell().in_run(run_ticks)) }
    }

    /// Fetches the parameters with exclusive access to the store.
    ///
    /// # Panics
    ///
    /// If this state was made for another world.
    #[inline]
    pub(crate) fn write<'w>(
        &mut self,
        store: &'w mut Store,
        run_ticks: RunTicks,
    ) -> Result<S::Got<'w, '_>, ParamError> {
        assert!(self.world == store.id());
        // SAFETY: the state was made for this store (checked above), and `store` is borrowed mutably for 'w.
        unsafe { S::get(&mut self.state, StoreCell::exclusive(store).in_run(run_ticks)) }
    }

    /// Applies the recorded commands.
    #[inline]
    pub(crate) fn apply(&mut self, meta: &SystemMeta, store: &mut Store) {
        S::apply(&mut self.state, meta, store);
    }
}

/// A function with the state of its parameters.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// fn idle() {}
///
/// let system = IntoSystem::into_system(idle); // A `FunctionSystem`, boxed.
/// assert!(system.name().ends_with("::idle"));
/// ```
// The fields that a run needs come first: a program has many systems, and their memory is not in the nearest cache.
#[repr(C)]
pub struct FunctionSystem<Marker: 'static, F: SystemParamFunction<Marker>> {
    runs: RunState,
    state: Option<ParamState<SourceOf<F, Marker>>>,
    function: F,
    about: FunctionInfo,
}

/// The state of the runs of a system.
#[derive(Default)]
struct RunState {
    last_run: LastRun,
    /// Whether the system records commands or other deferred changes.
    is_deferred: bool,
    /// Whether the commands of the last run have not been applied yet.
    unapplied: bool,
}

/// The properties of a function system, and the reason why its last run was skipped.
struct FunctionInfo {
    /// Shared with other observers of the same function, since a program may have one observer for each entity.
    meta: Arc<SystemMeta>,
    /// The error of the parameter because of which a run was last skipped.
    skip: Option<Box<ParamError>>,
}

impl RunState {
    /// Fetches the parameters for a run.
    ///
    /// # Safety
    ///
    /// - The conditions of [`ParamSource::get`] hold.
    #[inline(always)]
    unsafe fn fetch<'w, 's, S: ParamSource>(
        &mut self,
        state: &'s mut S::State,
        cell: StoreCell<'w>,
    ) -> Result<S::Got<'w, 's>, ParamError> {
        if self.is_deferred {
            if self.unapplied {
                // The last run was interrupted, so its commands are discarded.
                S::discard(state);
            }
            self.unapplied = true;
        }
        // SAFETY: both clauses of `ParamSource::get` are forwarded.
        unsafe { S::get(state, cell) }
    }
}

impl FunctionInfo {
    fn new(meta: SystemMeta) -> Self {
        Self { meta: Arc::new(meta), skip: None }
    }

    fn facts(&self, function: TypeId) -> SystemFacts<'_> {
        SystemFacts {
            skipped_by: self.skip.as_deref(),
            row_facts: self.meta.row_facts.as_ref(),
            ..SystemFacts::of_function(self.meta.name(), &self.meta.access, function)
        }
    }

    /// Stores the error because of which a run is skipped, for reports. Returns the error.
    #[cold]
    fn note_error(&mut self, error: ParamError) -> ParamError {
        if error.is_skip() && self.skip.as_deref() != Some(&error) {
            self.skip = Some(Box::new(error.clone()));
        }
        error
    }
}

impl<Marker: 'static, F: SystemParamFunction<Marker>> FunctionSystem<Marker, F> {
    /// Whether the system reads the whole world.
    const READS_WORLD: bool = SourceOf::<F, Marker>::ACCESS.looks_at_world();

    fn new(name: &'static str, params: &'static [&'static str], function: F) -> Self {
        let count = <<F::Param as SystemParam>::Source as ParamSource>::COUNT;
        let about = FunctionInfo::new(SystemMeta::new(name, params, count, F::INPUTS));
        Self { runs: RunState::default(), state: None, function, about }
    }

    /// Creates a system of a plain function. Records the place where the system was made.
    #[track_caller]
    pub(super) fn plain(name: &'static str, function: F) -> Self {
        let mut system = Self::new(name, &[], function);
        SystemMeta::make_own(&mut system.about.meta).place = Some(Location::caller());
        system
    }

    /// Creates a system of a function whose parameters have been prepared already.
    pub(crate) fn with_state(
        function: F,
        state: ParamState<SourceOf<F, Marker>>,
        last_run: LastRun,
        meta: SystemMeta,
    ) -> Self {
        let about = FunctionInfo::new(meta.renamed(type_name::<F>(), F::INPUTS));
        let runs = RunState { last_run, is_deferred: about.meta.access.is_deferred(), unapplied: false };
        Self { runs, state: Some(state), function, about }
    }

    #[inline(always)]
    fn is_prepared_for(&self, world: WorldId) -> bool {
        matches!(&self.state, Some(prepared) if prepared.world == world)
    }
}

impl<Marker: 'static, F: SystemParamFunction<Marker, Out: 'static>> SystemCore for FunctionSystem<Marker, F> {
    fn facts(&self) -> SystemFacts<'_> {
        self.about.facts(F::IDENTITY)
    }

    fn meta_mut(&mut self) -> Option<&mut Arc<SystemMeta>> {
        Some(&mut self.about.meta)
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        match &self.state {
            Some(prepared) if prepared.world == store.id() => SourceOf::<F, Marker>::rows(&prepared.state, store),
            _ => None,
        }
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        if keeper.resets() {
            self.state = None;
        }
        let Some(prepared) = &mut self.state else {
            self.runs = RunState::default();
            return keeper.last_run(None);
        };
        keeper.last_run(Some(&mut self.runs.last_run));
        prepared.visit_state(keeper);
    }

    fn prepare(&mut self, store: &mut Store) {
        if self.is_prepared_for(store.id()) {
            return;
        }
        // The state is reset first: the code below calls user code, which may panic.
        self.state = None;
        self.runs = RunState::default();
        let meta = SystemMeta::make_own(&mut self.about.meta);
        meta.restart();
        let state = ParamState::new(store, meta);
        meta.shrink_to_fit();
        self.runs.is_deferred = meta.access.is_deferred();
        if const { matches!(F::LOOP, LoopKind::Blocks) }
            && let Some(prepared) = &state
        {
            meta.row_facts = self.function.row_facts(&prepared.state);
        }
        debug_assert!(state.is_none() || Self::READS_WORLD == meta.access.looks_at_world());
        self.state = state;
    }

    #[inline]
    fn apply_deferred(&mut self, store: &mut Store) {
        if let Some(prepared) = &mut self.state {
            prepared.apply(&self.about.meta, store);
        }
        self.runs.unapplied = false;
    }
}

impl<Marker: 'static, F: SystemParamFunction<Marker, Out: 'static>> System for FunctionSystem<Marker, F> {
    type In = F::In;
    type Out = F::Out;

    #[inline]
    fn run_in(&mut self, input: InputItem<'_, F::In>, scope: RunScope<'_, '_>) -> Result<F::Out, ParamError> {
        let (store, applies) = match scope {
            RunScope::Shared(scope) => {
                let cell = scope.cell();
                let run_ticks = cell.store().clock.run_ticks_since(self.runs.last_run, cell.run_ticks().this_run);
                // SAFETY: the scope guarantees that no other code has a borrow that conflicts with the access of the system.
                return unsafe { self.run(input, cell.in_run(run_ticks.of(self.about.meta.system))) };
            }
            RunScope::Exclusive(store) => (store, false),
            RunScope::Applied(store) => (store, true),
        };
        if !self.is_prepared_for(store.id()) {
            self.prepare(store);
        }
        store.flush();
        let tick = store.next_tick();
        let run_ticks = store.clock.run_ticks_since(self.runs.last_run, tick).of(self.about.meta.system);
        // SAFETY: `store` is borrowed mutably, so no other code borrows from it.
        let out = unsafe { self.run(input, StoreCell::exclusive_in(store, run_ticks)) };
        if applies && self.runs.is_deferred {
            self.apply_deferred(store);
        }
        out
    }

    #[inline]
    fn run_rows(&mut self, scope: RowScope<'_, '_, F::In>) -> Result<F::Out, ParamError> {
        match scope {
            RowScope::Observed(rows, store) => {
                if const { <F::In as SystemInput>::IS_EVENT } {
                    self.observe_rows(rows, store)
                } else {
                    no_observer(&self.about.meta)
                }
            }
            RowScope::Blocks(scope) => {
                if const { matches!(F::LOOP, LoopKind::Blocks) } {
                    self.run_in_blocks(scope)
                } else {
                    no_row_loop(self.about.meta.name())
                }
            }
        }
    }
}

impl<Marker: 'static, F: SystemParamFunction<Marker, Out: 'static>> FunctionSystem<Marker, F> {
    /// Runs the loop on blocks of rows.
    fn run_in_blocks(
        &mut self,
        BlockScope { scope, panicked, then }: BlockScope<'_, '_>,
    ) -> Result<F::Out, ParamError> {
        let cell = scope.cell();
        let run_ticks = cell.store().clock.run_ticks_since(self.runs.last_run, cell.run_ticks().this_run);
        let run_ticks = run_ticks.of(self.about.meta.system);
        let _reader = cell.store().clock.enter_reader(Self::READS_WORLD, run_ticks.this_run);
        // SAFETY: the scope guarantees that, apart from the rows, no other code has a borrow that conflicts with the access of the
        // system.
        let FetchedFunction { function, params, last_run, run } = unsafe { self.fetch(cell.in_run(run_ticks))? };
        // The last run is only updated if the blocks were completed or the system itself panicked: see `BlockRun`.
        let seen = BlockRun { last_run, run, panicked };
        // SAFETY: the scope guarantees that no row has to be checked, and that until `then` is called no other code has a borrow of
        // the rows that conflicts with the access of the system.
        let out = unsafe { function.run_in_blocks(params, then) };
        seen.all();
        Ok(out)
    }

    /// Calls the function for the next entities that the system observes. Returns the result of the last call.
    #[inline]
    fn observe_rows(&mut self, rows: &mut ObservedRows<'_, F::In>, store: &mut Store) -> Result<F::Out, ParamError> {
        if !self.is_prepared_for(store.id()) {
            self.prepare(store);
        }
        // All calls belong to one run, so they share its tick and the tick of the run before.
        let (tick, before) = (store.next_tick(), self.runs.last_run);
        loop {
            let run_ticks = store.clock.run_ticks_since(before, tick).of(self.about.meta.system);
            let cell = StoreCell::exclusive_in(store, run_ticks);
            // The commands of one call are applied, and its error is handled, before the next call. So a system with commands or errors
            // gets one row at a time.
            let one_by_one =
                self.runs.is_deferred || const { matches!(F::LOOP, LoopKind::Observed) } && self.function.may_fail();
            let end = if one_by_one { rows.end.min(rows.next + 1) } else { rows.end };
            // SAFETY: no other code uses the store, except that the entity list of a table is read. Systems do not write this list,
            // and it stays borrowed from the store for as long as the cell is.
            let out = unsafe { self.observe_some(rows, end, cell) };
            if self.runs.is_deferred && rows.next == end {
                self.apply_deferred(store);
                defer_world_commands(store);
            }
            let goes_on = matches!(&out, Ok(out) if F::went_well(out)) && rows.next < rows.end;
            if !goes_on {
                return out;
            }
        }
    }

    /// Calls the function for the next entities, up to `end`, until a call fails. Returns the result of the last call.
    ///
    /// # Safety
    ///
    /// - No other code has a borrow that conflicts with the access of the system.
    #[inline(always)]
    unsafe fn observe_some(
        &mut self,
        rows: &mut ObservedRows<'_, F::In>,
        end: usize,
        cell: StoreCell<'_>,
    ) -> Result<F::Out, ParamError> {
        let ObservedRows { affected, next, about, .. } = rows;
        let mut about = F::In::begin(about);
        let _reader = cell.store().clock.enter_reader(Self::READS_WORLD, cell.run_ticks().this_run);
        if const { matches!(F::LOOP, LoopKind::Observed) } {
            // SAFETY: forwarded: no other code has a borrow that conflicts with the access of the system.
            return match unsafe { self.fetch(cell) } {
                Ok(FetchedFunction { function, params, last_run, run }) => {
                    *last_run = run;
                    let some = affected.some(*next..end);
                    *next = end;
                    Ok(function.run_rows(some, about, params))
                }
                Err(error) => {
                    *next += 1;
                    Err(error)
                }
            };
        }
        let entities = affected.entities(&cell.store().structure.archetypes.tables).get(..end).unwrap_or_default();
        while let Some(&entity) = entities.get(*next) {
            *next += 1;
            // SAFETY: forwarded: no other code has a borrow that conflicts with the access of the system. The parameters that were
            // fetched before are no longer used.
            let FetchedFunction { function, params, last_run, run } = unsafe { self.fetch(cell)? };
            *last_run = run;
            let out = function.run(F::In::about(&mut about, entity), params);
            if *next == end || !F::went_well(&out) {
                return Ok(out);
            }
        }
        *next = end;
        Err(ParamError::no_rows())
    }

    /// Calls the function. The call belongs to the run of the cell.
    ///
    /// # Safety
    ///
    /// - No other code has a borrow that conflicts with the access of the system.
    #[inline(always)]
    unsafe fn run(&mut self, input: InputItem<'_, F::In>, cell: StoreCell<'_>) -> Result<F::Out, ParamError> {
        let _reader = cell.store().clock.enter_reader(Self::READS_WORLD, cell.run_ticks().this_run);
        // SAFETY: forwarded: no other code has a borrow that conflicts with the access of the system.
        match unsafe { self.fetch(cell) } {
            Ok(FetchedFunction { function, params, last_run, run }) => {
                // The last run is only updated if the parameters were fetched: otherwise the system has not seen the changes.
                *last_run = run;
                Ok(function.run(input, params))
            }
            Err(error) => Err(error),
        }
    }

    /// Fetches the parameters for the run of the cell. The caller records that the system has run.
    ///
    /// # Safety
    ///
    /// - As long as the parameters are used, no other code has a borrow that conflicts with the access of the system.
    #[inline(always)]
    unsafe fn fetch<'w, 's>(
        &'s mut self,
        cell: StoreCell<'w>,
    ) -> Result<FetchedFunction<'w, 's, F, F::Param>, ParamError> {
        let Self { runs, state, function, about } = self;
        let Some(ParamState { world, state }) = state else { not_initialised(&about.meta) };
        if *world != cell.store().id() {
            prepared_for_another_world(&about.meta, *world, cell.store().id());
        }
        // SAFETY: the state was made for this store (checked above); the access is forwarded.
        match unsafe { runs.fetch::<SourceOf<F, Marker>>(state, cell) } {
            Ok(got) => {
                let run = cell.store().clock.run_at(cell.run_ticks().this_run);
                Ok(FetchedFunction { function, params: F::Param::item(got), last_run: &mut runs.last_run, run })
            }
            Err(error) => Err(about.note_error(error)),
        }
    }
}

/// Runs a non-exclusive system on a whole store, and applies its commands. `input` makes the input from `about` and the entities of
/// the store that are listed in `affected`.
pub(crate) fn run_on_entities<I: SystemInput + 'static, Out: 'static, T>(
    system: &mut dyn System<In = I, Out = Out>,
    (affected, about): (AffectedEntities<'_>, &T),
    input: impl for<'i> FnOnce(&'i [Entity], &'i T) -> InputItem<'i, I>,
    store: &mut Store,
) -> Result<Out, ParamError> {
    assert!(!system.access().is_exclusive(), "system `{}` takes the world, so it is run alone", system.name());
    system.prepare(store);
    let tick = store.next_tick();
    let mut cell = StoreCell::exclusive(store);
    cell.set_tick(tick);
    let input = input(affected.entities(&cell.store().structure.archetypes.tables), about);
    // SAFETY: no other code uses the store, except that the entity list of a table is read. Systems do not write this list, and it
    // stays borrowed from the store for as long as the cell is.
    let out = system.run_in(input, RunScope::Shared(unsafe { SharedScope::new(&cell) }));
    system.apply_deferred(store);
    out
}

impl<Marker, F> NotifySystem for FunctionSystem<Marker, F>
where
    Marker: 'static,
    F: SystemParamFunction<Marker, In: 'static, Out = Result<(), EcsError>>,
{
    #[inline(always)]
    fn notify(&mut self, input: InputItem<'_, F::In>, store: &mut Store) -> Outcome {
        let Self { runs, state, function, about } = self;
        if let Some(ParamState { world, state }) = state
            && !runs.is_deferred
            && *world == store.id()
            && let Some(tick) = store.clock.try_advance(&store.structure.archetypes.components)
        {
            let run_ticks = store.clock.run_ticks_since(runs.last_run, tick).of(about.meta.system);
            let cell = StoreCell::exclusive_in(store, run_ticks);
            let _reader = cell.store().clock.enter_reader(Self::READS_WORLD, tick);
            // SAFETY: the state was made for this store, which is borrowed mutably.
            return match unsafe { runs.fetch::<SourceOf<F, Marker>>(state, cell) } {
                Ok(got) => {
                    runs.last_run = cell.store().clock.run_at(tick);
                    // The result is checked here, before anything else is read.
                    outcome(Ok(function.run(input, F::Param::item(got))), || about.meta.name())
                }
                Err(error) => outcome(Err(about.note_error(error)), || about.meta.name()),
            };
        }
        notify_and_apply(self, input, store)
    }
}

/// A function that is about to run, with its parameters.
struct FetchedFunction<'w, 's, F, P: SystemParam> {
    function: &'s mut F,
    params: SystemParamItem<'w, 's, P>,
    last_run: &'s mut LastRun,
    /// The new value of `last_run`. The caller stores it when the system has run.
    run: LastRun,
}

/// A run by blocks. If a panic of another system interrupts the run, `last_run` stays unchanged, because the run may not have
/// visited all rows.
struct BlockRun<'a> {
    last_run: &'a mut LastRun,
    run: LastRun,
    /// Returns whether the system itself panicked.
    panicked: &'a dyn Fn() -> bool,
}

impl BlockRun<'_> {
    fn all(self) {
        *self.last_run = self.run;
        core::mem::forget(self);
    }
}

impl Drop for BlockRun<'_> {
    fn drop(&mut self) {
        if (self.panicked)() {
            *self.last_run = self.run;
        }
    }
}

#[cold]
fn not_initialised(meta: &SystemMeta) -> ! {
    meta.access.expect_agreement();
    panic!("system `{}` was not initialised", meta.name())
}

#[cold]
fn no_observer(meta: &SystemMeta) -> ! {
    unreachable!("system `{}` is no observer", meta.name())
}

#[cold]
fn prepared_for_another_world(meta: &SystemMeta, prepared_for: WorldId, run_on: WorldId) -> ! {
    panic!("system `{}` was prepared for world {prepared_for} and is run on world {run_on}", meta.name())
}

/// Distinguishes systems made by `#[system]` from others.
#[doc(hidden)]
pub struct MacroMarker;

/// Returns a system of a function. `name` and `params` are the names of the function and of its parameters, without an input.
#[doc(hidden)]
pub(crate) fn function_system<Marker, F>(
    name: &'static str,
    params: &'static [&'static str],
    function: F,
) -> BoxedSystem<F::In, F::Out>
where
    Marker: 'static,
    F: SystemParamFunction<Marker, Out: 'static>,
{
    Box::new(FunctionSystem::new(name, params, function))
}
