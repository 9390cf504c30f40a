//! Many entities at once.

use super::{Entities, SparseSummary, TableId};
use crate::entity::Entity;

impl Entities {
    /// Says that live entities are in these rows of a table now: the first in row `first`, and so on.
    #[inline]
    pub(crate) fn relocate_all(&mut self, entities: &[Entity], table: TableId, first: u32) {
        for (row, entity) in (first..).zip(entities) {
            let slot = &mut self.slots[entity.index() as usize];
            debug_assert!(slot.generation == entity.generation() && slot.table.0 < TableId::LIMIT);
            slot.table = table;
            slot.row = row;
        }
    }

    /// Says that live entities are in the same rows of another table now.
    #[inline]
    pub(crate) fn set_table(&mut self, entities: &[Entity], table: TableId) {
        for entity in entities {
            let slot = &mut self.slots[entity.index() as usize];
            debug_assert!(slot.generation == entity.generation() && slot.table.0 < TableId::LIMIT);
            slot.table = table;
        }
    }

    /// Ends the lives of live entities, in this order. Nothing may be reserved at this time.
    pub(crate) fn free_many(&mut self, entities: &[Entity]) {
        debug_assert!(!self.needs_flush(), "flush before freeing");
        self.free.reserve(entities.len());
        for entity in entities {
            let slot = &mut self.slots[entity.index() as usize];
            debug_assert!(slot.generation == entity.generation() && slot.table.0 < TableId::LIMIT);
            slot.table = TableId::NONE;
            slot.generation = slot.generation.wrapping_add(1);
            if slot.generation != 0 {
                self.free.push(entity.index());
            }
        }
        *self.cursor.get_mut() = self.free.len() as i64;
        self.live -= entities.len() as u32;
        if !self.sparse.is_empty() {
            for entity in entities {
                if let Some(summary) = self.sparse.get_mut(entity.index() as usize) {
                    *summary = SparseSummary::default();
                }
            }
        }
    }

    /// Whether any entity may be in a sparse storage.
    pub(crate) fn has_summaries(&self) -> bool {
        !self.sparse.is_empty()
    }
}
