//! Arguments of [`World::entity`] and [`World::entity_mut`]: one entity, or several.
//!
//! Tests: tests/commands/entities_beside.rs, tests/storage/world.rs

use alloc::vec::Vec;
use core::fmt;

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use super::entity_ref::{EntityMut, EntityRef};
use crate::entity::{Entity, EntityError, EntityHashMap, EntityHashSet, UniqueEntityArray, UniqueEntityVec};
use crate::query::change::WriteEntities;
use crate::structure::store::{Store, StoreEntityMut};

/// The reason why several entities cannot be borrowed mutably.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::EntityMutableFetchError;
///
/// let mut world = World::new();
/// let entity = world.spawn_empty().id();
/// let error = world.get_entity_mut([entity, entity]).unwrap_err();
/// assert_eq!(error, EntityMutableFetchError::AliasedMutability(entity));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntityMutableFetchError {
    /// An entity is not alive.
    NotSpawned(EntityError),
    /// An entity occurs twice.
    AliasedMutability(Entity),
}

impl_error! {
    [] EntityMutableFetchError => |this, f| match this {
        Self::NotSpawned(error) => error.fmt(f),
        Self::AliasedMutability(entity) => {
            write!(f, "entity {entity} was asked for twice, and can be borrowed mutably once at a time")
        }
    },
    NotSpawned(EntityError)
}

/// Arguments of [`World::entity`], [`World::entity_mut`], [`World::get_entity`] and [`World::get_entity_mut`].
///
///  argument | `entity` returns | `entity_mut` returns |
/// |---|---|---|
/// | `Entity` | [`EntityRef`] | [`EntityWorldMut`] |
/// | `[Entity; N]`, `&[Entity; N]` | `[EntityRef; N]` | `[EntityMut; N]` |
/// | `&[Entity]` | `Vec<EntityRef>` | `Vec<EntityMut>` |
/// | [`&EntityHashSet`](EntityHashSet) | `EntityHashMap<EntityRef>` | `EntityHashMap<EntityMut>` |
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let ids = [1, 2].map(|n| world.spawn(Health(n)).id());
/// let [mut a, mut b] = world.entity_mut(ids);
/// std::mem::swap(&mut *a.get_mut::<Health>().unwrap(), &mut *b.get_mut::<Health>().unwrap());
/// let healths: Vec<u32> = world.entity(&ids[..]).iter().map(|entity| entity.get::<Health>().unwrap().0).collect();
/// assert_eq!(healths, [2, 1]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an entity nor several of them",
    label = "not an entity",
    note = "what can be asked for is `Entity`, `[Entity; N]`, `&[Entity]` and `&EntityHashSet`"
)]
pub trait WorldEntityFetch {
    /// The read-only views.
    type Ref<'w>;
    /// The mutable views.
    type Mut<'w>;
    /// The mutable views that permit no structural changes.
    type DeferredMut<'w>;
    /// The reason why the entities cannot be borrowed mutably.
    type MutError: fmt::Display + fmt::Debug;

    /// Borrows the entities for reading.
    ///
    /// # Errors
    ///
    /// If an entity is not alive. The error is about the first such entity.
    fn fetch_ref(self, world: &World) -> Result<Self::Ref<'_>, EntityError>;

    /// Borrows the entities mutably.
    ///
    /// # Errors
    ///
    /// If an entity is not alive, or occurs twice. The error is about the first such entity.
    #[cfg_attr(feature = "track_location", track_caller)]
    fn fetch_mut(self, world: &mut World) -> Result<Self::Mut<'_>, Self::MutError>;

    /// Borrows the entities mutably.
    ///
    /// # Panics
    ///
    /// If an entity is not alive, or occurs twice. The message is about the first such entity.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    fn expect_mut(self, world: &mut World) -> Self::Mut<'_>
    where
        Self: Sized,
    {
        match self.fetch_mut(world) {
            Ok(found) => found,
            Err(error) => not_found(&error),
        }
    }

    /// Borrows the components of the entities mutably.
    ///
    /// # Errors
    ///
    /// Same as [`fetch_mut`](Self::fetch_mut).
    #[doc(hidden)]
    fn fetch_deferred_mut(self, entities: WriteEntities<'_>) -> Result<Self::DeferredMut<'_>, Self::MutError>;
}

#[cold]
#[track_caller]
pub(super) fn not_found(error: &impl fmt::Display) -> ! {
    panic!("{error}")
}

impl WorldEntityFetch for Entity {
    type Ref<'w> = EntityRef<'w>;
    type Mut<'w> = EntityWorldMut<'w>;
    type DeferredMut<'w> = EntityMut<'w>;
    type MutError = EntityError;

    #[inline]
    fn fetch_ref(self, world: &World) -> Result<EntityRef<'_>, EntityError> {
        world.store.structure.entities.locate(self)?;
        Ok(EntityRef::new(world.read(), self))
    }

    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    fn fetch_mut(self, world: &mut World) -> Result<EntityWorldMut<'_>, EntityError> {
        StoreEntityMut::find(world.store.track_caller(), self).map(EntityWorldMut::new)
    }

    #[inline]
    #[track_caller]
    fn expect_mut(self, world: &mut World) -> EntityWorldMut<'_> {
        EntityWorldMut::new(StoreEntityMut::expect(world.store.track_caller(), self))
    }

    fn fetch_deferred_mut(self, entities: WriteEntities<'_>) -> Result<EntityMut<'_>, EntityError> {
        entities.store().structure.entities.locate(self)?;
        Ok(EntityMut(entities.into_one(self)))
    }
}

impl<const N: usize> WorldEntityFetch for [Entity; N] {
    type Ref<'w> = [EntityRef<'w>; N];
    type Mut<'w> = [EntityMut<'w>; N];
    type DeferredMut<'w> = Self::Mut<'w>;
    type MutError = EntityMutableFetchError;

    fn fetch_ref(self, world: &World) -> Result<Self::Ref<'_>, EntityError> {
        all_alive(&world.store, &self)?;
        Ok(self.map(|entity| EntityRef::new(world.read(), entity)))
    }

    fn fetch_mut(self, world: &mut World) -> Result<Self::Mut<'_>, EntityMutableFetchError> {
        self.fetch_deferred_mut(world.write_entities())
    }

    fn fetch_deferred_mut(self, entities: WriteEntities<'_>) -> Result<Self::Mut<'_>, EntityMutableFetchError> {
        all_alive(entities.store(), &self)?;
        let unique = UniqueEntityArray::try_new(self).map_err(EntityMutableFetchError::AliasedMutability)?;
        Ok(entities.into_each(unique).map(EntityMut))
    }
}

impl<const N: usize> WorldEntityFetch for &[Entity; N] {
    type Ref<'w> = [EntityRef<'w>; N];
    type Mut<'w> = [EntityMut<'w>; N];
    type DeferredMut<'w> = Self::Mut<'w>;
    type MutError = EntityMutableFetchError;

    fn fetch_ref(self, world: &World) -> Result<Self::Ref<'_>, EntityError> {
        (*self).fetch_ref(world)
    }

    fn fetch_mut(self, world: &mut World) -> Result<Self::Mut<'_>, EntityMutableFetchError> {
        (*self).fetch_mut(world)
    }

    fn fetch_deferred_mut(self, entities: WriteEntities<'_>) -> Result<Self::Mut<'_>, EntityMutableFetchError> {
        (*self).fetch_deferred_mut(entities)
    }
}

impl WorldEntityFetch for &[Entity] {
    type Ref<'w> = Vec<EntityRef<'w>>;
    type Mut<'w> = Vec<EntityMut<'w>>;
    type DeferredMut<'w> = Self::Mut<'w>;
    type MutError = EntityMutableFetchError;

    fn fetch_ref(self, world: &World) -> Result<Self::Ref<'_>, EntityError> {
        all_alive(&world.store, self)?;
        Ok(self.iter().map(|&entity| EntityRef::new(world.read(), entity)).collect())
    }

    fn fetch_mut(self, world: &mut World) -> Result<Self::Mut<'_>, EntityMutableFetchError> {
        self.fetch_deferred_mut(world.write_entities())
    }

    fn fetch_deferred_mut(self, entities: WriteEntities<'_>) -> Result<Self::Mut<'_>, EntityMutableFetchError> {
        all_alive(entities.store(), self)?;
        let unique = UniqueEntityVec::try_new(self).map_err(EntityMutableFetchError::AliasedMutability)?;
        Ok(entities.into_these(unique).map(EntityMut).collect())
    }
}

impl WorldEntityFetch for &EntityHashSet {
    type Ref<'w> = EntityHashMap<EntityRef<'w>>;
    type Mut<'w> = EntityHashMap<EntityMut<'w>>;
    type DeferredMut<'w> = Self::Mut<'w>;
    type MutError = EntityMutableFetchError;

    fn fetch_ref(self, world: &World) -> Result<Self::Ref<'_>, EntityError> {
        all_alive(&world.store, self)?;
        Ok(self.iter().map(|&entity| (entity, EntityRef::new(world.read(), entity))).collect())
    }

    fn fetch_mut(self, world: &mut World) -> Result<Self::Mut<'_>, EntityMutableFetchError> {
        self.fetch_deferred_mut(world.write_entities())
    }

    fn fetch_deferred_mut(self, entities: WriteEntities<'_>) -> Result<Self::Mut<'_>, EntityMutableFetchError> {
        all_alive(entities.store(), self)?;
        let unique = UniqueEntityVec::of(self.iter().copied().collect());
        Ok(entities.into_these(unique).map(|entity| (entity.id(), EntityMut(entity))).collect())
    }
}

/// Returns an error for the first of some entities that is not alive.
fn all_alive<'a>(store: &Store, entities: impl IntoIterator<Item = &'a Entity>) -> Result<(), EntityError> {
    entities.into_iter().try_for_each(|&entity| store.structure.entities.locate(entity).map(drop))
}
