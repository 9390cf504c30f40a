//! The interface of every system, and the properties of a system.
//!
//! Tests: tests/systems/systems.rs

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::TypeId;
use core::panic::Location;

use super::blocks::{Blocks, RowFacts};
use super::input::{InputItem, SystemInput};
use super::memory::StateVisitor;
use super::meta::SystemMeta;
use super::param_error::ParamError;
use crate::access::Access;
use crate::entity::Entity;
use crate::structure::cell::StoreCell;
use crate::structure::store::{AffectedEntities, Store, WorldId};

/// A system, which a schedule can run: see [`IntoSystem`](crate::system::IntoSystem).
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
// Sealed: only this library can name `SystemCore`, so only its own types are systems. A system that runs during event dispatch must
// not get the world.
#[doc(alias("SystemBase", "ISystem", "RunNow"))]
pub trait System: SystemCore {
    /// The input; `()` for systems of a schedule.
    type In: SystemInput;
    /// The output.
    type Out;

    /// Returns the name of the function, with its modules.
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

    /// Returns the access of the system. The access is complete once the system has been initialised.
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

    /// Runs the system in a scope. If the scope is a whole store and the system is not prepared for it yet, prepares it first.
    ///
    /// # Panics
    ///
    /// If the scope is shared, and the system has not been prepared for the store or its access is exclusive.
    #[doc(hidden)]
    fn run_in(&mut self, input: SystemIn<'_, Self>, scope: RunScope<'_, '_>) -> Result<Self::Out, ParamError>;

    /// Runs the system for rows: for entities that it observes, or for blocks of a pipeline. Returns the result of the last call of
    /// the system's function.
    ///
    /// # Panics
    ///
    /// If a system without [`SystemFacts::row_facts`] is run for blocks.
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

/// The part of the system trait that does not depend on the input and the output.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    note = "`IntoSystem::into_system` makes a system of a function; other types cannot implement `System`"
)]
pub trait SystemCore: Send + Sync + 'static {
    /// Returns the properties of the system.
    fn facts(&self) -> SystemFacts<'_>;

    /// Returns the properties of a system of a single function, to change them. Returns `None` for other systems.
    fn meta_mut(&mut self) -> Option<&mut Arc<SystemMeta>> {
        None
    }

    /// Returns the number of rows in the tables that the system's queries match, or `None` if it has no queries. `O(tables)` for
    /// each query.
    fn rows(&self, store: &Store) -> Option<usize>;

    /// Visits the state that the system keeps from run to run.
    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>);

    /// Prepares the system for a world, unless it is already prepared for it. If preparation panics or two parameters conflict, the
    /// system is prepared for no world. After a conflict, the access holds the conflict.
    fn prepare(&mut self, store: &mut Store);

    /// Applies the commands that the system has recorded.
    fn apply_deferred(&mut self, store: &mut Store);
}

/// The properties of a system.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct SystemFacts<'a> {
    pub(crate) name: &'a str,
    /// The access of the system.
    pub(crate) access: &'a Access,
    /// The type of the function, if the system consists of a single function.
    pub(crate) function: Option<TypeId>,
    /// The number of ticks that a run uses: one for each function that runs.
    pub(crate) ticks: u32,
    /// The number of levels of systems that are nested in this system.
    pub(crate) nesting: u32,
    /// The conditions that the system itself evaluates before it runs.
    pub(crate) conditions: &'a [BoxedSystem<(), bool>],
    /// The index of the first condition that did not hold in the last run.
    pub(crate) unmet_condition: Option<usize>,
    /// The error of the parameter because of which the last run was skipped, if it was skipped.
    pub(crate) skipped_by: Option<&'a ParamError>,
    /// The properties of the loop over rows, if the system is such a loop and has been prepared.
    pub(crate) row_facts: Option<&'a RowFacts>,
}

impl<'a> SystemFacts<'a> {
    /// Returns the properties of a system of a single function.
    pub(crate) fn of_function(name: &'a str, access: &'a Access, function: TypeId) -> Self {
        Self { function: Some(function), ..Self::of_several(name, access, 1, 0) }
    }

    /// Returns the properties of a system that consists of others.
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

/// Records where a function became a system. Errors that are found when the system is prepared name this place.
pub(crate) fn set_place(system: &mut dyn SystemCore, place: &'static Location<'static>) {
    if let Some(meta) = system.meta_mut() {
        SystemMeta::make_own(meta).place = Some(place);
    }
}

/// The part of a store that a system borrows while other systems may run. A run uses the tick of the cell and as many of the ticks
/// after it as the system needs.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct SharedScope<'r, 'w>(&'r StoreCell<'w>);

/// The part of a store that a run of a system may use.
#[doc(hidden)]
pub enum RunScope<'r, 'w> {
    /// The access of the system, while other systems may run. The commands of the system are not applied.
    Shared(SharedScope<'r, 'w>),
    /// A whole store. The run has the next ticks of the store. The commands of the system are not applied.
    Exclusive(&'r mut Store),
    /// Like `Exclusive`, but the system applies its commands at the end, even if a parameter could not be fetched.
    Applied(&'r mut Store),
}

impl RunScope<'_, '_> {
    /// Returns the whole store, unless the scope is shared.
    #[inline]
    pub(super) fn store(&mut self) -> Option<&mut Store> {
        match self {
            Self::Shared(_) => None,
            Self::Exclusive(store) | Self::Applied(store) => Some(store),
        }
    }

    /// Runs a member of a composite system. The first tick of the member is `ticks` after the first tick of the scope. The
    /// composite system applies the commands.
    #[inline]
    pub(super) fn run<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        ticks: u32,
        input: SystemIn<'_, S>,
    ) -> Result<S::Out, ParamError> {
        match self {
            Self::Shared(SharedScope(cell)) => system.run_in(input, RunScope::Shared(SharedScope(&cell.later(ticks)))),
            Self::Exclusive(store) | Self::Applied(store) => system.run_in(input, RunScope::Exclusive(store)),
        }
    }
}

/// A system that consists of others.
pub(super) trait Composite: System {
    /// Returns the world for which all members are prepared.
    fn world(&mut self) -> &mut Option<WorldId>;

    /// Runs the member systems in a scope.
    fn run_members(&mut self, input: SystemIn<'_, Self>, scope: &mut RunScope<'_, '_>)
    -> Result<Self::Out, ParamError>;

    /// Prepares the member systems if the scope is a whole store, and runs them: [`System::run_in`].
    #[inline]
    fn run_composite(
        &mut self,
        input: SystemIn<'_, Self>,
        mut scope: RunScope<'_, '_>,
    ) -> Result<Self::Out, ParamError> {
        let Some(store) = scope.store() else { return self.run_members(input, &mut scope) };
        self.prepare(store);
        // A member may replace the world, and the members after it were prepared for the old one. So the system counts as prepared only if
        // the world is still the same after the run.
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
    /// - While a system runs in the scope, no other code has a borrow that conflicts with the access of the system.
    #[inline(always)]
    pub(crate) unsafe fn new(cell: &'r StoreCell<'w>) -> Self {
        Self(cell)
    }

    /// Returns the store, with the access that the caller of `new` granted.
    #[inline(always)]
    pub(crate) fn cell(self) -> &'r StoreCell<'w> {
        self.0
    }
}

/// The rows for which a system runs.
#[doc(hidden)]
pub enum RowScope<'r, 'w, I: SystemInput> {
    /// The system runs for the next of several entities that it observes: its function is called for one entity after the other.
    /// Commands that a call records are applied before the next call. The run ends early after an error; [`ObservedRows::next`] is
    /// then the position after the failed entity.
    Observed(&'r mut ObservedRows<'w, I>, &'r mut Store),
    /// The system runs for blocks of rows.
    Blocks(BlockScope<'r, 'w>),
}

/// A run of a loop over rows by blocks. The loop fetches its parameters, marks the columns that it writes as visited, and calls
/// `then`, which passes rows to the loop. If `then` panics, `panicked` returns whether this system panicked. If another system
/// panicked, this system keeps its last run.
#[doc(hidden)]
pub struct BlockScope<'r, 'w> {
    pub(super) scope: SharedScope<'r, 'w>,
    pub(super) panicked: &'r dyn Fn() -> bool,
    pub(super) then: &'r mut dyn FnMut(Blocks<'_>),
}

impl<'r, 'w> BlockScope<'r, 'w> {
    /// # Safety
    ///
    /// - Apart from the rows of the system, no other code has a borrow that conflicts with the access of the system.
    /// - If the system or other code writes the rows, other code does not access the change ticks of single rows.
    /// - Until `then` is called, no other code has a borrow of the rows that conflicts with the access of the system.
    /// - [`RowFacts`] says that no row has to be checked: `is_per_row` is false.
    pub(crate) unsafe fn new(
        cell: &'r StoreCell<'w>,
        panicked: &'r dyn Fn() -> bool,
        then: &'r mut dyn FnMut(Blocks<'_>),
    ) -> Self {
        Self { scope: SharedScope(cell), panicked, then }
    }
}

/// Entities that a system observes, visited one after the other.
#[doc(hidden)]
pub struct ObservedRows<'a, I: SystemInput> {
    pub(crate) affected: AffectedEntities<'a>,
    /// The position of the next entity.
    pub(crate) next: usize,
    /// The end of the positions to visit.
    pub(crate) end: usize,
    pub(crate) about: I::About<'a>,
}

impl<I: SystemInput> ObservedRows<'_, I> {
    /// Moves to the next entity and returns it.
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

/// The value that the caller passes as the input of a system. This is `T` for `In<T>`, `&T` for `InRef<T>`, and `()` if there is no
/// input.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{System, SystemIn};
///
/// fn length_of_name<S: System<In = In<u32>>>(system: &S, _input: SystemIn<'_, S>) -> usize {
///     system.name().len() // The input is a `u32`.
/// }
/// ```
pub type SystemIn<'i, S> = InputItem<'i, <S as System>::In>;

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

impl_debug!([I: SystemInput + 'static, Out: 'static] dyn System<In = I, Out = Out> => |this, f|
    f.debug_tuple("System").field(&this.name()).finish());
