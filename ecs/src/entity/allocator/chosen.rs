//! Ids that the caller chooses, and the list of free indexes that they are taken out of.

use core::ops::Range;

use super::{Entities, Slot, TableId};
use crate::alloc_error::{AllocError, try_reserve};
use crate::entity::Entity;
use crate::entity::error::EntityError;

impl Entities {
    /// Makes room for [`Entities::allocate_at`] and [`Entities::unallocate`] of this id.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    pub(crate) fn reserve_at(&mut self, entity: Entity, max_gap: usize) -> Result<(), AllocError> {
        let missing = (entity.index() as usize + 1).saturating_sub(self.slots.len());
        if missing > max_gap + 1 || entity.index() >= self.limit {
            // The id cannot be had.
            return Ok(());
        }
        try_reserve(&mut self.slots, missing)?;
        self.reserve_free(missing.max(1))
    }

    /// Makes this very id pending, so that it can be placed, and returns the generation that the index would have had
    /// otherwise. Nothing may be reserved at this time.
    ///
    /// Every index below a new one becomes a free one, so memory grows with the index: `max_gap` bounds by how much.
    pub(crate) fn allocate_at(&mut self, entity: Entity, max_gap: usize) -> Result<u32, EntityError> {
        let index = entity.index() as usize;
        let before;
        if let Some(slot) = self.slots.get_mut(index) {
            if slot.table != TableId::NONE {
                return Err(EntityError::Alive(entity));
            }
            if slot.generation == 0 || entity.generation() < slot.generation {
                return Err(self.despawned(entity));
            }
            before = slot.generation;
            slot.generation = entity.generation();
            slot.table = TableId::PENDING;
            self.unlist_free(entity.index());
        } else {
            if self.was_given_back(entity) {
                return Err(self.despawned(entity));
            }
            if entity.index() >= self.limit || index - self.slots.len() > max_gap {
                return Err(EntityError::Unknown(entity));
            }
            let bound = self.slots.len();
            self.slots.resize(index, Slot { generation: self.first_generation.get(), table: TableId::NONE, row: 0 });
            self.slots.push(Slot { generation: entity.generation(), table: TableId::PENDING, row: 0 });
            self.mark_retired(bound);
            self.forget_retired();
            self.free_new(bound..index);
            before = self.first_generation.get();
        }
        *self.cursor.get_mut() = self.free.len() as i64;
        Ok(before)
    }

    /// Takes an index off the list of free ones. The last one of the list takes its place.
    pub(in crate::entity) fn unlist_free(&mut self, index: u32) {
        let at = self.slots[index as usize].row as usize;
        debug_assert_eq!(self.free.get(at), Some(&index), "a free index does not know its place");
        self.free.swap_remove(at);
        self.number_free(at..at + 1);
    }

    /// Adds dead indexes to the free ones, the lowest first, but for retired ones.
    pub(in crate::entity) fn free_new(&mut self, indexes: Range<usize>) {
        let first = self.free.len();
        let slots = &self.slots;
        self.free.extend(indexes.filter(|&index| slots[index].is_free()).map(|index| index as u32));
        self.number_free(first..self.free.len());
    }

    /// Has free indexes know their places in the list, after these were changed.
    pub(in crate::entity) fn number_free(&mut self, places: Range<usize>) {
        for at in places.start..places.end.min(self.free.len()) {
            self.slots[self.free[at] as usize].row = at as u32;
        }
    }

    /// Takes back what [`Entities::allocate_at`] did; `generation` is what that returned.
    pub(crate) fn unallocate(&mut self, entity: Entity, generation: u32) {
        debug_assert!(self.is_pending(entity));
        let row = self.free.len() as u32;
        self.slots[entity.index() as usize] = Slot { generation, table: TableId::NONE, row };
        self.free.push(entity.index());
        *self.cursor.get_mut() = self.free.len() as i64;
    }
}
