//! Operations on many entities: allocating ids, setting their locations, and freeing ids.
//!
//! The operations hand out ids in the same order as single calls.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::{Entities, Location, Slot, SparseMask, TableId};
use crate::entity::Entity;
use crate::entity::error::ReserveError;
use crate::util::alloc_error::try_reserve;

/// The number of entities that are compared together.
const RUN: usize = 8;

/// Calls a function with the slot of each entity and the position of the entity in the list.
///
/// Entities that were spawned together often have adjacent slots. If so, one comparison finds the slots of several entities.
#[inline(always)]
fn for_each_slot(slots: &mut [Slot], entities: &[Entity], mut then: impl FnMut(&mut Slot, usize)) {
    let (runs, rest) = entities.as_chunks::<RUN>();
    for (run, number) in runs.iter().zip((0..).step_by(RUN)) {
        let first = run[0].index();
        let differences = |sum, (entity, nth): (&Entity, u32)| sum | (entity.index() ^ first.wrapping_add(nth));
        let follow_each_other = run.iter().zip(0..).fold(0, differences) == 0;
        let found = slots.get_mut(first as usize..).and_then(<[Slot]>::first_chunk_mut::<RUN>);
        match found.filter(|_| follow_each_other) {
            Some(slots) => slots.iter_mut().zip(number..).for_each(|(slot, nth)| then(slot, nth)),
            None => run.iter().zip(number..).for_each(|(entity, nth)| then(&mut slots[entity.index() as usize], nth)),
        }
    }
    for (entity, nth) in rest.iter().zip(runs.len() * RUN..) {
        then(&mut slots[entity.index() as usize], nth);
    }
}

impl Entities {
    /// Returns the indexes of the next `count` ids, in order. No id may be reserved at this time.
    pub(crate) fn next_indexes(&self, count: usize) -> impl Iterator<Item = u32> + Clone {
        let bound = self.slots.len();
        let fresh = (0..).map(move |nth| self.retired.pass_over(bound, nth) as u32);
        self.free.iter().rev().copied().chain(fresh).take(count)
    }

    /// Makes room in the allocator for `count` more entities. No id may be reserved at this time.
    pub(crate) fn reserve_next_many(&mut self, count: usize) -> Result<(), ReserveError> {
        let fresh = count.saturating_sub(self.free.len());
        if count as u64 > self.positions() {
            return Err(ReserveError::IdsExhausted);
        }
        // Retired indexes that new ids skip get slots, too.
        let passed = if fresh == 0 { 0 } else { self.retired.len() };
        try_reserve(&mut self.slots, fresh + passed).map_err(ReserveError::OutOfMemory)
    }

    /// Skips the next `count` ids: they are allocated and freed again, so no entity gets them. Adds the ids to `ended`. The caller has
    /// reserved room for the ids, for freeing them, and in `ended`.
    pub(crate) fn end_next(&mut self, count: usize, ended: &mut Vec<Entity>) {
        // All ids are allocated before the first one is freed, because the index that was freed last is the next one to be allocated.
        ended.extend((0..count).filter_map(|_| self.allocate().ok()));
        ended.iter().for_each(|&entity| self.free(entity));
    }

    /// Allocates `count` entities in consecutive rows, and adds their ids to a list. [`Entities::reserve_next_many`] must have made room.
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
            // The generation of a free index is never zero, so the fallback is not used.
            ids.push(Entity::new(index, NonZeroU32::new(slot.generation).unwrap_or(NonZeroU32::MIN)));
        }
        *self.cursor.get_mut() = self.free.len() as i64;
        self.live += count as u32;
        let fresh = (count - again) as u32;
        if self.retired.is_empty() {
            return self.push_rows(fresh, Location { table, row }, ids);
        }
        for nth in 0..fresh {
            self.retired.give_slots(&mut self.slots, 1).unwrap_or_else(|error| error.raise());
            self.push_rows(1, Location { table, row: row + nth }, ids);
        }
    }

    /// Like [`Entities::allocate_rows`], but uses the first indexes without slots. None of these may be retired.
    fn push_rows(&mut self, count: u32, first: Location, ids: &mut Vec<Entity>) {
        let Location { table, row } = first;
        let start = self.slots.len() as u32;
        debug_assert!(count <= self.limit - start);
        let generation = self.first_generation;
        self.slots.extend((0..count).map(|nth| Slot { generation: generation.get(), table, row: row + nth }));
        (0..count).for_each(|nth| self.lives.note_spawned(start + nth));
        ids.extend((0..count).map(|nth| Entity::new(start + nth, generation)));
    }

    /// Frees the ids of live entities, in this order. The entities must be distinct, and [`Entities::reserve_free`] must have made room.
    pub(crate) fn free_these(&mut self, entities: &[Entity]) {
        debug_assert!(!self.needs_flush(), "flush before freeing");
        let Self { slots, sparse, free, lives, .. } = self;
        // With slices, the compiler need not reload the pointers of the vectors for each entity.
        let (slots, summaries) = (slots.as_mut_slice(), sparse.as_mut_slice());
        for &entity in entities {
            let index = entity.index();
            let slot = &mut slots[index as usize];
            debug_assert!(slot.generation == entity.generation() && slot.table.0 < TableId::LIMIT);
            let generation = slot.generation.wrapping_add(1);
            *slot = Slot { generation, table: TableId::NONE, row: free.len() as u32 };
            if let Some(summary) = summaries.get_mut(index as usize) {
                *summary = SparseMask::default();
            }
            if generation != 0 {
                free.push(index);
            }
            lives.note_despawned(entity);
        }
        self.live -= entities.len() as u32;
        *self.cursor.get_mut() = self.free.len() as i64;
    }

    /// Frees the id of every live entity, in the order of their indexes. `O(indexes)`.
    pub(crate) fn free_all(&mut self) {
        for index in 0..self.slots.len() as u32 {
            if let Some((entity, _)) = self.at_index(index) {
                self.free(entity);
            }
        }
    }

    /// Returns the locations of the live entities, in the order of their indexes. `O(indexes)`.
    pub(crate) fn locations(&self) -> impl Iterator<Item = Location> {
        let living = self.slots.iter().filter(|slot| slot.table.0 < TableId::LIMIT);
        living.map(|slot| Location { table: slot.table, row: slot.row })
    }

    /// Returns the row of each of these entities, which must be alive.
    pub(crate) fn rows_of(&self, entities: &[Entity]) -> Vec<u32> {
        entities.iter().map(|entity| self.slots[entity.index() as usize].row).collect()
    }

    /// Adds the rows of entities to `rows`, up to the first entity that is not in this table. Returns the number of added rows.
    pub(crate) fn leading_rows(&self, entities: &[Entity], table: TableId, rows: &mut Vec<u32>) -> usize {
        debug_assert!(table.0 < TableId::LIMIT);
        let mut count = 0;
        let mut some = [0; 64];
        for part in entities.chunks(some.len()) {
            let mut living = 0;
            for (entity, row) in part.iter().zip(&mut some) {
                let slot = self.slots.get(entity.index() as usize);
                let Some(slot) = slot.filter(|slot| slot.generation == entity.generation() && slot.table == table)
                else {
                    break;
                };
                *row = slot.row;
                living += 1;
            }
            rows.extend_from_slice(&some[..living]);
            count += living;
            if living < part.len() {
                break;
            }
        }
        count
    }

    /// Sets the locations of live entities to consecutive rows of a table. `first` is the first row.
    #[inline]
    pub(crate) fn relocate_all(&mut self, entities: &[Entity], table: TableId, first: u32) {
        for_each_slot(&mut self.slots, entities, |slot, nth| {
            debug_assert!(slot.generation == entities[nth].generation() && slot.table.0 < TableId::LIMIT);
            slot.table = table;
            slot.row = first + nth as u32;
        });
    }

    /// Adds a sparse set to the masks of these entities. The caller has reserved room for the masks.
    pub(crate) fn add_to_summaries(&mut self, entities: &[Entity], storage: usize) {
        // With a slice, the compiler need not reload the pointer of the vector for each entity.
        let summaries = self.sparse.as_mut_slice();
        let mut are_missing = false;
        for entity in entities {
            match summaries.get_mut(entity.index() as usize) {
                Some(summary) => *summary = summary.with(storage),
                None => are_missing = true,
            }
        }
        if are_missing {
            for entity in entities {
                self.set_sparse_summary(entity.index(), self.sparse_summary(entity.index()).with(storage));
            }
        }
    }

    /// Removes a sparse set from the masks of these entities. `count` is the number of all sparse sets. If sparse sets may share a bit,
    /// returns false without changes.
    pub(crate) fn remove_from_summaries(&mut self, entities: &[Entity], storage: usize, count: usize) -> bool {
        if SparseMask::default().without(storage, count).is_none() {
            return false;
        }
        for entity in entities {
            if let Some(summary) = self.sparse.get_mut(entity.index() as usize) {
                *summary = summary.without(storage, count).unwrap_or(*summary);
            }
        }
        true
    }

    /// Sets the table of live entities; their rows are unchanged.
    #[inline]
    pub(crate) fn set_table(&mut self, entities: &[Entity], table: TableId) {
        for_each_slot(&mut self.slots, entities, |slot, nth| {
            debug_assert!(slot.generation == entities[nth].generation() && slot.table.0 < TableId::LIMIT);
            slot.table = table;
        });
    }

    /// Claims pending ids, so that only the caller places them. Returns false if an id occurs twice or has been claimed before; then the
    /// ids are not claimed.
    pub(crate) fn claim_pending(&mut self, entities: &[Entity]) -> bool {
        for (number, entity) in entities.iter().enumerate() {
            // The row of a pending id is unused, and no row has the number `u32::MAX`, so this number marks the ids that have been visited.
            let row = &mut self.slots[entity.index() as usize].row;
            if core::mem::replace(row, u32::MAX) == u32::MAX {
                entities[..number].iter().for_each(|entity| self.slots[entity.index() as usize].row = 0);
                return false;
            }
        }
        true
    }

    /// Places pending ids in consecutive rows of a table. `first` is the first row.
    pub(crate) fn place_all(&mut self, entities: &[Entity], table: TableId, first: u32) {
        for (row, &entity) in (first..).zip(entities) {
            debug_assert!(self.is_pending(entity), "only a pending id is placed");
            let slot = &mut self.slots[entity.index() as usize];
            slot.table = table;
            slot.row = row;
            self.lives.note_spawned(entity.index());
        }
        self.live += entities.len() as u32;
    }

    /// Returns whether any entity may be in a sparse set.
    pub(crate) fn has_summaries(&self) -> bool {
        !self.sparse.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::entity::{ClaimError, EntityError};

    #[test]
    fn entities_are_found_wherever_they_lie_in_the_list() {
        let mut entities = Entities::default();
        let mut ids: Vec<Entity> = (0..40).map(|_| entities.allocate().unwrap()).collect();
        for &id in &ids {
            entities.place(id, Location { table: TableId(1), row: 0 });
        }
        // Lists with several runs, with a run that includes the last slot, with a run whose last entity differs, with an end within a run,
        // and shuffled.
        let orders: [fn(&mut Vec<Entity>); 5] = [
            |ids| ids.reverse(),
            |ids| ids.sort_unstable(),
            |ids| ids.swap(7, 39),
            |ids| ids.rotate_left(3),
            |ids| ids.swap(16, 17),
        ];
        for (order, table) in orders.into_iter().zip((2..).map(TableId)) {
            order(&mut ids);
            let (moved, others) = ids.split_at(37);
            entities.relocate_all(moved, table, 5);
            for (row, &id) in (5..).zip(moved) {
                assert_eq!(entities.get(id), Some(Location { table, row }));
            }
            entities.set_table(others, table);
            entities.set_table(moved, TableId(1));
            for (row, &id) in (5..).zip(moved) {
                assert_eq!(entities.get(id), Some(Location { table: TableId(1), row }));
            }
            assert!(others.iter().all(|&id| entities.get(id).is_some_and(|location| location.table == table)));
        }
    }

    const HOME: Location = Location { table: TableId::EMPTY, row: 0 };

    /// Returns an allocator with five entities, of which two were freed.
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
