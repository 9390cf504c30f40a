//! Which rows of a column have been changed, and when: kept from the moment that somebody wants to know.
//!
//! Each row has a tick for when its value was added and one for when it was changed last. They are the truth. Beside them
//! stand two shortcuts to the rows that are new for somebody, so that he need not look at all of them:
//!
//! - for each 64 rows the newest of their ticks, so that groups of rows without changes are passed over;
//! - a log of the rows that have been changed since somebody looked last. A row stands in it once. There are two, since
//!   several may look in turns: the current one begins where somebody looked, and the one before it where somebody looked
//!   before that. A log that would have more than an eighth of the rows is given up until the next one begins: looking at all
//!   ticks costs little more then. Who has not looked since the older of the logs began goes by the groups.
//!
//! The shortcuts may lead to rows that are not new, never past one that is. A log names rows, not entities: whoever brings
//! another value to a row brings its ticks along, and the row is noted if they are newer than the logs.
//!
//! With the feature `track_location` it is known, too, who changed a row last. That goes where the ticks go.
//!
//! Everything is written through shared references, by whoever has the right to change the values. Nobody looks at the
//! ticks of rows while another thread writes them; and threads that write to one column do so in the same run, with one
//! tick, else a group could be left with the older of two.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::alloc_error::{AllocError, try_reserve_exact, try_shrink};
use crate::origin::{Origin, RowOrigins};
use crate::tick::{ComponentTicks, Moment, Span, Tick, TickCell};

/// Rows a group.
pub(crate) const GROUP: usize = 64;
/// Rows a cache line of ticks.
const LINE: usize = 16;
/// A log has room for one row of so many.
const LOGGED: usize = 8;

/// How old a tick may be to be new, for comparing many: vector instructions of all machines compare signed numbers only.
#[derive(Clone, Copy)]
struct Age {
    now: u32,
    limit: i32,
}

impl Age {
    const SIGN: u32 = 1 << 31;

    fn of(span: Span) -> Self {
        let limit = (span.last_run.age(span.this_run) ^ Self::SIGN).cast_signed();
        Self { now: span.this_run.get().wrapping_add(Self::SIGN), limit }
    }

    /// As [`Span::is_new`].
    #[inline]
    fn is_new(self, tick: u32) -> bool {
        self.now.wrapping_sub(tick).cast_signed() < self.limit
    }
}

/// The ticks of some rows.
#[repr(align(64))]
#[derive(Default)]
struct Line([TickCell; LINE]);

impl Line {
    /// The ticks.
    ///
    /// # Safety
    ///
    /// - No thread writes to these ticks meanwhile.
    #[inline]
    unsafe fn read(&self) -> [u32; LINE] {
        // SAFETY: a `TickCell` is an `AtomicU32`, which has the layout of a `u32`. Nobody writes to them, so that they may be
        // read together, and not one by one as atomics are.
        unsafe { *self.0.as_ptr().cast::<[u32; LINE]>() }
    }

    /// Whether all rows are new.
    ///
    /// # Safety
    ///
    /// - No thread writes to these ticks meanwhile.
    #[inline]
    unsafe fn all_new(&self, age: Age) -> bool {
        // SAFETY: the caller's promise.
        let ticks = unsafe { self.read() };
        // Without a way out in the middle it is a matter of a few vector instructions.
        !ticks.into_iter().fold(false, |old, tick| old | !age.is_new(tick))
    }

    /// A bit for each row that is new.
    ///
    /// # Safety
    ///
    /// - No thread writes to these ticks meanwhile.
    #[inline]
    unsafe fn mask(&self, age: Age) -> u64 {
        // SAFETY: the caller's promise.
        let ticks = unsafe { self.read() };
        let mut new = [0u8; LINE];
        for (new, tick) in new.iter_mut().zip(ticks) {
            *new = u8::from(age.is_new(tick));
        }
        let [low, high] = [0, LINE / 2].map(|at| {
            let half = core::array::from_fn(|nth| new[at + nth]);
            // Brings the lowest bits of eight bytes together: byte `i` is at bit `8 * i`, and this adds `56 - 7 * i`.
            u64::from_le_bytes(half).wrapping_mul(0x0102_0408_1020_4080) >> 56
        });
        low | high << 8
    }
}

/// One tick for each row, and the newest of each group.
#[derive(Default)]
pub(crate) struct RowTicks {
    lines: Vec<Line>,
    groups: Vec<TickCell>,
}

/// Sets a cell to the present tick. The cells of many rows are the same, and have it already.
#[inline]
fn raise(cell: &TickCell, now: Tick) {
    if cell.get() != now {
        cell.set(now);
    }
}

/// Sets a cell to a tick, unless it has a newer one.
#[inline]
fn raise_to(cell: &TickCell, tick: Tick, now: Tick) {
    if tick.age(now) < cell.get().age(now) {
        cell.set(tick);
    }
}

impl RowTicks {
    fn grow_to(&mut self, rows: usize) -> Result<(), AllocError> {
        let more = (rows / LINE).saturating_sub(self.lines.len());
        try_reserve_exact(&mut self.lines, more)?;
        let more = (rows / GROUP).saturating_sub(self.groups.len());
        try_reserve_exact(&mut self.groups, more)?;
        self.lines.resize_with((rows / LINE).max(self.lines.len()), Line::default);
        self.groups.resize_with((rows / GROUP).max(self.groups.len()), TickCell::default);
        Ok(())
    }

    fn shrink_to(&mut self, rows: usize) {
        self.lines.truncate(rows / LINE);
        self.groups.truncate(rows / GROUP);
        try_shrink(&mut self.lines);
        try_shrink(&mut self.groups);
    }

    #[inline]
    fn cell(&self, row: usize) -> &TickCell {
        &self.lines[row / LINE].0[row % LINE]
    }

    /// # Safety
    ///
    /// - There is room for the row.
    #[inline]
    unsafe fn mark(&self, row: usize, now: Tick) {
        debug_assert!(row / LINE < self.lines.len() && row / GROUP < self.groups.len());
        // SAFETY: the caller's promise; lines and groups have the same number of rows.
        unsafe {
            self.lines.get_unchecked(row / LINE).0[row % LINE].set(now);
            raise(self.groups.get_unchecked(row / GROUP), now);
        }
    }

    /// # Safety
    ///
    /// - No other thread reads or writes the ticks of these rows meanwhile.
    unsafe fn fill(&self, first: usize, count: usize, now: Tick) {
        let rows = &self.lines[first / LINE..(first + count).div_ceil(LINE)];
        debug_assert!(first % LINE + count <= rows.len() * LINE);
        // SAFETY: the rows are within these lines. A `TickCell` is an `AtomicU32`, which has the layout of a `u32` and may be
        // written through a shared reference; nobody else reads or writes them, so that it need not be done one by one.
        unsafe {
            let start = rows.as_ptr().cast::<TickCell>().add(first % LINE).cast_mut().cast::<u32>();
            core::slice::from_raw_parts_mut(start, count).fill(now.get());
        }
        self.groups[first / GROUP..(first + count).div_ceil(GROUP)].iter().for_each(|group| raise(group, now));
    }

    fn mark_range(&self, first: usize, count: usize, now: Tick) {
        let end = first + count;
        let whole = first.div_ceil(LINE)..end / LINE;
        if whole.start < whole.end {
            (first..whole.start * LINE).for_each(|row| self.cell(row).set(now));
            self.lines[whole.clone()].iter().flat_map(|line| &line.0).for_each(|cell| cell.set(now));
            (whole.end * LINE..end).for_each(|row| self.cell(row).set(now));
        } else {
            (first..end).for_each(|row| self.cell(row).set(now));
        }
        self.groups[first / GROUP..end.div_ceil(GROUP)].iter().for_each(|group| raise(group, now));
    }

    fn carry(&self, row: usize, tick: Tick, now: Tick) {
        self.cell(row).set(tick);
        raise_to(&self.groups[row / GROUP], tick, now);
    }

    /// The first row from `row` on, which begins a group, that may be new; or `end`.
    #[inline]
    fn skip(&self, row: usize, end: usize, span: Span) -> usize {
        let groups = &self.groups[row / GROUP..end.div_ceil(GROUP)];
        match groups.iter().position(|group| span.is_new(group.get())) {
            Some(groups) => row + groups * GROUP,
            None => end,
        }
    }

    /// A bit for each row of the group that begins with `row` that is new. Rows that are not there may count as new.
    ///
    /// # Safety
    ///
    /// - No thread writes to these ticks meanwhile.
    #[inline]
    unsafe fn mask(&self, row: usize, span: Span) -> u64 {
        debug_assert!(row.is_multiple_of(GROUP));
        if !span.is_new(self.groups[row / GROUP].get()) {
            return 0;
        }
        let lines = &self.lines[row / LINE..row / LINE + GROUP / LINE];
        let age = Age::of(span);
        // SAFETY: the caller's promise.
        if lines.iter().fold(true, |all, line| all & unsafe { line.all_new(age) }) {
            return u64::MAX;
        }
        // SAFETY: the caller's promise.
        let masks = lines.iter().enumerate().map(|(nth, line)| unsafe { line.mask(age) } << (nth * LINE));
        masks.fold(0, |all, mask| all | mask)
    }

    fn clamp(&self, now: Tick) {
        let cells = self.lines.iter().flat_map(|line| &line.0).chain(&self.groups);
        cells.for_each(|cell| cell.clamp(now));
    }

    fn allocated_bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>() + self.groups.capacity() * size_of::<TickCell>()
    }
}

/// Rows that have been changed after a tick, in the order of their first change.
#[derive(Default)]
struct Log {
    start: TickCell,
    /// Whether rows are missing.
    incomplete: AtomicBool,
    /// Whether there are rows in it that have not been changed since, as others have come in their places.
    inexact: AtomicBool,
    len: AtomicUsize,
    /// Has room for more than are in it.
    rows: Vec<AtomicU32>,
    /// A bit for each row that is in it.
    known: Vec<AtomicU64>,
}

impl Log {
    fn grow_to(&mut self, rows: usize) -> Result<(), AllocError> {
        let room = (rows / LOGGED).max(GROUP.min(rows));
        let (more_rows, more_bits) =
            (room.saturating_sub(self.rows.len()), (rows / 64).saturating_sub(self.known.len()));
        try_reserve_exact(&mut self.rows, more_rows)?;
        try_reserve_exact(&mut self.known, more_bits)?;
        self.rows.resize_with(room.max(self.rows.len()), AtomicU32::default);
        self.known.resize_with((rows / 64).max(self.known.len()), AtomicU64::default);
        Ok(())
    }

    fn shrink_to(&mut self, rows: usize) {
        self.begin(self.start.get());
        *self.incomplete.get_mut() = true;
        self.rows.truncate((rows / LOGGED).max(GROUP.min(rows)));
        self.known.truncate(rows / 64);
        try_shrink(&mut self.rows);
        try_shrink(&mut self.known);
    }

    /// Adds a row, unless it is there already. Says whether there was room.
    fn note(&self, row: usize) -> bool {
        let (word, bit) = (&self.known[row / 64], 1 << (row % 64));
        let before = word.load(Relaxed);
        if before & bit != 0 {
            return true;
        }
        let len = self.len.load(Relaxed);
        let Some(place) = self.rows.get(len) else { return false };
        word.store(before | bit, Relaxed);
        place.store(row as u32, Relaxed);
        self.len.store(len + 1, Relaxed);
        true
    }

    #[inline]
    fn knows(&self, row: usize) -> bool {
        self.known.get(row / 64).is_some_and(|word| word.load(Relaxed) >> (row % 64) & 1 != 0)
    }

    /// Empties the log, to hold what is changed after a tick.
    fn begin(&self, start: Tick) {
        for row in self.rows() {
            self.known[row.load(Relaxed) as usize / 64].store(0, Relaxed);
        }
        self.len.store(0, Relaxed);
        self.incomplete.store(false, Relaxed);
        self.inexact.store(false, Relaxed);
        self.start.set(start);
    }

    #[inline]
    fn rows(&self) -> &[AtomicU32] {
        &self.rows[..self.len.load(Relaxed)]
    }

    /// Whether everything that has changed after a tick is here, as far as it is not in a log that began later.
    #[inline]
    fn covers(&self, tick: Tick, now: Tick) -> bool {
        !self.incomplete.load(Relaxed) && self.start.get().age(now) >= tick.age(now)
    }

    fn allocated_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<AtomicU32>() + self.known.capacity() * size_of::<AtomicU64>()
    }
}

/// Some rows, among them all that have been changed since somebody has looked. None is there twice.
#[derive(Clone, Copy)]
pub struct LoggedRows<'a> {
    /// Of the older log.
    before: &'a [AtomicU32],
    current: &'a [AtomicU32],
    log: &'a Log,
    exact: bool,
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

/// What is known of the changes of one column.
#[derive(Default)]
pub(crate) struct Tracking {
    added: RowTicks,
    changed: RowTicks,
    logs: [Log; 2],
    /// Which of the logs is the current one.
    current: AtomicUsize,
    /// Whether that is complete so far: rows that are changed are to be noted there.
    notes: AtomicBool,
    /// How many logs in a row have been given up, and how many are not even begun because of that.
    given_up: AtomicU32,
    passed_over: AtomicU32,
    /// When somebody looked last.
    seen: TickCell,
    /// When somebody last had the right to change values: no tick in here is newer.
    visited: TickCell,
    /// When a value was added last.
    last_added: TickCell,
    /// A number of whole groups.
    capacity: usize,
    /// Who changed each row last.
    by: RowOrigins,
}

/// Which of its ticks makes a row new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Which {
    Added,
    Changed,
}

impl Tracking {
    /// For a column with so many rows, which counts as added and changed at a tick.
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

    /// For a column without rows.
    pub(crate) fn empty() -> Self {
        let tracking = Self::default();
        tracking.before().incomplete.store(true, Relaxed);
        // What is changed at the very tick at which the first log begins is noted there, too, and is no newer than that.
        tracking.current().inexact.store(true, Relaxed);
        tracking.notes.store(true, Relaxed);
        tracking
    }

    /// For how many rows there is room.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Makes room for more rows.
    ///
    /// # Errors
    ///
    /// If there is no memory. What was there stays.
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

    /// Gives back the room beyond so many rows, which have no values.
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

    /// To be called before rows are marked: begins a new log if somebody has looked since the current one began.
    #[inline]
    pub(crate) fn visit(&self, now: Tick) {
        self.visited.set(now);
        let seen = self.seen.get();
        if seen != now && seen.is_newer_than(self.current().start.get(), now) {
            self.begin_log(seen);
        }
    }

    #[cold]
    fn begin_log(&self, seen: Tick) {
        let next = (self.current.load(Relaxed) & 1) ^ 1;
        self.logs[next].begin(seen);
        self.current.store(next, Relaxed);
        self.notes.store(true, Relaxed);
        // Where nearly everything changes each time, most logs are not worth their while.
        match self.passed_over.load(Relaxed) {
            0 => {}
            left => {
                self.passed_over.store(left - 1, Relaxed);
                self.stop_notes();
            }
        }
    }

    /// Gives up the current log.
    fn give_up(&self) {
        let given_up = (self.given_up.load(Relaxed) + 1).min(4);
        self.given_up.store(given_up, Relaxed);
        self.passed_over.store((1 << given_up) - 2, Relaxed);
        self.stop_notes();
    }

    fn stop_notes(&self) {
        self.current().incomplete.store(true, Relaxed);
        self.notes.store(false, Relaxed);
    }

    /// Notes in the current log that a row has been changed.
    #[inline]
    fn note(&self, row: usize) {
        if self.notes.load(Relaxed) {
            self.note_new(row);
        }
    }

    #[inline(never)]
    fn note_new(&self, row: usize) {
        if !self.current().note(row) {
            self.give_up();
        }
    }

    #[inline]
    fn current(&self) -> &Log {
        &self.logs[self.current.load(Relaxed) & 1]
    }

    #[inline]
    fn before(&self) -> &Log {
        &self.logs[(self.current.load(Relaxed) & 1) ^ 1]
    }

    /// Notes that a row has been changed.
    ///
    /// # Safety
    ///
    /// - There is room for the row.
    #[inline]
    pub(crate) unsafe fn mark(&self, row: usize, now: Moment) {
        // SAFETY: the caller's promise.
        unsafe { self.changed.mark(row, now.tick) }
        self.by.set(row, now.by);
        self.note(row);
    }

    /// Notes that rows have been changed, for whoever has them to himself.
    ///
    /// # Safety
    ///
    /// - No other thread reads or writes the ticks of these rows meanwhile.
    pub(crate) unsafe fn mark_slice(&self, first: usize, count: usize, now: Moment) {
        // SAFETY: the caller's promise.
        unsafe { self.changed.fill(first, count, now.tick) }
        self.by.set_range(first, count, now.by);
        self.note_range(first, count);
    }

    /// Notes that rows have been changed.
    pub(crate) fn mark_range(&self, first: usize, count: usize, now: Moment) {
        self.visit(now.tick);
        if count != 0 {
            self.changed.mark_range(first, count, now.tick);
            self.by.set_range(first, count, now.by);
            self.note_range(first, count);
        }
    }

    /// Notes that rows have got new values.
    pub(crate) fn add_range(&self, first: usize, count: usize, now: Moment) {
        self.mark_range(first, count, now);
        if count != 0 {
            self.added.mark_range(first, count, now.tick);
            raise(&self.last_added, now.tick);
        }
    }

    /// A log of many is none: who looks goes by the groups.
    fn note_range(&self, first: usize, count: usize) {
        if !self.notes.load(Relaxed) {
            // There is no log.
        } else if count > self.current().rows.len() {
            self.give_up();
        } else {
            (first..first + count).for_each(|row| self.note(row));
        }
    }

    /// The ticks of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> ComponentTicks {
        ComponentTicks { added: self.added.cell(row).get(), changed: self.changed.cell(row).get() }
    }

    /// Who changed a row last.
    #[inline]
    pub(crate) fn changed_by(&self, row: usize) -> Origin {
        self.by.get(row)
    }

    /// Sets who changed a row last.
    #[inline]
    pub(crate) fn set_changed_by(&self, row: usize, by: Origin) {
        self.by.set(row, by);
    }

    /// Gives a row what its value has had in a row of another column.
    pub(crate) fn carry_from(&self, other: &Self, from: usize, to: usize, now: Tick) {
        self.carry(to, other.get(from), now);
        self.by.set(to, other.by.get(from));
    }

    /// Gives a row ticks that its value has had elsewhere. Somebody has come to write at this tick.
    fn carry(&self, row: usize, ticks: ComponentTicks, now: Tick) {
        self.set_added(row, ticks.added, now);
        self.changed.carry(row, ticks.changed, now);
        let (log, before) = (self.current(), self.before());
        let after = |log: &Log| ticks.changed.is_newer_than(log.start.get(), now);
        if !after(log) {
            log.inexact.store(true, Relaxed);
        }
        // Seen from now, the older log need not have begun before: that of a column that was made empty began at no time.
        if after(log) || (!before.incomplete.load(Relaxed) && after(before)) {
            self.note(row);
        }
    }

    /// As [`Tracking::carry_from`], for a value of another row of this column.
    #[inline(never)]
    pub(crate) fn carry_row(&self, from: usize, to: usize) {
        self.carry_from(self, from, to, self.visited.get());
    }

    /// Exchanges the ticks of two rows.
    #[inline(never)]
    pub(crate) fn swap_rows(&self, a: usize, b: usize) {
        let (ticks, by) = (self.get(a), self.by.get(a));
        self.carry_row(b, a);
        self.carry(b, ticks, self.visited.get());
        self.by.set(b, by);
    }

    /// Sets when a row was added, for a value that replaces one of that age.
    pub(crate) fn set_added(&self, row: usize, added: Tick, now: Tick) {
        self.added.carry(row, added, now);
        raise_to(&self.last_added, added, now);
    }

    /// Sets when a row was changed.
    pub(crate) fn set_changed(&self, row: usize, changed: Tick, now: Tick) {
        self.carry(row, ComponentTicks { changed, ..self.get(row) }, now);
    }

    #[inline]
    fn ticks(&self, which: Which) -> &RowTicks {
        match which {
            Which::Added => &self.added,
            Which::Changed => &self.changed,
        }
    }

    /// Notes that somebody looks.
    #[inline]
    pub(crate) fn look(&self, now: Tick) {
        raise_to(&self.seen, now, now);
        // A log that has come to its end was worth its while.
        if self.given_up.load(Relaxed) != 0 && self.notes.load(Relaxed) {
            self.given_up.store(0, Relaxed);
        }
    }

    /// Whether a row is new.
    #[inline]
    pub(crate) fn is_new(&self, which: Which, row: usize, span: Span) -> bool {
        span.is_new(self.ticks(which).cell(row).get())
    }

    /// Whether any row may be new.
    #[inline]
    pub(crate) fn any_new(&self, which: Which, span: Span) -> bool {
        span.is_new(match which {
            Which::Added => self.last_added.get(),
            Which::Changed => self.visited.get(),
        })
    }

    /// The first row from `row` on, which begins a group, that may be new; or `end`.
    #[inline]
    pub(crate) fn skip(&self, which: Which, row: usize, end: usize, span: Span) -> usize {
        self.ticks(which).skip(row, end, span)
    }

    /// A bit for each row of the group that begins with `row` that is new. Rows that are not there may count as new.
    ///
    /// # Safety
    ///
    /// - No thread writes to these ticks meanwhile.
    #[inline]
    pub(crate) unsafe fn mask(&self, which: Which, row: usize, span: Span) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.ticks(which).mask(row, span) }
    }

    /// Rows among which are all that are new, if there is a log of them.
    #[inline]
    pub(crate) fn log(&self, which: Which, span: Span) -> Option<LoggedRows<'_>> {
        let (log, before) = (self.current(), self.before());
        if log.covers(span.last_run, span.this_run) {
            let same = log.start.get() == span.last_run && which == Which::Changed;
            let exact = same && !log.inexact.load(Relaxed);
            return Some(LoggedRows { before: &[], current: log.rows(), log, exact });
        }
        let both = !log.incomplete.load(Relaxed) && before.covers(span.last_run, span.this_run);
        both.then(|| LoggedRows { before: before.rows(), current: log.rows(), log, exact: false })
    }

    /// Brings ticks that are too old to be told from older ones forward.
    pub(crate) fn clamp(&self, now: Tick) {
        self.added.clamp(now);
        self.changed.clamp(now);
        let others = [&self.seen, &self.visited, &self.last_added];
        self.logs.iter().map(|log| &log.start).chain(others).for_each(|cell| cell.clamp(now));
    }

    /// The bytes that this has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let logs: usize = self.logs.iter().map(Log::allocated_bytes).sum();
        let rows = self.added.allocated_bytes() + self.changed.allocated_bytes() + self.by.allocated_bytes();
        size_of::<Self>() + rows + logs
    }
}

/// Whether somebody has asked for the changes of a column of which nothing is known.
#[derive(Default)]
pub(crate) struct Demand(AtomicBool);

/// How often anybody has done so, in any world.
static DEMANDS: AtomicUsize = AtomicUsize::new(0);

impl Demand {
    /// Asks for them: they are known from the next run of a system on.
    #[inline]
    pub(crate) fn ask(&self) {
        if !self.0.swap(true, Relaxed) {
            DEMANDS.fetch_add(1, Relaxed);
        }
    }

    /// Whether somebody has asked.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Relaxed)
    }

    /// How often anybody has asked.
    #[inline]
    pub(crate) fn count() -> usize {
        DEMANDS.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::SystemName;

    #[test]
    fn a_log_leads_to_what_changed_since_somebody_looked() {
        let tick = Tick::new;
        let tracking = Tracking::new(1000, 1000, tick(5)).unwrap();
        let moment = |number| Moment { tick: tick(number), by: Origin::UNKNOWN };
        let span = |last, now| Span { last_run: tick(last), this_run: tick(now), system: SystemName::NONE };
        tracking.look(tick(6));
        tracking.visit(tick(7));
        tracking.mark_range(3, 1, moment(7));
        tracking.mark_range(900, 1, moment(7));
        let logged = tracking.log(Which::Changed, span(6, 8)).unwrap();
        assert_eq!((logged.len(), logged.is_exact()), (2, true));
        tracking.look(tick(8));
        tracking.mark_range(3, 1, moment(9));
        assert_eq!(tracking.log(Which::Changed, span(8, 10)).unwrap().len(), 1);
    }
}
