//! The resources of a world.
//!
//! Tests: tests/storage/resources.rs

use alloc::sync::Arc;
use core::any::type_name;

use super::cast::World;
use super::systems::FromWorld;
use crate::component::ComponentDescriptor;
use crate::query::change::{Mut, TickPlace, Ticks};
use crate::storage::resource::{Resource, ResourceLoan, missing_text};
use crate::storage::tick::Tick;
use crate::structure::store::{SharedClock, WorldId};
use crate::system::commands::Commands;

#[cold]
#[track_caller]
fn missing<R: Resource>() -> ! {
    panic!("{}", missing_text::<R>());
}

impl World {
    /// Iterates over the descriptors of the resources that exist, in the order in which the world registered their
    /// types.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// let names: Vec<&str> = world.resource_descriptors().map(|resource| resource.name()).collect();
    /// assert!(names.iter().any(|name| name.ends_with("::Count")));
    /// ```
    pub fn resource_descriptors(&self) -> impl Iterator<Item = &'static ComponentDescriptor> {
        self.store.resources.descriptors()
    }

    /// Iterates over the descriptors of all registered types of resources, whether a value exists or not, in the order
    /// of their registration.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.register_resource::<Count>();
    /// assert!(world.resource_types().any(|resource| resource.name().ends_with("::Count")));
    /// assert!(!world.contains_resource::<Count>());
    /// ```
    pub fn resource_types(&self) -> impl Iterator<Item = &'static ComponentDescriptor> {
        self.store.resources.types()
    }

    /// Registers a type of resource without inserting a value, so that a file format can find the type of values in
    /// files.
    ///
    /// # Panics
    ///
    /// If another resource has the same stable name.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.register_resource::<Count>();
    /// assert!(world.get_resource::<Count>().is_none());
    /// ```
    pub fn register_resource<R: Resource>(&mut self) {
        self.store.resources.register::<R>();
    }

    /// Inserts a resource, and drops the old value if there is one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(1));
    /// world.insert_resource(Count(2));
    /// assert_eq!(world.resource::<Count>(), &Count(2));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("set_singleton", "CreateSingleton", "Resources"))]
    pub fn insert_resource<R: Resource>(&mut self, resource: R) {
        let now = self.store.track_caller().now();
        self.store.resources.insert(resource, now);
    }

    /// Inserts the default of a resource, unless it exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Count>();
    /// assert_eq!(world.resource::<Count>(), &Count(0));
    /// world.resource_mut::<Count>().0 = 5;
    /// world.init_resource::<Count>();
    /// assert_eq!(world.resource::<Count>(), &Count(5));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn init_resource<R: Resource + FromWorld>(&mut self) {
        if !self.contains_resource::<R>() {
            self.store.track_caller();
            self.make_resource::<R>();
        }
    }

    fn make_resource<R: Resource + FromWorld>(&mut self) {
        let resource = self.made::<R>("resource");
        let now = self.store.now();
        self.store.resources.insert(resource, now);
    }

    /// Makes a value for this world. Restores the caller of the world afterwards.
    ///
    /// # Panics
    ///
    /// If making the value replaces the world, because it would be unclear which of the two worlds the value belongs
    /// to.
    pub(super) fn made<T: FromWorld>(&mut self, kind: &str) -> T {
        let (id, by) = (self.id(), self.store.structure.entities.caller());
        let value = T::from_world(self);
        assert!(id == self.id(), "{kind} `{}`: its `FromWorld` has replaced the world", type_name::<T>());
        self.store.structure.entities.set_caller(by);
        value
    }

    /// Removes a resource and returns it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// assert_eq!(world.remove_resource::<Count>(), Some(Count(3)));
    /// assert_eq!(world.remove_resource::<Count>(), None);
    /// ```
    pub fn remove_resource<R: Resource>(&mut self) -> Option<R> {
        self.store.resources.remove::<R>()
    }

    /// Removes all resources. This includes schedules, messages, states and registered systems, which are stored as
    /// resources. A system with a parameter for a removed resource cannot run until the resource is inserted again. If
    /// a resource is temporarily taken out, for instance by [`World::resource_scope`], it is put back later.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// world.clear_resources();
    /// assert!(!world.contains_resource::<Count>());
    /// ```
    pub fn clear_resources(&mut self) {
        self.store.resources.clear();
    }

    /// Despawns all entities, and removes all resources and the non-send values of this thread.
    ///
    /// # Panics
    ///
    /// If another thread has inserted a non-send value. Then nothing has been removed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// world.spawn_empty();
    /// world.clear_all();
    /// assert!(world.is_empty() && !world.contains_resource::<Count>());
    /// ```
    #[track_caller]
    pub fn clear_all(&mut self) {
        #[cfg(feature = "std")]
        self.clear_non_send();
        self.clear_entities();
        self.clear_resources();
    }

    /// Returns whether a resource exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// assert!(!world.contains_resource::<Count>());
    /// world.insert_resource(Count(3));
    /// assert!(world.contains_resource::<Count>());
    /// ```
    #[must_use]
    pub fn contains_resource<R: Resource>(&self) -> bool {
        self.store.resources.get::<R>().is_some()
    }

    /// Returns a resource.
    ///
    /// # Panics
    ///
    /// If the resource does not exist.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// assert_eq!(world.resource::<Count>().0, 3);
    /// ```
    #[must_use]
    #[track_caller]
    #[doc(alias("singleton", "GetSingleton", "fetch"))]
    pub fn resource<R: Resource>(&self) -> &R {
        let Some(resource) = self.get_resource() else { missing::<R>() };
        resource
    }

    /// Returns a resource, borrowed mutably.
    ///
    /// # Panics
    ///
    /// If the resource does not exist.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// world.resource_mut::<Count>().0 += 1;
    /// assert_eq!(world.resource::<Count>(), &Count(4));
    /// ```
    #[must_use]
    #[track_caller]
    #[doc(alias("GetSingletonRW", "fetch_mut"))]
    pub fn resource_mut<R: Resource>(&mut self) -> Mut<'_, R> {
        let Some(resource) = self.get_resource_mut() else { missing::<R>() };
        resource
    }

    /// Returns a resource, if it exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// assert_eq!(world.get_resource::<Count>(), None);
    /// world.insert_resource(Count(3));
    /// assert_eq!(world.get_resource(), Some(&Count(3)));
    /// ```
    #[must_use]
    pub fn get_resource<R: Resource>(&self) -> Option<&R> {
        self.store.resources.get::<R>()
    }

    /// Returns a resource, borrowed mutably, if it exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// assert!(world.get_resource_mut::<Count>().is_none());
    /// world.insert_resource(Count(3));
    /// if let Some(mut count) = world.get_resource_mut::<Count>() {
    ///     count.0 += 1;
    /// }
    /// assert_eq!(world.resource::<Count>(), &Count(4));
    /// ```
    #[must_use]
    pub fn get_resource_mut<R: Resource>(&mut self) -> Option<Mut<'_, R>> {
        let run_ticks = self.store.run_ticks();
        let (value, cells) = self.store.resources.get_mut::<R>()?;
        Some(Mut::new(value, Ticks::new(TickPlace::One(cells), run_ticks)))
    }

    /// Calls a function with a mutable reference to a resource, and returns the result; `None` if the resource does not
    /// exist. The resource counts as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// let take = |count: &mut Count| std::mem::take(&mut count.0);
    /// assert_eq!(world.modify_resource(take), None);
    /// world.insert_resource(Count(3));
    /// assert_eq!(world.modify_resource(take), Some(3));
    /// assert_eq!(world.resource::<Count>(), &Count(0));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn modify_resource<R: Resource, T>(&mut self, change: impl FnOnce(&mut R) -> T) -> Option<T> {
        self.get_resource_mut::<R>().map(|resource| change(resource.into_inner()))
    }

    /// Returns a resource, borrowed mutably. If it does not exist, the result of `make` is inserted first.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.get_resource_or_insert_with(|| Count(10)).0 += 1;
    /// world.get_resource_or_insert_with(|| Count(10)).0 += 1;
    /// assert_eq!(world.resource::<Count>(), &Count(12));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn get_resource_or_insert_with<R: Resource>(&mut self, make: impl FnOnce() -> R) -> Mut<'_, R> {
        if !self.contains_resource::<R>() {
            self.insert_resource(make());
        }
        self.resource_mut()
    }

    /// Returns a resource, borrowed mutably. If it does not exist, a value made by `FromWorld` is inserted first.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.get_resource_or_init::<Count>().0 += 1;
    /// world.get_resource_or_init::<Count>().0 += 1;
    /// assert_eq!(world.resource::<Count>(), &Count(2));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn get_resource_or_init<R: Resource + FromWorld>(&mut self) -> Mut<'_, R> {
        self.init_resource::<R>();
        self.resource_mut()
    }

    /// Removes a resource from the world, calls a function with the world and the resource, and puts the resource back.
    ///
    /// The resource is put back even if `scope` panics. If `scope` inserts another value of the same type, that value
    /// is dropped. `scope` may put another world in the place of this one: then the resource is put back into the world
    /// from which it was removed, wherever that world is. If that world has been dropped, the resource is dropped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// world.resource_scope(|world, count: Mut<Count>| {
    ///     for _ in 0..count.0 {
    ///         world.spawn_empty();
    ///     }
    /// });
    /// assert_eq!(world.len(), world.resource::<Count>().0);
    /// ```
    ///
    /// # Panics
    ///
    /// If the resource does not exist.
    #[track_caller]
    pub fn resource_scope<R: Resource, T>(&mut self, scope: impl FnOnce(&mut Self, Mut<'_, R>) -> T) -> T {
        let Some(result) = self.try_resource_scope(scope) else { missing::<R>() };
        result
    }

    /// Calls a function with the world and a resource, like [`World::resource_scope`], but returns `None` if the
    /// resource does not exist.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// let spawn = |world: &mut World, count: Mut<Count>| world.spawn_batch((0..count.0).map(|_| ())).len();
    /// assert_eq!(world.try_resource_scope(spawn), None);
    /// world.insert_resource(Count(3));
    /// assert_eq!(world.try_resource_scope(spawn), Some(3));
    /// ```
    pub fn try_resource_scope<R: Resource, T>(&mut self, scope: impl FnOnce(&mut Self, Mut<'_, R>) -> T) -> Option<T> {
        struct ReturnLoan<'a, R: Resource> {
            world: &'a mut World,
            id: WorldId,
            clock: Arc<SharedClock>,
            loan: Option<ResourceLoan<R>>,
            /// The tick that changes of the resource get in the scope.
            tick: Tick,
        }

        impl<R: Resource> Drop for ReturnLoan<'_, R> {
            fn drop(&mut self) {
                let Some(mut loan) = self.loan.take() else { return };
                // A system that has run during the scope has not seen the changes of the scope, so they get the current tick.
                let (now, (_, ticks)) = (self.clock.tick.get(), loan.get_mut());
                for cell in [&ticks.added, &ticks.changed] {
                    cell.update(|tick| if tick == self.tick { now } else { tick });
                }
                // The scope may have put another world in the place of this one.
                if self.world.id() == self.id {
                    self.world.store.resources.put_back(loan);
                } else {
                    loan.send_back();
                }
            }
        }

        let loan = self.store.resources.lend::<R>()?;
        // No earlier change has the new tick, so it identifies the changes of the scope.
        self.store.next_tick();
        let run_ticks = self.store.run_ticks();
        let (id, clock) = (self.id(), Arc::clone(&self.store.clock.shared));
        let mut guard = ReturnLoan { world: self, id, clock, loan: Some(loan), tick: run_ticks.this_run };
        let ReturnLoan { world, loan, .. } = &mut guard;
        let (resource, ticks) = loan.as_mut()?.get_mut();
        Some(scope(world, Mut::new(resource, Ticks::new(TickPlace::One(ticks), run_ticks))))
    }
}

impl Commands<'_, '_> {
    /// Inserts the default of a resource, unless it exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// fn setup(mut commands: Commands) {
    ///     commands.init_resource::<Count>();
    /// }
    ///
    /// let mut world = World::new();
    /// world.run_system_once(setup).unwrap();
    /// assert_eq!(world.resource::<Count>(), &Count(0));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn init_resource<R: Resource + FromWorld>(&mut self) {
        self.queue(|world: &mut World| {
            if !world.contains_resource::<R>() {
                world.make_resource::<R>();
            }
        });
    }
}
