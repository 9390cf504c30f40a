//! What every system can do, and its properties.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::fmt;
use core::ops::Range;
use core::panic::Location;

use super::blocks::{Blocks, RowFacts};
use super::input::{Given, SystemInput};
use super::memory::Keeper;
use crate::access::{Access, ParamAccess};
use crate::cell::StoreCell;
use crate::entity::Entity;
use crate::error::{BoxError, EcsError};
use crate::origin::SystemName;
use crate::store::{Affected, Store, WorldId};

/// Something that a schedule can run: see [`IntoSystem`](crate::system::IntoSystem).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::System;
///
/// fn idle() {}
///
/// fn describe<S: System + ?Sized>(system: &S) -> String {
///     format!("{}, alone: {}", system.name(), system.access().is_exclusive())
/// }
/// assert!(describe(&*IntoSystem::into_system(idle)).ends_with("idle, alone: false"));
/// ```
// Only this library has systems, since only it can name `SystemCore`: what runs while an event is dispatched must not have the world.
#[doc(alias("SystemBase", "ISystem", "RunNow"))]
pub trait System: SystemCore {
    /// What it is given; `()` for systems of a schedule.
    type In: SystemInput;
    /// What it returns.
    type Out;

    /// The name of the function, with its modules.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let system = IntoSystem::into_system(idle);
    /// assert!(system.name().ends_with("::idle"));
    /// ```
    fn name(&self) -> &str {
        self.facts().name
    }

    /// What it borrows. Complete once it has been initialised.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn restart(world: &mut World) { world.clear_entities(); }
    /// let system = IntoSystem::into_system(restart);
    /// assert!(system.access().is_exclusive());
    /// ```
    fn access(&self) -> &Access {
        self.facts().access
    }

    /// Runs the system in a scope. On a whole store, the system is prepared for the store if that has not been done.
    ///
    /// # Panics
    ///
    /// If the scope is shared, and the system has not been prepared for the store or its access is exclusive.
    #[doc(hidden)]
    fn run_in(&mut self, input: SystemIn<'_, Self>, scope: RunScope<'_, '_>) -> Result<Self::Out, ParamError>;

    /// Runs the system for rows: for entities that it observes, or for blocks of a pipeline. Returns the result of the last call of
    /// its function.
    ///
    /// # Panics
    ///
    /// If a system that has no [`SystemFacts::row_facts`] is to run for blocks.
    #[doc(hidden)]
    fn run_rows(&mut self, scope: RowScope<'_, '_, Self::In>) -> Result<Self::Out, ParamError> {
        match scope {
            RowScope::Blocks(_) => no_row_loop(self.name()),
            RowScope::Observed(rows, store) => {
                let Some(entity) = rows.next_entity(store) else { return Err(ParamError::no_rows()) };
                self.run_in(Self::In::about(&mut rows.about, entity), RunScope::Applied(store))
            }
        }
    }
}

/// The part of a system that does not depend on its input and its output.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    note = "`IntoSystem::into_system` makes a system of a function; other types cannot implement `System`"
)]
pub trait SystemCore: Send + Sync + 'static {
    /// The properties of the system.
    fn facts(&self) -> SystemFacts<'_>;

    /// The properties of a single function, to change them.
    fn meta_mut(&mut self) -> Option<&mut Arc<SystemMeta>> {
        None
    }

    /// How many rows there are in the tables that the system's queries match, if it has any. `O(tables)` for each.
    fn rows(&self, store: &Store) -> Option<usize>;

    /// Visits the state that the system keeps from run to run.
    fn visit_state(&mut self, keeper: &mut Keeper<'_>);

    /// Prepares the system for a world, unless that has been done. If that panics, or if two parameters conflict, the system is
    /// prepared for no world. The access has the conflict.
    fn prepare(&mut self, store: &mut Store);

    /// Applies the commands that the system has recorded.
    fn apply_deferred(&mut self, store: &mut Store);
}

/// The properties of a system.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct SystemFacts<'a> {
    pub(crate) name: &'a str,
    /// What the system borrows.
    pub(crate) access: &'a Access,
    /// The type of its function, if the system is a single one.
    pub(crate) function: Option<TypeId>,
    /// How many ticks a run uses: one for each function that runs.
    pub(crate) ticks: u32,
    /// How deep systems are nested in it.
    pub(crate) nesting: u32,
    /// The conditions that the system itself evaluates before it runs.
    pub(crate) conditions: &'a [BoxedSystem<(), bool>],
    /// Which of them was the first that did not hold in the last run.
    pub(crate) unmet_condition: Option<usize>,
    /// The error of the parameter for which the last run was skipped, if it was.
    pub(crate) skipped_by: Option<&'a ParamError>,
    /// The properties of a loop over rows, if the system is one and has been prepared.
    pub(crate) row_facts: Option<&'a RowFacts>,
}

impl<'a> SystemFacts<'a> {
    /// The properties of a single function.
    pub(crate) fn of_function(name: &'a str, access: &'a Access, function: TypeId) -> Self {
        Self { function: Some(function), ..Self::of_several(name, access, 1, 0) }
    }

    /// The properties of a system that consists of others.
    pub(crate) fn of_several(name: &'a str, access: &'a Access, ticks: u32, nesting: u32) -> Self {
        Self {
            name,
            access,
            function: None,
            ticks,
            nesting,
            conditions: &[],
            unmet_condition: None,
            skipped_by: None,
            row_facts: None,
        }
    }
}

/// Notes where a function became a system. An error that is found when the system is prepared names the place.
pub(crate) fn set_place(system: &mut dyn SystemCore, place: &'static Location<'static>) {
    if let Some(meta) = system.meta_mut() {
        SystemMeta::make_own(meta).set_place(place);
    }
}

/// The part of a store that a system borrows, beside other systems. The run bears the tick of the cell and the next ones, as many as the
/// system uses.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct SharedScope<'r, 'w>(&'r StoreCell<'w>);

/// The part of a store that a run of a system may use.
#[doc(hidden)]
pub enum RunScope<'r, 'w> {
    /// What the system borrows, while other systems may run. Its commands are not applied.
    Shared(SharedScope<'r, 'w>),
    /// A whole store. The run has the next ticks of the store. The commands of the system are not applied.
    Alone(&'r mut Store),
    /// As `Alone`, but the system applies its commands in the end, also if a parameter could not be fetched.
    Applied(&'r mut Store),
}

impl RunScope<'_, '_> {
    /// The whole store, unless the scope is shared.
    #[inline]
    pub(super) fn store(&mut self) -> Option<&mut Store> {
        match self {
            Self::Shared(_) => None,
            Self::Alone(store) | Self::Applied(store) => Some(store),
        }
    }

    /// Runs a member of a composite system, `ticks` ticks after the first. The composite applies the commands.
    #[inline]
    pub(super) fn run<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        ticks: u32,
        input: SystemIn<'_, S>,
    ) -> Result<S::Out, ParamError> {
        match self {
            Self::Shared(SharedScope(cell)) => system.run_in(input, RunScope::Shared(SharedScope(&cell.later(ticks)))),
            Self::Alone(store) | Self::Applied(store) => system.run_in(input, RunScope::Alone(store)),
        }
    }
}

/// A system that consists of others.
pub(super) trait Composite: System {
    /// The world for which all systems are prepared.
    fn world(&mut self) -> &mut Option<WorldId>;

    /// Runs the systems in a scope.
    fn run_members(&mut self, input: SystemIn<'_, Self>, scope: &mut RunScope<'_, '_>)
    -> Result<Self::Out, ParamError>;

    /// Runs the systems in a scope, and prepares them if it is a whole store: [`System::run_in`].
    #[inline]
    fn run_composite(
        &mut self,
        input: SystemIn<'_, Self>,
        mut scope: RunScope<'_, '_>,
    ) -> Result<Self::Out, ParamError> {
        let Some(store) = scope.store() else { return self.run_members(input, &mut scope) };
        self.prepare(store);
        // A system may replace the world, for which the members after it are prepared.
        let world = self.world().take();
        let out = self.run_members(input, &mut scope);
        if let Some(store) = scope.store() {
            *self.world() = world.filter(|world| *world == store.id());
        }
        if let RunScope::Applied(store) = scope {
            self.apply_deferred(store);
        }
        out
    }
}

impl<'r, 'w> SharedScope<'r, 'w> {
    /// # Safety
    ///
    /// - The scope is used for systems whose access is not borrowed otherwise while they run.
    #[inline(always)]
    pub(crate) unsafe fn new(cell: &'r StoreCell<'w>) -> Self {
        Self(cell)
    }

    /// The store, with the access that was promised for it.
    #[inline(always)]
    pub(crate) fn cell(self) -> &'r StoreCell<'w> {
        self.0
    }
}

/// For which rows a system runs.
#[doc(hidden)]
pub enum RowScope<'r, 'w, I: SystemInput> {
    /// For the next of several entities that it observes. The function is called for one after the other. What it records for one is applied before the
    /// next one. The run ends early after an error; [`ObservedRows::next`] says where.
    Observed(&'r mut ObservedRows<'w, I>, &'r mut Store),
    /// For blocks of rows.
    Blocks(BlockScope<'r, 'w>),
}

/// A run of a loop over rows by blocks: the loop fetches its parameters, notes that it has come to change what it changes, and calls
/// `then`, which hands it its rows. If that panics, `panicked` returns whether this system did; if another one did, this one has not
/// seen what is new.
#[doc(hidden)]
pub struct BlockScope<'r, 'w> {
    pub(super) scope: SharedScope<'r, 'w>,
    pub(super) panicked: &'r dyn Fn() -> bool,
    pub(super) then: &'r mut dyn FnMut(Blocks<'_>),
}

impl<'r, 'w> BlockScope<'r, 'w> {
    /// # Safety
    ///
    /// - Nothing that the system borrows beside its rows is borrowed otherwise, nor does other code read or write when these rows
    ///   were changed row by row, if the system or the other one writes them; what it borrows of its rows is not borrowed
    ///   otherwise until `then` is called.
    /// - No row of it has to be asked: [`RowFacts`] says so.
    pub(crate) unsafe fn new(
        cell: &'r StoreCell<'w>,
        panicked: &'r dyn Fn() -> bool,
        then: &'r mut dyn FnMut(Blocks<'_>),
    ) -> Self {
        Self { scope: SharedScope(cell), panicked, then }
    }
}

/// Entities that a system observes, one after the other.
#[doc(hidden)]
pub struct ObservedRows<'a, I: SystemInput> {
    pub(crate) affected: Affected<'a>,
    /// Which of them is the next.
    pub(crate) next: usize,
    /// Where it ends.
    pub(crate) end: usize,
    pub(crate) about: I::About<'a>,
}

impl<I: SystemInput> ObservedRows<'_, I> {
    /// Goes on to the next entity.
    fn next_entity(&mut self, store: &Store) -> Option<Entity> {
        let entity =
            self.affected.entities(&store.structure.archetypes.tables).get(..self.end)?.get(self.next).copied();
        self.next += 1;
        entity
    }
}

#[cold]
pub(super) fn no_row_loop(name: &str) -> ! {
    unreachable!("system `{name}` is no loop over rows")
}

/// What a system is given for its input: `T` for `In<T>`, `&T` for `InRef<T>`, `()` for none.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{System, SystemIn};
///
/// fn length_of_name<S: System<In = In<u32>>>(system: &S, _input: SystemIn<'_, S>) -> usize {
///     system.name().len() // The input is a `u32`.
/// }
/// ```
pub type SystemIn<'i, S> = Given<'i, <S as System>::In>;

/// A system of any kind.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::BoxedSystem;
/// # fn first() {}
/// # fn second(_world: &mut World) {}
/// let systems: Vec<BoxedSystem> = vec![IntoSystem::into_system(first), IntoSystem::into_system(second)];
/// assert!(systems[1].name().ends_with("second"));
/// ```
pub type BoxedSystem<In = (), Out = ()> = Box<dyn System<In = In, Out = Out>>;

impl<I: SystemInput + 'static, Out: 'static> fmt::Debug for dyn System<In = I, Out = Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("System").field(&self.name()).finish()
    }
}

/// A parameter could not be fetched when a system was about to run.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::ParamError;
/// # #[derive(Resource)] struct Score(u32);
/// # fn show(_: Res<Score>) {}
/// let mut schedule = Schedule::default();
/// schedule.add_systems(show);
/// let error = schedule.try_run(&mut World::new()).unwrap_err();
/// assert!(error.into_inner().is::<ParamError>()); // There is no `Score`.
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[doc(alias("SystemParamValidationError"))]
pub struct ParamError {
    reason: Reason,
}

/// Why a parameter could not be fetched. What keeps a system from running again and again costs no memory.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Reason {
    Failure(String),
    /// There is no such thing.
    Missing(String),
    NoEntity(Arc<str>),
    SeveralEntities(Arc<str>),
    /// That of a parameter in an [`If`](crate::system::If).
    Skipped(String),
    /// Not of a parameter: a condition returned an error.
    Returned(Returned),
}

/// The error of a condition. Two are equal if they are of the same run.
#[derive(Clone, Debug)]
struct Returned(Arc<EcsError>);

impl PartialEq for Returned {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Returned {}

impl ParamError {
    #[cfg_attr(
        not(feature = "std"),
        expect(dead_code, reason = "threads are not told apart, so nothing but absence fails")
    )]
    pub(crate) fn new(message: String) -> Self {
        Self { reason: Reason::Failure(message) }
    }

    /// What the parameter is for does not exist.
    pub(crate) fn missing(message: String) -> Self {
        Self { reason: Reason::Missing(message) }
    }

    /// There are no rows to run for.
    #[cold]
    pub(super) fn no_rows() -> Self {
        Self { reason: Reason::Skipped(String::from("there are no rows")) }
    }

    /// No entity matches the parameter with this name, and the system is to be skipped.
    pub(crate) fn no_entity(param: &Arc<str>) -> Self {
        Self { reason: Reason::NoEntity(Arc::clone(param)) }
    }

    /// More than one entity matches the parameter with this name, and the system is to be skipped.
    pub(crate) fn several_entities(param: &Arc<str>) -> Self {
        Self { reason: Reason::SeveralEntities(Arc::clone(param)) }
    }

    /// A condition returned an error instead of an answer.
    pub(crate) fn returned(error: EcsError) -> Self {
        Self { reason: Reason::Returned(Returned(Arc::new(error))) }
    }

    /// What an error handler gets: the error itself if a condition returned one.
    pub(crate) fn into_box(self) -> BoxError {
        match self.reason {
            Reason::Returned(Returned(error)) => match Arc::try_unwrap(error) {
                Ok(error) => error.into_box(),
                Err(shared) => Box::new(Self { reason: Reason::Returned(Returned(shared)) }),
            },
            reason => Box::new(Self { reason }),
        }
    }

    /// The same error, which skips the system.
    pub(crate) fn into_skip(self) -> Self {
        let reason = match self.reason {
            Reason::Failure(message) | Reason::Missing(message) => Reason::Skipped(message),
            other => other,
        };
        Self { reason }
    }

    /// The same error, of a field that has a message of its own.
    #[cold]
    pub(crate) fn of_field(self, field: &str, message: &str) -> Self {
        let text = alloc::format!("Parameter `{field}` failed validation: {message}: {self}");
        let reason = match self.reason {
            Reason::Failure(_) => Reason::Failure(text),
            Reason::Missing(_) => Reason::Missing(text),
            Reason::NoEntity(_) | Reason::SeveralEntities(_) | Reason::Skipped(_) => Reason::Skipped(text),
            returned @ Reason::Returned(_) => returned,
        };
        Self { reason }
    }

    /// Whether the system is to be skipped, which is no failure: a schedule goes on with the next one, and a condition does not
    /// hold. [`Single`](crate::system::Single) [`Populated`](crate::system::Populated) and [`If`](crate::system::If) ask
    /// for it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug)] struct Player;
    /// # #[derive(Resource, Debug)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut player = SystemState::<Single<&Player>>::new(&mut world);
    /// assert!(player.get(&world).unwrap_err().is_skip());
    /// let mut score = SystemState::<Res<Score>>::new(&mut world);
    /// assert!(!score.get(&world).unwrap_err().is_skip());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_skip(&self) -> bool {
        !matches!(self.reason, Reason::Failure(_) | Reason::Missing(_) | Reason::Returned(_))
    }

    /// Whether nothing is wrong but that there is nothing to fetch: an `Option` of the parameter is `None`.
    pub(crate) fn is_absence(&self) -> bool {
        !matches!(self.reason, Reason::Failure(_) | Reason::Returned(_))
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Failure(message) | Reason::Missing(message) | Reason::Skipped(message) => f.write_str(message),
            Reason::NoEntity(param) => write!(f, "no entity matches {param}"),
            Reason::SeveralEntities(param) => write!(f, "more than one entity matches {param}"),
            Reason::Returned(Returned(error)) => error.fmt(f),
        }
    }
}

impl core::error::Error for ParamError {}

/// A system could not run.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource)] struct Score(u32);
///
/// fn show(score: Res<Score>) -> u32 {
///     score.0
/// }
///
/// let error = World::new().run_system_once(show).unwrap_err();
/// assert!(error.to_string().contains("show` could not run"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunSystemError {
    system: String,
    error: ParamError,
}

impl RunSystemError {
    pub(crate) fn new(system: &str, error: ParamError) -> Self {
        Self { system: String::from(system), error }
    }

    /// The error of the parameter.
    pub(crate) fn into_param_error(self) -> ParamError {
        self.error
    }

    /// Whether the system was skipped, as a schedule would skip it, because no entity, or more than one, matches a
    /// [`Single`](crate::system::Single) or [`Populated`](crate::system::Populated). See [`ParamError::is_skip`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Player;
    /// # #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// assert!(world.run_system_once(|_: Single<&Player>| ()).unwrap_err().is_skip());
    /// assert!(!world.run_system_once(|_: Res<Score>| ()).unwrap_err().is_skip());
    /// ```
    #[must_use]
    pub fn is_skip(&self) -> bool {
        self.error.is_skip()
    }
}

impl fmt::Display for RunSystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "system `{}` could not run: {}", self.system, self.error)
    }
}

impl core::error::Error for RunSystemError {}

/// What a system knows of itself.
#[derive(Debug)]
pub struct SystemMeta {
    name: &'static str,
    system: SystemName,
    /// The names of the parameters, if they are known. Those of rows come first.
    params: &'static [&'static str],
    /// How many of the names belong to the first parameter, the rows.
    rows: usize,
    /// How many parameters stand before the first: an input is one too.
    inputs: usize,
    access: Access,
    /// The number of the parameter that is being initialised.
    param: usize,
    /// How deep it is inside a parameter that is made of others.
    depth: usize,
    /// What other members of the same sets borrow, as positions in the access: it is not lent out at the same time.
    hidden: Vec<Range<usize>>,
    /// The fields that lead to what is being initialised, inside of structs of parameters.
    path: Vec<&'static str>,
    /// For each entry of the access: the fields that lead to it.
    paths: Vec<Vec<&'static str>>,
    /// Where the function became a system, if that is known.
    place: Option<&'static Location<'static>>,
    /// What prepares the parameters for the first world, if they are built.
    builder: Option<StateBuilder>,
    /// The properties of a loop over rows.
    row_facts: Option<RowFacts>,
}

/// Prepares what a system keeps of its parameters, a `ParamState`.
pub(crate) struct StateBuilder(Box<BuildState>);

type BuildState = dyn FnOnce(&mut Store, &mut SystemMeta) -> Box<dyn Any> + Send + Sync;

impl fmt::Debug for StateBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateBuilder").finish_non_exhaustive()
    }
}

impl SystemMeta {
    pub(crate) fn new(name: &'static str, params: &'static [&'static str], count: usize, inputs: usize) -> Self {
        let rows = if params.len() > count { params.len() + 1 - count } else { 1 };
        Self {
            name,
            system: SystemName::of(name),
            params,
            rows,
            inputs,
            access: Access::default(),
            param: 0,
            depth: 0,
            hidden: Vec::new(),
            path: Vec::new(),
            paths: Vec::new(),
            place: None,
            builder: None,
            row_facts: None,
        }
    }

    /// Has the parameters prepared by a builder the first time.
    pub(crate) fn set_builder(
        &mut self,
        build: impl FnOnce(&mut Store, &mut Self) -> Box<dyn Any> + Send + Sync + 'static,
    ) {
        self.builder = Some(StateBuilder(Box::new(build)));
    }

    /// What the builder prepares, if there is one and it has not been used.
    pub(crate) fn build(&mut self, store: &mut Store) -> Option<Box<dyn Any>> {
        self.builder.take().map(|builder| (builder.0)(store, self))
    }

    /// Notes where the function became a system.
    pub(crate) fn set_place(&mut self, place: &'static Location<'static>) {
        self.place = Some(place);
    }

    /// The same of a system that has not been prepared, and has no builder.
    fn unprepared(&self) -> Self {
        let &Self { name, system, params, rows, inputs, place, .. } = self;
        Self { system, rows, place, ..Self::new(name, params, 0, inputs) }
    }

    /// What a system knows of itself, to be changed. Others that know the same keep it.
    pub(crate) fn make_own(shared: &mut Arc<Self>) -> &mut Self {
        if Arc::get_mut(shared).is_none() {
            *shared = Arc::new(shared.unprepared());
        }
        let Some(own) = Arc::get_mut(shared) else { unreachable!("it has just been made") };
        own
    }

    /// Has a prepared system know by the same memory what another one knows, if that is all the same.
    pub(crate) fn share(own: &mut Arc<Self>, other: &Arc<Self>) {
        let same = |a: &Self, b: &Self| {
            let names = |meta: &Self| (meta.name, meta.params.as_ptr(), meta.rows, meta.inputs, meta.param, meta.depth);
            let has_no_more = |meta: &Self| {
                meta.hidden.is_empty() && meta.path.is_empty() && meta.builder.is_none() && meta.row_facts.is_none()
            };
            names(a) == names(b)
                && has_no_more(a)
                && has_no_more(b)
                && a.place == b.place
                && a.paths == b.paths
                && a.access == b.access
        };
        if same(own, other) {
            own.clone_from(other);
        }
    }

    /// The same of a system with another name.
    pub(crate) fn renamed(self, name: &'static str, inputs: usize) -> Self {
        Self { name, system: SystemName::of(name), inputs, ..self }
    }

    /// The name of the system.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The name, as changes bear it.
    pub(crate) fn system(&self) -> SystemName {
        self.system
    }

    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// Forgets what was borrowed in another world.
    pub(crate) fn restart(&mut self) {
        self.access = Access::default();
        self.param = 0;
        self.depth = 0;
        self.hidden.clear();
        self.path.clear();
        self.paths.clear();
        self.row_facts = None;
    }

    /// The properties of the loop over rows, if the system is one and has been prepared.
    pub(crate) fn row_facts(&self) -> Option<&RowFacts> {
        self.row_facts.as_ref()
    }

    /// Notes the properties of a loop over rows.
    pub(super) fn set_row_facts(&mut self, row_facts: Option<RowFacts>) {
        self.row_facts = row_facts;
    }

    /// All parameters have been prepared: gives back the memory that more would have needed. A program may have as many systems as it
    /// has observers of single entities.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.access.shrink_to_fit();
        self.hidden.shrink_to_fit();
        self.path.shrink_to_fit();
        self.paths.shrink_to_fit();
    }

    /// Notes that commands are recorded.
    pub(crate) fn add_deferred(&mut self) {
        self.access.add_deferred();
    }

    /// Notes that something is used that stays on its thread.
    #[cfg(feature = "std")]
    pub(crate) fn add_non_send(&mut self) {
        self.access.add_non_send();
    }

    /// Goes on to the next parameter.
    pub(crate) fn next_param(&mut self) {
        if self.depth == 0 {
            self.param += 1;
        }
    }

    /// Prepares a parameter that is made of others.
    pub(crate) fn as_one<T>(&mut self, init: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let state = init(self);
        self.depth -= 1;
        self.next_param();
        state
    }

    /// Prepares a parameter whose members are lent out one at a time; each is prepared in [`SystemMeta::member`].
    pub(crate) fn as_set<T>(&mut self, init: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.access.params().len();
        self.hidden.push(start..start);
        let state = self.as_one(init);
        self.hidden.pop();
        state
    }

    /// Prepares a member of the innermost set, whose members before it are not lent out at the same time.
    pub(crate) fn member<T>(&mut self, init: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.access.params().len();
        if let Some(before) = self.hidden.last_mut() {
            before.end = len;
        }
        init(self)
    }

    /// Prepares a field of a struct of parameters.
    pub(crate) fn field<T>(&mut self, name: &'static str, init: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(name);
        let state = init(self);
        self.path.pop();
        state
    }

    /// Adds what the current parameter borrows. If an earlier one is in its way, the system is refused: what prepares it finds that in its
    /// access.
    pub(crate) fn add_access(&mut self, access: ParamAccess, store: &Store) {
        let hidden = |at: usize| self.hidden.iter().any(|range| range.contains(&at));
        if let Err(conflict) = self.access.add(self.param, access, &store.structure.archetypes.components, hidden) {
            let both = alloc::format!(
                "{} and {} both borrow {}, one of them mutably; make them disjoint with `With`/`Without` filters, put them into a \
                 `ParamSet`, or borrow it in one parameter only",
                self.describe(self.access.params()[conflict.first].0, &self.paths[conflict.first]),
                self.describe_current(),
                conflict.what,
            );
            self.refuse(&both);
            return;
        }
        self.paths.push(self.path.clone());
    }

    /// The same, of entities that are never those of what the current parameter has added before.
    pub(crate) fn add_access_beside(&mut self, access: ParamAccess, store: &Store) {
        let own = self.access.params().iter().position(|(param, _)| *param == self.param);
        let own = own.unwrap_or(self.access.params().len());
        self.hidden.push(own..self.access.params().len());
        self.add_access(access, store);
        self.hidden.pop();
    }

    /// Has the system never run.
    pub(crate) fn refuse(&mut self, why: &str) {
        self.access.refuse(alloc::format!("system `{}`{}: {why}", self.name, UsedAt(self.place)));
    }

    /// The parameter that is being initialised.
    pub(crate) fn describe_current(&self) -> String {
        self.describe(self.param, &self.path)
    }

    /// As in "parameter `health`", "parameter 2", or "parameter `spawner` (field `commands`)".
    fn describe(&self, param: usize, path: &[&'static str]) -> String {
        let mut text = self.describe_param(param);
        if !path.is_empty() {
            text.push_str(&alloc::format!(" (field `{}`)", path.join(".")));
        }
        text
    }

    fn describe_param(&self, param: usize) -> String {
        let number = self.inputs + param + 1;
        if self.params.is_empty() {
            return alloc::format!("parameter {number}");
        }
        let names = match param {
            0 => self.params.get(..self.rows),
            _ => self.params.get(self.rows + param - 1..self.rows + param),
        };
        match names {
            Some([name]) => alloc::format!("parameter `{name}`"),
            Some(names) if !names.is_empty() => alloc::format!("the row parameters `{}`", names.join("`, `")),
            _ => alloc::format!("parameter {number}"),
        }
    }
}

/// As in " (used at src/main.rs:9:5)", if the place is known.
struct UsedAt(Option<&'static Location<'static>>);

impl fmt::Display for UsedAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |place| write!(f, " (used at {place})"))
    }
}
