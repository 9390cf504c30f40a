//! Frees the slots of dead indexes.
//!
//! Without its slot, the past generations of an index are unknown. So all indexes without a slot start with the same generation, which is
//! at least as high as the next generation of each index whose slot was given back: no old id becomes valid again. An index whose
//! generation would make it too high is retired.

use core::num::NonZeroU32;

use super::{Entities, Slot, TableId};
use crate::entity::SparseMask;
use crate::util::alloc_error::try_shrink;

/// An index with a higher generation is retired when its slot is given back. Otherwise all indexes would start with that generation and
/// soon be used up.
const HIGHEST: u32 = u32::MAX / 2;

impl Entities {
    /// Frees the slots after the last live index, and all spare capacity. Indexes without a slot whose generation exceeds [`HIGHEST`] are
    /// never handed out again. No id may be reserved at this time. `O(indexes)`.
    pub(crate) fn shrink_to_fit(&mut self) {
        debug_assert!(!self.needs_flush(), "flush before shrinking");
        let behind = |is_kept: &dyn Fn(&Slot) -> bool| self.slots.iter().rposition(is_kept).map_or(0, |last| last + 1);
        let mut kept = behind(&|slot| slot.table != TableId::NONE);
        let last = behind(&|slot| !can_go(slot));
        if !self.retired.list(&self.slots, kept, |slot| !can_go(slot)) {
            kept = last;
        }
        for slot in self.slots[kept..].iter().filter(|slot| can_go(slot)) {
            if let Some(generation) = NonZeroU32::new(slot.generation) {
                self.first_generation = self.first_generation.max(generation);
            }
        }
        self.slots.truncate(kept);
        self.free.retain(|&index| (index as usize) < kept);
        self.number_free(0..self.free.len());
        *self.cursor.get_mut() = self.free.len() as i64;
        let summaries = self.sparse.iter().rposition(|&summary| summary != SparseMask::default());
        self.sparse.truncate(summaries.map_or(0, |last| last + 1));
        self.lives.shrink_to(kept);
        self.streams.shrink();
        self.retired.shrink();
        try_shrink(&mut self.slots);
        try_shrink(&mut self.free);
        try_shrink(&mut self.sparse);
    }
}

/// Whether no entity has this index and its generation can be the first one of indexes without a slot.
fn can_go(slot: &Slot) -> bool {
    slot.table == TableId::NONE && slot.generation != 0 && slot.generation <= HIGHEST
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::entity::{Entity, EntityError, Location};

    /// Entities with these generations, all alive.
    fn living(generations: &[u32]) -> (Entities, Vec<Entity>) {
        let mut entities = Entities::default();
        let ids = generations.iter().enumerate().map(|(index, &generation)| {
            let entity = Entity::new(index as u32, NonZeroU32::new(generation).unwrap());
            entities.allocate_at(entity, 0).unwrap();
            entities.place(entity, Location { table: TableId::EMPTY, row: index as u32 });
            entity
        });
        let ids = ids.collect();
        (entities, ids)
    }

    #[test]
    fn an_index_that_was_given_back_begins_above_every_generation_it_had() {
        let (mut entities, ids) = living(&[1, 7, 3]);
        ids[1..].iter().for_each(|&id| entities.free(id));
        entities.shrink_to_fit();
        entities.check_invariants();
        assert_eq!((entities.index_bound(), entities.len()), (1, 1));
        assert_eq!(entities.why_not(ids[2]), EntityError::Despawned(ids[2].into()));
        assert_eq!(entities.allocate_at(ids[1], 10), Err(EntityError::Despawned(ids[1].into())));
        let later = Entity::new(2, NonZeroU32::new(9).unwrap());
        assert_eq!(entities.why_not(later), EntityError::Unknown(later));
        let reserved = entities.reserve().unwrap();
        assert_eq!((reserved.index(), reserved.generation()), (1, 8));
        assert_eq!(entities.why_not(reserved), EntityError::Reserved(reserved));
        assert_eq!(entities.next_reserved(), Some(reserved));
        assert_eq!(entities.allocate(), Ok(Entity::new(2, NonZeroU32::new(8).unwrap())));
        entities.allocate_at(Entity::new(5, NonZeroU32::new(8).unwrap()), 10).unwrap();
        assert_eq!(entities.reserve().unwrap(), Entity::new(4, NonZeroU32::new(8).unwrap()));
        assert_eq!(entities.why_not(Entity::PLACEHOLDER), EntityError::Unknown(Entity::PLACEHOLDER));
    }

    #[test]
    fn the_order_of_the_remaining_free_indexes_stays() {
        let (mut entities, ids) = living(&[1; 6]);
        [5, 2, 0, 4, 1].iter().for_each(|&at| entities.free(ids[at]));
        entities.shrink_to_fit();
        entities.check_invariants();
        assert_eq!((entities.index_bound(), &entities.free[..]), (4, &[2, 0, 1][..]));
        assert_eq!(entities.reserve().unwrap().index(), 1);
    }

    /// Allocates ids in all ways, starting with the next one: single, reserved, in rows, from a stream.
    fn hand_out(entities: &mut Entities) -> Vec<Entity> {
        let mut ids = Vec::new();
        for _ in 0..3 {
            assert_eq!(entities.reserve_next().ok(), entities.next_indexes(1).next());
            let id = entities.allocate().unwrap();
            entities.place(id, Location { table: TableId::EMPTY, row: 0 });
            ids.push(id);
        }
        let reserved: Vec<Entity> = entities.reserve_many(3).unwrap().collect();
        for &id in &reserved {
            assert_eq!(entities.why_not(id), EntityError::Reserved(id));
            assert_eq!(entities.next_reserved(), Some(id));
            entities.place(id, Location { table: TableId::EMPTY, row: 0 });
        }
        ids.extend(reserved);
        let indexes: Vec<u32> = entities.next_indexes(4).collect();
        entities.reserve_next_many(4).ok().unwrap();
        entities.allocate_rows(4, Location { table: TableId::EMPTY, row: 0 }, &mut ids);
        assert_eq!(ids[6..].iter().map(|id| id.index()).collect::<Vec<_>>(), indexes);
        entities.open_streams([2].into_iter());
        ids.extend((0..6).map(|_| entities.stream(0).reserve().unwrap()));
        let mut pending = Vec::new();
        entities.close_streams(&mut pending).unwrap();
        assert_eq!(pending, ids[10..]);
        for &id in &pending {
            entities.place(id, Location { table: TableId::EMPTY, row: 0 });
        }
        entities.check_invariants();
        ids
    }

    #[test]
    fn indexes_that_are_too_old_give_back_their_slots_and_are_retired() {
        for old in [&[1][..], &[1, 2, 5], &[0], &[3, 4, 7, 8, 9, 15], &[2, 3, 6, 7, 10, 11, 12, 13, 14]] {
            for generation in [u32::MAX, HIGHEST + 1, HIGHEST] {
                let mut entities = living(&[1]).0;
                let id = |&index: &u32| Entity::new(index + 1, NonZeroU32::new(generation).unwrap());
                let ids: Vec<Entity> = old.iter().map(id).collect();
                for &id in &ids {
                    entities.allocate_at(id, 100).unwrap();
                    entities.place(id, Location { table: TableId::EMPTY, row: 0 });
                }
                entities.free_these(&ids);
                entities.shrink_to_fit();
                entities.check_invariants();
                assert_eq!((entities.index_bound(), entities.first_generation.get()), (1, 1));
                for &id in &ids {
                    let despawned = EntityError::Despawned(id.into());
                    assert_eq!((entities.get(id), entities.why_not(id)), (None, despawned));
                    assert_eq!(entities.allocate_at(id, 100), Err(despawned));
                    let last = Entity::new(id.index(), NonZeroU32::MAX);
                    assert_eq!(entities.allocate_at(last, 100), Err(EntityError::Despawned(last.into())));
                    assert!(entities.claim(&[last], 100).is_err());
                }
                let ids = hand_out(&mut entities);
                let expected: Vec<u32> = (1..).filter(|index| !old.contains(&(index - 1))).take(ids.len()).collect();
                let mut indexes: Vec<u32> = ids.iter().map(|id| id.index()).collect();
                // The ids of the stream come after all earlier ones, and none of them has a retired index.
                let stream = indexes.split_off(10);
                assert_eq!(indexes, expected[..10]);
                assert!(stream.iter().all(|index| expected[10..].contains(index)), "{stream:?}");
            }
        }
    }

    #[test]
    fn an_id_beyond_retired_indexes_can_be_asked_for() {
        let mut entities = living(&[1, 1, u32::MAX, u32::MAX, 1, u32::MAX]).0;
        let ids: Vec<Entity> = (0..6).filter_map(|index| Some(entities.at_index(index)?.0)).collect();
        ids[1..].iter().for_each(|&id| entities.free(id));
        entities.shrink_to_fit();
        assert_eq!(entities.index_bound(), 1);
        let far = Entity::new(4, NonZeroU32::new(9).unwrap());
        assert_eq!(entities.allocate_at(far, 10), Ok(2));
        entities.place(far, Location { table: TableId::EMPTY, row: 0 });
        assert_eq!(entities.free, [1]);
        entities.check_invariants();
        let (next, last) = (Entity::new(6, NonZeroU32::MAX), Entity::new(7, NonZeroU32::MAX));
        let Ok(claimed) = entities.claim(&[last, next], 10) else { panic!("both can be had") };
        entities.release(&[last, next], claimed);
        entities.check_invariants();
        let Ok(claimed) = entities.claim(&[last, next], 10) else { panic!("both can be had") };
        entities.place_claimed(&[last, next], claimed, Location { table: TableId::EMPTY, row: 0 });
        entities.check_invariants();
        assert_eq!((entities.index_bound(), entities.retired.len(), &entities.free[..]), (8, 0, &[1][..]));
    }

    #[test]
    fn retired_indexes_count_as_used_up() {
        let mut entities = living(&[u32::MAX; 4]).0;
        entities.limit = 6;
        let ids: Vec<Entity> = (0..4).filter_map(|index| Some(entities.at_index(index)?.0)).collect();
        entities.free_these(&ids);
        entities.shrink_to_fit();
        assert_eq!((entities.index_bound(), entities.allocated_bytes() < 100), (0, true));
        assert!(entities.reserve_many(3).is_err() && entities.reserve_next_many(3).is_err());
        let reserved: Vec<Entity> = entities.reserve_many(2).unwrap().collect();
        assert!(entities.reserve().is_err());
        assert_eq!(reserved.iter().map(|id| id.index()).collect::<Vec<_>>(), [4, 5]);
        for &id in &reserved {
            assert_eq!(entities.next_reserved(), Some(id));
            entities.place(id, Location { table: TableId::EMPTY, row: 0 });
        }
        assert!(entities.allocate().is_err() && entities.reserve_next().is_err());
        entities.check_invariants();
    }
}
