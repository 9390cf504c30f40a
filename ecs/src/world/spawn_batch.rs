//! Spawning an entity for each bundle of an iterator.
//!
//! Tests: tests/model/bulk.rs

use core::iter::FusedIterator;
use core::slice;

use super::cast::World;
use crate::entity::{Distinct, Entity, TableId};
use crate::structure::bundle::{Bundle, OneOfEach};

impl World {
    /// Spawns an entity for each bundle of an iterator, and returns their ids. All entities are spawned in one
    /// operation, in one table, which is faster than single calls.
    ///
    /// If the iterator panics, the entities spawned so far stay, and the rest of the iterator is not visited.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..10).map(Health)).collect();
    /// assert_eq!(ids.len(), 10);
    /// ```
    ///
    /// # Panics
    ///
    /// If no entity ids are left.
    #[track_caller]
    #[doc(alias("extend", "bulk_new"))]
    pub fn spawn_batch<I: IntoIterator<Item: Bundle>>(&mut self, bundles: I) -> SpawnBatchIter<'_> {
        let () = OneOfEach::<I::Item>::COMPONENTS;
        OneOfEach::<I::Item>::check();
        let (table, first) = self.store.track_caller().defer_events(|store| store.spawn_batch(bundles));
        SpawnBatchIter::made(self, table, first)
    }
}

/// Iterator over the ids of the entities that [`World::spawn_batch`] or [`World::spawn_columns`] has spawned, in order.
/// The entities exist even if the iterator is not used.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let mut ids = world.spawn_batch([Health(1), Health(2)]);
/// assert_eq!(ids.len(), 2);
/// let first = ids.next().unwrap();
/// assert_eq!(world.get(first), Some(&Health(1)));
/// ```
#[derive(Clone, Debug)]
pub struct SpawnBatchIter<'w> {
    entities: slice::Iter<'w, Entity>,
}

impl<'w> SpawnBatchIter<'w> {
    /// Returns the entities of a table from row `first` on, which have just been spawned. Before that, hooks and
    /// observers are notified.
    #[inline]
    pub(super) fn made(world: &'w mut World, table: TableId, first: usize) -> Self {
        if world.store.events.has_pending {
            return Self { entities: world.store.flush_spawned(table, first).iter() };
        }
        let entities = world.store.structure.archetypes.tables.get(table).map_or(&[][..], |table| table.entities());
        Self { entities: entities[first..].iter() }
    }
}

impl Iterator for SpawnBatchIter<'_> {
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        self.entities.next().copied()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entities.size_hint()
    }
}

impl ExactSizeIterator for SpawnBatchIter<'_> {}

impl FusedIterator for SpawnBatchIter<'_> {}

// Each id belongs to another row, so no id occurs twice.
impl Distinct for SpawnBatchIter<'_> {}
