//! Giving back the books of dead indexes.
//!
//! Without its slot an index has no memory of its past. So there is one generation for all indexes without a slot, at
//! least as high as the next one of each that had one: no id that was handed out before is ever accepted again.

use core::num::NonZeroU32;

use super::{Entities, Slot, TableId};
use crate::alloc_error::try_shrink;
use crate::entity::SparseSummary;

/// A slot with a higher generation is kept: all indexes would otherwise begin with it and soon be used up.
const HIGHEST: u32 = u32::MAX / 2;

impl Entities {
    /// Gives back the slots behind that of the last index that is alive, retired, or older than [`HIGHEST`], and all
    /// spare capacity. Nothing may be reserved at this time. `O(indexes)`.
    pub(crate) fn shrink_to_fit(&mut self) {
        debug_assert!(!self.needs_flush(), "flush before shrinking");
        let kept = self.slots.iter().rposition(|slot| !can_go(slot)).map_or(0, |last| last + 1);
        for slot in &self.slots[kept..] {
            if let Some(generation) = NonZeroU32::new(slot.generation) {
                self.first_generation = self.first_generation.max(generation);
            }
        }
        self.slots.truncate(kept);
        self.free.retain(|&index| (index as usize) < kept);
        *self.cursor.get_mut() = self.free.len() as i64;
        let summaries = self.sparse.iter().rposition(|&summary| summary != SparseSummary::default());
        self.sparse.truncate(summaries.map_or(0, |last| last + 1));
        self.lives.shrink_to(kept);
        self.lanes.shrink();
        try_shrink(&mut self.slots);
        try_shrink(&mut self.free);
        try_shrink(&mut self.sparse);
    }
}

/// Whether nobody lives at this index and its next tenant may begin with a higher generation.
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

    #[test]
    fn an_old_index_keeps_its_slot_and_a_retired_one_too() {
        let (mut entities, ids) = living(&[1, HIGHEST, 1, HIGHEST - 1, 1]);
        ids.iter().for_each(|&id| entities.free(id));
        entities.shrink_to_fit();
        // Index 1 would begin with HIGHEST + 1. That of index 3 may go.
        assert_eq!((entities.index_bound(), entities.first_generation.get()), (2, HIGHEST));
        entities.slots[1].generation = u32::MAX;
        let last = entities.allocate().unwrap();
        assert_eq!(last, Entity::new(1, NonZeroU32::MAX));
        entities.place(last, Location { table: TableId::EMPTY, row: 0 });
        entities.free(last);
        entities.shrink_to_fit();
        assert_eq!((entities.index_bound(), entities.why_not(last)), (2, EntityError::Despawned(last.into())));
        // What begins in the middle can live and die, but is not given back again.
        let [first, second] = core::array::from_fn(|_| entities.allocate().unwrap());
        assert_eq!((first.index(), second), (0, Entity::new(2, NonZeroU32::new(HIGHEST).unwrap())));
        for entity in [first, second] {
            entities.place(entity, Location { table: TableId::EMPTY, row: 0 });
            entities.free(entity);
        }
        entities.shrink_to_fit();
        assert_eq!((entities.index_bound(), entities.first_generation.get()), (3, HIGHEST));
        entities.check_invariants();
    }
}
