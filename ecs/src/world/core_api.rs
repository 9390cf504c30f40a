//! Creating a world, access to its parts, required components, commands and error handling.
//!
//! Tests: tests/storage/world.rs

#[cfg(feature = "parallel")]
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cast::World;
use super::hooks::OBSERVERS;
use super::links::check_links;
use crate::access::const_access::check_disabling;
use crate::component::{Component, ComponentDescriptor, ComponentId, Components, RequiredComponentsError};
use crate::entity::{Entities, IdSource};
use crate::storage::table::Tables;
use crate::structure::store::{
    CommandError, OnCommandError, Store, Structure, WorldId, allocated_bytes, check_invariants, require, shrink_to_fit,
};
use crate::system::commands::{self, CommandQueue, Commands};
use crate::util::error::ErrorHandler;
#[cfg(feature = "parallel")]
use crate::util::pool::{Pool, ThreadPool};

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl_debug!([] World => |this, f| {
    let mut fields = f.debug_struct("World");
    fields
        .field("id", &this.id())
        .field("entities", &this.len())
        .field("components", &this.components().len())
        .field("tables", &this.tables().iter().len())
        .field("resources", &this.store.resources.descriptors().map(ComponentDescriptor::name).collect::<Vec<_>>());
    #[cfg(feature = "std")]
    fields.field("non_send", &this.store.resources.non_send_names().collect::<Vec<_>>());
    fields.finish()
});

impl World {
    /// Creates an empty world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let world = World::new();
    /// assert!(world.is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let mut store = Store::new();
        store.events.dispatch.vtable = Some(&OBSERVERS);
        Self { store }
    }

    /// Returns the id of this world, which is unique in the process: no other world has or will ever have it.
    #[must_use]
    pub fn id(&self) -> WorldId {
        self.store.id()
    }

    /// Returns the allocator of entity ids: which ids are alive and where the rows of their entities are.
    #[must_use]
    pub fn entities(&self) -> &Entities {
        &self.store.structure.entities
    }

    /// Returns the components that are registered in the world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert!(world.components().name(id).ends_with("Health"));
    /// ```
    #[must_use]
    pub fn components(&self) -> &Components {
        &self.store.structure.archetypes.components
    }

    /// Returns the tables: one for each set of table-stored components that an entity has or had.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// assert!(world.tables().iter().any(|table| table.len() == 2));
    /// ```
    #[must_use]
    #[doc(alias("archetypes", "Archetypes", "chunks"))]
    pub fn tables(&self) -> &Tables {
        &self.store.structure.archetypes.tables
    }

    /// Returns the id of `T` in this world. Registers `T` if necessary.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert_eq!(world.component_id::<Health>(), Some(id));
    /// ```
    pub fn register_component<T: Component>(&mut self) -> ComponentId {
        self.store.register_component::<T>()
    }

    /// Makes `T` a disabling component, like [`Disabled`](crate::entity_disabling::Disabled): entities with it are
    /// excluded from queries that have no term for it. See [`entity_disabling`](crate::entity_disabling). Existing
    /// queries and systems exclude these entities as well, from their next use on.
    ///
    /// Two queries of one system that conflict do not become disjoint by this, since disabling components are not known
    /// at compile time. Add a term for the component to both queries instead.
    ///
    /// If `T` is stored in sparse storage, the call does not compile.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Enemy;
    /// #[derive(Component)]
    /// struct Prefab;
    ///
    /// let mut world = World::new();
    /// world.spawn(Enemy);
    /// world.spawn((Enemy, Prefab));
    /// let mut enemies = world.query::<&Enemy>();
    /// assert_eq!(enemies.iter(&world).count(), 2);
    ///
    /// world.register_disabling_component::<Prefab>();
    /// assert_eq!(enemies.iter(&world).count(), 1);
    /// assert_eq!(world.query::<(&Enemy, &Prefab)>().iter(&world).count(), 1);
    /// ```
    pub fn register_disabling_component<T: Component>(&mut self) {
        const { check_disabling::<T>() };
        self.store.register_disabling_component::<T>();
    }

    /// Returns the id of `T` in this world, if it is registered.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// assert!(world.component_id::<Health>().is_none());
    /// let entity = world.spawn(Health(3)).id();
    /// let id = world.component_id::<Health>().unwrap();
    /// assert!(world.entity(entity).contains_id(id));
    /// ```
    #[must_use]
    pub fn component_id<T: Component>(&self) -> Option<ComponentId> {
        self.store.structure.archetypes.components.id::<T>()
    }

    /// Makes `T` require `R` in this world, as `#[require(R)]` on `T` does in all worlds. See
    /// [`#[derive(Component)]`](derive@crate::prelude::Component).
    ///
    /// # Panics
    ///
    /// If an entity already has a `T`, if `T` already requires `R` directly, if `R` requires `T`, or if `R` is `T`.
    ///
    /// `O(components + bundles)`. The plan cache of the archetype graph is cleared.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Debug, PartialEq, Default)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// world.register_required_components::<Monster, Health>();
    /// assert_eq!(world.spawn(Monster).get(), Some(&Health(0)));
    /// ```
    pub fn register_required_components<T: Component, R: Component + Default>(&mut self) {
        self.register_required_components_with::<T, R>(R::default);
    }

    /// Makes `T` require `R` in this world. `constructor` makes the values of `R`.
    ///
    /// # Panics
    ///
    /// Same as [`World::register_required_components`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Debug, PartialEq)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// world.register_required_components_with::<Monster, Health>(|| Health(30));
    /// assert_eq!(world.spawn(Monster).get(), Some(&Health(30)));
    /// ```
    pub fn register_required_components_with<T: Component, R: Component>(&mut self, constructor: fn() -> R) {
        if let Err(error) = self.try_register_required_components_with::<T, R>(constructor) {
            panic!("{error}");
        }
    }

    /// Makes `T` require `R`, like [`World::register_required_components`], but returns an error instead of a panic.
    ///
    /// # Errors
    ///
    /// If an entity already has a `T`, if `T` already requires `R` directly, if `R` requires `T`, or if `R` is `T`.
    /// Then nothing has changed, except that both components are registered.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Default)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// #[require(Health)]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// let error = world.try_register_required_components::<Monster, Health>().unwrap_err();
    /// assert!(error.to_string().ends_with("Health` already"));
    /// ```
    pub fn try_register_required_components<T: Component, R: Component + Default>(
        &mut self,
    ) -> Result<(), RequiredComponentsError> {
        self.try_register_required_components_with::<T, R>(R::default)
    }

    /// Makes `T` require `R`, like [`World::register_required_components_with`], but returns an error instead of a
    /// panic.
    ///
    /// # Errors
    ///
    /// Same as [`World::try_register_required_components`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Default)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// world.try_register_required_components_with::<Monster, Health>(|| Health(30)).unwrap();
    /// world.spawn(Monster);
    /// let error = world.try_register_required_components_with::<Health, Monster>(|| Monster).unwrap_err();
    /// assert!(error.to_string().contains("Health` cannot require"));
    /// ```
    pub fn try_register_required_components_with<T: Component, R: Component>(
        &mut self,
        constructor: fn() -> R,
    ) -> Result<(), RequiredComponentsError> {
        require::<T, R>(&mut self.store, constructor)
    }

    /// Commands that are applied by the next [`World::flush`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.commands().spawn_empty().id();
    /// assert!(!world.contains(entity));
    /// world.flush();
    /// assert!(world.contains(entity));
    /// ```
    #[doc(alias("defer", "EntityCommandBuffer", "CommandBuffer"))]
    pub fn commands(&mut self) -> Commands<'_, '_> {
        let system = self.store.structure.entities.caller().system_name();
        let Store { structure: Structure { entities, .. }, events, commands, .. } = &mut self.store;
        let queue = if events.dispatch.is_running() { events.dispatch.world_commands() } else { &mut commands.queue };
        Commands::from_parts(queue, IdSource::new(entities, None), system)
    }

    /// Turns all reserved ids into entities, and applies the pending commands of the world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.reserve_entity();
    /// assert!(!world.contains(entity));
    /// world.flush();
    /// assert!(world.contains(entity));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("defer_end", "merge", "Playback"))]
    pub fn flush(&mut self) {
        commands::flush_own_queue(self.store.track_caller());
        self.store.place_pending();
        self.store.flush();
        self.store.flush_events();
    }

    /// Sets the error handler of the world, for the errors of systems, run conditions, commands and observers. The
    /// handler is called immediately, on the thread on which the error occurred. While a handler is set, errors do not
    /// stop a run: systems that are ordered after the failed one run, and
    /// [`Schedule::try_run`](crate::schedule::Schedule::try_run) returns `Ok`.
    ///
    /// More specific handlers take precedence:
    /// [`Schedule::set_error_handler`](crate::schedule::Schedule::set_error_handler),
    /// [`Observer::with_error_handler`](crate::observer::Observer::with_error_handler) and [`Commands::queue_handled`].
    /// [`World::on_command_error`] has no effect while there is a handler. A schedule that is running keeps the handler
    /// that was set when the run began. The handler is not part of the contents of the world: snapshots and saves do
    /// not contain it, and [`World::clear_all`] keeps it.
    ///
    /// ```
    /// use strata_ecs::error;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    ///
    /// fn load() -> Result {
    ///     Err("no such file".into())
    /// }
    ///
    /// fn draw(score: Res<Score>) {}
    ///
    /// let mut world = World::new();
    /// world.set_error_handler(error::warn);
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((load, draw));
    /// schedule.run(&mut world); // Two warnings.
    /// world.commands().entity(Entity::PLACEHOLDER).despawn();
    /// world.flush(); // Another one.
    /// ```
    pub fn set_error_handler(&mut self, handler: ErrorHandler) {
        self.store.commands.errors.handler = Some(handler);
    }

    /// Removes the error handler of the world and returns it.
    ///
    /// ```
    /// use strata_ecs::error;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.set_error_handler(error::panic);
    /// assert!(world.remove_error_handler().is_some());
    /// assert!(world.error_handler().is_none());
    /// ```
    pub fn remove_error_handler(&mut self) -> Option<ErrorHandler> {
        self.store.commands.errors.handler.take()
    }

    /// Returns the error handler of the world, if it has one.
    ///
    /// ```
    /// use strata_ecs::error;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// assert!(world.error_handler().is_none());
    /// world.set_error_handler(error::warn);
    /// assert!(world.error_handler().is_some());
    /// ```
    #[must_use]
    pub fn error_handler(&self) -> Option<ErrorHandler> {
        self.store.commands.errors.handler
    }

    /// Returns the error handler of the world, like [`World::error_handler`]. `App` has a method with this name, too.
    ///
    /// ```
    /// use strata_ecs::error;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.set_error_handler(error::warn);
    /// assert!(world.get_error_handler().is_some());
    /// ```
    #[must_use]
    pub fn get_error_handler(&self) -> Option<ErrorHandler> {
        self.error_handler()
    }

    /// Sets what happens when a command fails because its entity is not alive. This applies to worlds without an [error
    /// handler](ErrorHandler). By default, a warning is logged once for each combination of command, bundle and system,
    /// and the error is kept for [`World::take_command_errors`]: see [`OnCommandError::Warn`]. The setting also applies
    /// when a system has missed messages, once for each system.
    ///
    /// Commands whose names begin with `try_` never report that the entity is not alive.
    ///
    /// ```should_panic
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::store::OnCommandError;
    ///
    /// let mut world = World::new();
    /// world.on_command_error(OnCommandError::Panic);
    /// let entity = world.spawn_empty().id();
    /// world.commands().entity(entity).despawn();
    /// world.commands().entity(entity).despawn();
    /// world.flush(); // "command `despawn` was not carried out: entity 0v1 does not exist: it was despawned"
    /// ```
    pub fn on_command_error(&mut self, action: OnCommandError) {
        self.store.commands.errors.on_error = action;
    }

    /// Reports that the program lacks something, such as a plugin. A text that was reported before is not reported
    /// again, and at most 32 texts are reported. The report goes to the [error handler](ErrorHandler) of the world,
    /// with [`Severity::Warning`](crate::error::Severity::Warning). Without a handler, [`World::on_command_error`]
    /// decides, but nothing panics. In systems, use [`WarnOnce`](crate::system::WarnOnce).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// for _ in 0..2 {
    ///     world.warn_once("no font was loaded: add `FontPlugin` to the `App`");
    /// }
    /// assert_eq!(world.take_command_errors().0.len(), 1);
    /// ```
    pub fn warn_once(&self, text: &str) {
        self.store.commands.errors.warn_once(text, &text, None);
    }

    /// Returns the commands that failed since the last call because their entity was not alive. At most 1024 are
    /// listed; the returned number counts the others.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(u32);
    ///
    /// fn revive(mut commands: Commands) {
    ///     commands.entity(Entity::PLACEHOLDER).insert(Health(100));
    /// }
    ///
    /// let mut world = World::new();
    /// world.run_system_once(revive).unwrap();
    /// let (errors, missing) = world.take_command_errors();
    /// assert_eq!((errors.len(), missing), (1, 0));
    /// assert!(errors[0].to_string().contains("revive"));
    /// ```
    pub fn take_command_errors(&mut self) -> (Vec<CommandError>, usize) {
        self.store.commands.errors.take()
    }

    /// Sets the thread pool on which loops and systems of this world run. The default is the pool of the calling
    /// thread, if it belongs to one, and otherwise the global pool of `rayon`.
    ///
    /// The calling thread works too, so at most as many threads as the pool has work at the same time. With a pool of one thread,
    /// everything runs on the calling thread. Results do not depend on the number of threads.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use strata_ecs::pool::ThreadPoolBuilder;
    /// use strata_ecs::prelude::*;
    ///
    /// let threads = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    /// let mut world = World::new();
    /// world.set_thread_pool(Arc::new(threads));
    /// ```
    #[cfg(feature = "parallel")]
    #[doc(alias("TaskPool", "ComputeTaskPool", "set_threads"))]
    pub fn set_thread_pool(&mut self, threads: Arc<ThreadPool>) {
        self.store.pool = Pool::of(threads);
    }

    /// Returns the number of bytes that the world has allocated for its data structures, columns and sparse storages.
    /// Memory that components own is not included.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let before = world.allocated_bytes();
    /// world.spawn_batch((0..1000).map(Health));
    /// assert!(world.allocated_bytes() >= before + 4000);
    /// ```
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        allocated_bytes(&self.store)
    }

    /// Frees memory that the world does not need at the moment: tables without entities, unused capacity of tables and
    /// sparse storages, metadata of dead entities with the highest indexes, and caches. Call it after a level or a
    /// scene of which little is left.
    ///
    /// Entities keep their ids and components, and a despawned id stays dead. The remaining tables get new ids, so a stored
    /// [`Location`](crate::entity::Location) becomes invalid. Reserved ids become entities, as in [`World::flush`], but pending commands
    /// stay pending. Queries need no action: each visits all tables again at its next use, and frees its own memory then.
    ///
    /// `O(entities + tables)`, including dead entities. Caches are refilled when they are needed, so the first
    /// operations afterwards are slower. While a list is reallocated, its memory is needed twice; if that allocation
    /// fails, the list keeps its capacity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let hero = world.spawn(Health(3)).id();
    /// let crowd: Vec<Entity> = world.spawn_batch((0..1000).map(|_| ())).collect();
    /// let before = world.allocated_bytes();
    /// for entity in crowd {
    ///     world.despawn(entity);
    /// }
    /// world.shrink_to_fit();
    /// assert!(world.allocated_bytes() < before / 2);
    /// assert_eq!(world.get(hero), Some(&Health(3)));
    /// ```
    pub fn shrink_to_fit(&mut self) {
        shrink_to_fit(&mut self.store);
    }

    /// Panics if the internal data structures of the world are inconsistent. For tests: `O(size of the world)`.
    #[doc(hidden)]
    pub fn check_invariants(&mut self) {
        check_invariants(&mut self.store);
        check_links(self);
    }
}

impl CommandQueue {
    /// Applies all commands, in order.
    ///
    /// If a command panics, the remaining commands are dropped and the panic continues.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut queue = CommandQueue::default();
    /// Commands::new(&mut queue, &world).spawn_empty();
    /// queue.apply(&mut world);
    /// assert!(queue.is_empty());
    /// assert_eq!(world.len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn apply(&mut self, world: &mut World) {
        commands::apply(&mut self.queue, world.store.track_caller(), None);
    }
}

impl<'w, 's> Commands<'w, 's> {
    /// Returns commands that are recorded in a queue of the caller.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut queue = CommandQueue::default();
    /// let mut commands = Commands::new(&mut queue, &world);
    /// let entity = commands.spawn(Health(3)).id();
    /// queue.apply(&mut world);
    /// assert_eq!(world.get(entity), Some(&Health(3)));
    /// ```
    #[must_use]
    pub fn new(queue: &'s mut CommandQueue, world: &'w World) -> Self {
        let entities = &world.store.structure.entities;
        Self::from_parts(&mut queue.queue, IdSource::new(entities, None), entities.caller().system_name())
    }
}
