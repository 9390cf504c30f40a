//! Computes which systems have to run before which, directly or transitively.
//!
//! Tests: tests/schedules/schedule/ambiguities.rs

use alloc::vec::Vec;

use fixedbitset::FixedBitSet;

use super::order::Ordering;

/// For each tracked place of an order, by its index: the tracked places that come before it.
pub(super) struct Reachability {
    before: Vec<FixedBitSet>,
}

impl Reachability {
    /// Computes which of `count` tracked places come before which. `number` returns the index of a place, if it is
    /// tracked. `O(places * count)`, in words of 64 bits.
    pub(super) fn of(order: &Ordering, count: usize, number: impl Fn(u32) -> Option<usize>) -> Self {
        // The sets are created empty, which takes no memory.
        let mut all = alloc::vec![FixedBitSet::new(); order.places.len()];
        let mut before = alloc::vec![FixedBitSet::new(); count];
        for place in order.places.iter().copied() {
            let mut reached = core::mem::take(&mut all[place as usize]);
            let own = number(place);
            if own.is_some() || !reached.is_clear() {
                reached.grow(count);
                let mut onward = reached.clone();
                own.into_iter().for_each(|own| onward.insert(own));
                for next in order.successors.of(place) {
                    let next = &mut all[*next as usize];
                    next.grow(count);
                    next.union_with(&onward);
                }
            }
            if let Some(own) = own {
                before[own] = reached;
            }
        }
        Self { before }
    }

    /// Returns whether the first place comes before the second.
    pub(super) fn is_before(&self, first: usize, second: usize) -> bool {
        self.before[second].contains(first)
    }

    /// Returns for each tracked place the places before it.
    #[cfg(feature = "parallel")]
    pub(super) fn into_lists(self) -> Vec<FixedBitSet> {
        self.before
    }
}
