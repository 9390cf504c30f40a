//! Consistency checks of a column's ticks and logs.
//!
//! Tests: tests/model/run.rs

use core::sync::atomic::Ordering::Relaxed;

use super::{ChangeLog, Tracking};
use crate::storage::tick::{ComponentTicks, MAX_AGE, Tick};

impl Tracking {
    /// Panics if the ticks and logs of the given rows, which have values, are inconsistent.
    pub(crate) fn check_invariants(&self, rows: impl Iterator<Item = usize>, now: Tick) {
        assert!(!self.busy.load(Relaxed), "no thread changes the logs");
        self.logs.iter().for_each(|log| log.check_invariants(self.capacity));
        let (current, before) = (self.current(), self.before());
        let is_complete = |log: &ChangeLog| !log.incomplete.load(Relaxed);
        assert_eq!(is_complete(current), self.notes.load(Relaxed), "a log is complete for as long as it takes notes");
        for row in rows {
            assert!(row < self.capacity, "there are ticks for all rows");
            self.added.check_row(row, self.last_added.get(), now);
            self.changed.check_row(row, self.visited.get(), now);
            let ComponentTicks { added, changed } = self.get(row);
            let is_after = |tick: Tick, log: &ChangeLog| tick.is_newer_than(log.start.get(), now);
            let is_new = |log: &ChangeLog| is_after(added, log) || is_after(changed, log);
            if is_complete(current) && is_new(current) {
                assert!(current.knows(row), "the log omits row {row}");
            }
            if is_complete(current) && is_complete(before) && is_new(before) {
                assert!(current.knows(row) || before.knows(row), "both logs omit row {row}");
            }
            let is_exact = is_complete(current) && !current.inexact.load(Relaxed);
            if is_exact && current.knows(row) && current.start.get().age(now) < MAX_AGE {
                assert!(is_after(changed, current), "row {row} is in an exact log and has not been changed");
            }
        }
    }
}
