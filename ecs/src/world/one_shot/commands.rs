//! Commands that run registered systems.
//!
//! Tests: tests/systems/one_shot/registered.rs

use core::any::Any;
use core::panic::Location;

use super::id::{RegisteredSystemError, SystemId};
use super::running::{CacheableFunction, OneShots, run};
use crate::structure::store::{CommandErrors, Store};
use crate::system::commands::Commands;
use crate::system::{BoxedSystem, IntoSystem, SystemInput, set_place};
use crate::util::error::{EcsError, ErrorContext, Severity};
use crate::util::trace;
use crate::world::cast::World;

/// Runs a system for a command. If the system is running already, it runs once more after that run has ended.
fn run_for_command<I, Out>(store: &mut Store, id: SystemId<I, Out>, input: I::Inner<'static>)
where
    I: SystemInput<Inner<'static>: Send> + 'static,
    Out: 'static,
{
    if OneShots::of(store).is_running(id.number) {
        OneShots::of(store).again.queue.push(move |store: &mut Store| run_for_command(store, id, input));
        return;
    }
    // The system may use the whole world, so pending ids become entities first.
    store.place_pending();
    let done = run(store, id, input);
    store.structure.make_reserved_pending();
    match done {
        Ok(out) => {
            if let Some(error) = into_error(out) {
                report_failed(store, id.name, error);
            }
        }
        Err(error) => report(store, "run_system", error),
    }
}

/// Returns the error of a system, if its output is a [`Result`](crate::error::Result) with an error.
fn into_error<Out: 'static>(out: Out) -> Option<EcsError> {
    let mut out = Some(out);
    let result = (&mut out as &mut dyn Any).downcast_mut::<Option<Result<(), EcsError>>>()?;
    result.take()?.err()
}

/// Passes the error of a system that was run by a command to the error handler. Without a handler, reports it.
#[cold]
fn report_failed(store: &mut Store, system: &'static str, error: EcsError) {
    let context = |_: &CommandErrors| ErrorContext::system_named(system);
    let Some(error) = store.commands.errors.handle(error, context) else { return };
    match error.severity() {
        Severity::Error | Severity::Panic => {
            let reason = alloc::format!("system `{system}` failed: {error}");
            store.commands.errors.report_other("run_system", reason, store.structure.entities.caller());
        }
        Severity::Warning => trace::warn(&error),
        _ => {}
    }
}

/// Reports that a command could not be carried out, unless the reason is that the system was skipped.
fn report(store: &mut Store, command: &'static str, error: RegisteredSystemError) {
    if !matches!(error, RegisteredSystemError::Skipped(_)) {
        store.commands.errors.report_other(command, error, store.structure.entities.caller());
    }
}

impl Commands<'_, '_> {
    /// Registers a system when the commands are applied, like [`World::register_boxed_system`]. The id is returned
    /// immediately.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// # let mut world = World::new();
    /// let id = world.commands().register_boxed_system(IntoSystem::into_system(idle));
    /// world.flush();
    /// world.run_system(id).unwrap();
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn register_boxed_system<I, Out>(&mut self, system: BoxedSystem<I, Out>) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        self.register_system(system)
    }

    /// Registers a system when the commands are applied, like [`World::register_system`]. The id is returned
    /// immediately. The system can be run after the command has been applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct OnWin(SystemId);
    /// # fn celebrate() {}
    /// fn setup(mut commands: Commands) {
    ///     let id = commands.register_system(celebrate);
    ///     commands.insert_resource(OnWin(id));
    /// }
    ///
    /// let mut world = World::new();
    /// world.run_system_once(setup).unwrap();
    /// let id = world.resource::<OnWin>().0;
    /// world.run_system(id).unwrap();
    /// ```
    #[track_caller]
    pub fn register_system<I, Out, Marker, S>(&mut self, system: S) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker>,
    {
        let () = S::CHECKED;
        let id = SystemId::next::<S>();
        let mut system = IntoSystem::into_system(system);
        set_place(&mut *system, Location::caller());
        self.push(move |store| OneShots::of(store).register(id, system));
        id
    }

    /// Unregisters a system. If this fails, a failed command is recorded ([`World::take_command_errors`]).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// let id = world.register_system(idle);
    /// world.commands().unregister_system(id);
    /// world.flush();
    /// assert!(world.run_system(id).is_err());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn unregister_system<I, Out>(&mut self, id: SystemId<I, Out>)
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        self.push(move |store| unregister_for_command(store, id));
    }

    /// Runs a registered system, like [`World::run_system`], and drops the output. If the output is an `Err` of
    /// [`Result`](crate::error::Result), the error is passed to the [error handler](crate::error::ErrorHandler) of the
    /// world. In a world without handler, it is recorded as a failed command.
    ///
    /// The system may be running already, if it recorded this command itself, or if a system that it runs did. Then it
    /// runs once more after all these systems have ended. If it cannot run, a failed command is recorded
    /// ([`World::take_command_errors`]), unless the system was skipped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let id = world.register_system(|mut commands: Commands| drop(commands.spawn_empty()));
    /// world.commands().run_system(id);
    /// world.flush();
    /// assert_eq!(world.entities().len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn run_system<Out: 'static>(&mut self, id: SystemId<(), Out>) {
        self.run_system_with(id, ());
    }

    /// Runs a registered system with an input, like [`Commands::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let despawn = world.register_system(|In(entity): In<Entity>, mut all: Commands| all.entity(entity).despawn());
    /// let entity = world.spawn_empty().id();
    /// world.commands().run_system_with(despawn, entity);
    /// world.flush();
    /// assert!(world.get_entity(entity).is_err());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn run_system_with<I, Out>(&mut self, id: SystemId<I, Out>, input: I::Inner<'static>)
    where
        I: SystemInput<Inner<'static>: Send> + 'static,
        Out: 'static,
    {
        self.push(move |store| run_for_command(store, id, input));
    }

    /// Runs a system by its function, like [`World::run_system_cached`], and drops the output. Errors are handled as by
    /// [`Commands::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Runs(u32);
    /// fn count(mut runs: ResMut<Runs>) {
    ///     runs.0 += 1;
    /// }
    /// # let mut world = World::new();
    /// # world.init_resource::<Runs>();
    /// world.commands().run_system_cached(count);
    /// world.flush();
    /// assert_eq!(world.resource::<Runs>().0, 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn run_system_cached<Out, Marker, S>(&mut self, system: S)
    where
        Out: 'static,
        Marker: 'static,
        S: IntoSystem<(), Out, Marker> + Send + 'static,
    {
        let () = S::CHECKED;
        let () = CacheableFunction::<S>::CHECKED;
        self.run_system_cached_with(system, ());
    }

    /// Runs the system of a function with an input, like [`Commands::run_system_cached`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Score(u32);
    /// fn add(In(points): In<u32>, mut score: ResMut<Score>) {
    ///     score.0 += points;
    /// }
    /// # let mut world = World::new();
    /// # world.init_resource::<Score>();
    /// world.commands().run_system_cached_with(add, 5);
    /// world.flush();
    /// assert_eq!(world.resource::<Score>().0, 5);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn run_system_cached_with<I, Out, Marker, S>(&mut self, system: S, input: I::Inner<'static>)
    where
        I: SystemInput<Inner<'static>: Send> + 'static,
        Out: 'static,
        Marker: 'static,
        S: IntoSystem<I, Out, Marker> + Send + 'static,
    {
        let () = S::CHECKED;
        let () = CacheableFunction::<S>::CHECKED;
        self.push(move |store| {
            let id = World::from_store_mut(store).register_system_cached(system);
            run_for_command(store, id, input);
        });
    }

    /// Unregisters a system that was registered by its function, like [`Commands::unregister_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// world.register_system_cached(idle);
    /// world.commands().unregister_system_cached(idle);
    /// world.flush();
    /// assert!(world.unregister_system_cached(idle).is_err());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn unregister_system_cached<I, Out, Marker, S>(&mut self, _system: S)
    where
        I: SystemInput + 'static,
        Out: 'static,
        Marker: 'static,
        S: IntoSystem<I, Out, Marker> + Send + 'static,
    {
        let () = CacheableFunction::<S>::CHECKED;
        self.push(|store| match OneShots::of(store).cached::<I, Out, S>() {
            Ok(id) => unregister_for_command(store, id),
            Err(error) => report(store, "unregister_system", error),
        });
    }
}

/// Unregisters a system for a command. If the system is running, it is unregistered after its run has ended.
fn unregister_for_command<I, Out>(store: &mut Store, id: SystemId<I, Out>)
where
    I: SystemInput + 'static,
    Out: 'static,
{
    if OneShots::of(store).is_running(id.number) {
        OneShots::of(store).again.queue.push(move |store: &mut Store| unregister_for_command(store, id));
        return;
    }
    if let Err(error) = World::from_store_mut(store).unregister_system(id) {
        report(store, "unregister_system", error);
    }
}
