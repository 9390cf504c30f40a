//! The ticks of one borrowed value.

use core::hint::cold_path;

use crate::column::Column;
use crate::component::{ChangeTracking, TrackingRequest};
use crate::origin::{Origin, SystemName};
use crate::tick::{CHECK_EVERY, ComponentTicks, RunTicks, Tick, TickCell, TickCells};
use crate::tracking::Tracking;

/// Where the ticks of a value are.
#[derive(Clone, Copy)]
pub(crate) enum TickPlace<'w> {
    /// Nowhere: it was borrowed by hand, or its component is never tracked.
    Nowhere,
    /// Nowhere so far, but they can be asked for.
    Untracked(&'w TrackingRequest),
    /// In a row of a column, where a change is noted already but for its tick.
    Noted(NotedRow<'w>),
    /// Beside the value.
    One(&'w TickCells),
}

/// A row whose value is borrowed alone, and of which all is noted that leads to a change in this run.
#[derive(Clone, Copy)]
pub(crate) struct NotedRow<'w> {
    tracking: &'w Tracking,
    /// The tick of the last change.
    cell: &'w TickCell,
}

impl<'w> TickPlace<'w> {
    /// In a row of a column, where the cell is that of its last change.
    ///
    /// # Safety
    ///
    /// - [`Tracking::note_ahead`] returned the place of the cell, for the run that these ticks are seen from, and this row.
    /// - Only code that has borrowed the value reads or writes the cell, for `'w`.
    #[inline(always)]
    pub(crate) unsafe fn noted(tracking: &'w Tracking, cell: &'w TickCell) -> Self {
        Self::Noted(NotedRow { tracking, cell })
    }
}

/// The ticks of a value, seen from a run.
///
/// The order of the fields is fixed: side by side, `tracking` and `row` would be written by one instruction, and the compiler would not know
/// any more that a resource has no tracking.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Ticks<'w> {
    /// The ticks of the column, if it keeps any: those of the row are in it. A field of its own, which is the same for all rows of a
    /// table. As a kind of place it would be put together for each of them, also where nothing asks.
    tracking: Option<&'w Tracking>,
    /// Otherwise.
    place: TickPlace<'w>,
    row: usize,
    run_ticks: RunTicks,
}

impl<'w> Ticks<'w> {
    #[inline]
    pub(crate) fn new(place: TickPlace<'w>, run_ticks: RunTicks) -> Self {
        Self { tracking: None, row: 0, place, run_ticks }
    }

    /// Of a value in a row of a column with these ticks, or of one that can be asked for them.
    ///
    /// # Safety
    ///
    /// - There is room for the row.
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

    /// The column and the row that they are in, if they are in one.
    #[inline(always)]
    fn row(&self) -> Option<(&'w Tracking, usize)> {
        match (self.tracking, self.place) {
            (Some(tracking), _) => Some((tracking, self.row)),
            (None, TickPlace::Noted(NotedRow { tracking, cell })) => Some((tracking, tracking.row_of(cell))),
            _ => None,
        }
    }

    /// Of a value in a row of a column of a component that is tracked so.
    ///
    /// # Safety
    ///
    /// - The row is one of the column.
    #[inline]
    pub(crate) unsafe fn of(column: &'w Column, row: usize, track: ChangeTracking, run_ticks: RunTicks) -> Self {
        if matches!(track, ChangeTracking::Never) {
            return Self::new(TickPlace::Nowhere, run_ticks);
        }
        // SAFETY: there is room for the ticks of all rows of a column.
        unsafe { Self::in_row(column.tracking(), row, column.tracking_request(), run_ticks) }
    }

    /// The cells, if they stand beside the value.
    #[inline(always)]
    pub(crate) fn cells(&self) -> Option<&'w TickCells> {
        if let TickPlace::One(cells) = self.place { Some(cells) } else { None }
    }

    /// Writes what these ticks say to cells.
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

    /// The run that they are seen from.
    #[inline(always)]
    pub(crate) fn run_ticks(&self) -> RunTicks {
        self.run_ticks
    }

    /// Of a value that was borrowed by hand.
    pub(crate) fn nowhere() -> Self {
        let tick = Tick::default();
        let run_ticks = RunTicks { last_run: Tick::ago(tick, 1), this_run: tick, system: SystemName::NONE };
        Self::new(TickPlace::Nowhere, run_ticks)
    }

    /// The ticks, if they are known. If they are not, they will be.
    #[inline]
    pub(crate) fn get(&self) -> Option<ComponentTicks> {
        if let Some((tracking, row)) = self.row() {
            return Some(tracking.get(row));
        }
        if let TickPlace::Untracked(request) = self.place {
            request.ask();
        }
        self.cells().map(TickCells::get)
    }

    /// What is not known counts as added.
    pub(crate) fn is_added(&self) -> bool {
        self.get().is_none_or(|ticks| self.run_ticks.is_new(ticks.added))
    }

    /// What is not known counts as changed.
    #[inline]
    pub(crate) fn is_changed(&self) -> bool {
        self.get().is_none_or(|ticks| self.run_ticks.is_new(ticks.changed))
    }

    /// What is not known counts as added.
    pub(crate) fn is_added_after(&self, other: Tick) -> bool {
        self.get().is_none_or(|ticks| ticks.added.is_newer_than(other, self.run_ticks.this_run))
    }

    /// What is not known counts as changed.
    pub(crate) fn is_changed_after(&self, other: Tick) -> bool {
        self.get().is_none_or(|ticks| ticks.changed.is_newer_than(other, self.run_ticks.this_run))
    }

    /// When the value was added and changed; what is not known has just happened.
    pub(crate) fn get_or_now(&self) -> ComponentTicks {
        self.get().unwrap_or(ComponentTicks::new(self.run_ticks.this_run))
    }

    /// The origin of the last change.
    pub(crate) fn changed_by(&self) -> Origin {
        match self.row() {
            Some((tracking, row)) => tracking.changed_by(row),
            None => self.cells().map_or(Origin::UNKNOWN, |cells| cells.by.get()),
        }
    }

    /// Notes a change.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn mark(&self) {
        match (self.tracking, self.place) {
            (Some(tracking), _) => {
                cold_path();
                // SAFETY: the constructor's caller has promised that there is room.
                unsafe { tracking.mark(self.row, self.run_ticks.here()) };
            }
            (None, TickPlace::Nowhere | TickPlace::Untracked(_)) => {}
            (None, TickPlace::Noted(NotedRow { tracking, cell })) => {
                let now = self.run_ticks.here();
                // The compiler may put several of these together, unlike atomic operations.
                // SAFETY: the number is that of an atomic, which may be written through a shared reference. The constructor's
                // caller has promised that only code that has borrowed the value reads or writes it, and what marks has the
                // value mutably.
                unsafe { cell.as_ptr().write(now.tick.get()) }
                tracking.set_changed_by_of(cell, now.by);
            }
            (None, TickPlace::One(cells)) => cells.set_changed(self.run_ticks.here()),
        }
    }

    /// Notes that the value is new.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn mark_added(&self) {
        let now = self.run_ticks.here();
        match self.row() {
            Some((tracking, row)) => tracking.add_range(row, 1, now),
            None => self.cells().into_iter().for_each(|cells| cells.set_added(now)),
        }
    }

    /// Notes a change at another time.
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

    /// A tick that is not in the future.
    fn past(&self, tick: Tick) -> Tick {
        let now = self.run_ticks.this_run;
        if now.age(tick) < CHECK_EVERY { now } else { tick }
    }

    /// Notes that the value was added at another time.
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
