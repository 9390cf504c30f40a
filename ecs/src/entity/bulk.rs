//! Many ids at once: handing them out, reserving them, and taking given ones.
//!
//! The order is that in which the same number of single calls would hand them out.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::Entity;
use super::allocator::{Entities, Location, Slot, TableId};
use super::error::{EntityError, ReserveError};
use crate::alloc_error::{AllocError, try_reserve};

/// Ids that were asked for by [`Entities::claim`]; they are pending. For [`Entities::place_claimed`] or
/// [`Entities::release`].
#[must_use]
pub(crate) struct Claimed {
    /// How many indexes there were before.
    bound: usize,
}

/// Why a list of ids cannot be had.
pub(crate) enum ClaimError {
    /// One of them cannot be used.
    Entity(EntityError),
    /// Two of them have the same index; this is the second.
    Twice(Entity),
    /// There is no memory.
    OutOfMemory(AllocError),
}

impl Entities {
    /// The indexes that the next `count` ids will have, in order. Nothing may be reserved at this time.
    pub(crate) fn next_indexes(&self, count: usize) -> impl Iterator<Item = u32> + Clone {
        let bound = self.slots.len();
        let fresh = (0..).map(move |nth| self.retired.pass_over(bound, nth) as u32);
        self.free.iter().rev().copied().chain(fresh).take(count)
    }

    /// Makes room for `count` more entities in the books. Nothing may be reserved at this time.
    pub(crate) fn reserve_next_many(&mut self, count: usize) -> Result<(), ReserveError> {
        let fresh = count.saturating_sub(self.free.len());
        if count as u64 > self.positions() {
            return Err(ReserveError::IdsExhausted);
        }
        // Those that are passed over get slots, too.
        let passed = if fresh == 0 { 0 } else { self.retired.len() };
        try_reserve(&mut self.slots, fresh + passed).map_err(ReserveError::OutOfMemory)
    }

    /// Ends the next `count` ids before any entity has them: none will. There is room for so many ids, ends, and in the list, where they
    /// come.
    pub(crate) fn end_next(&mut self, count: usize, ended: &mut Vec<Entity>) {
        // One that has ended is the next one.
        ended.extend((0..count).filter_map(|_| self.allocate().ok()));
        ended.iter().for_each(|&entity| self.free(entity));
    }

    /// Makes room for the summaries of the next `count` entities.
    pub(crate) fn reserve_summaries(&mut self, count: usize) -> Result<(), AllocError> {
        match self.next_indexes(count).max() {
            Some(highest) => self.reserve_summary(highest),
            None => Ok(()),
        }
    }

    /// Makes `count` entities that live in neighbouring rows, and adds their ids to a list. Room was made by
    /// [`Entities::reserve_next_many`].
    pub(crate) fn allocate_rows(&mut self, count: usize, first: Location, ids: &mut Vec<Entity>) {
        debug_assert!(!self.needs_flush(), "flush before allocating");
        let Location { table, mut row } = first;
        let again = count.min(self.free.len());
        for index in self.free.drain(self.free.len() - again..).rev() {
            let slot = &mut self.slots[index as usize];
            debug_assert!(slot.table == TableId::NONE);
            (slot.table, slot.row) = (table, row);
            row += 1;
            self.lives.note_spawned(index);
            // The generation of a free index is never zero.
            ids.push(Entity::new(index, NonZeroU32::new(slot.generation).unwrap_or(NonZeroU32::MIN)));
        }
        *self.cursor.get_mut() = self.free.len() as i64;
        self.live += count as u32;
        let fresh = (count - again) as u32;
        if self.retired.is_empty() {
            return self.push_rows(fresh, Location { table, row }, ids);
        }
        for nth in 0..fresh {
            if let Err(error) = self.pass_retired(1) {
                error.raise();
            }
            self.push_rows(1, Location { table, row: row + nth }, ids);
        }
    }

    /// The same at the first indexes without slots, of which none is retired.
    fn push_rows(&mut self, count: u32, first: Location, ids: &mut Vec<Entity>) {
        let Location { table, row } = first;
        let start = self.slots.len() as u32;
        debug_assert!(count <= self.limit - start);
        let generation = self.first_generation;
        self.slots.extend((0..count).map(|nth| Slot { generation: generation.get(), table, row: row + nth }));
        (0..count).for_each(|nth| self.lives.note_spawned(start + nth));
        ids.extend((0..count).map(|nth| Entity::new(start + nth, generation)));
    }

    /// Makes these very ids pending. `O(ids + unused indexes below them)`. Nothing may be reserved at this time.
    ///
    /// `max_gap` is how many unused indexes there may be below the highest one, beyond those there are.
    ///
    /// # Errors
    ///
    /// If one cannot be used, as for [`Entities::allocate_at`], or comes twice. Nothing happens.
    pub(crate) fn claim(&mut self, ids: &[Entity], max_gap: usize) -> Result<Claimed, ClaimError> {
        let bound = self.slots.len();
        let claimed = Claimed { bound };
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
            self.mark_retired(bound);
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

    /// Whether an id can be had, below a bound of indexes: nothing alive has its index, and none that was has it with this generation or a
    /// later one.
    pub(crate) fn can_be_had(&self, id: Entity, bound: usize) -> bool {
        let index = id.index() as usize;
        match self.slots.get(index) {
            _ if index >= bound.min(self.limit as usize) => false,
            Some(slot) => slot.is_free() && id.generation() >= slot.generation,
            None => !self.retired.contains(id.index()) && id.generation() >= self.first_generation.get(),
        }
    }

    /// How many indexes there are that entities have or had.
    pub(crate) fn bound(&self) -> usize {
        self.slots.len()
    }

    /// Makes ids pending, of which each [can be had](Self::can_be_had) and none has the index of another one. All others are handed out in
    /// the order in which they would have been, as if these had been passed over. `O(ids + free indexes + unused indexes below them)`.
    /// Nothing may be reserved at this time.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing happens.
    pub(crate) fn keep(&mut self, ids: &[Entity]) -> Result<(), AllocError> {
        debug_assert!(!self.needs_flush(), "flush before keeping");
        let bound = self.slots.len();
        let end = ids.iter().map(|id| id.index() as usize + 1).max().unwrap_or(0).max(bound);
        let mut unused = Vec::new();
        try_reserve(&mut unused, end - bound)?;
        try_reserve(&mut self.slots, end - bound)?;
        try_reserve(&mut self.free, end - bound)?;
        self.slots.resize(end, Slot { generation: self.first_generation.get(), table: TableId::NONE, row: 0 });
        self.mark_retired(bound);
        for id in ids {
            self.slots[id.index() as usize] = Slot { generation: id.generation(), table: TableId::PENDING, row: 0 };
        }
        let slots = &self.slots;
        self.free.retain(|&index| slots[index as usize].is_free());
        // They come behind those that were free before, the lowest first: the last one of the list is handed out first.
        unused.extend((bound..end).rev().filter(|&index| slots[index].is_free()).map(|index| index as u32));
        self.free.splice(..0, unused);
        self.number_free(0..self.free.len());
        self.forget_retired();
        *self.cursor.get_mut() = self.free.len() as i64;
        Ok(())
    }

    /// Takes back what [`Entities::claim`] did.
    pub(crate) fn release(&mut self, ids: &[Entity], claimed: Claimed) {
        for id in ids {
            self.slots[id.index() as usize].table = TableId::NONE;
        }
        self.slots.truncate(claimed.bound);
    }

    /// Gives all claimed ids neighbouring rows. `O(ids + unused indexes below them)`.
    pub(crate) fn place_claimed(&mut self, ids: &[Entity], claimed: Claimed, first: Location) {
        for (id, row) in ids.iter().zip(first.row..) {
            if (id.index() as usize) < claimed.bound {
                self.unlist_free(id.index());
            }
            self.slots[id.index() as usize] = Slot { generation: id.generation(), table: first.table, row };
            self.lives.note_spawned(id.index());
        }
        self.forget_retired();
        self.free_new(claimed.bound..self.slots.len());
        *self.cursor.get_mut() = self.free.len() as i64;
        self.live += ids.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const HOME: Location = Location { table: TableId::EMPTY, row: 0 };

    /// Five entities, of which two were freed.
    fn with_holes() -> Entities {
        let mut entities = Entities::with_limit(10);
        let mut ids = Vec::new();
        entities.allocate_rows(5, HOME, &mut ids);
        entities.free(ids[3]);
        entities.free(ids[1]);
        entities
    }

    #[test]
    fn ids_come_in_the_order_of_single_calls() {
        let (mut one, mut many) = (with_holes(), with_holes());
        let indexes: Vec<u32> = many.next_indexes(4).collect();
        let mut ids = vec![];
        many.allocate_rows(4, HOME, &mut ids);
        let expected: Vec<Entity> = (0..4).map(|_| one.allocate().unwrap()).collect();
        assert_eq!(ids, expected);
        assert_eq!(indexes, expected.iter().map(|id| id.index()).collect::<Vec<_>>());
        many.check_invariants();
    }

    #[test]
    fn reserving_many_is_reserving_one_by_one() {
        let (one, many) = (with_holes(), with_holes());
        for count in [1, 3, 0, 2] {
            let ids: Vec<Entity> = many.reserve_many(count).unwrap().collect();
            let expected: Vec<Entity> = (0..count).map(|_| one.reserve().unwrap()).collect();
            assert_eq!(ids, expected);
        }
        assert!(many.reserve_many(2).is_err() && many.reserve_many(usize::MAX).is_err());
        assert_eq!(many.reserve_many(1).unwrap().next(), one.reserve().ok());
    }

    #[test]
    fn claimed_ids_leave_the_free_list_right() {
        let mut entities = with_holes();
        let id = |index, generation| Entity::new(index, NonZeroU32::new(generation).unwrap());
        assert!(matches!(entities.claim(&[id(3, 2), id(0, 1)], 8), Err(ClaimError::Entity(EntityError::Alive(_)))));
        assert!(matches!(entities.claim(&[id(8, 1), id(8, 2)], 8), Err(ClaimError::Twice(_))));
        assert!(matches!(entities.claim(&[id(3, 1)], 8), Err(ClaimError::Entity(EntityError::Despawned(_)))));
        assert!(matches!(entities.claim(&[id(8, 1)], 2), Err(ClaimError::Entity(EntityError::Unknown(_)))));
        assert!(matches!(entities.claim(&[id(10, 1)], 8), Err(ClaimError::Entity(EntityError::Unknown(_)))));
        entities.check_invariants();
        assert_eq!(entities.index_bound(), 5);
        let ids = [id(8, 7), id(3, 4)];
        let Ok(claimed) = entities.claim(&ids, 3) else { panic!("both can be had") };
        entities.place_claimed(&ids, claimed, HOME);
        entities.check_invariants();
        assert_eq!((entities.len(), entities.index_bound()), (5, 9));
        assert!(entities.contains(ids[0]) && entities.contains(ids[1]));
    }
}
