//! Which rows of a block match, where rows have to be asked.
//!
//! The rows come in ascending order, from a list of those that may match or from group to group. What goes through them gets
//! them as two things that loops are fast over: *runs*, which stand one behind the other, and single rows, of which some are
//! put together first ([`FewRows`]). How many rows a group has is then no longer a matter of a branch that the processor has
//! to guess.

use core::hint::cold_path;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::slice;

use super::blocks::Block;
use super::fetch::Fetch;
use super::filter::FilterTerms;
use crate::tracking::{GROUP, LoggedRows};

/// Rows from so many on are a run.
const RUN: u32 = 8;
/// How many single rows are put together at most.
const FEW: usize = 256;
/// How many rows of a group are put together without a branch. Where one row of a hundred has changed, a group seldom has more.
const AT_ONCE: usize = 2;

/// Whether the rows of a list match without being asked.
#[inline]
fn is_exact<D: Fetch, F: FilterTerms>(logged: LoggedRows<'_>) -> bool {
    F::FACTS.is_sole && !D::PER_ROW && logged.is_exact()
}

/// Whether a run is among the rows of a group.
#[inline]
fn has_run(mut rows: u64) -> bool {
    const { assert!(RUN == 8) };
    rows &= rows >> 1;
    rows &= rows >> 2;
    rows &= rows >> 4;
    rows != 0
}

/// Some rows that match, in ascending order.
pub(crate) struct FewRows {
    rows: [MaybeUninit<u32>; FEW],
    /// How many are initialised, from the first on.
    len: usize,
}

impl FewRows {
    #[inline]
    pub(crate) fn new() -> Self {
        Self { rows: [const { MaybeUninit::uninit() }; FEW], len: 0 }
    }

    /// Removes all rows.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// The rows.
    #[inline]
    pub(crate) fn all(&self) -> &[u32] {
        let rows = &self.rows[..self.len];
        // SAFETY: `push_if` counts a row that it has written to the place behind the last one, so these are initialised.
        unsafe { slice::from_raw_parts(rows.as_ptr().cast(), rows.len()) }
    }

    /// The rows, counted from `first` on, which none of them is before.
    #[inline]
    pub(crate) fn all_from(&mut self, first: usize) -> &[u32] {
        if first != 0 {
            self.count_from(first);
        }
        self.all()
    }

    /// Only parts of tables that several threads share begin behind a first row.
    #[cold]
    fn count_from(&mut self, first: usize) {
        for row in &mut self.rows[..self.len] {
            // SAFETY: as in `all`.
            row.write(unsafe { row.assume_init() } - first as u32);
        }
    }

    /// Whether there is no room for all rows of a group.
    #[inline]
    fn is_full(&self) -> bool {
        self.len > FEW - GROUP
    }

    /// Adds a row, or not.
    #[inline(always)]
    fn push_if(&mut self, row: usize, is_one: bool) {
        // While there is room this is the place behind the last one.
        const { assert!(FEW.is_power_of_two()) };
        self.rows[self.len % FEW].write(row as u32);
        self.len += usize::from(is_one);
    }

    /// Adds rows of the group that begins with `group`, for all of which there must be room. If a run is among them it adds
    /// none, and says false.
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

    /// Adds those of the rows that match. Says true.
    ///
    /// # Safety
    ///
    /// - The rows are rows of the block.
    #[inline(always)]
    unsafe fn push_matching<D: Fetch, F: FilterTerms>(
        &mut self,
        block: &Block<'_, D, F>,
        group: usize,
        mut rows: u64,
    ) -> bool {
        while rows != 0 {
            let row = group + rows.trailing_zeros() as usize;
            // SAFETY: the caller's promise.
            self.push_if(row, unsafe { block.contains_row(row) });
            rows &= rows - 1;
        }
        true
    }
}

/// The rows of a block that match, one after the other: for queries whose rows have to be asked.
///
/// It goes from group to group, in ascending order, and settles which rows of a group match when it comes there. So no row
/// comes twice, whatever happens to ticks and logs meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct MatchingRows<'w> {
    /// Rows that may match, if there is a list.
    logged: Option<LoggedRows<'w>>,
    /// Where the next group begins, at the earliest.
    at: usize,
    /// Where the current group begins, and which of its rows match and are still to come.
    group: usize,
    mask: u64,
}

impl<'w> MatchingRows<'w> {
    /// All rows of a block.
    #[inline]
    pub(crate) fn of<D: Fetch, F: FilterTerms>(block: &Block<'w, D, F>) -> Self {
        if block.end - block.first != 1 && F::PER_ROW {
            return Self { logged: F::logged(block.filter()), ..Self::unlogged(block) };
        }
        Self::unlogged(block)
    }

    /// All rows of a block, without a list. Unless it is a single row, it begins with a group if the filter has to be asked.
    #[inline]
    pub(crate) fn unlogged<D: Fetch, F: FilterTerms>(block: &Block<'w, D, F>) -> Self {
        if block.end - block.first != 1 {
            // Ticks are read a group at a time, and one walk at a time has the rows of a group.
            assert!(!F::PER_ROW || block.first.is_multiple_of(GROUP), "a part of a table begins with a group of rows");
            return Self { logged: None, at: block.first, group: 0, mask: 0 };
        }
        // SAFETY: the block has this row.
        let mask = u64::from(unsafe { block.contains_row(block.first) });
        Self { logged: None, at: block.end, group: block.first, mask }
    }

    /// Goes on to the next group of rows of which any match.
    ///
    /// # Safety
    ///
    /// - As for [`MatchingRows::next_run`].
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
            // SAFETY: a group begins in the block, and it is behind all that this has come to, so no row of it has been given
            // out; the rest is the caller's promise.
            self.mask = unsafe { block.mask(self.group) };
            if self.mask != 0 {
                return Some(());
            }
        }
        self.at = usize::MAX;
        None
    }

    /// Goes on to the next group of rows of the list of which any match.
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

    /// The end of the run that begins with the first row of the mask, which has so many rows of the group. Goes on behind it.
    ///
    /// # Safety
    ///
    /// - As for [`MatchingRows::next_run`].
    unsafe fn end_of_run<D: Fetch, F: FilterTerms>(&mut self, block: &Block<'w, D, F>, count: u32) -> usize {
        let bit = self.mask.trailing_zeros();
        self.mask &= u64::MAX.checked_shl(bit + count).unwrap_or(0);
        let mut end = self.group + (bit + count) as usize;
        while self.mask == 0 && end == self.group + GROUP && end < block.end {
            if self.logged.is_none() {
                // SAFETY: all rows from `end` on are behind those that this has come to; the rest is the caller's promise.
                let whole = unsafe { block.end_of_matching(end) };
                if whole == block.end {
                    self.at = usize::MAX;
                    return whole;
                }
                (end, self.at) = (whole, whole);
            }
            // SAFETY: the caller's promise.
            if unsafe { self.next_group(block) }.is_none() || self.group != end || self.mask & 1 == 0 {
                break;
            }
            let more = self.mask.trailing_ones();
            self.mask &= u64::MAX.checked_shl(more).unwrap_or(0);
            end += more as usize;
        }
        end
    }

    /// The next rows that match and stand one behind the other.
    ///
    /// # Safety
    ///
    /// - This is the rest of the block. What the query reads may be read.
    #[inline]
    pub(crate) unsafe fn next_run<D: Fetch, F: FilterTerms>(
        &mut self,
        block: &Block<'w, D, F>,
    ) -> Option<Range<usize>> {
        while self.mask == 0 {
            // SAFETY: forwarded: this is the rest of the block, which may be read.
            unsafe { self.next_group(block) }?;
        }
        let bit = self.mask.trailing_zeros();
        let first = self.group + bit as usize;
        // Adding the lowest bit that is set carries to the first bit after the run.
        let (sum, reaches_end) = self.mask.overflowing_add(self.mask & self.mask.wrapping_neg());
        if reaches_end {
            cold_path();
            // SAFETY: forwarded: this is the rest of the block, which may be read.
            return Some(first..unsafe { self.end_of_run(block, u64::BITS - bit) });
        }
        self.mask &= sum;
        Some(first..self.group + sum.trailing_zeros() as usize)
    }

    /// The next rows that match: first those in `few`, then those of a run. Without any of them this is the end.
    ///
    /// # Safety
    ///
    /// - As for [`MatchingRows::next_run`].
    #[inline(never)]
    pub(crate) unsafe fn next_few<D: Fetch, F: FilterTerms>(
        &mut self,
        block: &Block<'w, D, F>,
        few: &mut FewRows,
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
                    // SAFETY: the caller's promise.
                    return first..unsafe { self.end_of_run(block, count) };
                }
                let rest = self.mask & u64::MAX << (bit + count);
                few.push(self.group, self.mask ^ rest);
                self.mask = rest;
            }
            if let Some(logged) = self.logged {
                self.few_of_list(logged, block, few);
            }
            // SAFETY: the caller's promise.
            if few.is_full() || unsafe { self.next_group(block) }.is_none() {
                return 0..0;
            }
        }
    }

    /// Goes through the list until there is a run, or there are enough rows.
    #[inline(always)]
    fn few_of_list<D: Fetch, F: FilterTerms>(
        &mut self,
        logged: LoggedRows<'w>,
        block: &Block<'w, D, F>,
        few: &mut FewRows,
    ) {
        let exact = is_exact::<D, F>(logged);
        // All rows of these groups are rows of the block.
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
                    // SAFETY: the group is one of the block.
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
