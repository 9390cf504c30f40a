//! Running systems on a world, and functions of the whole world as systems.
//!
//! Tests: tests/systems/systems.rs, tests/systems/params/exclusive.rs

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::TypeId;
use core::marker::PhantomData;
use core::panic::Location;

use super::cast::World;
use crate::access::Access;
use crate::schedule::{Ambiguity, IntoSystemSet, Schedule, ScheduleBuildError, ScheduleCleanupPolicy, ScheduleError};
use crate::storage::tick::{LastRun, Tick};
use crate::structure::cell::ReadCell;
use crate::structure::store::{SavedCaller, SharedClock, Store, WorldId};
use crate::system::StateVisitor;
use crate::system::{
    BoxedSystem, IntoSystem, MadeFromStore, ParamError, ParamSource, RunScope, RunSystemError, System, SystemCore,
    SystemFacts, SystemInput, SystemParam, TaskParam, WorldSource, set_place,
};
use crate::util::origin::{Origin, SystemOrigin};

/// A value that can be made from a world. Implemented for all types with a default.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Resource)]
/// struct Population(usize);
///
/// impl FromWorld for Population {
///     fn from_world(world: &mut World) -> Self {
///         Self(world.len())
///     }
/// }
///
/// let mut world = World::new();
/// world.spawn_empty();
/// world.init_resource::<Population>();
/// assert_eq!(world.resource::<Population>().0, 1);
/// ```
pub trait FromWorld {
    /// Makes the value.
    fn from_world(world: &mut World) -> Self;
}

impl<T: FromWorld> MadeFromStore for T {
    fn made_from_store(store: &mut Store) -> Self {
        T::from_world(World::from_store_mut(store))
    }
}

impl<T: Default> FromWorld for T {
    fn from_world(_: &mut World) -> Self {
        Self::default()
    }
}

impl<'w> TaskParam<'w, '_> for &'w World {
    fn into_got(self) -> ReadCell<'w> {
        self.read()
    }
}

impl SystemParam for &World {
    type Source = WorldSource;
    type Item<'w, 's> = &'w World;

    #[inline]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        World::from_store(got.store())
    }
}

/// The state that a function of the whole world keeps between runs, in addition to the tick of its last run.
pub(super) trait ExclusiveState: Send + Sync + 'static {
    /// Initializes the state for a world. `system` is the name of the system.
    fn prepared(world: &mut World, system: &'static str) -> Self;

    /// Passes all of the state to the visitor.
    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>);
}

impl ExclusiveState for () {
    fn prepared(_: &mut World, _: &'static str) {}

    fn visit_state(&mut self, _: &mut StateVisitor<'_>) {}
}

/// A system that is a function of the whole world.
struct ExclusiveSystem<F, I, Out, K> {
    name: &'static str,
    system: SystemOrigin,
    function: F,
    access: Access,
    prepared: Option<PreparedExclusive<K>>,
    marker: PhantomData<fn(I) -> Out>,
}

/// The state for one world of a function of the whole world.
struct PreparedExclusive<K> {
    world: WorldId,
    last_run: LastRun,
    kept: K,
}

/// Makes a system from a function of the whole world.
pub(super) fn exclusive<F, I, Out, K>(name: &'static str, function: F, access: Access) -> BoxedSystem<I, Out>
where
    F: FnMut(I::Inner<'_>, &mut World, &mut K) -> Out + Send + Sync + 'static,
    I: SystemInput + 'static,
    Out: 'static,
    K: ExclusiveState,
{
    let system = SystemOrigin::of(name);
    Box::new(ExclusiveSystem { name, system, function, access, prepared: None, marker: PhantomData })
}

/// Restores the last-run tick and the caller of a store after a function of the whole world has run in it. During the
/// run, changes since the last run of the system count as new. Both are restored even if the system puts another world
/// in the place of this one.
struct SinceLastRun<'a> {
    store: &'a mut Store,
    clock: Arc<SharedClock>,
    before: Tick,
    /// The caller that was set before the system ran.
    caller: SavedCaller,
}

impl Drop for SinceLastRun<'_> {
    fn drop(&mut self) {
        self.clock.last.set(self.before);
        self.caller.restore(self.store);
    }
}

impl<F, I, Out, K> SystemCore for ExclusiveSystem<F, I, Out, K>
where
    F: FnMut(I::Inner<'_>, &mut World, &mut K) -> Out + Send + Sync + 'static,
    I: SystemInput + 'static,
    Out: 'static,
    K: ExclusiveState,
{
    fn facts(&self) -> SystemFacts<'_> {
        SystemFacts::of_function(self.name, &self.access, TypeId::of::<F>())
    }

    fn rows(&self, _: &Store) -> Option<usize> {
        None
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        if keeper.resets() {
            self.prepared = None;
        }
        let Some(prepared) = &mut self.prepared else { return keeper.last_run(None) };
        keeper.last_run(Some(&mut prepared.last_run));
        prepared.kept.visit_state(keeper);
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if matches!(&self.prepared, Some(prepared) if prepared.world == world) {
            return;
        }
        // `prepared` is cleared first: user code runs below and may panic.
        self.prepared = None;
        let kept = K::prepared(World::from_store_mut(store), self.name);
        assert!(world == store.id(), "system `{}`: a parameter has replaced the world", self.name);
        self.prepared = Some(PreparedExclusive { world, last_run: LastRun::default(), kept });
    }

    fn apply_deferred(&mut self, _: &mut Store) {}
}

impl<F, I, Out, K> System for ExclusiveSystem<F, I, Out, K>
where
    F: FnMut(I::Inner<'_>, &mut World, &mut K) -> Out + Send + Sync + 'static,
    I: SystemInput + 'static,
    Out: 'static,
    K: ExclusiveState,
{
    type In = I;
    type Out = Out;

    fn run_in(&mut self, input: I::Inner<'_>, scope: RunScope<'_, '_>) -> Result<Out, ParamError> {
        let (RunScope::Exclusive(store) | RunScope::Applied(store)) = scope else {
            unreachable!("system `{}` takes `&mut World`, so it is run alone", self.name)
        };
        // A system that ran before may have replaced the world for which this system was prepared.
        self.prepare(store);
        let Some(PreparedExclusive { world, last_run, kept }) = &mut self.prepared else {
            unreachable!("it has been prepared")
        };
        let tick = store.next_tick();
        let run_ticks = store.clock.run_ticks_since(*last_run, tick);
        let before = store.clock.last.get();
        store.clock.last.set(run_ticks.last_run);
        let this_run = store.clock.run_at(run_ticks.this_run);
        *last_run = this_run;
        let caller = SavedCaller::save(store);
        store.structure.entities.set_caller(Origin::in_system(self.system));
        let since = SinceLastRun { clock: Arc::clone(&store.clock.shared), store, before, caller };
        let out = (self.function)(input, World::from_store_mut(since.store), kept);
        // The last run gets a later tick than the changes of the system itself, so that the system does not see them as new.
        *last_run = if since.store.id() == *world {
            let last = since.store.next_tick();
            since.store.clock.run_at(last)
        } else {
            this_run.until(since.clock.tick.advance())
        };
        Ok(out)
    }
}

/// Marker type: distinguishes functions of `&mut World` from other systems.
#[doc(hidden)]
pub struct ExclusiveMarker;

/// Runs a system without a schedule.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// fn heal(mut healths: Query<&mut Health>) {
///     healths.iter_mut().for_each(|mut health| health.0 += 1);
/// }
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// world.run_system_once(heal).unwrap();
/// assert_eq!(world.get(entity), Some(&Health(4)));
/// ```
pub trait RunSystemOnce {
    /// Makes a system, runs it and applies its commands. Afterwards its state, such as `Local`s, is dropped.
    ///
    /// # Errors
    ///
    /// If a parameter cannot be fetched. Then nothing has run.
    ///
    /// # Panics
    ///
    /// If two parameters of the system conflict.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn population(everybody: Query<Entity>) -> usize {
    ///     everybody.count()
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn_empty();
    /// assert_eq!(world.run_system_once(population).unwrap(), 1);
    /// ```
    #[track_caller]
    fn run_system_once<Out: 'static, Marker, S: IntoSystem<(), Out, Marker>>(
        &mut self,
        system: S,
    ) -> Result<Out, RunSystemError>;

    /// Makes a system and runs it with an input, like [`run_system_once`](Self::run_system_once).
    ///
    /// # Errors
    ///
    /// If a parameter cannot be fetched. Then nothing has run, and the input is dropped.
    ///
    /// # Panics
    ///
    /// If two parameters of the system conflict.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn spawn(In(count): In<usize>, mut commands: Commands) {
    ///     (0..count).for_each(|_| _ = commands.spawn_empty());
    /// }
    ///
    /// let mut world = World::new();
    /// world.run_system_once_with(spawn, 3).unwrap();
    /// assert_eq!(world.len(), 3);
    /// ```
    #[track_caller]
    fn run_system_once_with<I, Out, Marker, S>(
        &mut self,
        system: S,
        input: I::Inner<'_>,
    ) -> Result<Out, RunSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker>;
}

impl RunSystemOnce for World {
    #[track_caller]
    fn run_system_once<Out: 'static, Marker, S: IntoSystem<(), Out, Marker>>(
        &mut self,
        system: S,
    ) -> Result<Out, RunSystemError> {
        let () = S::CHECKED;
        self.run_system_once_with(system, ())
    }

    #[track_caller]
    fn run_system_once_with<I, Out, Marker, S>(&mut self, system: S, input: I::Inner<'_>) -> Result<Out, RunSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker>,
    {
        let () = S::CHECKED;
        let mut system = IntoSystem::into_system(system);
        set_place(&mut *system, Location::caller());
        system.run(input, self)
    }
}

impl<I: SystemInput + 'static, Out: 'static> dyn System<In = I, Out = Out> {
    /// Initializes the system for a world: registers the components and resources of its parameters, and creates its
    /// state. A run does this automatically.
    ///
    /// # Panics
    ///
    /// If two parameters of the system conflict, or if the `FromWorld` of a `Local` panics.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut system = IntoSystem::into_system(|all: Query<&Health>| all.iter().count());
    /// system.initialize(&mut world);
    /// assert!(world.component_id::<Health>().is_some());
    /// ```
    #[track_caller]
    pub fn initialize(&mut self, world: &mut World) {
        self.prepare(&mut world.store);
        self.access().expect_agreement();
    }

    /// Runs the system on a world, and applies its commands.
    ///
    /// # Errors
    ///
    /// If a parameter cannot be fetched. Then nothing has run, and the input is dropped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut system = IntoSystem::into_system(|all: Query<&Health>| all.iter().count());
    /// assert_eq!(system.run((), &mut world).unwrap(), 1);
    /// ```
    #[track_caller]
    pub fn run(&mut self, input: I::Inner<'_>, world: &mut World) -> Result<Out, RunSystemError> {
        self.initialize(world);
        let out = self.run_in(input, RunScope::Applied(&mut world.store));
        out.map_err(|error| RunSystemError::new(self.name(), error))
    }
}

impl Schedule {
    /// Runs all systems. If the schedule has already run in the current frame of the world, a new frame begins first:
    /// see [`World::frame`].
    ///
    /// # Panics
    ///
    /// If a system fails; the message contains the system's name and the error. Also if a system panics. See
    /// [`Schedule::try_run`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// fn count(mut count: ResMut<Count>) {
    ///     count.0 += 1;
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(0));
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems(count);
    /// schedule.run(&mut world);
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Count>(), &Count(2));
    /// ```
    #[track_caller]
    #[doc(alias("execute", "progress", "Update"))]
    pub fn run(&mut self, world: &mut World) {
        if let Err(error) = self.try_run(world) {
            panic!("{error}");
        }
    }

    /// Runs all systems, like [`Schedule::run`], but returns the error if a system fails. Then the systems that are ordered
    /// after it do not run. The commands of the systems that have run, and of the failed one, are applied.
    ///
    /// # Errors
    ///
    /// If a system returned an error or could not run. The error contains the name of the system. The world stays
    /// usable.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn load() -> Result {
    ///     Err("no such file".into())
    /// }
    ///
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems(load);
    /// let error = schedule.try_run(&mut World::new()).unwrap_err().to_string();
    /// assert!(error.contains("load") && error.contains("no such file"));
    /// ```
    pub fn try_run(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        self.run_on(&mut world.store)
    }

    /// Initializes all systems for a world and orders them, as the first run would.
    ///
    /// # Errors
    ///
    /// If the ordering constraints contradict each other, or two parameters of a system conflict: see [`ScheduleBuildError`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// fn heal(mut healths: Query<&mut Health>) {
    ///     healths.iter_mut().for_each(|mut health| health.0 += 1);
    /// }
    ///
    /// let mut world = World::new();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems(heal);
    /// schedule.initialize(&mut world).unwrap();
    /// assert!(world.component_id::<Health>().is_some());
    /// ```
    pub fn initialize(&mut self, world: &mut World) -> Result<(), ScheduleBuildError> {
        self.initialize_on(&mut world.store)
    }

    /// Returns the pairs of systems that conflict and have no order, with the data that both access. They run in the
    /// order in which they were added. Empty if the schedule has not been initialized for this world. `O(n * n)` in
    /// systems.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Sum(u32);
    ///
    /// fn double(mut sum: ResMut<Sum>) {
    ///     sum.0 *= 2;
    /// }
    ///
    /// fn add_one(mut sum: ResMut<Sum>) {
    ///     sum.0 += 1;
    /// }
    ///
    /// let mut world = World::new();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((double, add_one));
    /// schedule.initialize(&mut world).unwrap();
    /// let found = schedule.ambiguities(&world);
    /// assert!(found[0].to_string().contains("Sum"));
    /// ```
    #[must_use]
    pub fn ambiguities(&self, world: &World) -> Vec<Ambiguity> {
        self.ambiguities_on(&world.store)
    }

    /// Removes the systems in a set, or the systems of a function, and returns their number. The policy decides what
    /// happens to the set itself, and to ordering constraints of the remaining systems. The state of the removed
    /// systems, such as `Local`s, is dropped. The world is not changed. This also works for a schedule that cannot be
    /// built; the removal may repair it.
    ///
    /// # Errors
    ///
    /// If there is no such set or function: [`ScheduleError::SetNotFound`]. Then nothing has changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::schedule::ScheduleCleanupPolicy;
    /// # #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)] struct Debugging;
    /// # fn simulate() {}
    /// # fn check() {}
    /// # fn draw() {}
    ///
    /// let mut world = World::new();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((simulate, check.in_set(Debugging), draw).chain());
    /// assert_eq!(schedule.remove_systems_in_set(Debugging, &mut world, ScheduleCleanupPolicy::default()).unwrap(), 1);
    /// assert_eq!(schedule.systems_len(), 2); // `draw` still comes after `simulate`.
    /// assert!(schedule.remove_systems_in_set(Debugging, &mut world, ScheduleCleanupPolicy::default()).is_err());
    /// ```
    pub fn remove_systems_in_set<Marker>(
        &mut self,
        set: impl IntoSystemSet<Marker>,
        _world: &mut World,
        policy: ScheduleCleanupPolicy,
    ) -> Result<usize, ScheduleError> {
        self.remove_set(set, policy)
    }
}
