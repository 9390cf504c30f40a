//! The matching rows of a block, for filters that check rows.
//!
//! Rows are returned in ascending order. They are taken from a list of candidates, or found group by group. The caller gets them in
//! two forms that loops handle efficiently: as *runs* of consecutive rows, and as single rows, which are first collected in a
//! buffer ([`RowBatch`]). With the buffer, the number of rows in a group causes no branch mispredictions.

use core::hint::cold_path;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::slice;

use super::blocks::Block;
use super::fetch::Fetch;
use super::filter::FilterTerms;
use crate::storage::tracking::{GROUP, LoggedRows};

/// Minimum length of a run.
const RUN: u32 = 8;
/// Maximum number of single rows in the buffer.
const FEW: usize = 256;
/// Number of rows of a group that are added without a branch. If one row of a hundred has changed, a group seldom has more matching
/// rows.
const AT_ONCE: usize = 2;

/// Returns whether all rows of a list match, so that they need no check.
#[inline]
fn is_exact<D: Fetch, F: FilterTerms>(logged: LoggedRows<'_>) -> bool {
    F::FACTS.is_sole && !D::PER_ROW && logged.is_exact()
}

/// Returns whether the rows of a group contain a run.
#[inline]
fn has_run(mut rows: u64) -> bool {
    const { assert!(RUN == 8) };
    rows &= rows >> 1;
    rows &= rows >> 2;
    rows &= rows >> 4;
    rows != 0
}

/// Single rows that match, in ascending order.
pub(crate) struct RowBatch {
    rows: [MaybeUninit<u32>; FEW],
    /// Number of initialized entries.
    len: usize,
}

impl RowBatch {
    #[inline]
    pub(crate) fn new() -> Self {
        Self { rows: [const { MaybeUninit::uninit() }; FEW], len: 0 }
    }

    /// Removes all rows.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Returns all rows.
    #[inline]
    pub(crate) fn all(&self) -> &[u32] {
        let rows = &self.rows[..self.len];
        // SAFETY: `push_if` increments `len` only after it has written the entry at `len`, so all entries before `len` are
        // initialized.
        unsafe { slice::from_raw_parts(rows.as_ptr().cast(), rows.len()) }
    }

    /// Makes the rows relative to `first` and returns them. `first` is not greater than any row.
    #[inline]
    pub(crate) fn all_from(&mut self, first: usize) -> &[u32] {
        if first != 0 {
            self.count_from(first);
        }
        self.all()
    }

    /// Makes the rows relative to `first`. Cold, because only parts of tables that several threads share begin at a row greater
    /// than 0.
    #[cold]
    fn count_from(&mut self, first: usize) {
        for row in &mut self.rows[..self.len] {
            // SAFETY: `push_if` increments `len` only after it has written the entry at `len`, so all entries before `len` are
            // initialized.
            row.write(unsafe { row.assume_init() } - first as u32);
        }
    }

    /// Returns whether the buffer has no room for a full group.
    #[inline]
    fn is_full(&self) -> bool {
        self.len > FEW - GROUP
    }

    /// Adds a row if `is_one` is true, without a branch.
    #[inline(always)]
    fn push_if(&mut self, row: usize, is_one: bool) {
        // While there is room, `len % FEW` is `len`. For a power of two the remainder is a bit mask, which avoids a bounds check.
        const { assert!(FEW.is_power_of_two()) };
        self.rows[self.len % FEW].write(row as u32);
        self.len += usize::from(is_one);
    }

    /// Adds the rows `all` of the group that begins with `group`. There must be room for all of them. If they contain a run, adds
    /// no row and returns false.
    #[inline]
    fn push(&mut self, group: usize, all: u64) -> bool {
        let (before, mut rows) = (self.len, all);
        for _ in 0..AT_ONCE {
            self.push_if(group + rows.trailing_zeros() as usize, rows != 0);
            rows &= rows.wrapping_sub(1);
        }
        if rows != 0 && has_run(all) {
            self.len = before;
            return false;
        }
        while rows != 0 {
            self.push_if(group + rows.trailing_zeros() as usize, true);
            rows &= rows - 1;
        }
        true
    }

    /// Adds those rows of the group that match. Always returns true.
    ///
    /// # Safety
    ///
    /// - The rows belong to the block.
    #[inline(always)]
    unsafe fn push_matching<D: Fetch, F: FilterTerms>(
        &mut self,
        block: &Block<'_, D, F>,
        group: usize,
        mut rows: u64,
    ) -> bool {
        while rows != 0 {
            let row = group + rows.trailing_zeros() as usize;
            // SAFETY: forwarded: the row belongs to the block.
            self.push_if(row, unsafe { block.contains_row(row) });
            rows &= rows - 1;
        }
        true
    }
}

/// The matching rows of a block, for queries whose rows have to be checked.
///
/// The iteration steps from group to group, in ascending order. When it reaches a group, it decides which rows of the group match.
/// So no row is returned twice, even if ticks and logs change during the iteration.
#[derive(Clone, Copy)]
pub(crate) struct MatchingRows<'w> {
    /// List of candidate rows, if there is one.
    logged: Option<LoggedRows<'w>>,
    /// Lower bound for the beginning of the next group.
    at: usize,
    /// The first row of the current group. `mask` contains the remaining matching rows of the group.
    group: usize,
    mask: u64,
}

impl<'w> MatchingRows<'w> {
    /// Creates the iteration over all rows of a block.
    #[inline]
    pub(crate) fn of<D: Fetch, F: FilterTerms>(block: &Block<'w, D, F>) -> Self {
        if block.end - block.first != 1 && F::PER_ROW {
            return Self { logged: F::logged(block.filter()), ..Self::unlogged(block) };
        }
        Self::unlogged(block)
    }

    /// Creates the iteration over all rows of a block, without a list of candidates. If the filter checks rows, the block must
    /// begin with a group, unless it is a single row.
    #[inline]
    pub(crate) fn unlogged<D: Fetch, F: FilterTerms>(block: &Block<'w, D, F>) -> Self {
        if block.end - block.first != 1 {
            // Ticks are read a group at a time, and only one iteration may have the rows of a group.
            assert!(!F::PER_ROW || block.first.is_multiple_of(GROUP), "a part of a table begins with a group of rows");
            return Self { logged: None, at: block.first, group: 0, mask: 0 };
        }
        // SAFETY: the block has this row.
        let mask = u64::from(unsafe { block.contains_row(block.first) });
        Self { logged: None, at: block.end, group: block.first, mask }
    }

    /// Steps to the next group with matching rows.
    ///
    /// # Safety
    ///
    /// - The conditions of [`MatchingRows::next_run`] hold.
    #[inline]
    unsafe fn next_group<D: Fetch, F: FilterTerms>(&mut self, block: &Block<'w, D, F>) -> Option<()> {
        if let Some(logged) = self.logged {
            return self.next_logged_group(logged, block);
        }
        while self.at < block.end {
            self.group = if F::PER_ROW { F::skip(block.filter(), self.at, block.end) } else { self.at };
            if self.group >= block.end {
                break;
            }
            self.at = self.group + GROUP;
            // SAFETY: the group begins in the block, after all groups visited so far, so none of its rows has been yielded; the
            // read access is forwarded.
            self.mask = unsafe { block.mask(self.group) };
            if self.mask != 0 {
                return Some(());
            }
        }
        self.at = usize::MAX;
        None
    }

    /// Steps to the next group of the list with matching rows.
    #[inline]
    fn next_logged_group<D: Fetch, F: FilterTerms>(
        &mut self,
        logged: LoggedRows<'w>,
        block: &Block<'w, D, F>,
    ) -> Option<()> {
        while self.at < block.end
            && let Some((group, rows)) = logged.next_group(self.at / GROUP)
        {
            (self.group, self.at) = (group * GROUP, (group + 1) * GROUP);
            self.mask = block.of_list(self.group, rows, is_exact::<D, F>(logged));
            if self.mask != 0 {
                return Some(());
            }
        }
        self.at = usize::MAX;
        None
    }

    /// Returns the end of a run, and steps past the run. The run begins with the first row of the mask and has `count` rows in this
    /// group.
    ///
    /// # Safety
    ///
    /// - The conditions of [`MatchingRows::next_run`] hold.
    unsafe fn end_of_run<D: Fetch, F: FilterTerms>(&mut self, block: &Block<'w, D, F>, count: u32) -> usize {
        let bit = self.mask.trailing_zeros();
        self.mask &= u64::MAX.checked_shl(bit + count).unwrap_or(0);
        let mut end = self.group + (bit + count) as usize;
        while self.mask == 0 && end == self.group + GROUP && end < block.end {
            if self.logged.is_none() {
                // SAFETY: no row from `end` on has been visited; the read access is forwarded.
                let whole = unsafe { block.end_of_matching(end) };
                if whole == block.end {
                    self.at = usize::MAX;
                    return whole;
                }
                (end, self.at) = (whole, whole);
            }
            // SAFETY: forwarded: this is the rest of the block, which may be read.
            if unsafe { self.next_group(block) }.is_none() || self.group != end || self.mask & 1 == 0 {
                break;
            }
            let more = self.mask.trailing_ones();
            self.mask &= u64::MAX.checked_shl(more).unwrap_or(0);
            end += more as usize;
        }
        end
    }

    /// Steps to the next run of consecutive matching rows and returns it.
    ///
    /// # Safety
    ///
    /// - `block` is the block that `self` was made for. The values that the query reads may be read.
    #[inline]
    pub(crate) unsafe fn next_run<D: Fetch, F: FilterTerms>(
        &mut self,
        block: &Block<'w, D, F>,
    ) -> Option<Range<usize>> {
        while self.mask == 0 {
            // SAFETY: forwarded: `self` was made for the block, which may be read.
            unsafe { self.next_group(block) }?;
        }
        let bit = self.mask.trailing_zeros();
        let first = self.group + bit as usize;
        // Adding the lowest set bit carries to the first bit past the run.
        let (sum, reaches_end) = self.mask.overflowing_add(self.mask & self.mask.wrapping_neg());
        if reaches_end {
            cold_path();
            // SAFETY: forwarded: `self` was made for the block, which may be read.
            return Some(first..unsafe { self.end_of_run(block, u64::BITS - bit) });
        }
        self.mask &= sum;
        Some(first..self.group + sum.trailing_zeros() as usize)
    }

    /// Steps to the next matching rows: stores single rows in `few`, and returns the run that follows them. If both are empty,
    /// there are no more matching rows.
    ///
    /// # Safety
    ///
    /// - The conditions of [`MatchingRows::next_run`] hold.
    #[inline(never)]
    pub(crate) unsafe fn next_few<D: Fetch, F: FilterTerms>(
        &mut self,
        block: &Block<'w, D, F>,
        few: &mut RowBatch,
    ) -> Range<usize> {
        few.clear();
        loop {
            if few.push(self.group, self.mask) {
                self.mask = 0;
            }
            while self.mask != 0 {
                let bit = self.mask.trailing_zeros();
                let count = (self.mask >> bit).trailing_ones();
                if count >= RUN {
                    let first = self.group + bit as usize;
                    // SAFETY: forwarded: `self` was made for the block, which may be read.
                    return first..unsafe { self.end_of_run(block, count) };
                }
                let rest = self.mask & u64::MAX << (bit + count);
                few.push(self.group, self.mask ^ rest);
                self.mask = rest;
            }
            if let Some(logged) = self.logged {
                self.few_of_list(logged, block, few);
            }
            // SAFETY: forwarded: `self` was made for the block, which may be read.
            if few.is_full() || unsafe { self.next_group(block) }.is_none() {
                return 0..0;
            }
        }
    }

    /// Adds rows of the list of candidates to `few` until there is a run, or the buffer is full.
    #[inline(always)]
    fn few_of_list<D: Fetch, F: FilterTerms>(
        &mut self,
        logged: LoggedRows<'w>,
        block: &Block<'w, D, F>,
        few: &mut RowBatch,
    ) {
        let exact = is_exact::<D, F>(logged);
        // All rows of the groups before `whole` belong to the block. The group `whole` may contain rows past its end.
        let whole = block.end / GROUP;
        while self.at / GROUP < whole {
            let at = self.at / (GROUP * GROUP);
            let Some(groups) = logged.groups(at) else { return };
            let mut left = groups & u64::MAX << (self.at / GROUP % GROUP);
            while left != 0 {
                let group = at * GROUP + left.trailing_zeros() as usize;
                left &= left - 1;
                let rows = logged.rows(group);
                let done = match group < whole && !few.is_full() {
                    true if exact && !cfg!(debug_assertions) => few.push(group * GROUP, rows),
                    // SAFETY: the group is less than `whole`, so its rows belong to the block.
                    true => !has_run(rows) && unsafe { few.push_matching(block, group * GROUP, rows) },
                    false => false,
                };
                if !done {
                    self.at = group * GROUP;
                    return;
                }
            }
            self.at = (at + 1) * GROUP * GROUP;
        }
    }
}

#[cfg(test)]
mod tests;
