//! Access to the values and ticks of one component, while a table is visited.
//!
//! Tests: tests/queries/terms.rs, tests/queries/strides.rs

use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::{self, NonNull};
use core::slice;

use crate::access::term::{Term, TermComponent, TermEntry};
use crate::component::{ChangeTracking, Component, ComponentId, StorageType, TrackingRequest};
use crate::entity::Entity;
use crate::query::change::{TickPlace, Ticks};
use crate::query::fetch::{Recording, Rows, Sharing};
use crate::storage::column::ColumnAddress;
use crate::storage::sparse::{SparseSet, SparseStorage};
use crate::storage::table::Table;
use crate::storage::tick::{RunTicks, TickCell};
use crate::storage::tracking::Tracking;
use crate::structure::cell::StoreCell;
use crate::util::prefetch::prefetch;

/// A component and, if it has one, its sparse storage.
#[derive(Clone, Copy)]
pub struct TermState {
    id: ComponentId,
    sparse: u32,
}

impl TermState {
    /// # Panics
    ///
    /// If the term does not stand for one registered component.
    pub(crate) fn of(term: Term<'_>) -> Self {
        match *term.node() {
            TermEntry::Component(_, TermComponent { id: Some(id), sparse, .. }) => {
                Self { id, sparse: sparse.unwrap_or(u32::MAX) }
            }
            _ => panic!("`{}` is not a term about one component of this world", term.text()),
        }
    }

    pub(crate) fn id(self) -> ComponentId {
        self.id
    }

    /// The sparse storage. Panics if the component is not sparse.
    #[inline]
    pub(crate) fn storage<'w>(self, cell: StoreCell<'w>) -> &'w SparseStorage {
        &cell.store().structure.sparse[self.sparse as usize]
    }

    /// The sparse storage, if the component is sparse.
    pub(super) fn storage_if_any<'w>(self, cell: StoreCell<'w>) -> Option<&'w SparseStorage> {
        cell.store().structure.sparse.get(self.sparse as usize)
    }
}

/// Maximum number of bytes of a value that are prefetched.
const FETCHED_AHEAD: usize = 256;

/// Whether `C` is stored outside the tables.
pub(crate) const fn is_sparse<C: Component>() -> bool {
    matches!(C::STORAGE_TYPE, StorageType::Sparse)
}

/// The address of a table's column; a dummy address for a sparse component.
pub(super) fn place_of<C: Component>(state: TermState, table: &Table) -> Option<ColumnAddress> {
    if is_sparse::<C>() { Some(ColumnAddress::NOWHERE) } else { table.column_address(state.id) }
}

/// The values of `C` while a table is visited: the address of the first value of the column, or of the sparse storage.
pub struct ComponentValues<'w, C> {
    address: NonNull<u8>,
    /// Rows are those of the sparse storage, and `address` is the address of its first value.
    packed: bool,
    marker: PhantomData<(&'w SparseStorage, C)>,
}

impl_copy! { [C] ComponentValues<'_, C>; }

impl<'w, C: Component> ComponentValues<'w, C> {
    /// # Safety
    ///
    /// - `state` and `column` belong to the cell's store and one of its tables.
    #[inline]
    pub(super) unsafe fn new(cell: StoreCell<'w>, state: TermState, column: ColumnAddress) -> Self {
        let address = if is_sparse::<C>() {
            NonNull::from(state.storage(cell)).cast()
        } else {
            // SAFETY: the column belongs to a table of the store, which is borrowed for 'w, so it exists and is unchanged.
            unsafe { column.data() }
        };
        Self { address, packed: false, marker: PhantomData }
    }

    /// The storage, if values are looked up by entity.
    #[inline]
    fn storage(self) -> Option<&'w SparseStorage> {
        // SAFETY: if the component is sparse, `new` stored the address of a sparse storage that is borrowed for 'w. Only `packed`
        // stores another address, and sets `packed`.
        (is_sparse::<C>() && !self.packed).then(|| unsafe { self.address.cast().as_ref() })
    }

    /// As [`Fetch::packed`](crate::query::fetch::Fetch::packed).
    #[inline]
    pub(super) fn packed(self, storage: &'w SparseSet) -> Self {
        match self.storage() {
            Some(SparseStorage::Set(own)) if ptr::eq(own, storage) => {
                Self { address: storage.column().data(), packed: true, marker: PhantomData }
            }
            _ => self,
        }
    }

    /// As [`Fetch::all_packed`](crate::query::fetch::Fetch::all_packed).
    ///
    /// # Safety
    ///
    /// - [`packed`](Self::packed) returned `self` for the storage of the component.
    #[inline(always)]
    pub(super) unsafe fn all_packed(self) -> Self {
        debug_assert!(self.packed);
        Self { packed: true, ..self }
    }

    /// The values of some rows.
    ///
    /// # Safety
    ///
    /// - The component is stored in tables. The rows exist, and for `'w` their values are accessed only through the result.
    #[inline(always)]
    pub(super) unsafe fn values(self, rows: Range<usize>) -> &'w mut [C] {
        // SAFETY: `address` points to the first value of the column, whose values are of type `C`, and the rows belong to it;
        // exclusive access is forwarded.
        unsafe { slice::from_raw_parts_mut(self.address.cast::<C>().add(rows.start).as_ptr(), rows.len()) }
    }

    /// The same source with an address derived from values that [`values`](Self::values) returned. Only the rows of these values
    /// may be accessed.
    ///
    /// # Safety
    ///
    /// - `values` are the values of this column from row `first` on.
    #[inline(always)]
    pub(super) unsafe fn with_values(self, values: &'w mut [C], first: usize) -> Self {
        // SAFETY: the column begins `first` values before `values`.
        Self { address: unsafe { NonNull::from(values).cast::<C>().sub(first) }.cast(), ..self }
    }

    #[inline]
    pub(super) fn contains(self, entity: Entity) -> bool {
        self.storage().is_none_or(|storage| storage.contains(entity.index()))
    }

    /// Prefetches the value of a row, or the first part of a large value.
    #[inline(always)]
    pub(super) fn prefetch_row(self, row: usize) {
        if !is_sparse::<C>() {
            let value = self.address.cast::<C>().as_ptr().wrapping_add(row).cast::<u8>();
            (0..size_of::<C>().min(FETCHED_AHEAD)).step_by(64).for_each(|at| prefetch(value.wrapping_add(at)));
        }
    }

    /// # Safety
    ///
    /// - The row exists, and `contains` is true for its entity.
    /// - If [`packed`](Self::packed) returned `self`, the rows belong to its storage.
    #[inline(always)]
    pub(crate) unsafe fn value(self, rows: Rows, row: usize) -> NonNull<C> {
        if let Some(storage) = self.storage() {
            // SAFETY: forwarded: the row exists.
            let entity = unsafe { rows.entity(row) };
            let value = storage.get(entity.index());
            // SAFETY: `contains` is true for the entity (forwarded).
            return unsafe { value.unwrap_unchecked() }.cast();
        }
        // SAFETY: the row exists, so it is within the column of the table or storage, whose values are of type `C`.
        unsafe { self.address.cast::<C>().add(row) }
    }
}

/// The ticks of values while a table is visited.
#[derive(Clone, Copy)]
pub(crate) struct TickSource<'w> {
    tracking: Option<&'w Tracking>,
    /// The ticks, if everything about the changes except these ticks is already recorded. `tracking` is `None` then.
    noted: Option<NotedRows<'w>>,
    /// To request ticks for a column without ticks; `None` if the component never has ticks.
    request: Option<&'w TrackingRequest>,
    run_ticks: RunTicks,
}

/// The change ticks of a column, at an address that the compiler knows.
#[derive(Clone, Copy)]
struct NotedRows<'w> {
    tracking: &'w Tracking,
    /// The tick of row 0; the others follow it.
    cells: NonNull<TickCell>,
}

impl<'w> TickSource<'w> {
    /// The ticks of a row of the column. `RECORDED` says that [`TickedValues::recording`] returned this for the row; in other loops the
    /// compiler knows that a change is recorded by [`Ticks`] alone.
    ///
    /// # Safety
    ///
    /// - The row exists in the column.
    /// - `RECORDED` is true only for rows for which [`TickedValues::recording`] returned this.
    #[inline(always)]
    pub(crate) unsafe fn at<const RECORDED: bool>(self, row: usize) -> Ticks<'w> {
        if RECORDED && let Some(NotedRows { tracking, cells }) = self.noted {
            // SAFETY: a column has ticks for all of its rows, so the cell is one of them.
            let cell = unsafe { cells.add(row).as_ref() };
            // SAFETY: `recording` has recorded the change of this row except for its tick.
            return Ticks::new(unsafe { TickPlace::noted(tracking, cell) }, self.run_ticks);
        }
        // SAFETY: a column has ticks for all of its rows, and the row exists.
        unsafe { Ticks::in_row(self.tracking, row, self.request, self.run_ticks) }
    }

    /// Marks rows as changed.
    ///
    /// # Safety
    ///
    /// - Unless `sharing` is `Sharing::Rows`, no other thread reads or writes the ticks of these rows during the call.
    #[inline]
    pub(crate) unsafe fn mark(self, first: usize, count: usize, sharing: Sharing) {
        debug_assert!(self.noted.is_none(), "rows that are noted one by one are not marked together");
        let Some(tracking) = self.tracking else { return };
        match sharing {
            Sharing::Rows => tracking.mark_rows(first, count, self.run_ticks.somewhere()),
            // SAFETY: forwarded: no other thread reads or writes the ticks of these rows during the call.
            Sharing::Nothing => unsafe { tracking.mark_unshared(first, count, self.run_ticks.somewhere()) },
        }
    }
}

/// The values of `C` and their ticks while a table is visited.
pub struct TickedValues<'w, C> {
    pub(crate) source: ComponentValues<'w, C>,
    pub(crate) ticks: TickSource<'w>,
}

impl_copy! { [C] TickedValues<'_, C>; }

impl<'w, C: Component> TickedValues<'w, C> {
    /// `CHANGES` says that values may be changed; the visit is then recorded.
    ///
    /// # Safety
    ///
    /// - `state` and `address` belong to the cell's store and one of its tables.
    #[inline]
    pub(crate) unsafe fn new<const CHANGES: bool>(
        cell: StoreCell<'w>,
        state: TermState,
        address: ColumnAddress,
    ) -> Self {
        // SAFETY: forwarded: the state and the address belong to the cell's store and one of its tables.
        let source = unsafe { ComponentValues::new(cell, state, address) };
        let run_ticks = cell.run_ticks();
        if matches!(C::TRACK, ChangeTracking::Never) {
            return Self { source, ticks: TickSource { tracking: None, noted: None, request: None, run_ticks } };
        }
        let column = if is_sparse::<C>() {
            state.storage(cell).column()
        } else {
            // SAFETY: the column belongs to a table of the store, which is borrowed for 'w, so it exists and is unchanged.
            unsafe { address.column() }
        };
        let (tracking, request) = (column.tracking(), column.tracking_request());
        if CHANGES && !cell.is_again() {
            column.visit(run_ticks.this_run);
        }
        Self { source, ticks: TickSource { tracking, noted: None, request, run_ticks } }
    }

    /// As [`Fetch::recording`](crate::query::fetch::Fetch::recording).
    #[inline(always)]
    pub(super) fn recording(self, recording: Recording) -> Option<Self> {
        let Self { source, ticks: TickSource { tracking, request, run_ticks, .. } } = self;
        let noted = match (recording, tracking) {
            (Recording::TicksAlone, _) if matches!(C::TRACK, ChangeTracking::Never) => return Some(self),
            // Ticks alone do not suffice for a sparse component: the rows of a table differ from the rows of the sparse storage.
            (Recording::TicksAlone, _) => {
                let is_enough = !is_sparse::<C>() && tracking.is_some_and(Tracking::is_without_log);
                return is_enough.then_some(self);
            }
            (_, None) => None,
            (Recording::Nothing, Some(_)) => return None,
            (Recording::Ticks { .. }, Some(_)) if is_sparse::<C>() => return None,
            (Recording::Ticks { first, count }, Some(tracking)) => {
                Some(NotedRows { tracking, cells: tracking.mark_in_advance(first, count, run_ticks.this_run)? })
            }
        };
        Some(Self { source, ticks: TickSource { tracking: None, noted, request, run_ticks } })
    }

    /// The row that contains the ticks of a row: for a sparse component, the row in its storage.
    ///
    /// # Safety
    ///
    /// - The row exists.
    #[inline]
    pub(crate) unsafe fn tick_row(self, rows: Rows, row: usize) -> usize {
        match self.source.storage() {
            Some(storage) if self.ticks.tracking.is_some() => {
                // SAFETY: forwarded: the row exists.
                let entity = unsafe { rows.entity(row) };
                storage.tick_row(entity.index()).unwrap_or(0)
            }
            _ => row,
        }
    }

    /// The ticks of a row.
    ///
    /// # Safety
    ///
    /// - The row exists, and its entity has the component.
    /// - `RECORDED` is true only for rows for which [`recording`](Self::recording) returned `self`.
    #[inline(always)]
    pub(crate) unsafe fn ticks<const RECORDED: bool>(self, rows: Rows, row: usize) -> Ticks<'w> {
        // SAFETY: forwarded: the row exists, so `tick_row` returns the row of the entity's component in the column; `RECORDED` is
        // true only for rows for which `recording` returned `self`.
        unsafe { self.ticks.at::<RECORDED>(self.tick_row(rows, row)) }
    }
}

/// Whether the entities of a table have a component: all, none, or those in the sparse storage.
#[derive(Clone, Copy)]
pub struct Presence<'w> {
    table: bool,
    storage: Option<&'w SparseStorage>,
}

impl<'w> Presence<'w> {
    #[inline]
    pub(crate) fn new(cell: StoreCell<'w>, state: TermState, table: &Table, is_sparse: bool) -> Self {
        if is_sparse {
            Self { table: false, storage: Some(state.storage(cell)) }
        } else {
            Self { table: table.contains(state.id()), storage: None }
        }
    }

    #[inline]
    pub(crate) fn of(self, entity: Entity) -> bool {
        self.storage.map_or(self.table, |storage| storage.contains(entity.index()))
    }
}
