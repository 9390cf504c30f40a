//! Spawning, finding and despawning entities.
//!
//! Tests: tests/storage/world.rs, tests/storage/entities.rs

use super::cast::World;
use super::entity_fetch::WorldEntityFetch;
use super::entity_mut::EntityWorldMut;
use super::entity_ref::{EntityMut, EntityRef};
use crate::component::{Component, MutableComponent};
use crate::entity::{Entity, EntityError, MOST_AT_ONCE};
use crate::query::change::{Mut, ReadEntity, WriteEntity};
use crate::structure::bundle::{Bundle, OneOfEach, with_moving_ptr, with_moving_ptr_inline};
use crate::structure::graph::ChangeStep;
use crate::structure::store::{
    CloneError, EntityBuilder, SpawnAtError, SpawnError, StoreEntityMut, clone_entity, spawn_values,
};

impl World {
    /// Spawns an entity with the components of a bundle. Amortised `O(components)`.
    ///
    /// # Panics
    ///
    /// If no entity ids are left, or if the bundle has a component twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn((Health(3), Mana(7))).id();
    /// assert_eq!(world.get::<Mana>(entity), Some(&Mana(7)));
    /// ```
    // `inline(always)` is not used in debug builds: the stack frame of the caller would permanently hold the copies of a large bundle.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    #[doc(alias("create_entity", "CreateEntity", "entity_new", "push"))]
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityWorldMut<'_> {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        let world = self.store.id();
        let store = self.store.track_caller();
        let entity = with_moving_ptr_inline(
            bundle,
            #[inline(always)]
            |bundle| store.spawn(bundle),
        );
        EntityWorldMut::new(StoreEntityMut::new(&mut self.store, entity, world))
    }

    /// Spawns an entity without components.
    ///
    /// # Panics
    ///
    /// If no entity ids are left.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn_empty();
    /// assert!(!entity.contains::<Health>());
    /// entity.insert(Health(3));
    /// assert!(entity.contains::<Health>());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn spawn_empty(&mut self) -> EntityWorldMut<'_> {
        self.spawn(())
    }

    /// Spawns an entity with the components of a bundle, or returns an error.
    ///
    /// # Errors
    ///
    /// If no entity ids are left, or if an allocation fails: of the row of the entity, or of rows for reserved ids,
    /// which become entities now. The world is unchanged and the bundle is dropped. (The first time that a world spawns
    /// a bundle, it registers the bundle and its table. If one of these small allocations fails, the process aborts, or
    /// the handler of failed allocations panics, as with the standard collections. After such a panic the world is
    /// valid.)
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// match world.try_spawn(Health(3)) {
    ///     Ok(entity) => assert!(entity.contains::<Health>()),
    ///     Err(error) => eprintln!("no room for another one: {error}"),
    /// }
    /// ```
    #[track_caller]
    pub fn try_spawn<B: Bundle>(&mut self, bundle: B) -> Result<EntityWorldMut<'_>, SpawnError> {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        let world = self.store.id();
        let store = self.store.track_caller();
        let entity = with_moving_ptr(bundle, |bundle| store.try_spawn(bundle))?;
        Ok(EntityWorldMut::new(StoreEntityMut::new(&mut self.store, entity, world)))
    }

    /// Spawns an entity with the given id, for loading and for following another world.
    ///
    /// # Errors
    ///
    /// If an entity with the same index is alive, if the generation has been used already, if the index is more than
    /// 2^20 beyond all indexes that have been used, or if an allocation fails. The world is unchanged.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let id = Entity::from_bits((3 << 32) | 12);
    /// assert_eq!(world.spawn_at(id, ()).unwrap().id(), id);
    /// assert!(world.spawn_at(id, ()).is_err());
    /// ```
    #[track_caller]
    #[doc(alias("push_with_id"))]
    pub fn spawn_at<B: Bundle>(&mut self, entity: Entity, bundle: B) -> Result<EntityWorldMut<'_>, SpawnAtError> {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        let world = self.store.id();
        let store = self.store.track_caller();
        with_moving_ptr(bundle, |bundle| store.spawn_at(entity, bundle))?;
        Ok(EntityWorldMut::new(StoreEntityMut::new(&mut self.store, entity, world)))
    }

    /// Spawns an entity with the components of a builder. Afterwards the builder is empty.
    ///
    /// # Panics
    ///
    /// If no entity ids are left, or if a component of the builder was made at run time and another component of this
    /// world has the same name. The components are dropped then.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3)).add(Mana(7));
    /// let entity = world.spawn_dynamic(&mut builder).id();
    /// assert_eq!(world.get(entity), Some(&Mana(7)));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("BuiltEntity"))]
    pub fn spawn_dynamic(&mut self, builder: &mut EntityBuilder) -> EntityWorldMut<'_> {
        let world = self.store.id();
        let entity = spawn_values(self.store.track_caller(), builder, ChangeStep::Insert);
        EntityWorldMut::new(StoreEntityMut::new(&mut self.store, entity, world))
    }

    /// Spawns an entity with clones of all components of another one, table-stored and sparse, and returns the id of
    /// the clone. `O(components)` of the entity.
    ///
    /// A component can be cloned if its type is `Clone` and has no `#[component(clone = "never")]`. A type with type
    /// parameters also needs `#[component(clone)]`. Ids of entities inside of components are copied as they are.
    ///
    /// # Errors
    ///
    /// If the entity is not alive, or if a component cannot be cloned; the error lists all components that cannot be
    /// cloned. Nothing is spawned.
    ///
    /// # Panics
    ///
    /// If no entity ids are left. If `Clone` panics, nothing is spawned, and the clones made so far are dropped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone, Debug, PartialEq)]
    /// struct Name(String);
    /// #[derive(Component)]
    /// struct Connection;
    ///
    /// let mut world = World::new();
    /// let sheep = world.spawn(Name("Dolly".into())).id();
    /// let other = world.clone_entity(sheep).unwrap();
    /// assert_eq!(world.get::<Name>(other), world.get::<Name>(sheep));
    ///
    /// world.entity_mut(sheep).insert(Connection);
    /// let error = world.clone_entity(sheep).unwrap_err();
    /// assert!(error.to_string().ends_with("Connection`, which is not known to be `Clone`"));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("prefab", "Instantiate", "EntityCloner"))]
    pub fn clone_entity(&mut self, entity: Entity) -> Result<Entity, CloneError> {
        clone_entity(self.store.track_caller(), entity)
    }

    /// Reserves an id through a shared reference, from any thread. The next structural change or [`World::flush`] turns
    /// the id into an entity without components.
    ///
    /// If several systems with `&World` reserve ids at the same time, the ids depend on the timing. The ids that
    /// [`Commands`](crate::command::Commands) reserves are the same in each run.
    ///
    /// # Panics
    ///
    /// If no entity ids are left.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let ids = std::thread::scope(|scope| {
    ///     let threads = [(); 2].map(|()| scope.spawn(|| world.reserve_entity()));
    ///     threads.map(|thread| thread.join().unwrap())
    /// });
    /// assert_ne!(ids[0], ids[1]);
    /// world.flush();
    /// assert!(world.contains(ids[0]) && world.contains(ids[1]));
    /// ```
    #[must_use = "a reserved id becomes an entity, whether it is used or not"]
    #[doc(alias("alloc", "spawn_empty_deferred"))]
    pub fn reserve_entity(&self) -> Entity {
        self.store.structure.entities.reserve().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Reserves `count` ids, even if the returned iterator is not used. See [`World::reserve_entity`].
    ///
    /// This is one atomic operation, whatever `count` is.
    ///
    /// # Panics
    ///
    /// If not enough entity ids are left, or if `count` exceeds 2^26. Then no id is reserved.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.reserve_entities(3).collect();
    /// world.flush();
    /// assert!(ids.iter().all(|&id| world.contains(id)));
    /// ```
    pub fn reserve_entities(&self, count: usize) -> impl ExactSizeIterator<Item = Entity> {
        assert!(
            count <= MOST_AT_ONCE as usize || u32::try_from(count).is_err(),
            "{count} entity ids cannot be reserved at once: {MOST_AT_ONCE} is the most, since they take memory at the next flush"
        );
        self.store.structure.entities.reserve_many(count).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Despawns an entity and drops its components. Returns false if the entity is not alive. `O(components)` of the
    /// entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// assert!(world.despawn(entity));
    /// assert!(!world.despawn(entity));
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("delete", "destroy", "destruct", "DestroyEntity"))]
    pub fn despawn(&mut self, entity: Entity) -> bool {
        self.store.track_caller().despawn(entity).is_ok()
    }

    /// Despawns an entity and drops its components.
    ///
    /// # Errors
    ///
    /// If the entity is not alive. The error contains the reason.
    ///
    /// ```
    /// use strata_ecs::entity::EntityError;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// assert_eq!(world.try_despawn(entity), Ok(()));
    /// assert_eq!(world.try_despawn(entity), Err(EntityError::Despawned(entity.into())));
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn try_despawn(&mut self, entity: Entity) -> Result<(), EntityError> {
        self.store.track_caller().despawn(entity)
    }

    /// Despawns all entities. Resources stay.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Resource, Debug, Default, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(2));
    /// world.spawn_batch([Health(1), Health(2)]);
    /// world.clear_entities();
    /// assert!(world.is_empty());
    /// assert!(world.contains_resource::<Count>());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("clear", "delete_all", "DestroyEntity"))]
    pub fn clear_entities(&mut self) {
        self.store.track_caller().clear_entities();
    }

    /// Returns whether an entity is alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// assert!(world.contains(entity));
    /// world.despawn(entity);
    /// assert!(!world.contains(entity));
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("is_alive", "exists", "Exists", "valid"))]
    pub fn contains(&self, entity: Entity) -> bool {
        self.store.structure.entities.contains(entity)
    }

    /// Returns the number of entities that are alive.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.structure.entities.len()
    }

    /// Returns whether no entity is alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// assert!(world.is_empty());
    /// world.spawn_empty();
    /// assert!(!world.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.store.structure.entities.is_empty()
    }

    /// Returns a component of an entity; `None` if the entity is not alive or does not have it. `O(1)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// assert_eq!(world.get::<Health>(entity), Some(&Health(3)));
    /// assert_eq!(world.get::<Mana>(entity), None);
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("GetComponent", "GetComponentData"))]
    pub fn get<T: Component>(&self, entity: Entity) -> Option<&T> {
        ReadEntity::find(self.read(), entity)
    }

    /// Returns a component of an entity, borrowed mutably; `None` if the entity is not alive or does not have it.
    /// `O(1)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// if let Some(mut health) = world.get_mut::<Health>(entity) {
    ///     health.0 -= 1;
    /// }
    /// assert_eq!(world.get(entity), Some(&Health(2)));
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("SetComponent", "SetComponentData"))]
    pub fn get_mut<T: MutableComponent>(&mut self, entity: Entity) -> Option<Mut<'_, T>> {
        WriteEntity::new(&mut self.store, entity).into_mut()
    }

    /// Returns a read-only view of one entity, or of several: see [`WorldEntityFetch`].
    ///
    /// # Panics
    ///
    /// If an entity is not alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// assert_eq!(world.entity(id).get(), Some(&Health(3)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn entity<E: WorldEntityFetch>(&self, entities: E) -> E::Ref<'_> {
        match self.get_entity(entities) {
            Ok(found) => found,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns a read-only view of one entity, or of several: see [`WorldEntityFetch`].
    ///
    /// # Errors
    ///
    /// If an entity is not alive. The error contains the reason.
    ///
    /// ```
    /// use strata_ecs::entity::EntityError;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let id = world.spawn_empty().id();
    /// assert_eq!(world.get_entity(id).unwrap().id(), id);
    /// world.despawn(id);
    /// assert_eq!(world.get_entity(id).unwrap_err(), EntityError::Despawned(id.into()));
    /// ```
    pub fn get_entity<E: WorldEntityFetch>(&self, entities: E) -> Result<E::Ref<'_>, EntityError> {
        entities.fetch_ref(self)
    }

    /// Returns mutable access to one entity, or to the components of several: see [`WorldEntityFetch`].
    ///
    /// # Panics
    ///
    /// If an entity is not alive, or occurs twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// world.entity_mut(id).insert(Mana(7)).remove::<Health>();
    /// assert!(world.get::<Mana>(id).is_some() && world.get::<Health>(id).is_none());
    /// ```
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn entity_mut<E: WorldEntityFetch>(&mut self, entities: E) -> E::Mut<'_> {
        entities.expect_mut(self)
    }

    /// Returns mutable access to one entity, or to the components of several: see [`WorldEntityFetch`].
    ///
    /// # Errors
    ///
    /// If an entity is not alive, or occurs twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn_empty().id();
    /// if let Ok(mut entity) = world.get_entity_mut(id) {
    ///     entity.insert(Health(3));
    /// }
    /// assert_eq!(world.get(id), Some(&Health(3)));
    /// assert!(world.get_entity_mut(Entity::PLACEHOLDER).is_err());
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn get_entity_mut<E: WorldEntityFetch>(&mut self, entities: E) -> Result<E::Mut<'_>, E::MutError> {
        entities.fetch_mut(self)
    }

    /// Returns all entities, in the order of tables and rows.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(3), Mana(7)));
    /// world.spawn(Health(4));
    /// let magic = world.iter_entities().filter(|entity| entity.contains::<Mana>());
    /// assert_eq!(magic.count(), 1);
    /// ```
    #[doc(alias("iter"))]
    pub fn iter_entities(&self) -> impl Iterator<Item = EntityRef<'_>> {
        let cell = self.read();
        let entities = cell.store().structure.archetypes.tables.iter().flat_map(|table| table.entities());
        entities.map(move |&entity| EntityRef::new(cell, entity))
    }

    /// Returns all entities, with mutable access to their components, in the order of tables and rows.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// for mut entity in world.iter_entities_mut() {
    ///     if let Some(mut health) = entity.get_mut::<Health>() {
    ///         health.0 += 1;
    ///     }
    /// }
    /// assert_eq!(world.get(id), Some(&Health(4)));
    /// ```
    pub fn iter_entities_mut(&mut self) -> impl Iterator<Item = EntityMut<'_>> {
        WriteEntity::all(&mut self.store).map(EntityMut)
    }
}
