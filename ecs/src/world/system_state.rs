//! System parameters without a system.
//!
//! Tests: tests/systems/one_shot/states.rs, tests/systems/params/builders.rs

use core::any::type_name;
use core::marker::PhantomData;
use core::panic::Location;

use super::cast::World;
use super::systems::FromWorld;
use crate::access::const_access::{Nameless, check_nameless};
use crate::storage::tick::LastRun;
use crate::structure::store::WorldId;
use crate::system::{
    BoxedSystem, BuildParam, FunctionSystem, ParamBuilder, ParamError, ParamSource, ParamState, ReadOnlySystemParam,
    StateVisitor, SystemMeta, SystemParam, SystemParamFunction, SystemParamItem,
};

/// System parameters that can be used without a system, any number of times. It contains the state that a system keeps
/// between runs for its parameters.
///
/// `P` is a parameter or a tuple of parameters. Each call of [`get`](Self::get) and [`get_mut`](Self::get_mut) counts
/// as a run: changes since the last call are new, `Local`s keep their values, and readers continue where they were.
/// Recorded [`Commands`] are kept until [`apply`](Self::apply), even over several calls.
///
/// Fetching costs as much as for a system; nothing is allocated.
///
/// The state is `Send` if the parameters are. It is not `Send` with [`NonSend`](crate::system::NonSend) or
/// [`NonSendMarker`](crate::system::NonSendMarker).
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Resource)] struct Poison(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Poison(2));
/// world.spawn_batch([Health(1), Health(5)]);
/// let mut state = SystemState::<(Query<(Entity, &mut Health)>, Res<Poison>, Commands)>::new(&mut world);
///
/// let (mut healths, poison, mut commands) = state.get_mut(&mut world).unwrap();
/// for (entity, mut health) in &mut healths {
///     health.0 = health.0.saturating_sub(poison.0);
///     if health.0 == 0 {
///         commands.entity(entity).despawn();
///     }
/// }
/// state.apply(&mut world);
/// assert_eq!(world.len(), 1);
/// ```
///
/// [`Commands`]: crate::command::Commands
pub struct SystemState<P: SystemParam> {
    meta: SystemMeta,
    state: ParamState<P::Source>,
    last_run: LastRun,
    /// Stands for the fetched parameters, so that the state is `Send` only if the parameters are.
    fetched: PhantomData<&'static mut <P::Source as ParamSource>::Got<'static, 'static>>,
}

impl<P: SystemParam> SystemState<P> {
    const PARAMETERS_AGREE: () = check_nameless(PhantomData::<P>, Nameless::SystemState, &P::Source::ACCESS, 0);

    /// Initializes the parameters for a world.
    ///
    /// If parameters conflict, the call does not compile, as for a system.
    ///
    /// # Panics
    ///
    /// If parameters conflict, and the compiler could not detect this.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// let mut world = World::new();
    /// let mut state = SystemState::<Query<&Health>>::new(&mut world);
    /// assert!(state.get(&world).unwrap().is_empty());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(world: &mut World) -> Self {
        Self::built(ParamBuilder, world)
    }

    /// Initializes the parameters for a world, with a builder.
    #[track_caller]
    pub(super) fn built(builder: impl BuildParam<P>, world: &mut World) -> Self {
        let () = Self::PARAMETERS_AGREE;
        let mut meta = SystemMeta::new(type_name::<Self>(), &[], P::Source::COUNT, 0);
        meta.place = Some(Location::caller());
        let Some(state) = ParamState::built::<P>(builder, &mut world.store, &mut meta) else {
            meta.access.expect_agreement();
            unreachable!("the parameters agree")
        };
        Self { meta, state, last_run: LastRun::default(), fetched: PhantomData }
    }

    /// Fetches parameters that only read.
    ///
    /// # Errors
    ///
    /// If a parameter cannot be fetched, because a resource does not exist, or because a
    /// [`Single`](crate::system::Single) matches nothing ([`ParamError::is_skip`]).
    ///
    /// # Panics
    ///
    /// If the world is not the one for which the state was made.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// let mut world = World::new();
    /// let mut changed = SystemState::<Query<&Health, Changed<Health>>>::new(&mut world);
    /// world.spawn(Health(3));
    /// assert_eq!(changed.get(&world).unwrap().count(), 1);
    /// assert_eq!(changed.get(&world).unwrap().count(), 0);
    /// ```
    #[inline]
    #[track_caller]
    pub fn get<'w, 's>(&'s mut self, world: &'w World) -> Result<SystemParamItem<'w, 's, P>, ParamError>
    where
        P: ReadOnlySystemParam,
    {
        self.demand(world);
        let run_ticks = world.store.clock.begin_run_shared(self.last_run).of(self.meta.system);
        let got = self.state.read(world.read(), run_ticks)?;
        self.last_run = world.store.clock.run_at(run_ticks.this_run);
        Ok(P::item(got))
    }

    /// Fetches the parameters.
    ///
    /// # Errors
    ///
    /// If a parameter cannot be fetched, because a resource does not exist, or because a
    /// [`Single`](crate::system::Single) matches nothing ([`ParamError::is_skip`]).
    ///
    /// # Panics
    ///
    /// If the world is not the one for which the state was made.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// let mut world = World::new();
    /// let mut state = SystemState::<ResMut<Score>>::new(&mut world);
    /// assert!(state.get_mut(&mut world).is_err());
    /// world.insert_resource(Score(1));
    /// state.get_mut(&mut world).unwrap().0 += 1;
    /// assert_eq!(world.resource::<Score>().0, 2);
    /// ```
    #[inline]
    #[track_caller]
    pub fn get_mut<'w, 's>(&'s mut self, world: &'w mut World) -> Result<SystemParamItem<'w, 's, P>, ParamError> {
        self.demand(world);
        let store = &mut world.store;
        store.flush();
        let tick = store.next_tick();
        let run_ticks = store.clock.run_ticks_since(self.last_run, tick).of(self.meta.system);
        let last_run = store.clock.run_at(run_ticks.this_run);
        let got = self.state.write(store, run_ticks)?;
        self.last_run = last_run;
        Ok(P::item(got))
    }

    /// Applies the commands and buffers that were recorded since the last call.
    ///
    /// # Panics
    ///
    /// If the world is not the one for which the state was made.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let mut world = World::new();
    /// let mut state = SystemState::<Commands>::new(&mut world);
    /// state.get_mut(&mut world).unwrap().spawn_empty();
    /// assert!(world.is_empty());
    /// state.apply(&mut world);
    /// assert_eq!(world.len(), 1);
    /// ```
    #[track_caller]
    pub fn apply(&mut self, world: &mut World) {
        self.demand(world);
        self.state.apply(&self.meta, &mut world.store);
    }

    /// Returns whether this is the world for which the state was made.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let [mut world, other] = [World::new(), World::new()];
    /// let state = SystemState::<Commands>::new(&mut world);
    /// assert!(state.matches_world(world.id()) && !state.matches_world(other.id()));
    /// ```
    #[must_use]
    pub fn matches_world(&self, world: WorldId) -> bool {
        self.state.world == world
    }

    /// Makes a system from a function with these parameters. The system continues with their state. For a closure, use
    /// [`build_system`](Self::build_system): then the compiler can infer the types of its parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn count(mut runs: Local<u32>) -> u32 {
    ///     *runs += 1;
    ///     *runs
    /// }
    ///
    /// let mut world = World::new();
    /// let mut state = SystemState::<(Local<u32>,)>::new(&mut world);
    /// *state.get(&world).unwrap().0 = 10;
    /// assert_eq!(world.run_system_once(state.build_any_system(count)).unwrap(), 11);
    /// ```
    pub fn build_any_system<Marker, F>(self, function: F) -> BoxedSystem<F::In, F::Out>
    where
        Marker: 'static,
        F: SystemParamFunction<Marker, Out: 'static, Param = P>,
    {
        alloc::boxed::Box::new(FunctionSystem::with_state(function, self.state, self.last_run, self.meta))
    }

    /// Passes all state that is kept between runs to the visitor.
    pub(super) fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        keeper.last_run(Some(&mut self.last_run));
        self.state.visit_state(keeper);
    }

    #[inline]
    #[track_caller]
    fn demand(&self, world: &World) {
        #[cold]
        #[track_caller]
        fn fail<P>(made_for: WorldId, used_with: WorldId) -> ! {
            panic!(
                "`SystemState<{}>` was made for world {made_for} and is used with world {used_with}",
                type_name::<P>()
            );
        }
        if !self.matches_world(world.id()) {
            fail::<P>(self.state.world, world.id());
        }
    }
}

impl<P: SystemParam> FromWorld for SystemState<P> {
    fn from_world(world: &mut World) -> Self {
        Self::new(world)
    }
}

impl_debug_as_type_name! { [P: SystemParam] SystemState<P>; }

macro_rules! build_system {
    ($($P:ident $at:tt)*) => {
        impl<$($P: SystemParam),*> SystemState<($($P,)*)> {
            /// Makes a system from a function or closure with these parameters. The system continues with their state.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Resource)] struct Score(u32);
            /// let mut world = World::new();
            /// world.insert_resource(Score(3));
            /// let state = SystemState::<(Res<Score>, Local<u32>)>::new(&mut world);
            /// let system = state.build_system(|score, mut runs| {
            ///     *runs += 1;
            ///     score.0 + *runs
            /// });
            /// assert_eq!(world.run_system_once(system).unwrap(), 4);
            /// ```
            pub fn build_system<Out, Marker, Func>(self, function: Func) -> BoxedSystem<(), Out>
            where
                Out: 'static,
                Marker: 'static,
                Func: FnMut($(SystemParamItem<'_, '_, $P>),*) -> Out
                    + SystemParamFunction<Marker, In = (), Out = Out, Param = ($($P,)*)>,
            {
                self.build_any_system(function)
            }
        }
    };
}

all_tuples!(build_system);
