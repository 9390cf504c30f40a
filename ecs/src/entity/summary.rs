//! A cheap answer to which sparse storages may hold an entity.
//!
//! An entity has a summary of 16 bits. The sparse storage with number `n` may hold the entity only if bit `n % 16` is set.

/// Which sparse storages may hold an entity: storage `n` is only asked if bit `n % 16` is set. With up to 16 sparse
/// components in a world the answer is exact.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct SparseSummary(u16);

impl SparseSummary {
    /// Any storage may hold the entity.
    pub(crate) const ALL: Self = Self(u16::MAX);

    /// No storage holds the entity.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The storage with this number may hold the entity as well.
    #[inline]
    #[must_use]
    pub(crate) fn with(self, storage: usize) -> Self {
        Self(self.0 | 1 << (storage % 16))
    }

    /// The storage with this number, of `count` in all, does not hold the entity. None if another one has the same bit.
    #[inline]
    #[must_use]
    pub(crate) fn without(self, storage: usize, count: usize) -> Option<Self> {
        (count <= 16).then_some(Self(self.0 & !(1 << (storage % 16))))
    }

    /// Whether a storage of one may be a storage of the other.
    #[inline]
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The storages of either.
    #[inline]
    #[must_use]
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The storages of this one that cannot be storages of the other.
    #[must_use]
    pub(crate) fn except(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The storages that may be of both.
    #[inline]
    #[must_use]
    pub(crate) fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The numbers of the storages, of `count` in all, that may hold the entity.
    #[inline]
    pub(crate) fn storages(self, count: usize) -> impl Iterator<Item = usize> {
        let mut bits = self.0;
        let mut at = count;
        core::iter::from_fn(move || {
            // Other storages with the same bit, if there are so many.
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

    /// The number of the only storage, of `count` in all, if there is one and no other has its bit.
    #[inline]
    pub(crate) fn only(self, count: usize) -> Option<usize> {
        (self.0.is_power_of_two() && count <= 16).then_some(self.0.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::SparseSummary;
    use alloc::vec::Vec;

    #[test]
    fn a_storage_that_was_added_is_always_among_the_candidates() {
        for storage in 0..100 {
            let summary = SparseSummary::default().with(storage).with(3);
            let candidates: Vec<usize> = summary.storages(100).collect();
            assert!(candidates.contains(&storage) && candidates.len() <= 14, "{candidates:?}");
        }
        assert_eq!(SparseSummary::default().storages(100).count(), 0);
    }
}
