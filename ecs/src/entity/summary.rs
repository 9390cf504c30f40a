//! A mask of the sparse sets that may contain an entity.
//!
//! Each entity has a mask of 16 bits. The sparse set with index `n` can contain the entity only if bit `n % 16` is set.

/// A mask of sparse sets. The set with index `n` is searched only if bit `n % 16` is set. The mask is exact in a world with up to 16 sparse
/// components.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct SparseMask(u16);

impl SparseMask {
    /// The mask of an entity that may be in any sparse set.
    pub(crate) const ALL: Self = Self(u16::MAX);

    /// Returns whether no sparse set contains the entity.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds the sparse set with this index.
    #[inline]
    #[must_use]
    pub(crate) fn with(self, storage: usize) -> Self {
        Self(self.0 | 1 << (storage % 16))
    }

    /// Removes the sparse set with this index. `count` is the number of all sparse sets. Returns `None` if sparse sets may share a bit.
    #[inline]
    #[must_use]
    pub(crate) fn without(self, storage: usize, count: usize) -> Option<Self> {
        (count <= 16).then_some(Self(self.0 & !(1 << (storage % 16))))
    }

    /// Returns whether a sparse set may be in both masks.
    #[inline]
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the sparse sets of both masks together.
    #[inline]
    #[must_use]
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the sparse sets of this mask that are certainly not in the other mask.
    #[must_use]
    pub(crate) fn except(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the sparse sets that may be in both masks.
    #[inline]
    #[must_use]
    pub(crate) fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the indexes of the sparse sets that may contain the entity. `count` is the number of all sparse sets.
    #[inline]
    pub(crate) fn storages(self, count: usize) -> impl Iterator<Item = usize> {
        let mut bits = self.0;
        let mut at = count;
        core::iter::from_fn(move || {
            // If there are more than 16 sparse sets, a bit stands for every 16th set. The other sets of the current bit come first.
            at += 16;
            if at >= count {
                if bits == 0 {
                    return None;
                }
                at = bits.trailing_zeros() as usize;
                bits &= bits - 1;
            }
            Some(at)
        })
    }

    /// Returns the index of the only sparse set of the mask. `count` is the number of all sparse sets. `None` if the mask does not have
    /// exactly one bit, or if sparse sets may share a bit.
    #[inline]
    pub(crate) fn only(self, count: usize) -> Option<usize> {
        (self.0.is_power_of_two() && count <= 16).then_some(self.0.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::SparseMask;
    use alloc::vec::Vec;

    #[test]
    fn a_storage_that_was_added_is_always_among_the_candidates() {
        for storage in 0..100 {
            let summary = SparseMask::default().with(storage).with(3);
            let candidates: Vec<usize> = summary.storages(100).collect();
            assert!(candidates.contains(&storage) && candidates.len() <= 14, "{candidates:?}");
        }
        assert_eq!(SparseMask::default().storages(100).count(), 0);
    }
}
