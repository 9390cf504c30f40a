//! A map from the old ids of entities to their new ids.
//!
//! Tests: tests/storage/transfer.rs

use alloc::vec::Vec;

use super::Entity;

/// A map from the ids of entities in one world to their ids in another world. Returned by
/// [`EntitySelection::move_to`](crate::selection::EntitySelection::move_to).
///
/// Moving entities does not update the ids that are stored in components. The program must update them; the map is an
/// [`EntityMapper`](super::EntityMapper) for this purpose:
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Target(Entity);
///
/// let (mut here, mut there) = (World::new(), World::new());
/// let prey = here.spawn_empty().id();
/// let hunter = here.spawn(Target(prey)).id();
/// let map = here.all::<()>().move_to(&mut there);
/// for (_, entity) in map.iter() {
///     if let Some(mut target) = there.get_mut::<Target>(entity) {
///         target.0 = map.get(target.0).unwrap();
///     }
/// }
/// let hunter = map.get(hunter).unwrap();
/// assert!(there.contains(there.get::<Target>(hunter).unwrap().0));
/// ```
#[derive(Clone, Default, Debug)]
#[doc(alias("EntityHashMap", "EntityRemapInfo"))]
pub struct EntityMap {
    /// Pairs of the old id and the new id, sorted by the old ids.
    pairs: Vec<(Entity, Entity)>,
}

impl EntityMap {
    pub(crate) fn new(mut pairs: Vec<(Entity, Entity)>) -> Self {
        pairs.sort_unstable_by_key(|&(old, _)| old);
        Self { pairs }
    }

    /// Returns the new id of an entity; `None` if it is not in the map. `O(log entities)`.
    #[must_use]
    pub fn get(&self, old: Entity) -> Option<Entity> {
        let at = self.pairs.binary_search_by_key(&old, |&(old, _)| old).ok()?;
        Some(self.pairs[at].1)
    }

    /// Sets the new id of an entity. `O(entities)` if the entity is not in the map.
    pub(super) fn set(&mut self, old: Entity, new: Entity) {
        match self.pairs.binary_search_by_key(&old, |&(old, _)| old) {
            Ok(at) => self.pairs[at].1 = new,
            Err(at) => self.pairs.insert(at, (old, new)),
        }
    }

    /// Iterates over all entities as pairs of the old id and the new id, sorted by the old ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Entity, Entity)> {
        self.pairs.iter().copied()
    }

    /// Returns the number of entities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns whether the map is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}
