//! The ticks of a whole column.

use alloc::vec::Vec;
use core::hint::spin_loop;
use core::ptr::NonNull;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};

use super::log::{ChangeLog, LoggedRows};
use super::rows::{GROUP, RowTicks, raise, raise_to};
use crate::storage::tick::{CHECK_EVERY, ComponentTicks, RunTicks, Tick, TickCell, WriteStamp};
use crate::util::alloc_error::AllocError;
use crate::util::origin::{Origin, RowOrigins, TRACKED};

/// The ticks and logs of one column.
#[derive(Default)]
pub(crate) struct Tracking {
    added: RowTicks,
    changed: RowTicks,
    logs: [ChangeLog; 2],
    /// Index of the current log.
    current: AtomicUsize,
    /// Whether the current log is active, that is complete so far: changed rows have to be added to it.
    notes: AtomicBool,
    /// Whether a thread is changing the logs (a spin lock).
    busy: AtomicBool,
    /// Number of logs in a row that were given up, and number of logs that will not be activated because of that.
    given_up: AtomicU32,
    passed_over: AtomicU32,
    /// Tick of the last look of a consumer.
    seen: TickCell,
    /// Tick of the last look of a consumer at the column that the first rows came from; used until a consumer looks at this column.
    seen_before: TickCell,
    /// Tick of the last mutable access to values. No tick in the column is newer.
    visited: TickCell,
    /// Tick of the last addition of a value.
    last_added: TickCell,
    /// A multiple of the group size.
    capacity: usize,
    /// The origin of the last change of each row.
    by: RowOrigins,
}

/// The lock on the logs of a column.
struct LogsLock<'a>(&'a AtomicBool);

impl Drop for LogsLock<'_> {
    fn drop(&mut self) {
        self.0.store(false, Release);
    }
}

/// Which tick is compared with the last run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TickKind {
    Added,
    Changed,
}

/// Which changes of a row count as made now, because the row becomes disabled or stops being disabled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renewal {
    /// Changes since this tick, at which the row was disabled, if it stops being disabled.
    pub(crate) since: Option<Tick>,
    /// Changes that no consumer has seen, if the row becomes disabled.
    pub(crate) begins: bool,
}

impl Tracking {
    /// Ticks for a column with `rows` rows, which count as added and changed at `tick`.
    pub(crate) fn new(rows: usize, capacity: usize, tick: Tick) -> Result<Self, AllocError> {
        let mut tracking = Self::empty();
        tracking.grow_to(capacity.max(rows))?;
        if rows != 0 {
            tracking.added.mark_range(0, rows, tick);
            tracking.changed.mark_range(0, rows, tick);
        }
        for cell in [&tracking.visited, &tracking.last_added, &tracking.seen, &tracking.logs[0].start] {
            cell.set(tick);
        }
        Ok(tracking)
    }

    /// Ticks for a column without rows.
    pub(crate) fn empty() -> Self {
        let tracking = Self::default();
        tracking.before().incomplete.store(true, Relaxed);
        // The log is inexact: it also contains changes at the tick at which it begins, although they are not newer than that tick.
        tracking.current().inexact.store(true, Relaxed);
        tracking.notes.store(true, Relaxed);
        tracking
    }

    /// Number of rows that fit without an allocation.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Makes room for more rows.
    ///
    /// # Errors
    ///
    /// If the allocation fails. The ticks are unchanged.
    pub(crate) fn grow_to(&mut self, rows: usize) -> Result<(), AllocError> {
        if rows <= self.capacity {
            return Ok(());
        }
        let Some(rows) = rows.checked_next_multiple_of(GROUP) else { return Err(AllocError::TOO_LARGE) };
        self.added.grow_to(rows)?;
        self.changed.grow_to(rows)?;
        self.logs.iter_mut().try_for_each(|log| log.grow_to(rows))?;
        self.by.grow_to(rows)?;
        self.capacity = rows;
        Ok(())
    }

    /// Makes room for as many rows as another column has room for.
    ///
    /// # Errors
    ///
    /// If the allocation fails. The ticks are unchanged.
    pub(crate) fn grow_as(&mut self, other: &Self) -> Result<(), AllocError> {
        self.grow_to(other.capacity)
    }

    /// Copies the logs and the first `rows` rows of another column. There must be [as much room](Self::grow_as) as there.
    pub(crate) fn copy_from(&mut self, other: &Self, rows: usize) {
        self.added.copy_from(&other.added, rows);
        self.changed.copy_from(&other.changed, rows);
        self.logs.iter().zip(&other.logs).for_each(|(own, other)| own.copy_from(other));
        self.current.store(other.current.load(Relaxed), Relaxed);
        self.notes.store(other.notes.load(Relaxed), Relaxed);
        self.given_up.store(other.given_up.load(Relaxed), Relaxed);
        self.passed_over.store(other.passed_over.load(Relaxed), Relaxed);
        let cells = [
            (&self.seen, &other.seen),
            (&self.seen_before, &other.seen_before),
            (&self.visited, &other.visited),
            (&self.last_added, &other.last_added),
        ];
        cells.into_iter().for_each(|(own, other)| own.set(other.get()));
        if TRACKED {
            (0..rows).for_each(|row| self.by.set(row, other.by.origin(row)));
        }
    }

    /// Releases the memory beyond `rows` rows. Rows from there on have no values.
    pub(crate) fn shrink_to(&mut self, rows: usize) {
        let rows = rows.next_multiple_of(GROUP);
        if rows < self.capacity {
            self.added.shrink_to(rows);
            self.changed.shrink_to(rows);
            self.logs.iter_mut().for_each(|log| log.shrink_to(rows));
            *self.notes.get_mut() = false;
            self.by.shrink_to(rows);
            self.capacity = rows;
        }
    }

    /// Locks the logs. The lock is held for a few steps, which neither wait nor run user code, and is released on unwinding too.
    fn lock_logs(&self) -> LogsLock<'_> {
        while self.busy.swap(true, Acquire) {
            spin_loop();
        }
        LogsLock(&self.busy)
    }

    /// Must be called before rows are marked. Begins a new log if a consumer has looked since the current one began.
    #[inline]
    pub(crate) fn visit(&self, now: Tick) {
        self.visited.set(now);
        if self.is_log_over(now) {
            self.begin_next_log(now);
        }
    }

    /// Several threads may call this at the same time; one of them begins the next log, and the others wait for it.
    #[cold]
    fn begin_next_log(&self, now: Tick) {
        let _lock = self.lock_logs();
        if self.is_log_over(now) {
            self.begin_log(self.seen.get());
        }
    }

    /// Whether a consumer has looked since the current log began.
    #[inline]
    fn is_log_over(&self, now: Tick) -> bool {
        let seen = self.seen.get();
        seen != now && seen.is_newer_than(self.current().start.get(), now)
    }

    fn begin_log(&self, seen: Tick) {
        let next = (self.current.load(Relaxed) & 1) ^ 1;
        let log = &self.logs[next];
        log.begin(seen);
        // If nearly all rows change each time, most logs are not worth their cost, so `passed_over` of them are skipped.
        let passed_over = self.passed_over.load(Relaxed);
        if passed_over != 0 {
            self.passed_over.store(passed_over - 1, Relaxed);
            log.incomplete.store(true, Relaxed);
        }
        self.notes.store(passed_over == 0, Relaxed);
        // The index is stored last: a thread that reads the new index finds an empty log, and knows whether it is active.
        self.current.store(next, Release);
    }

    /// Gives up the current log. The caller must hold the lock.
    #[cold]
    fn give_up(&self) {
        let given_up = (self.given_up.load(Relaxed) + 1).min(4);
        self.given_up.store(given_up, Relaxed);
        self.passed_over.store((1 << given_up) - 2, Relaxed);
        self.current().incomplete.store(true, Relaxed);
        self.notes.store(false, Relaxed);
    }

    /// Adds a changed row to the current log.
    #[inline]
    fn note(&self, row: usize) {
        if self.notes.load(Relaxed) {
            self.note_new(row);
        }
    }

    #[inline(never)]
    fn note_new(&self, row: usize) {
        // A row stays in the current log until the next one begins, which happens before rows are marked. So this test needs no lock.
        if !self.current().knows(row) {
            let _lock = self.lock_logs();
            if self.notes.load(Relaxed) && !self.current().note(row) {
                self.give_up();
            }
        }
    }

    #[inline]
    fn current(&self) -> &ChangeLog {
        &self.logs[self.current.load(Acquire) & 1]
    }

    #[inline]
    fn before(&self) -> &ChangeLog {
        &self.logs[(self.current.load(Acquire) & 1) ^ 1]
    }

    /// Records that a row has been changed.
    ///
    /// # Safety
    ///
    /// - There is room for the row.
    #[inline]
    pub(crate) unsafe fn mark(&self, row: usize, now: WriteStamp) {
        // SAFETY: forwarded: there is room for the row.
        unsafe { self.changed.mark(row, now.tick) }
        self.by.set(row, now.by);
        self.note(row);
    }

    /// As [`Tracking::mark_rows`], with non-atomic writes.
    ///
    /// # Safety
    ///
    /// - No other thread reads or writes the ticks of these rows during the call.
    pub(crate) unsafe fn mark_unshared(&self, first: usize, count: usize, now: WriteStamp) {
        // SAFETY: forwarded: no other thread reads or writes the ticks of these rows during the call.
        unsafe { self.changed.fill(first, count, now.tick) }
        self.by.set_range(first, count, now.by);
        self.note_range(first, count);
    }

    /// Whether no log is active. None becomes active until the next visit.
    #[inline]
    pub(crate) fn is_without_log(&self) -> bool {
        !self.notes.load(Relaxed)
    }

    /// Records in advance that rows may be changed at the tick of a recorded visit, if no log is active. A change of a row then
    /// only has to write the tick of the row. Returns the cell of row 0; the others follow it. No log becomes active until the next
    /// visit.
    #[inline]
    pub(crate) fn mark_in_advance(&self, first: usize, count: usize, now: Tick) -> Option<NonNull<TickCell>> {
        self.is_without_log().then(|| self.changed.raise_groups(first, count, now))
    }

    /// The row to whose last change a cell belongs.
    pub(crate) fn row_of(&self, cell: &TickCell) -> usize {
        self.changed.row_of(cell)
    }

    /// Records that rows have been changed, at the tick of a recorded visit.
    pub(crate) fn mark_rows(&self, first: usize, count: usize, now: WriteStamp) {
        if count != 0 {
            self.changed.mark_range(first, count, now.tick);
            self.by.set_range(first, count, now.by);
            self.note_range(first, count);
        }
    }

    /// Records that rows have been changed.
    pub(crate) fn mark_range(&self, first: usize, count: usize, now: WriteStamp) {
        self.visit(now.tick);
        self.mark_rows(first, count, now);
    }

    /// Records that rows have got new values.
    pub(crate) fn add_range(&self, first: usize, count: usize, now: WriteStamp) {
        self.mark_range(first, count, now);
        if count != 0 {
            self.added.mark_range(first, count, now.tick);
            raise(&self.last_added, now.tick);
        }
    }

    /// Adds changed rows to the current log. A log with too many rows is given up, and consumers use the groups then.
    fn note_range(&self, first: usize, count: usize) {
        if self.notes.load(Relaxed) {
            let _lock = self.lock_logs();
            let log = self.current();
            if self.notes.load(Relaxed) && (count > log.room() || !log.note_range(first, count)) {
                self.give_up();
            }
        }
    }

    /// Sets the ticks of a row. Only consumers that scan all rows find it.
    pub(crate) fn set(&self, row: usize, ticks: ComponentTicks) {
        self.added.cell(row).set(ticks.added);
        self.changed.cell(row).set(ticks.changed);
    }

    /// The ticks of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> ComponentTicks {
        ComponentTicks { added: self.added.cell(row).get(), changed: self.changed.cell(row).get() }
    }

    /// The origin of the last change of a row.
    #[inline]
    pub(crate) fn changed_by(&self, row: usize) -> Origin {
        self.by.origin(row)
    }

    /// Sets the origin of the last change of a row.
    #[inline]
    pub(crate) fn set_changed_by(&self, row: usize, by: Origin) {
        self.by.set(row, by);
    }

    /// Sets the origin of the last change of the row to which a cell belongs.
    #[inline(always)]
    pub(crate) fn set_changed_by_of(&self, cell: &TickCell, by: Origin) {
        if cfg!(feature = "track_location") {
            self.by.set(self.row_of(cell), by);
        }
    }

    /// Copies the ticks and the origin of a row of another column, when its value moves to row `to`.
    pub(crate) fn carry_from(&self, other: &Self, from: usize, to: usize, now: Tick) {
        self.carry(to, other.get(from), now);
        self.by.set(to, other.by.origin(from));
    }

    /// Sets the ticks of a row whose value was moved here, at the tick of a recorded visit.
    fn carry(&self, row: usize, ticks: ComponentTicks, now: Tick) {
        self.set_added(row, ticks.added, now);
        self.changed.carry(row, ticks.changed, now);
        let (log, before) = (self.current(), self.before());
        let is_after = |tick: Tick, log: &ChangeLog| tick.is_newer_than(log.start.get(), now);
        if !is_after(ticks.changed, log) {
            log.inexact.store(true, Relaxed);
        }
        // Both ticks are compared: a caller may have set back the tick of the last change without the tick of the addition.
        let after = |log: &ChangeLog| is_after(ticks.changed, log) || is_after(ticks.added, log);
        // `before` is tested separately, because it need not have begun before the current log: the older log of a column that was created
        // empty never began.
        if after(log) || (!before.incomplete.load(Relaxed) && after(before)) {
            self.note(row);
        }
    }

    /// Tick of the last look of a consumer, at this column or at the one that its first rows came from; the default tick if there
    /// was no look.
    pub(crate) fn last_look(&self) -> Tick {
        let seen = self.seen.get();
        if seen == Tick::default() { self.seen_before.get() } else { seen }
    }

    /// Takes over the last look at the column from which the first rows of this one come.
    pub(crate) fn begin_after(&self, other: &Self) {
        self.seen_before.set(other.last_look());
    }

    /// Marks changes of a row as made now, as `renewal` says. `seen` is the [last look](Self::last_look) at the column in which the
    /// row was.
    pub(crate) fn renew(&self, row: usize, renewal: Renewal, seen: Tick, now: Tick) {
        // If no consumer has looked at the column, all changes are unseen.
        let is_unseen = |tick: Tick| renewal.begins && (seen == Tick::default() || tick.is_newer_than(seen, now));
        let is_renewed =
            |tick: Tick| is_unseen(tick) || renewal.since.is_some_and(|since| tick.age(now) <= since.age(now));
        let old = self.get(row);
        let [added, changed] = [old.added, old.changed].map(|tick| if is_renewed(tick) { now } else { tick });
        if (added, changed) != (old.added, old.changed) {
            self.visit(now);
            self.carry(row, ComponentTicks { added, changed }, now);
        }
    }

    /// As [`Tracking::carry_from`], for a value that moves within this column.
    #[inline(never)]
    pub(crate) fn carry_row(&self, from: usize, to: usize) {
        self.carry_from(self, from, to, self.visited.get());
    }

    /// Swaps the ticks of two rows.
    #[inline(never)]
    pub(crate) fn swap_rows(&self, a: usize, b: usize) {
        let (ticks, by) = (self.get(a), self.by.origin(a));
        self.carry_row(b, a);
        self.carry(b, ticks, self.visited.get());
        self.by.set(b, by);
    }

    /// Sets the tick of a row's addition, for a value that replaces an older one and keeps its tick.
    pub(crate) fn set_added(&self, row: usize, added: Tick, now: Tick) {
        self.added.carry(row, added, now);
        raise_to(&self.last_added, added, now);
    }

    /// Sets the tick of a row's last change.
    pub(crate) fn set_changed(&self, row: usize, changed: Tick, now: Tick) {
        self.carry(row, ComponentTicks { changed, ..self.get(row) }, now);
    }

    /// The ticks of one kind, of all rows.
    #[inline]
    pub(crate) fn ticks(&self, which: TickKind) -> &RowTicks {
        match which {
            TickKind::Added => &self.added,
            TickKind::Changed => &self.changed,
        }
    }

    /// Records that a consumer looks. Systems that run concurrently look in any order; the newest tick counts.
    #[inline]
    pub(crate) fn note_consumer(&self, now: Tick) {
        // The ticks are compared by their age at a tick later than those of all consumers that may look at the same time.
        raise_to(&self.seen, now, now.later(CHECK_EVERY / 4));
        // The log stayed active until a consumer looked, so it was useful: logs that were given up before no longer count.
        if self.given_up.load(Relaxed) != 0 && self.notes.load(Relaxed) {
            self.given_up.store(0, Relaxed);
        }
    }

    /// Whether a row is new.
    #[inline]
    pub(crate) fn is_new(&self, which: TickKind, row: usize, run_ticks: RunTicks) -> bool {
        run_ticks.is_new(self.ticks(which).cell(row).get())
    }

    /// Whether any row may be new.
    #[inline]
    pub(crate) fn any_new(&self, which: TickKind, run_ticks: RunTicks) -> bool {
        run_ticks.is_new(match which {
            TickKind::Added => self.last_added.get(),
            TickKind::Changed => self.visited.get(),
        })
    }

    /// The rows below `len` that were added or changed since the last run.
    pub(crate) fn new_rows(&self, len: usize, run_ticks: RunTicks) -> Vec<u32> {
        let (mut rows, mut row) = (Vec::new(), 0);
        let is_new = |which| self.any_new(which, run_ticks);
        let ticks = [TickKind::Changed, TickKind::Added].map(|which| is_new(which).then(|| self.ticks(which)));
        if ticks.iter().all(Option::is_none) {
            return rows;
        }
        if let Some(logged) = self.log(TickKind::Changed, run_ticks) {
            // The log of changes contains the added rows, too.
            let is_new = |row| ticks.iter().flatten().any(|ticks| run_ticks.is_new(ticks.cell(row).get()));
            rows.reserve(logged.len().min(len));
            while let Some((group, mut mask)) = logged.next_group(row / GROUP) {
                row = group * GROUP;
                while mask != 0 {
                    let found = row + mask.trailing_zeros() as usize;
                    if found < len && (logged.is_exact() || is_new(found)) {
                        rows.push(found as u32);
                    }
                    mask &= mask - 1;
                }
                row += GROUP;
            }
            return rows;
        }
        while row < len {
            row = ticks.iter().flatten().map(|ticks| ticks.skip(row, len, run_ticks)).min().unwrap_or(len);
            if row >= len {
                break;
            }
            let mut mask = ticks.iter().flatten().fold(0, |all, ticks| all | ticks.mask(row, run_ticks));
            if len - row < GROUP {
                mask &= (1 << (len - row)) - 1;
            }
            while mask != 0 {
                rows.push(row as u32 + mask.trailing_zeros());
                mask &= mask - 1;
            }
            row += GROUP;
        }
        rows
    }

    /// A superset of the new rows, if the logs go back far enough.
    #[inline]
    pub(crate) fn log(&self, which: TickKind, run_ticks: RunTicks) -> Option<LoggedRows<'_>> {
        let (current, before) = (self.current(), self.before());
        if current.covers(run_ticks.last_run, run_ticks.this_run) {
            let same = current.start.get() == run_ticks.last_run && which == TickKind::Changed;
            let exact = same && !current.inexact.load(Relaxed);
            return Some(LoggedRows { before: None, current, exact });
        }
        let both = !current.incomplete.load(Relaxed) && before.covers(run_ticks.last_run, run_ticks.this_run);
        both.then_some(LoggedRows { before: Some(before), current, exact: false })
    }

    /// Clamps ticks that are older than the oldest distinguishable age.
    pub(crate) fn clamp(&self, now: Tick) {
        self.added.clamp(now);
        self.changed.clamp(now);
        let others = [&self.seen, &self.seen_before, &self.visited, &self.last_added];
        self.logs.iter().map(|log| &log.start).chain(others).for_each(|cell| cell.clamp(now));
    }

    /// Number of bytes that this has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let logs: usize = self.logs.iter().map(ChangeLog::allocated_bytes).sum();
        let rows = self.added.allocated_bytes() + self.changed.allocated_bytes() + self.by.allocated_bytes();
        size_of::<Self>() + rows + logs
    }
}

mod check;
#[cfg(test)]
mod tests;
