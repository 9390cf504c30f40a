//! Summaries of which sparse storages may hold an entity, by index.

use super::{Entities, Slot, TableId};
use crate::alloc_error::{AllocError, try_reserve};
use crate::entity::{Entity, SparseSummary};

impl Entities {
    /// Whether there is a place for the summary of an index, or room for one if the entity `is_new`.
    #[inline]
    pub(crate) fn has_summary_room(&self, index: u32, is_new: bool) -> bool {
        (index as usize) < if is_new { self.sparse.capacity() } else { self.sparse.len() }
    }

    /// Makes room for the summary of an index.
    #[inline]
    pub(crate) fn reserve_summary(&mut self, index: u32) -> Result<(), AllocError> {
        if (index as usize) < self.sparse.len() {
            return Ok(());
        }
        let missing = index as usize + 1 - self.sparse.len();
        try_reserve(&mut self.sparse, missing)
    }

    /// How many entities have the summary of the first one, before one that does not.
    #[inline]
    pub(crate) fn count_alike(&self, entities: &[Entity], summary: SparseSummary) -> usize {
        entities.iter().take_while(|entity| self.sparse_summary(entity.index()) == summary).count()
    }

    /// How many of the first of some entities live in this table and are in none of these sparse storages for sure.
    #[inline]
    pub(crate) fn count_apart(&self, entities: &[Entity], table: TableId, storages: SparseSummary) -> usize {
        let (slots, summaries) = (self.slots.as_slice(), self.sparse.as_slice());
        let is_apart = |&&entity: &&Entity| {
            let summary = summaries.get(entity.index() as usize);
            Slot::row_in(slots, entity, table).is_some() && !summary.is_some_and(|summary| summary.meets(storages))
        };
        entities.iter().take_while(is_apart).count()
    }

    /// The summary of which sparse storages may hold this entity.
    #[inline]
    pub(crate) fn sparse_summary(&self, index: u32) -> SparseSummary {
        self.sparse.get(index as usize).copied().unwrap_or_default()
    }

    /// Notes which sparse storages may hold this entity.
    #[inline]
    pub(crate) fn set_sparse_summary(&mut self, index: u32, summary: SparseSummary) {
        match self.sparse.get_mut(index as usize) {
            Some(place) => *place = summary,
            None if summary.is_empty() => {}
            None => self.add_summary(index, summary),
        }
    }

    /// Notes that sparse storages may hold an entity as well.
    #[inline]
    pub(crate) fn add_to_summary(&mut self, index: u32, more: SparseSummary) {
        match self.sparse.get_mut(index as usize) {
            Some(summary) => *summary = summary.union(more),
            None => self.add_summary(index, more),
        }
    }

    fn add_summary(&mut self, index: u32, summary: SparseSummary) {
        if self.sparse.len() < index as usize {
            self.sparse.resize(index as usize, SparseSummary::default());
        }
        self.sparse.push(summary);
    }
}
