//! Logs of changed rows.
//!
//! A log is a set of rows, stored as two levels of bits. The first level has a bit for each row. The second level has a bit for each word
//! of the first level, which is set if the word is not zero. So rows are found in ascending order, regardless of the order in which they
//! were added, in time proportional to their number. One thread at a time changes a log, while others may read it. Until the log is
//! restarted, bits are only added, so a thread that iterates upwards finds each row at most once.

use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use super::rows::GROUP;
use crate::storage::tick::{Tick, TickCell};
use crate::util::alloc_error::{AllocError, try_reserve_exact, try_shrink};

/// A log holds at most one eighth of the rows of the column. A longer log is not worth its cost.
const LOGGED: usize = 8;
/// Bits per word. A word contains the rows of a group.
const BITS: usize = u64::BITS as usize;

/// Rows that have been changed after a tick.
#[derive(Default)]
pub(super) struct ChangeLog {
    pub(super) start: TickCell,
    /// Whether changed rows may be missing.
    pub(super) incomplete: AtomicBool,
    /// Whether the log may contain rows that have not been changed since `start`, because other values were moved into them.
    pub(super) inexact: AtomicBool,
    /// Number of rows in the log.
    len: AtomicUsize,
    /// One bit per row.
    rows: Vec<AtomicU64>,
    /// One bit per word of `rows`. The bit is set if the word is not zero. It may also be set for other words.
    words: Vec<AtomicU64>,
}

impl ChangeLog {
    pub(super) fn grow_to(&mut self, rows: usize) -> Result<(), AllocError> {
        let (words, above) = (rows / BITS, (rows / BITS).div_ceil(BITS));
        let (more, more_above) = (words.saturating_sub(self.rows.len()), above.saturating_sub(self.words.len()));
        try_reserve_exact(&mut self.rows, more)?;
        try_reserve_exact(&mut self.words, more_above)?;
        self.rows.resize_with(words.max(self.rows.len()), AtomicU64::default);
        self.words.resize_with(above.max(self.words.len()), AtomicU64::default);
        Ok(())
    }

    pub(super) fn shrink_to(&mut self, rows: usize) {
        self.begin(self.start.get());
        *self.incomplete.get_mut() = true;
        self.rows.truncate(rows / BITS);
        self.words.truncate((rows / BITS).div_ceil(BITS));
        try_shrink(&mut self.rows);
        try_shrink(&mut self.words);
    }

    /// Adds the given rows of one word.
    #[inline]
    fn note_word(&self, word: usize, rows: u64) {
        let place = &self.rows[word];
        let before = place.load(Relaxed);
        let new = rows & !before;
        if new == 0 {
            return;
        }
        if before == 0 {
            let above = &self.words[word / BITS];
            above.store(above.load(Relaxed) | 1 << (word % BITS), Relaxed);
        }
        place.store(before | new, Relaxed);
        self.len.store(self.len.load(Relaxed) + new.count_ones() as usize, Relaxed);
    }

    /// Adds a row. Returns whether the log is still within its size limit. Only one thread at a time may call this.
    #[inline]
    pub(super) fn note(&self, row: usize) -> bool {
        self.note_word(row / BITS, 1 << (row % BITS));
        self.len.load(Relaxed) <= self.room()
    }

    /// Adds rows. Returns whether the log is still within its size limit. Only one thread at a time may call this.
    pub(super) fn note_range(&self, first: usize, count: usize) -> bool {
        let (mut row, end) = (first, first + count);
        while row < end {
            let (bit, count) = (row % BITS, (end - row).min(BITS - row % BITS));
            self.note_word(row / BITS, u64::MAX >> (BITS - count) << bit);
            row += count;
        }
        self.len.load(Relaxed) <= self.room()
    }

    /// Returns the maximum number of rows.
    #[inline]
    pub(super) fn room(&self) -> usize {
        (self.rows.len() * BITS / LOGGED).max(GROUP)
    }

    /// Makes this a copy of another log. There must be room for all rows of the other log.
    pub(super) fn copy_from(&self, other: &Self) {
        self.begin(other.start.get());
        for (word, rows) in other.rows.iter().enumerate() {
            let rows = rows.load(Relaxed);
            if rows != 0 {
                self.note_word(word, rows);
            }
        }
        self.incomplete.store(other.incomplete.load(Relaxed), Relaxed);
        self.inexact.store(other.inexact.load(Relaxed), Relaxed);
    }

    /// Empties the log, to record changes after `start`. Only one thread at a time may call this.
    pub(super) fn begin(&self, start: Tick) {
        for (above, words) in self.words.iter().zip(self.rows.chunks(BITS)) {
            let mut left = above.swap(0, Relaxed);
            while left != 0 {
                words[left.trailing_zeros() as usize].store(0, Relaxed);
                left &= left - 1;
            }
        }
        self.len.store(0, Relaxed);
        self.incomplete.store(false, Relaxed);
        self.inexact.store(false, Relaxed);
        self.start.set(start);
    }

    /// Returns whether the log contains all rows that were changed after `tick` and before the next log began.
    #[inline]
    pub(super) fn covers(&self, tick: Tick, now: Tick) -> bool {
        !self.incomplete.load(Relaxed) && self.start.get().age(now) >= tick.age(now)
    }

    /// Returns a word of the second level; `None` past the last word.
    #[inline]
    fn above(&self, at: usize) -> Option<u64> {
        self.words.get(at).map(|word| word.load(Relaxed))
    }

    /// Returns the bits of the rows of a word of the first level; 0 past the last word.
    #[inline]
    fn word(&self, word: usize) -> u64 {
        self.rows.get(word).map_or(0, |rows| rows.load(Relaxed))
    }

    /// Returns whether the log contains a row.
    #[inline]
    pub(super) fn knows(&self, row: usize) -> bool {
        self.word(row / BITS) >> (row % BITS) & 1 != 0
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        (self.rows.capacity() + self.words.capacity()) * size_of::<AtomicU64>()
    }

    /// Panics if a bit of the second level is missing, or if the log contains a row that is not less than `rows`.
    pub(super) fn check_invariants(&self, rows: usize) {
        assert!(self.rows.len() >= rows / BITS, "a log has room for all rows");
        assert_eq!(self.words.len(), self.rows.len().div_ceil(BITS), "a log has a bit for each word");
        for word in 0..self.rows.len() {
            let is_above = self.words[word / BITS].load(Relaxed) >> (word % BITS) & 1 != 0;
            assert!(is_above || self.word(word) == 0, "a log does not lead to its rows from {}", word * BITS);
        }
        let last = self.words.last().map_or(0, |above| above.load(Relaxed));
        let used = self.rows.len() - self.words.len().saturating_sub(1) * BITS;
        assert!(used == BITS || last >> used == 0, "a log leads to rows that there are not");
        let count: u32 = self.rows.iter().map(|rows| rows.load(Relaxed).count_ones()).sum();
        assert_eq!(count as usize, self.len.load(Relaxed), "a log counts its rows");
    }
}

/// A superset of the rows that have been changed since a consumer read the column.
///
/// The logs are read during the iteration, so a row that is added concurrently may or may not be returned. A caller that iterates in
/// ascending order gets no row twice, even if the logs change concurrently.
#[derive(Clone, Copy)]
pub struct LoggedRows<'a> {
    /// The older log, if it is needed.
    pub(super) before: Option<&'a ChangeLog>,
    pub(super) current: &'a ChangeLog,
    pub(super) exact: bool,
}

impl LoggedRows<'_> {
    /// Returns whether all of the rows have been changed, so that their ticks need not be checked.
    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns an upper bound of the number of rows.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.current.len.load(Relaxed) + self.before.map_or(0, |log| log.len.load(Relaxed))
    }

    /// Returns a mask of the 64 groups from `at * 64` on: the bit of a group is set if it may have rows. `None` past the last group.
    #[inline]
    pub(crate) fn groups(&self, at: usize) -> Option<u64> {
        let before = self.before.map_or(0, |log| log.above(at).unwrap_or(0));
        Some(self.current.above(at)? | before)
    }

    /// Returns a mask of the rows of a group.
    #[inline]
    pub(crate) fn rows(&self, group: usize) -> u64 {
        self.current.word(group) | self.before.map_or(0, |log| log.word(group))
    }

    /// Returns the number of the first group from `group` on that has rows, and a mask of its rows.
    #[inline]
    pub(crate) fn next_group(&self, mut group: usize) -> Option<(usize, u64)> {
        loop {
            let left = self.groups(group / BITS)? >> (group % BITS);
            if left == 0 {
                group = (group / BITS + 1) * BITS;
                continue;
            }
            group += left.trailing_zeros() as usize;
            let rows = self.rows(group);
            if rows != 0 {
                return Some((group, rows));
            }
            group += 1;
        }
    }

    /// Returns the first row that is not less than `row`.
    pub(crate) fn next_row(&self, row: usize) -> Option<usize> {
        let (mut group, mut rows) = self.next_group(row / GROUP)?;
        if group == row / GROUP {
            rows &= u64::MAX << (row % GROUP);
            if rows == 0 {
                (group, rows) = self.next_group(group + 1)?;
            }
        }
        Some(group * GROUP + rows.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(rows: usize) -> ChangeLog {
        let mut log = ChangeLog::default();
        log.grow_to(rows).unwrap();
        log
    }

    fn rows(before: Option<&ChangeLog>, current: &ChangeLog) -> Vec<usize> {
        let logged = LoggedRows { before, current, exact: false };
        core::iter::successors(logged.next_row(0), |row| logged.next_row(row + 1)).collect()
    }

    #[test]
    fn rows_come_in_ascending_order_and_once_whatever_the_order_in_which_they_were_noted() {
        let (before, current) = (log(20_032), log(20_032));
        for row in [20_031, 4095, 4096, 0, 63, 64, 9000, 63] {
            assert!(current.note(row));
        }
        assert!(before.note_range(60, 70) && before.note(4097));
        assert_eq!(rows(None, &current), [0, 63, 64, 4095, 4096, 9000, 20_031]);
        let expected: Vec<usize> = [0].into_iter().chain(60..130).chain([4095, 4096, 4097, 9000, 20_031]).collect();
        assert_eq!(rows(Some(&before), &current), expected);
        current.begin(Tick::new(3));
        assert_eq!(rows(None, &current), []);
        current.check_invariants(20_032);
    }

    #[test]
    fn rows_that_come_or_go_meanwhile_make_no_row_come_twice() {
        let log = log(1024);
        assert!([3, 70, 500].into_iter().all(|row| log.note(row)));
        let logged = LoggedRows { before: None, current: &log, exact: false };
        assert_eq!(logged.next_group(0), Some((0, 8)));
        assert!(log.note(1) && log.note(700));
        assert_eq!(logged.next_group(1), Some((1, 64)));
        log.begin(Tick::new(3));
        assert!(log.note(3) && log.note(900));
        assert_eq!(logged.next_group(2), Some((14, 16)));
        assert_eq!(logged.next_group(15), None);
    }

    #[test]
    fn a_log_of_many_rows_is_not_worth_its_while() {
        let log = log(6400);
        assert!((0..800).all(|row| log.note(row * 3)) && log.note(3));
        assert!(!log.note(1));
    }
}
