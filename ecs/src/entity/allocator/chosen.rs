//! Ids that the caller chooses, and their removal from the free list.
//!
//! Tests: ecs/src/entity/allocator/tests.rs, tests/hazards/rows.rs

use alloc::vec::Vec;
use core::ops::Range;

use super::{Entities, Location, Slot, TableId};
use crate::entity::Entity;
use crate::entity::error::EntityError;
use crate::util::alloc_error::{AllocError, try_reserve};

/// Pending ids that [`Entities::claim`] has allocated, to be passed to [`Entities::place_claimed`] or [`Entities::release`].
#[must_use]
pub(crate) struct ClaimedIds {
    /// The number of slots before the claim.
    bound: usize,
}

/// The reason why a list of ids cannot be allocated.
pub(crate) enum ClaimError {
    /// One of the ids cannot be used.
    Entity(EntityError),
    /// Two ids have the same index; this is the second one.
    Twice(Entity),
    /// There is no memory.
    OutOfMemory(AllocError),
}

impl Entities {
    /// Makes room for [`Entities::allocate_at`] and [`Entities::unallocate`] of this id.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has changed.
    pub(crate) fn reserve_at(&mut self, entity: Entity, max_gap: usize) -> Result<(), AllocError> {
        let missing = (entity.index() as usize + 1).saturating_sub(self.slots.len());
        if missing > max_gap + 1 || entity.index() >= self.limit {
            // The id cannot be allocated, so it needs no room.
            return Ok(());
        }
        try_reserve(&mut self.slots, missing)?;
        self.reserve_free(missing.max(1))
    }

    /// Makes the given id pending so that it can be placed, and returns the generation that the index would otherwise have had. No id may
    /// be reserved at this time.
    ///
    /// All indexes below a new index become free, so memory grows with the index: `max_gap` limits by how much.
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
            self.retired.mark(&mut self.slots, bound);
            self.retired.forget(self.slots.len());
            self.free_new(bound..index);
            before = self.first_generation.get();
        }
        *self.cursor.get_mut() = self.free.len() as i64;
        Ok(before)
    }

    /// Removes an index from the free list. The last index of the list takes its position.
    fn unlist_free(&mut self, index: u32) {
        let at = self.slots[index as usize].row as usize;
        debug_assert_eq!(self.free.get(at), Some(&index), "a free index does not know its place");
        self.free.swap_remove(at);
        self.number_free(at..at + 1);
    }

    /// Adds dead indexes to the free list, except retired ones, lowest first.
    fn free_new(&mut self, indexes: Range<usize>) {
        let first = self.free.len();
        let slots = &self.slots;
        self.free.extend(indexes.filter(|&index| slots[index].is_free()).map(|index| index as u32));
        self.number_free(first..self.free.len());
    }

    /// Updates the positions in the slots of free indexes, after these positions of the list have changed.
    pub(in crate::entity) fn number_free(&mut self, places: Range<usize>) {
        for at in places.start..places.end.min(self.free.len()) {
            self.slots[self.free[at] as usize].row = at as u32;
        }
    }

    /// Reverts [`Entities::allocate_at`]; `generation` is its return value.
    pub(crate) fn unallocate(&mut self, entity: Entity, generation: u32) {
        debug_assert!(self.is_pending(entity));
        let row = self.free.len() as u32;
        self.slots[entity.index() as usize] = Slot { generation, table: TableId::NONE, row };
        self.free.push(entity.index());
        *self.cursor.get_mut() = self.free.len() as i64;
    }

    /// Makes the given ids pending. `O(ids + unused indexes below them)`. No id may be reserved at this time.
    ///
    /// `max_gap` is the maximum number of additional unused indexes below the highest one.
    ///
    /// # Errors
    ///
    /// If an id cannot be used, as for [`Entities::allocate_at`], or occurs twice. Nothing has changed.
    pub(crate) fn claim(&mut self, ids: &[Entity], max_gap: usize) -> Result<ClaimedIds, ClaimError> {
        let bound = self.slots.len();
        let claimed = ClaimedIds { bound };
        if let Some(&highest) = ids.iter().max_by_key(|id| id.index())
            && highest.index() as usize >= bound
        {
            let missing = highest.index() as usize + 1 - bound;
            let beyond = ids.iter().filter(|id| id.index() as usize >= bound).count();
            if highest.index() >= self.limit || missing.saturating_sub(beyond) > max_gap {
                return Err(ClaimError::Entity(EntityError::Unknown(highest)));
            }
            let room = try_reserve(&mut self.slots, missing).and_then(|()| try_reserve(&mut self.free, missing));
            room.map_err(ClaimError::OutOfMemory)?;
            let unused = Slot { generation: self.first_generation.get(), table: TableId::NONE, row: 0 };
            self.slots.resize(bound + missing, unused);
            self.retired.mark(&mut self.slots, bound);
        }
        for (at, &id) in ids.iter().enumerate() {
            let slot = &mut self.slots[id.index() as usize];
            let error = match slot.table {
                TableId::PENDING => ClaimError::Twice(id),
                TableId::NONE if slot.generation != 0 && id.generation() >= slot.generation => {
                    slot.table = TableId::PENDING;
                    continue;
                }
                TableId::NONE => ClaimError::Entity(self.despawned(id)),
                _ => ClaimError::Entity(EntityError::Alive(id)),
            };
            self.release(&ids[..at], claimed);
            return Err(error);
        }
        Ok(claimed)
    }

    /// Whether an id with an index below a bound can be allocated: no live entity has its index, and no despawned one had its index with
    /// this generation or a later one.
    pub(crate) fn can_be_had(&self, id: Entity, bound: usize) -> bool {
        let index = id.index() as usize;
        match self.slots.get(index) {
            _ if index >= bound.min(self.limit as usize) => false,
            Some(slot) => slot.is_free() && id.generation() >= slot.generation,
            None => !self.retired.contains(id.index()) && id.generation() >= self.first_generation.get(),
        }
    }

    /// Makes ids pending that [can be allocated](Self::can_be_had) and have distinct indexes. All other ids are handed out in the same
    /// order as without this call. `O(ids + free indexes + unused indexes below them)`. No id may be reserved at this time.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has changed.
    pub(crate) fn keep(&mut self, ids: &[Entity]) -> Result<(), AllocError> {
        debug_assert!(!self.needs_flush(), "flush before keeping");
        let bound = self.slots.len();
        let end = ids.iter().map(|id| id.index() as usize + 1).max().unwrap_or(0).max(bound);
        let mut unused = Vec::new();
        try_reserve(&mut unused, end - bound)?;
        try_reserve(&mut self.slots, end - bound)?;
        try_reserve(&mut self.free, end - bound)?;
        self.slots.resize(end, Slot { generation: self.first_generation.get(), table: TableId::NONE, row: 0 });
        self.retired.mark(&mut self.slots, bound);
        for id in ids {
            self.slots[id.index() as usize] = Slot { generation: id.generation(), table: TableId::PENDING, row: 0 };
        }
        let slots = &self.slots;
        self.free.retain(|&index| slots[index as usize].is_free());
        // The new indexes are handed out after those that were free before, the lowest first. The list is consumed from its end, so they go
        // to its front in descending order.
        unused.extend((bound..end).rev().filter(|&index| slots[index].is_free()).map(|index| index as u32));
        self.free.splice(..0, unused);
        self.number_free(0..self.free.len());
        self.retired.forget(self.slots.len());
        *self.cursor.get_mut() = self.free.len() as i64;
        Ok(())
    }

    /// Reverts [`Entities::claim`].
    pub(crate) fn release(&mut self, ids: &[Entity], claimed: ClaimedIds) {
        for id in ids {
            self.slots[id.index() as usize].table = TableId::NONE;
        }
        self.slots.truncate(claimed.bound);
    }

    /// Places all claimed ids in consecutive rows. `O(ids + unused indexes below them)`.
    pub(crate) fn place_claimed(&mut self, ids: &[Entity], claimed: ClaimedIds, first: Location) {
        for (id, row) in ids.iter().zip(first.row..) {
            if (id.index() as usize) < claimed.bound {
                self.unlist_free(id.index());
            }
            self.slots[id.index() as usize] = Slot { generation: id.generation(), table: first.table, row };
            self.lives.note_spawned(id.index());
        }
        self.retired.forget(self.slots.len());
        self.free_new(claimed.bound..self.slots.len());
        *self.cursor.get_mut() = self.free.len() as i64;
        self.live += ids.len() as u32;
    }
}
