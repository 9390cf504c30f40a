//! Running single systems in a [`World`].
//!
//! Tests: tests/systems/one_shot/registered.rs

use alloc::boxed::Box;
use alloc::string::ToString;
use core::any::Any;
use core::panic::Location;

use super::id::{RegisteredSystemError, SystemId};
use super::running::{CacheableFunction, OneShots, RegisteredSystem, cache_key, run};
use crate::system::{BoxedSystem, IntoSystem, SystemInput, set_place};
use crate::world::cast::World;

impl World {
    /// Registers a system, which can then be run by its id any number of times. The system keeps its state between
    /// runs: its `Local`s, and which changes and messages it has seen.
    ///
    /// Registering a system twice creates two systems; [`World::register_system_cached`] registers a function only
    /// once.
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
    /// let id = world.register_system(count);
    /// assert_eq!(world.run_system(id).unwrap(), 1);
    /// assert_eq!(world.run_system(id).unwrap(), 2);
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
        OneShots::of(&mut self.store).register(id, system);
        id
    }

    /// Registers a boxed system, like [`World::register_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// let id = world.register_boxed_system(IntoSystem::into_system(idle));
    /// world.run_system(id).unwrap();
    /// ```
    pub fn register_boxed_system<I, Out>(&mut self, system: BoxedSystem<I, Out>) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        self.register_system(system)
    }

    /// Unregisters a system and returns it. Afterwards its id is invalid.
    ///
    /// # Errors
    ///
    /// If the system is not registered, or is running.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// let id = world.register_system(idle);
    /// let system = world.unregister_system(id).unwrap();
    /// assert!(system.name().ends_with("idle"));
    /// assert!(world.run_system(id).is_err());
    /// ```
    pub fn unregister_system<I, Out>(
        &mut self,
        id: SystemId<I, Out>,
    ) -> Result<BoxedSystem<I, Out>, RegisteredSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        let systems = &mut OneShots::of(&mut self.store).systems;
        match systems.remove(&id.number) {
            Some(RegisteredSystem { system: Some(system), .. }) => match (system as Box<dyn Any>).downcast() {
                Ok(system) => Ok(*system),
                Err(_) => unreachable!("the id of a system has its types"),
            },
            Some(running) => {
                let error = RegisteredSystemError::SelfRemove(running.name.to_string());
                systems.insert(id.number, running);
                Err(error)
            }
            None => Err(RegisteredSystemError::SystemIdNotRegistered(id.name.to_string())),
        }
    }

    /// Runs a registered system and applies its commands. The overhead is `O(1)`, without allocation.
    ///
    /// # Errors
    ///
    /// If the system is not registered, if it is running already, or if a parameter cannot be fetched.
    ///
    /// # Panics
    ///
    /// If the system panics, or, in its first run, if two of its parameters conflict. The system stays registered, and
    /// can be run again.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn population(everybody: Query<Entity>) -> usize {
    ///     everybody.count()
    /// }
    ///
    /// let mut world = World::new();
    /// let id = world.register_system(population);
    /// world.spawn_empty();
    /// assert_eq!(world.run_system(id).unwrap(), 1);
    /// ```
    pub fn run_system<Out: 'static>(&mut self, id: SystemId<(), Out>) -> Result<Out, RegisteredSystemError> {
        self.run_system_with(id, ())
    }

    /// Runs a registered system with an input, like [`World::run_system`].
    ///
    /// # Errors
    ///
    /// If the system is not registered, if it is running already, or if a parameter cannot be fetched. Then the input
    /// is dropped.
    ///
    /// # Panics
    ///
    /// Same as [`World::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn add(In(number): In<u32>, mut sum: Local<u32>) -> u32 {
    ///     *sum += number;
    ///     *sum
    /// }
    ///
    /// let mut world = World::new();
    /// let id = world.register_system(add);
    /// world.run_system_with(id, 3).unwrap();
    /// assert_eq!(world.run_system_with(id, 4).unwrap(), 7);
    /// ```
    pub fn run_system_with<I, Out>(
        &mut self,
        id: SystemId<I, Out>,
        input: I::Inner<'_>,
    ) -> Result<Out, RegisteredSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        run(&mut self.store, id, input)
    }

    /// Registers a system by its function. Later calls with the same function return the same id.
    ///
    /// Functions, closures that capture nothing and items made by `#[system]` can be registered in this way. For other
    /// systems, the call does not compile.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// let id = world.register_system_cached(idle);
    /// assert_eq!(world.register_system_cached(idle), id);
    /// assert_ne!(world.register_system(idle), id);
    /// ```
    pub fn register_system_cached<I, Out, Marker, S>(&mut self, system: S) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker> + 'static,
    {
        let () = S::CHECKED;
        let () = CacheableFunction::<S>::CHECKED;
        let one_shots = OneShots::of(&mut self.store);
        match one_shots.cached::<I, Out, S>() {
            Ok(id) if one_shots.systems.contains_key(&id.number) => id,
            _ => {
                let id = self.register_system(system);
                OneShots::of(&mut self.store).cached.insert(cache_key::<I, Out, S>(), id.number);
                id
            }
        }
    }

    /// Unregisters a system that was registered by its function, and returns it.
    ///
    /// # Errors
    ///
    /// If the system is not registered, or is running.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// assert!(world.unregister_system_cached(idle).is_err());
    /// world.run_system_cached(idle).unwrap();
    /// assert!(world.unregister_system_cached(idle).is_ok());
    /// ```
    pub fn unregister_system_cached<I, Out, Marker, S>(
        &mut self,
        _system: S,
    ) -> Result<BoxedSystem<I, Out>, RegisteredSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker> + 'static,
    {
        let () = CacheableFunction::<S>::CHECKED;
        let id = OneShots::of(&mut self.store).cached::<I, Out, S>()?;
        self.unregister_system(id)
    }

    /// Runs a system by its function. The first call registers it. The system keeps its state between runs, unlike with
    /// [`run_system_once`](crate::world::RunSystemOnce::run_system_once).
    ///
    /// # Errors
    ///
    /// If the system is running already, or if a parameter cannot be fetched.
    ///
    /// # Panics
    ///
    /// Same as [`World::run_system`].
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
    /// assert_eq!(world.run_system_cached(count).unwrap(), 1);
    /// assert_eq!(world.run_system_cached(count).unwrap(), 2);
    /// ```
    pub fn run_system_cached<Out, Marker, S>(&mut self, system: S) -> Result<Out, RegisteredSystemError>
    where
        Out: 'static,
        S: IntoSystem<(), Out, Marker> + 'static,
    {
        let () = S::CHECKED;
        let () = CacheableFunction::<S>::CHECKED;
        self.run_system_cached_with(system, ())
    }

    /// Runs a system with an input by its function, like [`World::run_system_cached`].
    ///
    /// # Errors
    ///
    /// If the system is running already, or if a parameter cannot be fetched.
    ///
    /// # Panics
    ///
    /// Same as [`World::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn double(InMut(number): InMut<u32>) {
    ///     *number *= 2;
    /// }
    ///
    /// let mut number = 4;
    /// World::new().run_system_cached_with(double, &mut number).unwrap();
    /// assert_eq!(number, 8);
    /// ```
    pub fn run_system_cached_with<I, Out, Marker, S>(
        &mut self,
        system: S,
        input: I::Inner<'_>,
    ) -> Result<Out, RegisteredSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker> + 'static,
    {
        let () = S::CHECKED;
        let () = CacheableFunction::<S>::CHECKED;
        let id = self.register_system_cached(system);
        run(&mut self.store, id, input)
    }
}
