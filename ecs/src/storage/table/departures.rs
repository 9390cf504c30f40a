//! Records which rows of a table may have got other entities.
//!
//! A reader that has read the entities of a table compares [`Arrangement`]s to find out whether rows have changed since then. For tables
//! with such a reader, a log lists the changed rows. The log has a limited length. If it does not reach back far enough, all rows count as
//! changed. Comparing all rows costs about as much as the operations that have filled the log.
//!
//! Tests: tests/relationships/down.rs, tests/relationships/forests.rs

use alloc::collections::VecDeque;
use core::sync::atomic::{AtomicBool, Ordering};

/// Identifies the assignment of entities to the rows of a table. Equal arrangements of a table mean equal entities, so the list of entities
/// need not be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrangement {
    pub(crate) rows: usize,
    departures: u32,
}

impl Arrangement {
    /// The arrangement of a table that has never had a row.
    pub(crate) const EMPTY: Self = Self { rows: 0, departures: 0 };
}

/// Records which rows are removed or get other entities. Appended rows are not recorded.
#[derive(Default)]
pub(super) struct Departures {
    /// The number of records; wraps around.
    count: u32,
    is_logged: AtomicBool,
    /// The last records. Each record consists of two rows.
    log: VecDeque<[u32; 2]>,
}

impl Departures {
    /// Records that two rows may get other entities, or are removed. The two rows may be equal. `len` is the number of rows of the table.
    #[inline(always)]
    pub(super) fn record(&mut self, rows: [u32; 2], len: usize) {
        self.count = self.count.wrapping_add(1);
        if *self.is_logged.get_mut() {
            self.log(rows, len);
        }
    }

    /// Like [`record`](Self::record), for several pairs of rows.
    pub(super) fn record_each(&mut self, rows: impl ExactSizeIterator<Item = [u32; 2]>, len: usize) {
        if !*self.is_logged.get_mut() || rows.len() >= max_len(len) {
            return self.record_all();
        }
        rows.for_each(|rows| self.record(rows, len));
    }

    /// Records that all rows may get other entities, or are removed.
    pub(super) fn record_all(&mut self) {
        self.count = self.count.wrapping_add(1);
        self.log.clear();
    }

    #[cold]
    #[inline(never)]
    fn log(&mut self, rows: [u32; 2], len: usize) {
        if self.log.len() >= max_len(len) {
            self.log.pop_front();
        }
        if self.log.try_reserve(1).is_err() {
            // This record is lost, so the earlier ones are of no use.
            return self.log.clear();
        }
        self.log.push_back(rows);
    }

    /// Returns the current arrangement of the table. `rows` is its number of rows.
    #[inline]
    pub(super) fn arrangement(&self, rows: usize) -> Arrangement {
        Arrangement { rows, departures: self.count }
    }

    /// Starts the log. It contains all later records.
    pub(super) fn start_log(&self) {
        // Relaxed: records are made through `&mut`, so they happen after this call or before it.
        self.is_logged.store(true, Ordering::Relaxed);
    }

    /// Calls `each` with all rows whose entity may differ from the entity that the row had in the arrangement `before`, and with all rows
    /// that have been added or removed since then. May call `each` more than once with the same row. `rows` is the number of rows of the
    /// table now. The log must have been started before the arrangement `before` was read.
    pub(super) fn for_each_row_since(&self, before: Arrangement, rows: usize, mut each: impl FnMut(u32)) {
        let new = self.count.wrapping_sub(before.departures) as usize;
        match self.log.len().checked_sub(new) {
            Some(known) => {
                self.log.range(known..).flatten().for_each(|&row| each(row));
                (before.rows..rows).for_each(|row| each(row as u32));
            }
            None => (0..rows.max(before.rows)).for_each(|row| each(row as u32)),
        }
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.log.capacity() * size_of::<[u32; 2]>()
    }

    /// Empties the log and releases its memory. Readers that have not read the whole log compare all rows.
    pub(super) fn shrink_to_fit(&mut self) {
        self.log = VecDeque::new();
    }
}

/// Returns the maximum number of records that are kept for a table with `len` rows.
fn max_len(len: usize) -> usize {
    len / 4 + 64
}
