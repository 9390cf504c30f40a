//! The masks of sparse sets that may contain an entity, by entity index.
//!
//! Tests: ecs/src/entity/allocator/tests.rs, tests/changes/removed/paths.rs

use super::{Entities, Slot, TableId};
use crate::entity::{Entity, SparseMask};
use crate::util::alloc_error::{AllocError, try_reserve};

impl Entities {
    /// Returns whether the mask of an index exists. If `is_new` is true, also returns true if the mask can be added without an allocation.
    #[inline]
    pub(crate) fn has_summary_room(&self, index: u32, is_new: bool) -> bool {
        (index as usize) < if is_new { self.sparse.capacity() } else { self.sparse.len() }
    }

    /// Makes room for the mask of an index.
    #[inline]
    pub(crate) fn reserve_summary(&mut self, index: u32) -> Result<(), AllocError> {
        if (index as usize) < self.sparse.len() {
            return Ok(());
        }
        let missing = index as usize + 1 - self.sparse.len();
        try_reserve(&mut self.sparse, missing)
    }

    /// Returns the number of entities at the beginning of the list that have the mask `summary`.
    #[inline]
    pub(crate) fn count_alike(&self, entities: &[Entity], summary: SparseMask) -> usize {
        entities.iter().take_while(|entity| self.sparse_summary(entity.index()) == summary).count()
    }

    /// Returns the number of entities at the beginning of the list that are in this table and certainly in no sparse set of this mask.
    #[inline]
    pub(crate) fn count_apart(&self, entities: &[Entity], table: TableId, storages: SparseMask) -> usize {
        let (slots, summaries) = (self.slots.as_slice(), self.sparse.as_slice());
        let is_apart = |&&entity: &&Entity| {
            let summary = summaries.get(entity.index() as usize);
            Slot::row_in(slots, entity, table).is_some() && !summary.is_some_and(|summary| summary.meets(storages))
        };
        entities.iter().take_while(is_apart).count()
    }

    /// Returns the mask of the sparse sets that may contain this entity.
    #[inline]
    pub(crate) fn sparse_summary(&self, index: u32) -> SparseMask {
        self.sparse.get(index as usize).copied().unwrap_or_default()
    }

    /// Sets the mask of the sparse sets that may contain this entity.
    #[inline]
    pub(crate) fn set_sparse_summary(&mut self, index: u32, summary: SparseMask) {
        match self.sparse.get_mut(index as usize) {
            Some(place) => *place = summary,
            None if summary.is_empty() => {}
            None => self.add_summary(index, summary),
        }
    }

    /// Adds sparse sets to the mask of an entity.
    #[inline]
    pub(crate) fn add_to_summary(&mut self, index: u32, more: SparseMask) {
        match self.sparse.get_mut(index as usize) {
            Some(summary) => *summary = summary.union(more),
            None => self.add_summary(index, more),
        }
    }

    fn add_summary(&mut self, index: u32, summary: SparseMask) {
        if self.sparse.len() < index as usize {
            self.sparse.resize(index as usize, SparseMask::default());
        }
        self.sparse.push(summary);
    }
}
