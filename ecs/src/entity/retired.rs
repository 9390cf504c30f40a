//! Retired indexes that have no slot.
//!
//! A slot records that its index is retired, so the slot, and all slots before it, would have to be kept for ever. To free the slots past
//! the last live entity nevertheless, the retired indexes among them are listed here. They are skipped when ids are handed out.

use alloc::vec::Vec;

use super::slot::Slot;
use crate::util::alloc_error::{AllocError, try_reserve, try_shrink};

/// Retired indexes without a slot, in ascending order.
#[derive(Debug, Default)]
pub(super) struct RetiredIndexes(pub(super) Vec<u32>);

impl RetiredIndexes {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether an index is the first retired index. No retired index may be lower.
    #[inline]
    pub(super) fn comes_next(&self, index: usize) -> bool {
        self.0.first().is_some_and(|&first| first as usize == index)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn contains(&self, index: u32) -> bool {
        self.0.binary_search(&index).is_ok()
    }

    /// Returns the index at position `nth`, counted from 0, among the indexes from `bound` on that are not retired. No retired index may be
    /// below `bound`.
    #[inline]
    pub(super) fn pass_over(&self, bound: usize, nth: u64) -> u64 {
        match self.is_empty() {
            true => bound as u64 + nth,
            false => self.search(bound as u64, nth),
        }
    }

    #[cold]
    fn search(&self, bound: u64, nth: u64) -> u64 {
        // Before a retired index lie `index - bound` indexes. All of them can be handed out, except the retired ones.
        let (mut low, mut high) = (0, self.0.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if u64::from(self.0[middle]) - bound - middle as u64 <= nth {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        bound + nth + low as u64
    }

    /// Returns the position of an index that is not retired, as the inverse of [`RetiredIndexes::pass_over`].
    pub(super) fn rank(&self, bound: usize, index: u32) -> usize {
        index as usize - bound - self.0.partition_point(|&retired| retired < index)
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.0.capacity() * size_of::<u32>()
    }

    /// Adds slots for the retired indexes that directly follow the existing slots. Afterwards the next new slot belongs to an index that
    /// can be handed out. Also makes room for `room` more slots.
    #[cold]
    pub(super) fn give_slots(&mut self, slots: &mut Vec<Slot>, room: usize) -> Result<(), AllocError> {
        let bound = slots.len();
        let passed = self.pass_over(bound, 0) as usize - bound;
        try_reserve(slots, passed + room)?;
        slots.resize(bound + passed, Slot::RETIRED);
        self.0.drain(..passed);
        Ok(())
    }

    /// Marks the new slots from `bound` on that belong to retired indexes. The indexes stay listed until [`RetiredIndexes::forget`].
    pub(super) fn mark(&self, slots: &mut [Slot], bound: usize) {
        if let Some(new) = slots.get_mut(bound..) {
            let (listed, count) = (self.0.iter().map(|&index| index as usize - bound), new.len());
            listed.take_while(|&at| at < count).for_each(|at| new[at] = Slot::RETIRED);
        }
    }

    /// Removes the indexes below `bound` from the list, because they have slots now.
    pub(super) fn forget(&mut self, bound: usize) {
        let passed = self.0.partition_point(|&index| (index as usize) < bound);
        self.0.drain(..passed);
    }

    /// Adds the retired indexes from `kept` on, whose slots are about to be freed, to the list. Returns false, without changes, if there is
    /// no memory.
    pub(super) fn list(&mut self, slots: &[Slot], kept: usize, is_retired: impl Fn(&Slot) -> bool) -> bool {
        let slots = &slots[kept..];
        let count = slots.iter().filter(|slot| is_retired(slot)).count();
        if try_reserve(&mut self.0, count).is_err() {
            return false;
        }
        let indexes = (kept as u32..).zip(slots).filter(|(_, slot)| is_retired(slot)).map(|(index, _)| index);
        self.0.splice(..0, indexes);
        true
    }

    pub(super) fn shrink(&mut self) {
        try_shrink(&mut self.0);
    }

    /// Panics if the list is inconsistent. `bound` is the number of slots.
    pub(super) fn check(&self, bound: usize) {
        assert!(self.0.is_sorted_by(|a, b| a < b), "entities: retired indexes out of order");
        let first = self.0.first().map_or(usize::MAX, |&index| index as usize);
        assert!(first >= bound, "entities: a retired index is listed and has a slot");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_pass_over_what_is_retired() {
        let retired = RetiredIndexes([5, 6, 9, 20].into());
        let usable = [4, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22];
        for (nth, &index) in usable.iter().enumerate() {
            assert_eq!(retired.pass_over(4, nth as u64), index);
            assert_eq!(retired.rank(4, index as u32), nth);
        }
        assert_eq!(RetiredIndexes([4, 5].into()).pass_over(4, 0), 6);
        assert_eq!(RetiredIndexes::default().pass_over(4, 3), 7);
    }
}
