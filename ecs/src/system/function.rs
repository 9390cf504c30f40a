//! Functions as systems.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::{TypeId, type_name};
use core::marker::PhantomData;
use core::panic::Location;

use super::base::{BoxedSystem, ParamError, Seal, System, SystemMeta, ToldRows};
use super::blocks::{Blocks, RowFacts};
use super::input::{Given, SystemInput};
use super::into::IntoSystem;
use super::memory::Keeper;
use super::output::SystemOutput;
use super::param::{BuildParam, BuildSite, ParamSource, SystemParam, SystemParamItem};
use super::param_function::{SourceOf, StateOf, SystemParamFunction};
use super::params::ReadOnlySource;
use super::tell::{Outcome, TellSystem, WithTellSystem, outcome};
use crate::access::Access;
use crate::cell::{ReadCell, StoreCell};
use crate::command::defer_direct;
use crate::const_access::{Nameless, check_nameless};
use crate::entity::Entity;
use crate::error::EcsError;
use crate::store::{Affected, Store, WorldId};
use crate::tick::{LastRun, RunTicks};

/// What parameters are fetched by, and the world that it was made for.
#[repr(C)]
pub(crate) struct ParamState<S: ParamSource> {
    world: WorldId,
    state: S::State,
}

impl<S: ParamSource> ParamState<S> {
    /// Prepares the parameters for a world; `None` if two of them are in each other's way.
    ///
    /// # Panics
    ///
    /// If a parameter puts another world in its place.
    pub(crate) fn new(store: &mut Store, meta: &mut SystemMeta) -> Option<Self> {
        if let Some(built) = meta.build(store) {
            return *built.downcast().expect("the builder is one for these parameters");
        }
        let world = store.id();
        let state = S::init(store, meta);
        assert!(world == store.id(), "system `{}`: a parameter has replaced the world", meta.name());
        meta.access().refusal().is_none().then_some(Self { world, state })
    }

    /// As [`new`](Self::new), of what a builder prepares.
    ///
    /// # Panics
    ///
    /// If a parameter puts another world in its place.
    pub(crate) fn built<P: SystemParam<Source = S>>(
        builder: impl BuildParam<P>,
        store: &mut Store,
        meta: &mut SystemMeta,
    ) -> Option<Self> {
        let world = store.id();
        let state = builder.build(&mut BuildSite::new(store, meta)).state;
        assert!(world == store.id(), "system `{}`: a parameter has replaced the world", meta.name());
        meta.access().refusal().is_none().then_some(Self { world, state })
    }

    /// The world that it was made for.
    #[inline]
    pub(crate) fn world(&self) -> WorldId {
        self.world
    }

    /// Shows all that is kept from run to run.
    pub(crate) fn remember(&mut self, keeper: &mut Keeper<'_>) {
        S::remember(&mut self.state, keeper);
    }

    /// Fetches parameters that only read.
    ///
    /// # Panics
    ///
    /// If it was made for another world.
    #[inline]
    pub(crate) fn read<'w>(&mut self, cell: ReadCell<'w>, run_ticks: RunTicks) -> Result<S::Got<'w, '_>, ParamError>
    where
        S: ReadOnlySource,
    {
        assert!(self.world == cell.store().id());
        // SAFETY: the state was made for this store. The parameters only read, and all of the store may be read for 'w.
        unsafe { S::get(&mut self.state, cell.cell().in_run(run_ticks)) }
    }

    /// Fetches the parameters of a store that nothing else uses meanwhile.
    ///
    /// # Panics
    ///
    /// If it was made for another world.
    #[inline]
    pub(crate) fn write<'w>(
        &mut self,
        store: &'w mut Store,
        run_ticks: RunTicks,
    ) -> Result<S::Got<'w, '_>, ParamError> {
        assert!(self.world == store.id());
        // SAFETY: the state was made for this store, which nothing else uses for 'w.
        unsafe { S::get(&mut self.state, StoreCell::exclusive(store).in_run(run_ticks)) }
    }

    /// Applies what has been recorded.
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
// What a run needs stands together: a program has many systems, and their memory is not in the nearest cache.
#[repr(C)]
pub struct FunctionSystem<Marker: 'static, F: SystemParamFunction<Marker>> {
    last_run: LastRun,
    /// Whether it records anything to be applied.
    is_deferred: bool,
    /// Whether the last run has not been followed by applying what it recorded.
    unapplied: bool,
    state: Option<ParamState<SourceOf<F, Marker>>>,
    function: F,
    /// Shared with other observers of the same function: a program may have one for each entity.
    meta: Arc<SystemMeta>,
    /// What the parameter said for which a run was skipped the last time.
    skip: Option<Box<ParamError>>,
}

impl<Marker: 'static, F: SystemParamFunction<Marker>> FunctionSystem<Marker, F> {
    /// Whether it looks at the whole world.
    const LOOKS_AT_WORLD: bool = SourceOf::<F, Marker>::ACCESS.looks_at_world();

    fn new(name: &'static str, params: &'static [&'static str], function: F) -> Self {
        let count = <<F::Param as SystemParam>::Source as ParamSource>::COUNT;
        let last_run = LastRun::default();
        Self {
            function,
            state: None,
            last_run,
            is_deferred: false,
            unapplied: false,
            meta: Arc::new(SystemMeta::new(name, params, count, F::INPUTS)),
            skip: None,
        }
    }

    /// The same, which knows where it was made.
    fn at(mut self, place: &'static Location<'static>) -> Self {
        SystemMeta::make_own(&mut self.meta).set_place(place);
        self
    }

    /// A system of a function whose parameters a builder prepares for the first world.
    #[track_caller]
    pub(crate) fn built(function: F, builder: impl BuildParam<F::Param> + Send + Sync + 'static) -> Self {
        let () = Plain::<F, Marker>::PARAMETERS_AGREE;
        let mut system = Self::new(type_name::<F>(), &[], function).at(Location::caller());
        SystemMeta::make_own(&mut system.meta)
            .set_builder(|store, meta| Box::new(ParamState::built::<F::Param>(builder, store, meta)));
        system
    }

    /// A system of a function whose parameters have been prepared already.
    pub(crate) fn with_state(
        function: F,
        state: ParamState<SourceOf<F, Marker>>,
        last_run: LastRun,
        meta: SystemMeta,
    ) -> Self {
        let meta = Arc::new(meta.renamed(type_name::<F>(), F::INPUTS));
        let is_deferred = meta.access().is_deferred();
        Self { function, state: Some(state), last_run, is_deferred, unapplied: false, meta, skip: None }
    }
}

impl<Marker: 'static, F: SystemParamFunction<Marker, Out: 'static>> System for FunctionSystem<Marker, F> {
    fn seal(_: Seal) {}

    type In = F::In;
    type Out = F::Out;

    fn name(&self) -> &str {
        self.meta.name()
    }

    fn access(&self) -> &Access {
        self.meta.access()
    }

    fn function(&self) -> Option<TypeId> {
        Some(F::identity())
    }

    fn note_place(&mut self, place: &'static Location<'static>) {
        SystemMeta::make_own(&mut self.meta).set_place(place);
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        self.skip.as_deref()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        match &self.state {
            Some(prepared) if prepared.world == store.id() => SourceOf::<F, Marker>::rows(&prepared.state, store),
            _ => None,
        }
    }

    fn row_facts(&self) -> Option<RowFacts> {
        match &self.state {
            Some(prepared) => self.function.row_facts(&prepared.state),
            None => None,
        }
    }

    unsafe fn run_in_blocks(
        &mut self,
        cell: &StoreCell<'_>,
        panicked: &dyn Fn() -> bool,
        then: &mut dyn FnMut(Blocks<'_>),
    ) -> Result<(), ParamError> {
        let run_ticks = cell.store().run_ticks_since(self.last_run, cell.run_ticks().this_run).of(self.meta.system());
        let _onlooker = cell.store().look_on(Self::LOOKS_AT_WORLD, run_ticks.this_run);
        // SAFETY: the caller's promise.
        let Fetched { function, params, last_run, run } = unsafe { self.fetch(cell.in_run(run_ticks))? };
        // It has not seen what was new before the last block has come to it, or it has panicked itself.
        let seen = Seen { last_run, run, panicked };
        // SAFETY: as above.
        unsafe { function.run_in_blocks(params, then) }
        seen.all();
        Ok(())
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        let Some(prepared) = &mut self.state else { return keeper.last_run(None) };
        keeper.last_run(Some(&mut self.last_run));
        prepared.remember(keeper);
    }

    fn forget(&mut self) {
        self.last_run = LastRun::default();
        self.unapplied = false;
        self.state = None;
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        matches!(&self.state, Some(prepared) if prepared.world == world)
    }

    fn prepare(&mut self, store: &mut Store) {
        if !self.is_ready_for(store.id()) {
            // First of all: what follows is user code in part, which may panic.
            self.state = None;
            let meta = SystemMeta::make_own(&mut self.meta);
            meta.restart();
            self.last_run = LastRun::default();
            self.unapplied = false;
            let state = ParamState::new(store, meta);
            meta.shrink_to_fit();
            self.is_deferred = self.meta.access().is_deferred();
            debug_assert!(state.is_none() || Self::LOOKS_AT_WORLD == self.meta.access().looks_at_world());
            self.state = state;
        }
    }

    #[inline]
    unsafe fn run_shared(&mut self, input: Given<'_, F::In>, cell: &StoreCell<'_>) -> Result<F::Out, ParamError> {
        let run_ticks = cell.store().run_ticks_since(self.last_run, cell.run_ticks().this_run).of(self.meta.system());
        // SAFETY: the caller's promise.
        unsafe { self.run_fetched(input, cell.in_run(run_ticks)) }
    }

    fn run_alone(&mut self, input: Given<'_, F::In>, store: &mut Store) -> Result<F::Out, ParamError> {
        self.prepare(store);
        store.flush();
        let tick = store.next_tick();
        let mut cell = StoreCell::exclusive(store);
        cell.set_tick(tick);
        // SAFETY: no other code uses the store.
        unsafe { self.run_shared(input, &cell) }
    }

    fn run_told(&mut self, input: Given<'_, F::In>, store: &mut Store) -> Result<F::Out, ParamError> {
        if !self.is_ready_for(store.id()) {
            return self.run_told_late(input, store);
        }
        let tick = store.next_tick();
        let run_ticks = store.run_ticks_since(self.last_run, tick).of(self.meta.system());
        // SAFETY: no other code uses the store.
        let out = unsafe { self.run_fetched(input, StoreCell::exclusive_in(store, run_ticks)) };
        if self.is_deferred {
            self.apply_deferred(store);
        }
        out
    }

    #[inline]
    fn run_told_rows(
        &mut self,
        rows: &mut ToldRows<'_, F::In>,
        store: &mut Store,
    ) -> Option<Result<F::Out, ParamError>> {
        if !self.is_ready_for(store.id()) {
            self.prepare(store);
        }
        // All of them are one run.
        let (tick, before) = (store.next_tick(), self.last_run);
        loop {
            let cell = StoreCell::exclusive(store);
            let run_ticks = cell.store().run_ticks_since(before, tick).of(self.meta.system());
            let cell = cell.in_run(run_ticks);
            // What it records for one of them is applied before the next, and an error is handled.
            let one_by_one = self.is_deferred || F::IS_TOLD_ROWS && self.function.may_fail();
            let end = if one_by_one { rows.end.min(rows.next + 1) } else { rows.end };
            // SAFETY: no other code uses the store, but for the list of entities of a table, which is one of its books and borrowed from
            // it for as long as the cell is.
            let out = unsafe { self.run_told_next(rows, end, cell) };
            if self.is_deferred && rows.next == end {
                self.apply_deferred(store);
                defer_direct(store);
            }
            if out.is_some() || rows.next == rows.end {
                return out;
            }
        }
    }

    #[inline]
    fn apply_deferred(&mut self, store: &mut Store) {
        if let Some(prepared) = &mut self.state {
            prepared.apply(&self.meta, store);
        }
        self.unapplied = false;
    }
}

impl<Marker: 'static, F: SystemParamFunction<Marker, Out: 'static>> FunctionSystem<Marker, F> {
    /// Prepares it for a store and runs it there, as [`System::run_told`].
    #[cold]
    #[inline(never)]
    fn run_told_late(&mut self, input: Given<'_, F::In>, store: &mut Store) -> Result<F::Out, ParamError> {
        let out = self.run_alone(input, store);
        self.apply_deferred(store);
        out
    }

    /// Calls the function for the next entities, up to `end`, in the run that the cell says. Returns what became of the last of them, or
    /// nothing if all went well.
    ///
    /// # Safety
    ///
    /// - As for [`System::run_shared`].
    #[inline(always)]
    unsafe fn run_told_next(
        &mut self,
        rows: &mut ToldRows<'_, F::In>,
        end: usize,
        cell: StoreCell<'_>,
    ) -> Option<Result<F::Out, ParamError>> {
        let ToldRows { affected, next, about, .. } = rows;
        let mut about = F::In::begin(about);
        let _onlooker = cell.store().look_on(Self::LOOKS_AT_WORLD, cell.run_ticks().this_run);
        if F::IS_TOLD_ROWS {
            // SAFETY: the caller's promise.
            return match unsafe { self.fetch(cell) } {
                Ok(Fetched { function, params, last_run, run }) => {
                    *last_run = run;
                    let told = affected.some(*next..end);
                    *next = end;
                    function.run_rows(told, about, params).map(Ok)
                }
                Err(error) => {
                    *next += 1;
                    Some(Err(error))
                }
            };
        }
        let Some(entities) = affected.entities(&cell.store().archetypes.tables).get(..end) else {
            *next = end;
            return None;
        };
        while let Some(&entity) = entities.get(*next) {
            *next += 1;
            // SAFETY: the caller's promise; the parameters that were fetched before are not used any more.
            let Fetched { function, params, last_run, run } = match unsafe { self.fetch(cell) } {
                Ok(fetched) => fetched,
                Err(error) => return Some(Err(error)),
            };
            *last_run = run;
            let out = function.run(F::In::about(&mut about, entity), params);
            if !F::went_well(&out) {
                return Some(Ok(out));
            }
        }
        None
    }

    /// Runs it, in the run that the cell says.
    ///
    /// # Safety
    ///
    /// - As for [`System::run_shared`].
    #[inline(always)]
    unsafe fn run_fetched(&mut self, input: Given<'_, F::In>, cell: StoreCell<'_>) -> Result<F::Out, ParamError> {
        let _onlooker = cell.store().look_on(Self::LOOKS_AT_WORLD, cell.run_ticks().this_run);
        // SAFETY: the caller's promise.
        let Fetched { function, params, last_run, run } = unsafe { self.fetch(cell)? };
        // What could not be fetched has not been seen.
        *last_run = run;
        Ok(function.run(input, params))
    }

    /// The function and its parameters, in the run that the cell says. The caller notes that it has run.
    ///
    /// # Safety
    ///
    /// - As for [`System::run_shared`], for as long as the parameters are used.
    #[inline(always)]
    unsafe fn fetch<'w, 's>(&'s mut self, cell: StoreCell<'w>) -> Result<Fetched<'w, 's, F, F::Param>, ParamError> {
        let Some(ParamState { world, state }) = &mut self.state else { not_initialised(&self.meta) };
        if *world != cell.store().id() {
            prepared_for_another_world(&self.meta, *world, cell.store().id());
        }
        let marks = (self.is_deferred, &mut self.unapplied, &mut self.last_run, &mut self.skip);
        // SAFETY: the state was made for this store, which has just been looked at; the caller promises the access.
        unsafe { fetch_prepared::<Marker, F>(&mut self.function, state, marks, cell) }
    }
}

/// What a system notes of its runs: whether it records anything and whether that has not been applied, its last run, and why it was
/// skipped.
type Marks<'s> = (bool, &'s mut bool, &'s mut LastRun, &'s mut Option<Box<ParamError>>);

/// A function and its parameters: as [`FunctionSystem::fetch`].
///
/// # Safety
///
/// - As for [`System::run_shared`], for as long as the parameters are used.
/// - The state was made for the store of the cell.
#[inline(always)]
unsafe fn fetch_prepared<'w, 's, Marker: 'static, F: SystemParamFunction<Marker>>(
    function: &'s mut F,
    state: &'s mut StateOf<F, Marker>,
    (is_deferred, unapplied, last_run, skip): Marks<'s>,
    cell: StoreCell<'w>,
) -> Result<Fetched<'w, 's, F, F::Param>, ParamError> {
    if is_deferred {
        if *unapplied {
            // The last run did not come to its end; what it asked for is not wanted any more.
            <F::Param as SystemParam>::Source::discard(state);
        }
        *unapplied = true;
    }
    // SAFETY: the caller's promise.
    let got = match unsafe { <F::Param as SystemParam>::Source::get(state, cell) } {
        Ok(got) => got,
        Err(error) => return Err(noted(skip, error)),
    };
    let run = cell.store().run_at(cell.run_ticks().this_run);
    Ok(Fetched { function, params: F::Param::item(got), last_run, run })
}

/// Runs a system on a mutably borrowed store, with an input that is made of some of its entities and something
/// else, and applies its commands. The system
/// is not exclusive.
pub(crate) fn run_on_entities<I: SystemInput + 'static, Out: 'static, T>(
    system: &mut dyn System<In = I, Out = Out>,
    (affected, about): (Affected<'_>, &T),
    input: impl for<'i> FnOnce(&'i [Entity], &'i T) -> Given<'i, I>,
    store: &mut Store,
) -> Result<Out, ParamError> {
    assert!(!system.access().is_exclusive(), "system `{}` takes the world, so it is run alone", system.name());
    system.prepare(store);
    let tick = store.next_tick();
    let mut cell = StoreCell::exclusive(store);
    cell.set_tick(tick);
    let input = input(affected.entities(&cell.store().archetypes.tables), about);
    // SAFETY: no other code uses the store, but for the list of entities of a table, which is one of its books and borrowed from it for
    // as long as the cell is.
    let out = unsafe { system.run_shared(input, &cell) };
    system.apply_deferred(store);
    out
}

impl<Marker, F> TellSystem<F::In> for FunctionSystem<Marker, F>
where
    Marker: 'static,
    F: SystemParamFunction<Marker, In: 'static, Out = Result<(), EcsError>>,
{
    fn system(&self) -> &(dyn System<In = F::In, Out = Result<(), EcsError>> + 'static) {
        self
    }

    fn system_mut(&mut self) -> &mut (dyn System<In = F::In, Out = Result<(), EcsError>> + 'static) {
        self
    }

    fn share_meta(&mut self, other: Option<&Arc<SystemMeta>>) -> Option<Arc<SystemMeta>> {
        if let Some(other) = other {
            SystemMeta::share(&mut self.meta, other);
        }
        Some(Arc::clone(&self.meta))
    }

    fn tell(&mut self, input: Given<'_, F::In>, store: &mut Store) -> Outcome {
        outcome(self.run_told(input, store))
    }

    #[inline(always)]
    fn tell_lightly(&mut self, input: Given<'_, F::In>, store: &mut Store) -> Option<Outcome> {
        if self.is_deferred || !self.is_ready_for(store.id()) {
            return None;
        }
        let tick = store.next_tick_lightly()?;
        let run_ticks = store.run_ticks_since(self.last_run, tick).of(self.meta.system());
        let cell = StoreCell::exclusive_in(store, run_ticks);
        let _onlooker = cell.store().look_on(Self::LOOKS_AT_WORLD, cell.run_ticks().this_run);
        let Some(ParamState { state, .. }) = &mut self.state else { not_initialised(&self.meta) };
        let marks = (false, &mut self.unapplied, &mut self.last_run, &mut self.skip);
        // SAFETY: the state was made for this store, as was looked up above, and no other code uses it. Nothing is recorded.
        Some(match unsafe { fetch_prepared::<Marker, F>(&mut self.function, state, marks, cell) } {
            Ok(Fetched { function, params, last_run, run }) => {
                *last_run = run;
                // If it went well that is known here, before anything else is looked at.
                outcome(Ok(function.run(input, params)))
            }
            Err(error) => outcome(Err(error)),
        })
    }

    #[inline(always)]
    fn tell_rows(&mut self, rows: &mut ToldRows<'_, F::In>, store: &mut Store) -> Option<Outcome> {
        self.run_told_rows(rows, store).map(outcome)
    }
}

/// A function that is about to run.
struct Fetched<'w, 's, F, P: SystemParam> {
    function: &'s mut F,
    params: SystemParamItem<'w, 's, P>,
    last_run: &'s mut LastRun,
    /// What the last run is once this one has seen what is new.
    run: LastRun,
}

/// A run by blocks. If it is broken off by a panic of another system, it has not seen what was new: some rows of it may not
/// have come up.
struct Seen<'a> {
    last_run: &'a mut LastRun,
    run: LastRun,
    /// Whether it is the system itself that has panicked.
    panicked: &'a dyn Fn() -> bool,
}

impl Seen<'_> {
    fn all(self) {
        *self.last_run = self.run;
        core::mem::forget(self);
    }
}

impl Drop for Seen<'_> {
    fn drop(&mut self) {
        if (self.panicked)() {
            *self.last_run = self.run;
        }
    }
}

/// Keeps why a run is skipped, for reports.
#[cold]
fn noted(skip: &mut Option<Box<ParamError>>, error: ParamError) -> ParamError {
    if error.is_skip() && skip.as_deref() != Some(&error) {
        *skip = Some(Box::new(error.clone()));
    }
    error
}

#[cold]
fn not_initialised(meta: &SystemMeta) -> ! {
    meta.access().expect_agreement();
    panic!("system `{}` was not initialised", meta.name())
}

#[cold]
fn prepared_for_another_world(meta: &SystemMeta, prepared_for: WorldId, run_on: WorldId) -> ! {
    panic!("system `{}` was prepared for world {prepared_for} and is run on world {run_on}", meta.name())
}

/// A plain function. The compiler's message names it if its parameters get into each other's way.
struct Plain<F, Marker>(PhantomData<(F, Marker)>);

impl<Marker, F: SystemParamFunction<Marker>> Plain<F, Marker> {
    const PARAMETERS_AGREE: () =
        check_nameless(PhantomData::<F>, Nameless::Function, &<F::Param as SystemParam>::Source::ACCESS, F::INPUTS);
}

/// Keeps plain functions apart from other systems.
#[doc(hidden)]
pub struct FunctionMarker;

// What functions with `#[system]` return is not `Unpin`: they are no plain functions.
impl<Marker, F> IntoSystem<F::In, F::Out, (FunctionMarker, Marker)> for F
where
    Marker: 'static,
    F: SystemParamFunction<Marker, Out: Unpin + 'static>,
{
    const CHECKED: () = Plain::<F, Marker>::PARAMETERS_AGREE;

    fn into_system(this: Self) -> BoxedSystem<F::In, F::Out> {
        let () = Plain::<F, Marker>::PARAMETERS_AGREE;
        Box::new(FunctionSystem::new(type_name::<F>(), &[], this).at(Location::caller()))
    }

    fn into_fallible_system(this: Self) -> BoxedSystem<F::In, Result<(), EcsError>>
    where
        F::In: 'static,
        F::Out: SystemOutput,
    {
        let () = Plain::<F, Marker>::PARAMETERS_AGREE;
        let fallible = Fallible { function: this, marker: PhantomData };
        Box::new(FunctionSystem::new(type_name::<F>(), &[], fallible).at(Location::caller()))
    }

    fn with_tell_system<W: WithTellSystem<F::In>>(this: Self, with: W) -> W::Out
    where
        F::In: 'static,
        F::Out: SystemOutput,
    {
        let () = Plain::<F, Marker>::PARAMETERS_AGREE;
        let fallible = Fallible { function: this, marker: PhantomData };
        with.with(FunctionSystem::new(type_name::<F>(), &[], fallible).at(Location::caller()))
    }
}

/// A function with an output that says whether it went well: one call instead of two around another system.
struct Fallible<F, Marker> {
    function: F,
    marker: PhantomData<fn() -> Marker>,
}

impl<Marker, F> SystemParamFunction<(MacroMarker, Marker)> for Fallible<F, Marker>
where
    Marker: 'static,
    F: SystemParamFunction<Marker, Out: SystemOutput>,
{
    type In = F::In;
    type Out = Result<(), EcsError>;
    type Param = F::Param;

    const INPUTS: usize = F::INPUTS;

    fn identity() -> TypeId {
        F::identity()
    }

    #[inline]
    fn went_well(out: &Result<(), EcsError>) -> bool {
        out.is_ok()
    }

    #[inline]
    fn run(&mut self, input: Given<'_, F::In>, params: SystemParamItem<'_, '_, F::Param>) -> Result<(), EcsError> {
        self.function.run(input, params).into_result()
    }
}

/// Keeps what `#[system]` makes apart from other systems.
#[doc(hidden)]
pub struct MacroMarker;

/// A system of a function, with the names that it has in the user's code; `params` leaves an input out.
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
