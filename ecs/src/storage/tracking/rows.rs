//! The tick of each row, and the newest tick of each group of rows.
//!
//! Tests: tests/changes/change_detection/patterns.rs, tests/changes/change_detection/wrapping.rs

use alloc::vec::Vec;
use core::ptr::{self, NonNull};

use crate::storage::tick::{RunTicks, Tick, TickCell};
use crate::util::alloc_error::{AllocError, try_reserve_exact, try_shrink};

/// Rows per group.
pub(crate) const GROUP: usize = 64;
/// Rows per cache line of ticks.
const LINE: usize = 16;
/// The maximum age of a new tick, in a form for comparing many ticks at once. It uses signed comparisons, because only these have vector
/// instructions on all machines.
#[derive(Clone, Copy)]
struct MaxAge {
    now: u32,
    limit: i32,
}

impl MaxAge {
    const SIGN: u32 = 1 << 31;

    fn of(run_ticks: RunTicks) -> Self {
        let limit = (run_ticks.last_run.age(run_ticks.this_run) ^ Self::SIGN).cast_signed();
        Self { now: run_ticks.this_run.get().wrapping_add(Self::SIGN), limit }
    }

    /// Returns whether a tick is new: see [`RunTicks::is_new`].
    #[inline]
    fn is_new(self, tick: u32) -> bool {
        self.now.wrapping_sub(tick).cast_signed() < self.limit
    }
}

/// The ticks of [`LINE`] consecutive rows, one cache line.
#[repr(align(64))]
#[derive(Default)]
struct TickLine([TickCell; LINE]);

impl TickLine {
    /// Reads the ticks one by one. Other threads may write some of them concurrently.
    #[inline]
    fn load(&self) -> [u32; LINE] {
        core::array::from_fn(|nth| self.0[nth].get().get())
    }

    /// Reads all ticks in one non-atomic read.
    ///
    /// # Safety
    ///
    /// - No thread writes to these ticks during the call.
    #[inline]
    unsafe fn read(&self) -> [u32; LINE] {
        // SAFETY: a `TickCell` is an `AtomicU32`, which has the layout of a `u32`. No thread writes to the cells, so they may be
        // read together, non-atomically.
        unsafe { *self.0.as_ptr().cast::<[u32; LINE]>() }
    }
}

/// Returns whether all rows of a line are new.
#[inline]
fn all_new(ticks: [u32; LINE], age: MaxAge) -> bool {
    // The fold has no early exit, so that it compiles to a few vector instructions.
    !ticks.into_iter().fold(false, |old, tick| old | !age.is_new(tick))
}

/// Returns a mask of the new rows of a line.
#[inline]
fn line_mask(ticks: [u32; LINE], age: MaxAge) -> u64 {
    let mut new = [0u8; LINE];
    for (new, tick) in new.iter_mut().zip(ticks) {
        *new = u8::from(age.is_new(tick));
    }
    let [low, high] = [0, LINE / 2].map(|at| {
        let half = core::array::from_fn(|nth| new[at + nth]);
        // Packs the lowest bits of eight bytes into one byte: byte `i` is at bit `8 * i`, and the product adds `56 - 7 * i`.
        u64::from_le_bytes(half).wrapping_mul(0x0102_0408_1020_4080) >> 56
    });
    low | high << 8
}

/// One tick per row, and the newest tick of each group.
#[derive(Default)]
pub(crate) struct RowTicks {
    lines: Vec<TickLine>,
    groups: Vec<TickCell>,
}

/// Sets a cell to the current tick. Many rows share a cell, so it usually has that tick already. Checking this first avoids the store.
#[inline]
pub(super) fn raise(cell: &TickCell, now: Tick) {
    if cell.get() != now {
        cell.set(now);
    }
}

/// Sets a cell to a tick, unless the cell has a newer tick.
#[inline]
pub(super) fn raise_to(cell: &TickCell, tick: Tick, now: Tick) {
    cell.update(|before| if tick.age(now) < before.age(now) { tick } else { before });
}

impl RowTicks {
    pub(super) fn grow_to(&mut self, rows: usize) -> Result<(), AllocError> {
        let more = (rows / LINE).saturating_sub(self.lines.len());
        try_reserve_exact(&mut self.lines, more)?;
        let more = (rows / GROUP).saturating_sub(self.groups.len());
        try_reserve_exact(&mut self.groups, more)?;
        self.lines.resize_with((rows / LINE).max(self.lines.len()), TickLine::default);
        self.groups.resize_with((rows / GROUP).max(self.groups.len()), TickCell::default);
        Ok(())
    }

    /// Copies the ticks of the first `rows` rows. Both must have room for this number of rows.
    pub(super) fn copy_from(&self, other: &Self, rows: usize) {
        let lines = self.lines[..rows.div_ceil(LINE)].iter().zip(&other.lines[..rows.div_ceil(LINE)]);
        lines.flat_map(|(own, other)| own.0.iter().zip(&other.0)).for_each(|(own, other)| own.set(other.get()));
        let groups = self.groups[..rows.div_ceil(GROUP)].iter().zip(&other.groups[..rows.div_ceil(GROUP)]);
        groups.for_each(|(own, other)| own.set(other.get()));
    }

    pub(super) fn shrink_to(&mut self, rows: usize) {
        self.lines.truncate(rows / LINE);
        self.groups.truncate(rows / GROUP);
        try_shrink(&mut self.lines);
        try_shrink(&mut self.groups);
    }

    #[inline]
    pub(super) fn cell(&self, row: usize) -> &TickCell {
        &self.lines[row / LINE].0[row % LINE]
    }

    /// # Safety
    ///
    /// - There is room for the row.
    #[inline]
    pub(super) unsafe fn mark(&self, row: usize, now: Tick) {
        debug_assert!(row / LINE < self.lines.len() && row / GROUP < self.groups.len());
        // SAFETY: forwarded: there is room for the row; lines and groups have the same number of rows.
        unsafe {
            self.lines.get_unchecked(row / LINE).0[row % LINE].set(now);
            raise(self.groups.get_unchecked(row / GROUP), now);
        }
    }

    /// Like [`RowTicks::mark_range`], with non-atomic writes.
    ///
    /// # Safety
    ///
    /// - No other thread reads or writes the ticks of these rows during the call.
    pub(super) unsafe fn fill(&self, first: usize, count: usize, now: Tick) {
        let rows = &self.lines[first / LINE..(first + count).div_ceil(LINE)];
        debug_assert!(first % LINE + count <= rows.len() * LINE);
        // SAFETY: the rows are within these lines. A `TickCell` is an `AtomicU32`, which has the layout of a `u32` and may be
        // written through a shared reference. No other thread reads or writes the cells, so they may be written together,
        // non-atomically.
        unsafe {
            let start = rows.as_ptr().cast::<TickCell>().add(first % LINE).cast_mut().cast::<u32>();
            core::slice::from_raw_parts_mut(start, count).fill(now.get());
        }
        self.groups[first / GROUP..(first + count).div_ceil(GROUP)].iter().for_each(|group| raise(group, now));
    }

    /// Sets the groups of these rows to `now`. Afterwards a row can be marked by writing only its cell. Returns the cell of row 0; the
    /// cells of the other rows follow it.
    #[inline]
    pub(super) fn raise_groups(&self, first: usize, count: usize, now: Tick) -> NonNull<TickCell> {
        self.groups[first / GROUP..(first + count).div_ceil(GROUP)].iter().for_each(|group| raise(group, now));
        NonNull::from(self.lines.as_slice()).cast()
    }

    /// Returns the row to which a cell belongs.
    pub(super) fn row_of(&self, cell: &TickCell) -> usize {
        (ptr::from_ref(cell).addr() - self.lines.as_ptr().addr()) / size_of::<TickCell>()
    }

    pub(super) fn mark_range(&self, first: usize, count: usize, now: Tick) {
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

    pub(super) fn carry(&self, row: usize, tick: Tick, now: Tick) {
        self.cell(row).set(tick);
        raise_to(&self.groups[row / GROUP], tick, now);
    }

    /// Returns the first row of the first group, from `row` on, that may have new rows; `end` if there is no such group. `row` must be the
    /// first row of a group.
    #[inline]
    pub(crate) fn skip(&self, row: usize, end: usize, run_ticks: RunTicks) -> usize {
        let groups = &self.groups[row / GROUP..end.div_ceil(GROUP)];
        match groups.iter().position(|group| run_ticks.is_new(group.get())) {
            Some(groups) => row + groups * GROUP,
            None => end,
        }
    }

    /// Returns a mask of the new rows of the group that begins with `row`. Rows that do not exist may count as new.
    #[inline]
    pub(crate) fn mask(&self, row: usize, run_ticks: RunTicks) -> u64 {
        self.mask_of(row, run_ticks, TickLine::load)
    }

    /// Like [`RowTicks::mask`], with non-atomic reads.
    ///
    /// # Safety
    ///
    /// - No thread writes to the ticks of this group during the call.
    #[inline]
    pub(crate) unsafe fn mask_unshared(&self, row: usize, run_ticks: RunTicks) -> u64 {
        // SAFETY: forwarded: no thread writes to the ticks of the group, to which the lines belong.
        self.mask_of(row, run_ticks, |line| unsafe { line.read() })
    }

    #[inline]
    fn mask_of(&self, row: usize, run_ticks: RunTicks, read: impl Fn(&TickLine) -> [u32; LINE]) -> u64 {
        debug_assert!(row.is_multiple_of(GROUP));
        if !run_ticks.is_new(self.groups[row / GROUP].get()) {
            return 0;
        }
        let lines = &self.lines[row / LINE..row / LINE + GROUP / LINE];
        let age = MaxAge::of(run_ticks);
        if lines.iter().fold(true, |all, line| all & all_new(read(line), age)) {
            return u64::MAX;
        }
        let masks = lines.iter().enumerate().map(|(nth, line)| line_mask(read(line), age) << (nth * LINE));
        masks.fold(0, |all, mask| all | mask)
    }

    /// Returns the end of the sequence of consecutive new rows that begins with `row`. `row` must be the first row of a group and less than
    /// `end`. The result is the first row of a group or `end`. It may be lower than the true end.
    pub(crate) fn end_of_new(&self, row: usize, end: usize, run_ticks: RunTicks) -> usize {
        self.end_of(row, end, run_ticks, TickLine::load)
    }

    /// Like [`RowTicks::end_of_new`], with non-atomic reads.
    ///
    /// # Safety
    ///
    /// - No thread writes to the ticks of these rows, or of other rows of their groups, during the call.
    pub(crate) unsafe fn end_of_new_unshared(&self, row: usize, end: usize, run_ticks: RunTicks) -> usize {
        // SAFETY: forwarded: no thread writes to the ticks of the groups of these rows, to which the lines belong.
        self.end_of(row, end, run_ticks, |line| unsafe { line.read() })
    }

    #[inline(always)]
    fn end_of(
        &self,
        row: usize,
        end: usize,
        run_ticks: RunTicks,
        read: impl Fn(&TickLine) -> [u32; LINE] + Copy,
    ) -> usize {
        debug_assert!(row.is_multiple_of(GROUP) && row < end);
        const LINES: usize = GROUP / LINE;
        let (age, last) = (MaxAge::of(run_ticks), end / GROUP * GROUP);
        let (groups, _) = self.lines[row / LINE..last / LINE].as_chunks::<LINES>();
        let is_new = |group: &[TickLine; LINES]| group.iter().fold(true, |all, line| all & all_new(read(line), age));
        match groups.iter().position(|group| !is_new(group)) {
            Some(groups) => row + groups * GROUP,
            // The ticks of the rows from `end` on are unspecified, so these rows count as new.
            None if last < end && self.mask_of(last, run_ticks, read) | u64::MAX << (end - last) == u64::MAX => end,
            None => last,
        }
    }

    /// Panics if the tick of a row is newer than the tick of its group, or newer than `newest`.
    pub(super) fn check_row(&self, row: usize, newest: Tick, now: Tick) {
        let (tick, group) = (self.cell(row).get(), self.groups[row / GROUP].get());
        assert!(tick.age(now) >= group.age(now), "row {row} is newer than its group");
        assert!(tick.age(now) >= newest.age(now), "row {row} is newer than its column");
    }

    pub(super) fn clamp(&self, now: Tick) {
        let cells = self.lines.iter().flat_map(|line| &line.0).chain(&self.groups);
        cells.for_each(|cell| cell.clamp(now));
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.lines.capacity() * size_of::<TickLine>() + self.groups.capacity() * size_of::<TickCell>()
    }
}
