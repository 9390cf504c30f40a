//! The ticks of one borrowed value.
//!
//! Tests: tests/changes/change_detection/detect.rs

use core::hint::cold_path;

use crate::component::{ChangeTracking, TrackingRequest};
use crate::storage::column::Column;
use crate::storage::tick::{CHECK_EVERY, ComponentTicks, RunTicks, Tick, TickCell, TickCells};
use crate::storage::tracking::Tracking;
use crate::util::origin::{Origin, SystemOrigin};

/// The location of a value's ticks.
#[derive(Clone, Copy)]
pub(crate) enum TickPlace<'w> {
    /// No ticks: the reference was made directly, or the component is never tracked.
    Nowhere,
    /// There are no ticks yet, but they can be requested.
    Untracked(&'w TrackingRequest),
    /// In a row of a column. Everything about a change of the row is already recorded except its tick.
    Noted(NotedRow<'w>),
    /// Stored together with the value.
    One(&'w TickCells),
}

/// A row whose value is borrowed exclusively. Everything about a change in this run is already recorded except its tick.
#[derive(Clone, Copy)]
pub(crate) struct NotedRow<'w> {
    tracking: &'w Tracking,
    /// The cell with the tick of the last change.
    cell: &'w TickCell,
}

impl<'w> TickPlace<'w> {
    /// Creates the place of a row of a column. `cell` contains the tick of the row's last change.
    ///
    /// # Safety
    ///
    /// - [`Tracking::mark_in_advance`] returned the address of the cell, for the run of these ticks and for this row.
    /// - Only code that has borrowed the value reads or writes the cell for `'w`.
    #[inline(always)]
    pub(crate) unsafe fn noted(tracking: &'w Tracking, cell: &'w TickCell) -> Self {
        Self::Noted(NotedRow { tracking, cell })
    }
}

/// The ticks of a value, as seen by a run.
///
/// The order of the fields is fixed. If `tracking` and `row` were adjacent, one instruction would write both, and the compiler
/// would lose the information that a resource has no `tracking`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Ticks<'w> {
    /// The ticks of the column, if it has any. They are the same for all rows of a table. They are no variant of `TickPlace`,
    /// because a variant would be built for each row, even if it is not used.
    tracking: Option<&'w Tracking>,
    /// The location of the ticks if `tracking` is `None`.
    place: TickPlace<'w>,
    row: usize,
    run_ticks: RunTicks,
}

impl<'w> Ticks<'w> {
    #[inline]
    pub(crate) fn new(place: TickPlace<'w>, run_ticks: RunTicks) -> Self {
        Self { tracking: None, row: 0, place, run_ticks }
    }

    /// Creates the ticks of a value in a row of a column. `tracking` contains the column's ticks. Without ticks, `request` is used
    /// to request them.
    ///
    /// # Safety
    ///
    /// - If `tracking` is `Some`, it has room for the row.
    #[inline(always)]
    pub(crate) unsafe fn in_row(
        tracking: Option<&'w Tracking>,
        row: usize,
        request: Option<&'w TrackingRequest>,
        run_ticks: RunTicks,
    ) -> Self {
        debug_assert!(tracking.is_none_or(|tracking| row < tracking.capacity()));
        let place = request.map_or(TickPlace::Nowhere, TickPlace::Untracked);
        Self { tracking, row, place, run_ticks }
    }

    /// Returns the ticks of the column and the number of the row, if the ticks are in a column.
    #[inline(always)]
    fn row(&self) -> Option<(&'w Tracking, usize)> {
        match (self.tracking, self.place) {
            (Some(tracking), _) => Some((tracking, self.row)),
            (None, TickPlace::Noted(NotedRow { tracking, cell })) => Some((tracking, tracking.row_of(cell))),
            _ => None,
        }
    }

    /// Creates the ticks of a value in a row of a column. `track` is the kind of tracking of its component.
    ///
    /// # Safety
    ///
    /// - The row exists in the column.
    #[inline]
    pub(crate) unsafe fn of(column: &'w Column, row: usize, track: ChangeTracking, run_ticks: RunTicks) -> Self {
        if matches!(track, ChangeTracking::Never) {
            return Self::new(TickPlace::Nowhere, run_ticks);
        }
        // SAFETY: a column has ticks for all of its rows, and the row exists.
        unsafe { Self::in_row(column.tracking(), row, column.tracking_request(), run_ticks) }
    }

    /// Returns the cells, if the ticks are stored together with the value.
    #[inline(always)]
    pub(crate) fn cells(&self) -> Option<&'w TickCells> {
        if let TickPlace::One(cells) = self.place { Some(cells) } else { None }
    }

    /// Copies these ticks to cells.
    #[inline(always)]
    pub(crate) fn fill(&self, cells: &TickCells) {
        match self.cells() {
            Some(before) => cells.copy_from(before),
            None => {
                let ComponentTicks { added, changed } = self.get_or_now();
                cells.added.set(added);
                cells.changed.set(changed);
            }
        }
    }

    /// Returns the ticks of the run.
    #[inline(always)]
    pub(crate) fn run_ticks(&self) -> RunTicks {
        self.run_ticks
    }

    /// Creates the ticks of a reference that was made directly.
    pub(crate) fn nowhere() -> Self {
        let tick = Tick::default();
        let run_ticks = RunTicks { last_run: Tick::ago(tick, 1), this_run: tick, system: SystemOrigin::NONE };
        Self::new(TickPlace::Nowhere, run_ticks)
    }

    /// Returns the ticks, if they are tracked. Otherwise requests tracking.
    #[inline]
    pub(crate) fn get(&self) -> Option<ComponentTicks> {
        if let Some((tracking, row)) = self.row() {
            return Some(tracking.get(row));
        }
        if let TickPlace::Untracked(request) = self.place {
            request.request_tracking();
        }
        self.cells().map(TickCells::get)
    }

    /// Returns whether the value is newly added. A value without ticks counts as added.
    pub(crate) fn is_added(&self) -> bool {
        self.get().is_none_or(|ticks| self.run_ticks.is_new(ticks.added))
    }

    /// Returns whether the value has changed. A value without ticks counts as changed.
    #[inline]
    pub(crate) fn is_changed(&self) -> bool {
        self.get().is_none_or(|ticks| self.run_ticks.is_new(ticks.changed))
    }

    /// Returns whether the value was added after a tick. A value without ticks counts as added.
    pub(crate) fn is_added_after(&self, other: Tick) -> bool {
        self.get().is_none_or(|ticks| ticks.added.is_newer_than(other, self.run_ticks.this_run))
    }

    /// Returns whether the value was changed after a tick. A value without ticks counts as changed.
    pub(crate) fn is_changed_after(&self, other: Tick) -> bool {
        self.get().is_none_or(|ticks| ticks.changed.is_newer_than(other, self.run_ticks.this_run))
    }

    /// Returns the ticks of the addition and of the last change. If they are unknown, both are the tick of this run.
    pub(crate) fn get_or_now(&self) -> ComponentTicks {
        self.get().unwrap_or(ComponentTicks::new(self.run_ticks.this_run))
    }

    /// Returns the origin of the last change.
    pub(crate) fn changed_by(&self) -> Origin {
        match self.row() {
            Some((tracking, row)) => tracking.changed_by(row),
            None => self.cells().map_or(Origin::UNKNOWN, |cells| cells.by.get()),
        }
    }

    /// Records a change.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn mark(&self) {
        match (self.tracking, self.place) {
            (Some(tracking), _) => {
                cold_path();
                // SAFETY: promised to the constructor: there is room for the row.
                unsafe { tracking.mark(self.row, self.run_ticks.here()) };
            }
            (None, TickPlace::Nowhere | TickPlace::Untracked(_)) => {}
            (None, TickPlace::Noted(NotedRow { tracking, cell })) => {
                let now = self.run_ticks.here();
                // A non-atomic write, so that the compiler may combine several of them.
                // SAFETY: the pointer comes from an atomic, which may be written through a shared reference. Promised to the
                // constructor: only code that has borrowed the value reads or writes the cell, and the caller of `mark` has
                // borrowed it mutably.
                unsafe { cell.as_ptr().write(now.tick.get()) }
                tracking.set_changed_by_of(cell, now.by);
            }
            (None, TickPlace::One(cells)) => cells.set_changed(self.run_ticks.here()),
        }
    }

    /// Records that the value was added.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn mark_added(&self) {
        let now = self.run_ticks.here();
        match self.row() {
            Some((tracking, row)) => tracking.add_range(row, 1, now),
            None => self.cells().into_iter().for_each(|cells| cells.set_added(now)),
        }
    }

    /// Sets the tick of the last change.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn set_changed(&self, tick: Tick) {
        let by = self.run_ticks.here().by;
        let tick = self.past(tick);
        if let Some((tracking, row)) = self.row() {
            tracking.set_changed(row, tick, self.run_ticks.this_run);
            tracking.set_changed_by(row, by);
        } else if let Some(cells) = self.cells() {
            cells.changed.set(tick);
            cells.by.set(by);
        }
    }

    /// Returns the given tick, or the current tick if the given one is in the future.
    fn past(&self, tick: Tick) -> Tick {
        let now = self.run_ticks.this_run;
        if now.age(tick) < CHECK_EVERY { now } else { tick }
    }

    /// Sets the tick of the addition.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn set_added(&self, tick: Tick) {
        let tick = self.past(tick);
        match self.row() {
            Some((tracking, row)) => tracking.set_added(row, tick, self.run_ticks.this_run),
            None => self.cells().into_iter().for_each(|cells| cells.added.set(tick)),
        }
        self.set_changed(tick);
    }
}
