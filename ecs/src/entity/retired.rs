//! Indexes that are retired and have no slot to say so.

use alloc::vec::Vec;

/// Indexes without a slot that are never handed out again, ascending.
#[derive(Debug, Default)]
pub(super) struct Retired(pub(super) Vec<u32>);

impl Retired {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the first retired index is this one. No retired index is below it.
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

    /// The nth index that is not retired, from 0, of those from `bound` on. No retired one is before `bound`.
    #[inline]
    pub(super) fn pass_over(&self, bound: usize, nth: u64) -> u64 {
        match self.is_empty() {
            true => bound as u64 + nth,
            false => self.search(bound as u64, nth),
        }
    }

    #[cold]
    fn search(&self, bound: u64, nth: u64) -> u64 {
        // Of those before a retired index, all but the retired ones before it can be handed out.
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

    /// The inverse of [`Retired::pass_over`], for an index that is not retired.
    pub(super) fn rank(&self, bound: usize, index: u32) -> usize {
        index as usize - bound - self.0.partition_point(|&retired| retired < index)
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.0.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_pass_over_what_is_retired() {
        let retired = Retired([5, 6, 9, 20].into());
        let usable = [4, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22];
        for (nth, &index) in usable.iter().enumerate() {
            assert_eq!(retired.pass_over(4, nth as u64), index);
            assert_eq!(retired.rank(4, index as u32), nth);
        }
        assert_eq!(Retired([4, 5].into()).pass_over(4, 0), 6);
        assert_eq!(Retired::default().pass_over(4, 3), 7);
    }
}
