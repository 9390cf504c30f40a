//! Retired indexes that have no slot.
//!
//! A slot says that its index is retired, so it would have to stay for ever, and with it all slots before it. The slots
//! behind that of the last living entity are given back all the same; the retired indexes among them are listed, and
//! passed over when ids are handed out.

use super::{Entities, Slot, TableId};
use crate::alloc_error::{AllocError, try_reserve, try_shrink};

/// What a slot says of a retired index.
const RETIRED: Slot = Slot { generation: 0, table: TableId::NONE, row: 0 };

impl Entities {
    /// Gives the retired indexes up to the first one that is not a slot each, so that the next new slot is that of an index
    /// which can be handed out. Makes room for `room` slots behind them.
    #[cold]
    pub(in crate::entity) fn pass_retired(&mut self, room: usize) -> Result<(), AllocError> {
        let bound = self.slots.len();
        let passed = self.retired.pass_over(bound, 0) as usize - bound;
        try_reserve(&mut self.slots, passed + room)?;
        self.slots.resize(bound + passed, RETIRED);
        self.retired.0.drain(..passed);
        Ok(())
    }

    /// Says of new slots from `bound` on which are those of retired indexes. These stay listed until
    /// [`Entities::forget_retired`].
    pub(in crate::entity) fn mark_retired(&mut self, bound: usize) {
        if let Some(new) = self.slots.get_mut(bound..) {
            let (listed, count) = (self.retired.0.iter().map(|&index| index as usize - bound), new.len());
            listed.take_while(|&at| at < count).for_each(|at| new[at] = RETIRED);
        }
    }

    /// Takes off the list what has a slot now.
    pub(in crate::entity) fn forget_retired(&mut self) {
        let passed = self.retired.0.partition_point(|&index| (index as usize) < self.slots.len());
        self.retired.0.drain(..passed);
    }

    /// Lists the retired indexes from `kept` on, of slots that are about to be given back. False if there is no memory.
    pub(super) fn list_retired(&mut self, kept: usize, is_retired: impl Fn(&Slot) -> bool) -> bool {
        let slots = &self.slots[kept..];
        let count = slots.iter().filter(|slot| is_retired(slot)).count();
        if try_reserve(&mut self.retired.0, count).is_err() {
            return false;
        }
        let indexes = (kept as u32..).zip(slots).filter(|(_, slot)| is_retired(slot)).map(|(index, _)| index);
        self.retired.0.splice(..0, indexes);
        true
    }

    pub(super) fn shrink_retired(&mut self) {
        try_shrink(&mut self.retired.0);
    }

    /// Panics if the list of retired indexes contradicts the slots.
    pub(super) fn check_retired(&self) {
        assert!(self.retired.0.is_sorted_by(|a, b| a < b), "entities: retired indexes out of order");
        let first = self.retired.0.first().map_or(usize::MAX, |&index| index as usize);
        assert!(first >= self.slots.len(), "entities: a retired index is listed and has a slot");
    }
}
