//! Logs of the rows that have been changed.

use alloc::vec::Vec;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};

use super::rows::GROUP;
use crate::alloc_error::{AllocError, try_reserve_exact, try_shrink};
use crate::tick::{Tick, TickCell};

/// A log has room for one row of so many.
const LOGGED: usize = 8;

/// Rows that have been changed after a tick, in the order of their first change.
#[derive(Default)]
pub(super) struct Log {
    pub(super) start: TickCell,
    /// Whether rows are missing.
    pub(super) incomplete: AtomicBool,
    /// Whether there are rows in it that have not been changed since, as others have come in their places.
    pub(super) inexact: AtomicBool,
    /// Whether rows may have come in any order, and are to be sorted before somebody looks.
    pub(super) disorder: AtomicBool,
    pub(super) len: AtomicUsize,
    /// Has room for more than are in it.
    pub(super) rows: Vec<AtomicU32>,
    /// A bit for each row that is in it.
    pub(super) known: Vec<AtomicU64>,
}

impl Log {
    pub(super) fn grow_to(&mut self, rows: usize) -> Result<(), AllocError> {
        let room = (rows / LOGGED).max(GROUP.min(rows));
        let (more_rows, more_bits) =
            (room.saturating_sub(self.rows.len()), (rows / 64).saturating_sub(self.known.len()));
        try_reserve_exact(&mut self.rows, more_rows)?;
        try_reserve_exact(&mut self.known, more_bits)?;
        self.rows.resize_with(room.max(self.rows.len()), AtomicU32::default);
        self.known.resize_with((rows / 64).max(self.known.len()), AtomicU64::default);
        Ok(())
    }

    pub(super) fn shrink_to(&mut self, rows: usize) {
        self.begin(self.start.get());
        *self.incomplete.get_mut() = true;
        self.rows.truncate((rows / LOGGED).max(GROUP.min(rows)));
        self.known.truncate(rows / 64);
        try_shrink(&mut self.rows);
        try_shrink(&mut self.known);
    }

    /// Adds a row, unless it is there already. Says whether there was room. One thread at a time may do this.
    pub(super) fn note(&self, row: usize) -> bool {
        let (word, bit) = (&self.known[row / 64], 1 << (row % 64));
        let before = word.load(Relaxed);
        if before & bit != 0 {
            return true;
        }
        let len = self.len.load(Relaxed);
        let Some(place) = self.rows.get(len) else { return false };
        word.store(before | bit, Relaxed);
        place.store(row as u32, Relaxed);
        // Another thread may go through the rows that were there before.
        self.len.store(len + 1, Release);
        true
    }

    #[inline]
    pub(super) fn knows(&self, row: usize) -> bool {
        self.known.get(row / 64).is_some_and(|word| word.load(Relaxed) >> (row % 64) & 1 != 0)
    }

    /// Empties the log, to hold what is changed after a tick.
    pub(super) fn begin(&self, start: Tick) {
        for row in self.rows() {
            self.known[row.load(Relaxed) as usize / 64].store(0, Relaxed);
        }
        self.len.store(0, Relaxed);
        self.incomplete.store(false, Relaxed);
        self.inexact.store(false, Relaxed);
        self.disorder.store(false, Relaxed);
        self.start.set(start);
    }

    /// Sorts the rows, if need be. One thread at a time may do this, and nobody goes through them meanwhile.
    pub(super) fn sort(&self) {
        if !self.disorder.load(Relaxed) {
            return;
        }
        let mut places = self.rows().iter();
        for (word, known) in self.known.iter().enumerate() {
            let mut left = known.load(Relaxed);
            while left != 0 {
                let Some(place) = places.next() else { break };
                place.store(word as u32 * 64 + left.trailing_zeros(), Relaxed);
                left &= left - 1;
            }
        }
        self.disorder.store(false, Release);
    }

    #[inline]
    pub(super) fn rows(&self) -> &[AtomicU32] {
        &self.rows[..self.len.load(Acquire)]
    }

    /// Whether everything that has changed after a tick is here, as far as it is not in a log that began later.
    #[inline]
    pub(super) fn covers(&self, tick: Tick, now: Tick) -> bool {
        !self.incomplete.load(Relaxed) && self.start.get().age(now) >= tick.age(now)
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<AtomicU32>() + self.known.capacity() * size_of::<AtomicU64>()
    }
}

/// Some rows, among them all that have been changed since somebody has looked. None is there twice.
#[derive(Clone, Copy)]
pub struct LoggedRows<'a> {
    /// Of the older log.
    pub(super) before: &'a [AtomicU32],
    pub(super) current: &'a [AtomicU32],
    pub(super) log: &'a Log,
    pub(super) exact: bool,
}

impl LoggedRows<'_> {
    /// Whether all that exist have been changed.
    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// How many there are at most.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.before.len() + self.current.len()
    }

    /// The next row from `at` on, and where to go on.
    #[inline]
    pub(crate) fn next(&self, mut at: usize) -> Option<(usize, usize)> {
        while let Some(row) = self.before.get(at) {
            let row = row.load(Relaxed) as usize;
            at += 1;
            if !self.log.knows(row) {
                return Some((row, at));
            }
        }
        let row = self.current.get(at - self.before.len())?;
        Some((row.load(Relaxed) as usize, at + 1))
    }
}
