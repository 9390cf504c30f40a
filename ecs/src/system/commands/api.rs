//! Recording commands: for new entities, for single entities, for the world.
//!
//! Tests: tests/commands/commands.rs

use core::cell::Cell;

use super::queue::CommandQueue;
use crate::entity::{Entity, EntityError, IdSource};
use crate::storage::resource::Resource;
use crate::structure::bundle::{Bundle, BundleParts as _, OneOfEach, with_moving_ptr};
use crate::structure::queue::{Queue, StepKind};
use crate::structure::store::{Store, record_insert, record_step};
use crate::util::origin::{Origin, SystemOrigin};

/// A system parameter that records changes to the world. The schedule applies them before any system runs that is
/// ordered after this one, and at the latest at the end of the run.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Fuse(u32);
///
/// fn burn(mut commands: Commands, mut fuses: Query<(Entity, &mut Fuse)>) {
///     for (entity, mut fuse) in &mut fuses {
///         fuse.0 -= 1;
///         if fuse.0 == 0 {
///             commands.entity(entity).despawn();
///         }
///     }
/// }
///
/// let mut world = World::new();
/// world.spawn_batch([Fuse(1), Fuse(2)]);
/// world.run_system_once(burn).unwrap();
/// assert_eq!(world.len(), 1);
/// ```
#[doc(alias("EntityCommandBuffer", "CommandBuffer", "LazyUpdate", "defer"))]
pub struct Commands<'w, 's> {
    queue: &'s mut Queue<Store>,
    pub(crate) ids: IdSource<'w>,
    /// The system that records the commands.
    pub(crate) system: SystemOrigin,
}

impl<'w, 's> Commands<'w, 's> {
    #[inline]
    pub(crate) fn from_parts(queue: &'s mut Queue<Store>, ids: IdSource<'w>, system: SystemOrigin) -> Self {
        Self { queue, ids, system }
    }

    /// Reborrows the commands for a shorter lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn spawn_one(mut commands: Commands) {
    ///     commands.spawn(Health(1));
    /// }
    ///
    /// fn spawn_two(mut commands: Commands) {
    ///     spawn_one(commands.reborrow());
    ///     spawn_one(commands);
    /// }
    /// # let mut world = World::new();
    /// # world.run_system_once(spawn_two).unwrap();
    /// # assert_eq!(world.len(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> Commands<'w, '_> {
        Commands { queue: self.queue, ids: self.ids, system: self.system }
    }

    /// Moves the commands of a queue to the end of these commands.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let mut queue = CommandQueue::default();
    /// Commands::new(&mut queue, &world).spawn_empty();
    /// world.commands().append(&mut queue);
    /// world.flush();
    /// assert_eq!(world.len(), 1);
    /// ```
    pub fn append(&mut self, queue: &mut CommandQueue) {
        self.queue.append(&mut queue.queue);
    }

    /// Returns the queue, and sets the caller as the origin of the next commands.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    fn recording(&mut self) -> &mut Queue<Store> {
        self.queue.record_as(Origin::here(self.system));
        self.queue
    }

    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn push(&mut self, operation: impl FnOnce(&mut Store) + Send + 'static) {
        self.recording().push(operation);
    }

    #[inline]
    fn reserve(&self) -> Entity {
        match self.ids.reserve() {
            Ok(entity) => entity,
            Err(error) => panic!("{error}"),
        }
    }

    /// Spawns an entity with the components of a bundle. [`EntityCommands::id`] returns the id of the entity
    /// immediately, at the cost of an atomic operation. If `id` is not called, and no other command for the entity
    /// follows, the entity gets the next id when the command is applied.
    ///
    /// If no ids are left when the command is applied, no entity is spawned. This is reported like other
    /// [`CommandError`](crate::store::CommandError)s.
    ///
    /// # Panics
    ///
    /// If no entity ids are left when `id` is called, or when another command for the entity follows. If the bundle
    /// contains a component with type parameters twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.commands().spawn(Health(3)).id();
    /// world.flush();
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
    /// ```
    #[inline]
    #[track_caller]
    #[doc(alias("create_entity", "CreateEntity"))]
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityCommands<'_> {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        let queue = self.recording();
        let at = queue.len;
        with_moving_ptr(bundle, |bundle| record_insert(queue, StepKind::Spawn, false, Entity::PLACEHOLDER, bundle));
        self.spawned_at(at)
    }

    /// Spawns an entity without components; see [`Commands::spawn`].
    ///
    /// # Panics
    ///
    /// If no entity ids are left when `id` is called, or when another command for the entity follows.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let entity = world.commands().spawn_empty().id();
    /// world.flush();
    /// assert!(world.contains(entity));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn spawn_empty(&mut self) -> EntityCommands<'_> {
        self.spawn(())
    }

    /// Spawns an entity for each bundle. The iterator runs when the commands are applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.commands().spawn_batch((0..10).map(Health));
    /// world.flush();
    /// assert_eq!(world.len(), 10);
    /// ```
    #[track_caller]
    pub fn spawn_batch<I>(&mut self, bundles: I)
    where
        I: IntoIterator<Item: Bundle> + Send + 'static,
    {
        let () = OneOfEach::<I::Item>::COMPONENTS;
        OneOfEach::<I::Item>::check();
        self.push(move |store| {
            store.spawn_batch(bundles);
        });
    }

    /// Returns commands for the entity whose spawn was recorded at position `at` of the queue.
    #[inline]
    fn spawned_at(&mut self, at: usize) -> EntityCommands<'_> {
        EntityCommands { entity: Cell::new(Entity::PLACEHOLDER), spawned_at: Some(at), commands: self.reborrow() }
    }

    /// Returns commands for one entity. Whether the entity is alive is checked when the commands are applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// world.commands().entity(entity).insert(Health(3));
    /// world.flush();
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
    /// ```
    #[inline]
    pub fn entity(&mut self, entity: Entity) -> EntityCommands<'_> {
        EntityCommands { entity: Cell::new(entity), spawned_at: None, commands: self.reborrow() }
    }

    /// Returns commands for one entity, if the entity is currently alive or reserved.
    ///
    /// # Errors
    ///
    /// If the entity is neither alive nor reserved.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let [alive, dead] = [world.spawn_empty().id(), world.spawn_empty().id()];
    /// world.despawn(dead);
    /// assert!(world.commands().get_entity(alive).is_ok());
    /// assert!(world.commands().get_entity(dead).is_err());
    /// ```
    pub fn get_entity(&mut self, entity: Entity) -> Result<EntityCommands<'_>, EntityError> {
        match self.ids.locate(entity) {
            Ok(_) | Err(EntityError::Reserved(_)) => Ok(self.entity(entity)),
            Err(error) => Err(error),
        }
    }

    /// Returns commands for one entity, if the entity is currently alive. An id that is only reserved is an error, too.
    ///
    /// # Errors
    ///
    /// If the entity is not alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let alive = world.spawn_empty().id();
    /// let mut commands = world.commands();
    /// let reserved = commands.spawn_empty().id();
    /// assert!(commands.get_spawned_entity(alive).is_ok());
    /// assert!(commands.get_spawned_entity(reserved).is_err() && commands.get_entity(reserved).is_ok());
    /// ```
    pub fn get_spawned_entity(&mut self, entity: Entity) -> Result<EntityCommands<'_>, EntityError> {
        self.ids.locate(entity)?;
        Ok(self.entity(entity))
    }

    /// Sets a resource.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.commands().insert_resource(Score(5));
    /// world.flush();
    /// assert_eq!(world.resource::<Score>().0, 5);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_resource<R: Resource>(&mut self, resource: R) {
        self.push(move |store| {
            let now = store.now();
            store.resources.insert(resource, now);
        });
    }

    /// Removes a resource, if it exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(5));
    /// world.commands().remove_resource::<Score>();
    /// world.flush();
    /// assert!(!world.contains_resource::<Score>());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn remove_resource<R: Resource>(&mut self) {
        self.push(|store| {
            store.resources.remove::<R>();
        });
    }
}

impl_debug_of_fields! { [] Commands<'_, '_> {} }

/// Commands for one entity, from [`Commands::spawn`] and [`Commands::entity`].
///
/// If the entity is dead when a command is applied, the command does nothing, and the following commands run. The error
/// is reported by [`World::take_command_errors`](crate::world::World::take_command_errors), or in the way that
/// [`World::on_command_error`](crate::world::World::on_command_error) sets. Commands whose names begin with `try_`
/// report nothing.
///
/// Consecutive commands for one entity are applied as one operation, however many they are. The entity moves once, to
/// the table that it is in after the last command. The resulting components are the same as with one operation per
/// command, but a component that is removed and added again is not reported as removed. So there is no need to put
/// everything into one bundle: `insert(a)`, `insert(b)`, `remove::<C>()` cost about as much as the largest of them.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Poisoned;
/// # let mut world = World::new();
/// let entity = world.commands().spawn(Health(3)).insert(Poisoned).id();
/// world.flush();
/// world.commands().entity(entity).remove::<Poisoned>();
/// world.flush();
/// assert!(world.entity(entity).contains::<Health>() && !world.entity(entity).contains::<Poisoned>());
/// ```
#[doc(alias("EntityCommandBuffer"))]
pub struct EntityCommands<'a> {
    /// The entity, or [`Entity::PLACEHOLDER`] for a spawn whose id has not been requested yet.
    entity: Cell<Entity>,
    /// The position of the spawn in the queue, if the entity is the result of a recorded spawn.
    spawned_at: Option<usize>,
    commands: Commands<'a, 'a>,
}

impl EntityCommands<'_> {
    /// Returns the id of the entity. For a new entity, the first call reserves the id.
    ///
    /// # Panics
    ///
    /// If no entity ids are left.
    #[inline]
    #[must_use]
    pub fn id(&self) -> Entity {
        match self.spawned_at {
            Some(at) if self.entity.get() == Entity::PLACEHOLDER => self.name(at),
            _ => self.entity.get(),
        }
    }

    /// Reserves an id for the spawn at position `at`, and returns the id.
    fn name(&self, at: usize) -> Entity {
        let entity = self.commands.reserve();
        // SAFETY: a spawn was recorded at this position. `self` has the only reference to the queue, and cannot be
        // shared between threads, because it contains a `Cell`.
        unsafe { self.commands.queue.name(at, entity) }
        self.entity.set(entity);
        entity
    }

    /// Adds the components of a bundle, replacing existing ones.
    ///
    /// # Panics
    ///
    /// If the bundle contains a component twice and the component has type parameters. Without type parameters, this is
    /// a compile error.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// world.commands().entity(entity).insert(Health(2));
    /// world.flush();
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 2);
    /// ```
    #[inline]
    #[track_caller]
    #[doc(alias("add", "set", "insert_one", "AddComponent"))]
    pub fn insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.record(StepKind::Insert, false, bundle)
    }

    /// Like [`EntityCommands::insert`], but reports no error if the entity is dead when the command is applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// world.despawn(entity);
    /// world.commands().entity(entity).try_insert(Health(2));
    /// world.flush();
    /// assert!(world.take_command_errors().0.is_empty());
    /// ```
    #[inline]
    #[track_caller]
    pub fn try_insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.record(StepKind::Insert, true, bundle)
    }

    /// Adds those components of a bundle that the entity does not have yet. The other components of the bundle are
    /// dropped, and their required components are not added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// world.commands().entity(entity).insert_if_new(Health(2));
    /// world.flush();
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 1);
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert_if_new<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.record(StepKind::InsertIfNew, false, bundle)
    }

    /// Like [`EntityCommands::insert_if_new`], but reports no error if the entity is dead when the command is applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// world.despawn(entity);
    /// world.commands().entity(entity).try_insert_if_new(Health(2));
    /// world.flush();
    /// assert!(world.take_command_errors().0.is_empty());
    /// ```
    #[inline]
    #[track_caller]
    pub fn try_insert_if_new<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.record(StepKind::InsertIfNew, true, bundle)
    }

    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    fn record<B: Bundle>(&mut self, kind: StepKind, quiet: bool, bundle: B) -> &mut Self {
        let entity = self.id();
        let queue = self.commands.recording();
        if B::Parts::ACTS {
            // Inserting this bundle has an effect, so a later insertion must not replace its values before. Only adjacent steps are carried
            // out as one change: this command separates them.
            queue.push(|_: &mut Store| {});
        }
        with_moving_ptr(bundle, |bundle| record_insert(queue, kind, quiet, entity, bundle));
        self
    }

    /// Removes the components of a bundle. Components that the entity does not have are ignored.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// world.commands().entity(entity).remove::<Health>();
    /// world.flush();
    /// assert!(world.get::<Health>(entity).is_none());
    /// ```
    #[inline]
    #[track_caller]
    #[doc(alias("remove_one", "RemoveComponent"))]
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        OneOfEach::<B>::check();
        let entity = self.id();
        record_step::<B>(self.commands.recording(), StepKind::Remove, false, entity);
        self
    }

    /// Like [`EntityCommands::remove`], but reports no error if the entity is dead when the command is applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// world.despawn(entity);
    /// world.commands().entity(entity).try_remove::<Health>();
    /// world.flush();
    /// assert!(world.take_command_errors().0.is_empty());
    /// ```
    #[inline]
    #[track_caller]
    pub fn try_remove<B: Bundle>(&mut self) -> &mut Self {
        OneOfEach::<B>::check();
        let entity = self.id();
        record_step::<B>(self.commands.recording(), StepKind::Remove, true, entity);
        self
    }

    /// Removes all components except those of a bundle and the components that the bundle requires.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Poisoned;
    /// # let mut world = World::new();
    /// let entity = world.spawn((Health(1), Poisoned)).id();
    /// world.commands().entity(entity).retain::<Health>();
    /// world.flush();
    /// assert!(world.get::<Poisoned>(entity).is_none());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn retain<B: Bundle>(&mut self) -> &mut Self {
        let entity = self.id();
        record_step::<B>(self.commands.recording(), StepKind::Retain, false, entity);
        self
    }

    /// Removes all components; the entity stays alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// world.commands().entity(entity).clear();
    /// world.flush();
    /// assert!(world.contains(entity) && world.get::<Health>(entity).is_none());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clear(&mut self) -> &mut Self {
        self.retain::<()>()
    }

    /// Despawns the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// world.commands().entity(entity).despawn();
    /// assert!(world.contains(entity)); // Not yet.
    /// world.flush();
    /// assert!(!world.contains(entity));
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn despawn(&mut self) {
        let entity = self.id();
        record_step::<()>(self.commands.recording(), StepKind::Despawn, false, entity);
    }

    /// Like [`EntityCommands::despawn`], but reports no error if the entity is dead when the command is applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// world.commands().entity(entity).despawn();
    /// world.commands().entity(entity).try_despawn();
    /// world.flush();
    /// assert!(world.take_command_errors().0.is_empty());
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn try_despawn(&mut self) {
        let entity = self.id();
        record_step::<()>(self.commands.recording(), StepKind::Despawn, true, entity);
    }

    /// Returns the underlying commands.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.commands().spawn(Health(1)).commands().spawn(Health(2));
    /// world.flush();
    /// assert_eq!(world.len(), 2);
    /// ```
    pub fn commands(&mut self) -> Commands<'_, '_> {
        self.commands.reborrow()
    }
}

impl<'a> EntityCommands<'a> {
    /// Returns a reference to the underlying commands.
    pub fn commands_mut(&mut self) -> &mut Commands<'a, 'a> {
        &mut self.commands
    }
}

impl_debug!([] EntityCommands<'_> => |this, f| f.debug_tuple("EntityCommands").field(&this.entity.get()).finish());
