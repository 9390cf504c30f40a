//! The tick of each row, and the newest of each group of rows.

use alloc::vec::Vec;
use core::ptr::{self, NonNull};

use crate::alloc_error::{AllocError, try_reserve_exact, try_shrink};
use crate::tick::{RunTicks, Tick, TickCell};

/// Rows a group.
pub(crate) const GROUP: usize = 64;
/// Rows a cache line of ticks.
const LINE: usize = 16;
/// How old a tick may be to be new, for comparing many: vector instructions of all machines compare signed numbers only.
#[derive(Clone, Copy)]
struct Age {
    now: u32,
    limit: i32,
}

impl Age {
    const SIGN: u32 = 1 << 31;

    fn of(run_ticks: RunTicks) -> Self {
        let limit = (run_ticks.last_run.age(run_ticks.this_run) ^ Self::SIGN).cast_signed();
        Self { now: run_ticks.this_run.get().wrapping_add(Self::SIGN), limit }
    }

    /// As [`RunTicks::is_new`].
    #[inline]
    fn is_new(self, tick: u32) -> bool {
        self.now.wrapping_sub(tick).cast_signed() < self.limit
    }
}

/// The ticks of some rows.
#[repr(align(64))]
#[derive(Default)]
struct TickLine([TickCell; LINE]);

impl TickLine {
    /// The ticks, while other threads may write some of them.
    #[inline]
    fn load(&self) -> [u32; LINE] {
        core::array::from_fn(|nth| self.0[nth].get().get())
    }

    /// The ticks, all at once.
    ///
    /// # Safety
    ///
    /// - No thread writes to these ticks meanwhile.
    #[inline]
    unsafe fn read(&self) -> [u32; LINE] {
        // SAFETY: a `TickCell` is an `AtomicU32`, which has the layout of a `u32`. No thread writes to them, so that they may
        // be read together, and not one by one as atomics are.
        unsafe { *self.0.as_ptr().cast::<[u32; LINE]>() }
    }
}

/// Whether all rows of a line are new.
#[inline]
fn all_new(ticks: [u32; LINE], age: Age) -> bool {
    // Without a way out in the middle it is a matter of a few vector instructions.
    !ticks.into_iter().fold(false, |old, tick| old | !age.is_new(tick))
}

/// A bit for each row of a line that is new.
#[inline]
fn line_mask(ticks: [u32; LINE], age: Age) -> u64 {
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

/// One tick for each row, and the newest of each group.
#[derive(Default)]
pub(crate) struct RowTicks {
    lines: Vec<TickLine>,
    groups: Vec<TickCell>,
}

/// Sets a cell to the present tick. The cells of many rows are the same, and have it already.
#[inline]
pub(super) fn raise(cell: &TickCell, now: Tick) {
    if cell.get() != now {
        cell.set(now);
    }
}

/// Sets a cell to a tick, unless it has a newer one.
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

    /// Takes over the ticks of so many rows, for which both have room.
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
        // SAFETY: the caller's promise; lines and groups have the same number of rows.
        unsafe {
            self.lines.get_unchecked(row / LINE).0[row % LINE].set(now);
            raise(self.groups.get_unchecked(row / GROUP), now);
        }
    }

    /// As [`RowTicks::mark_range`], but faster.
    ///
    /// # Safety
    ///
    /// - No other thread reads or writes the ticks of these rows meanwhile.
    pub(super) unsafe fn fill(&self, first: usize, count: usize, now: Tick) {
        let rows = &self.lines[first / LINE..(first + count).div_ceil(LINE)];
        debug_assert!(first % LINE + count <= rows.len() * LINE);
        // SAFETY: the rows are within these lines. A `TickCell` is an `AtomicU32`, which has the layout of a `u32` and may be
        // written through a shared reference; no other thread reads or writes them, so that it need not be done one by one.
        unsafe {
            let start = rows.as_ptr().cast::<TickCell>().add(first % LINE).cast_mut().cast::<u32>();
            core::slice::from_raw_parts_mut(start, count).fill(now.get());
        }
        self.groups[first / GROUP..(first + count).div_ceil(GROUP)].iter().for_each(|group| raise(group, now));
    }

    /// Raises the groups of rows, which can then be marked in the cells alone: that of row 0 is here, and the others follow.
    #[inline]
    pub(super) fn raise_groups(&self, first: usize, count: usize, now: Tick) -> NonNull<TickCell> {
        self.groups[first / GROUP..(first + count).div_ceil(GROUP)].iter().for_each(|group| raise(group, now));
        NonNull::from(self.lines.as_slice()).cast()
    }

    /// The row of a cell.
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

    /// The first row from `row` on, which begins a group, that may be new; or `end`.
    #[inline]
    pub(crate) fn skip(&self, row: usize, end: usize, run_ticks: RunTicks) -> usize {
        let groups = &self.groups[row / GROUP..end.div_ceil(GROUP)];
        match groups.iter().position(|group| run_ticks.is_new(group.get())) {
            Some(groups) => row + groups * GROUP,
            None => end,
        }
    }

    /// A bit for each row of the group that begins with `row` that is new. Rows that are not there may count as new.
    #[inline]
    pub(crate) fn mask(&self, row: usize, run_ticks: RunTicks) -> u64 {
        self.mask_of(row, run_ticks, TickLine::load)
    }

    /// As [`RowTicks::mask`], but faster.
    ///
    /// # Safety
    ///
    /// - No thread writes to the ticks of this group meanwhile.
    #[inline]
    pub(crate) unsafe fn mask_unshared(&self, row: usize, run_ticks: RunTicks) -> u64 {
        // SAFETY: the lines are those of the group; the caller's promise.
        self.mask_of(row, run_ticks, |line| unsafe { line.read() })
    }

    #[inline]
    fn mask_of(&self, row: usize, run_ticks: RunTicks, read: impl Fn(&TickLine) -> [u32; LINE]) -> u64 {
        debug_assert!(row.is_multiple_of(GROUP));
        if !run_ticks.is_new(self.groups[row / GROUP].get()) {
            return 0;
        }
        let lines = &self.lines[row / LINE..row / LINE + GROUP / LINE];
        let age = Age::of(run_ticks);
        if lines.iter().fold(true, |all, line| all & all_new(read(line), age)) {
            return u64::MAX;
        }
        let masks = lines.iter().enumerate().map(|(nth, line)| line_mask(read(line), age) << (nth * LINE));
        masks.fold(0, |all, mask| all | mask)
    }

    /// Where the rows end that are all new, from `row` on, which begins a group and is before `end`: this does, too, or is
    /// `end`. It may be said too early.
    pub(crate) fn end_of_new(&self, row: usize, end: usize, run_ticks: RunTicks) -> usize {
        self.end_of(row, end, run_ticks, TickLine::load)
    }

    /// As [`RowTicks::end_of_new`], but faster.
    ///
    /// # Safety
    ///
    /// - No thread writes to the ticks of these rows, nor to those of others of their groups, meanwhile.
    pub(crate) unsafe fn end_of_new_unshared(&self, row: usize, end: usize, run_ticks: RunTicks) -> usize {
        // SAFETY: the lines are those of the groups of the rows; the caller's promise.
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
        let (age, last) = (Age::of(run_ticks), end / GROUP * GROUP);
        let (groups, _) = self.lines[row / LINE..last / LINE].as_chunks::<LINES>();
        let is_new = |group: &[TickLine; LINES]| group.iter().fold(true, |all, line| all & all_new(read(line), age));
        match groups.iter().position(|group| !is_new(group)) {
            Some(groups) => row + groups * GROUP,
            // The rows behind the end have ticks, which mean nothing.
            None if last < end && self.mask_of(last, run_ticks, read) | u64::MAX << (end - last) == u64::MAX => end,
            None => last,
        }
    }

    /// Panics if a row is newer than its group, or than all may be.
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
