//! Where the values of one component are, and their ticks, while a table is visited.

use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::{self, NonNull};
use core::slice;

use crate::cell::StoreCell;
use crate::change::{TickPlace, Ticks};
use crate::column::ColumnAddress;
use crate::component::{ChangeTracking, Component, ComponentId, StorageType, TrackingRequest};
use crate::entity::Entity;
use crate::prefetch::prefetch;
use crate::query::fetch::{Recording, Rows, Sharing};
use crate::sparse::{SparseSet, SparseStorage};
use crate::table::Table;
use crate::term::{Term, TermComponent, TermEntry};
use crate::tick::{RunTicks, TickCell};
use crate::tracking::Tracking;

/// A component and, if it has one, its sparse storage.
#[derive(Clone, Copy)]
pub struct TermState {
    id: ComponentId,
    sparse: u32,
}

impl TermState {
    /// # Panics
    ///
    /// If the term is not about one component that its world has met.
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

    /// The sparse storage. Only for sparse components.
    #[inline]
    pub(crate) fn storage<'w>(self, cell: StoreCell<'w>) -> &'w SparseStorage {
        &cell.store().structure.sparse[self.sparse as usize]
    }

    /// The sparse storage, if the component is sparse.
    pub(super) fn storage_if_any<'w>(self, cell: StoreCell<'w>) -> Option<&'w SparseStorage> {
        cell.store().structure.sparse.get(self.sparse as usize)
    }
}

/// How many bytes of a value are fetched ahead.
const FETCHED_AHEAD: usize = 256;

/// Whether `C` is stored outside the tables.
pub(crate) const fn is_sparse<C: Component>() -> bool {
    matches!(C::STORAGE_TYPE, StorageType::Sparse)
}

/// Where the column of a table is; anything for a sparse component.
pub(super) fn place_of<C: Component>(state: TermState, table: &Table) -> Option<ColumnAddress> {
    if is_sparse::<C>() { Some(ColumnAddress::NOWHERE) } else { table.column_address(state.id) }
}

/// Where the values of `C` are while a table is visited: the first of its column, or the sparse storage.
pub struct Source<'w, C> {
    address: NonNull<u8>,
    /// Of a sparse component: rows are those of its storage, and the address is that of the first value.
    packed: bool,
    marker: PhantomData<(&'w SparseStorage, C)>,
}

impl_copy! { [C] Source<'_, C>; }

impl<'w, C: Component> Source<'w, C> {
    /// # Safety
    ///
    /// - State and column belong to the cell's store and a table of it.
    #[inline]
    pub(super) unsafe fn new(cell: StoreCell<'w>, state: TermState, column: ColumnAddress) -> Self {
        let address = if is_sparse::<C>() {
            NonNull::from(state.storage(cell)).cast()
        } else {
            // SAFETY: the column is one of a table of the store, which is borrowed for 'w, so it is there and unchanged.
            unsafe { column.data() }
        };
        Self { address, packed: false, marker: PhantomData }
    }

    /// The storage, where values are found by entity.
    #[inline]
    fn storage(self) -> Option<&'w SparseStorage> {
        // SAFETY: `new` stored the address of a sparse storage that is borrowed for 'w, if the component is sparse; and only
        // `packed` stores another one, and says so.
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
    /// - [`packed`](Self::packed) returned this for the storage of the component.
    #[inline(always)]
    pub(super) unsafe fn all_packed(self) -> Self {
        debug_assert!(self.packed);
        Self { packed: true, ..self }
    }

    /// The values of some rows.
    ///
    /// # Safety
    ///
    /// - The component is stored in tables. The rows exist, and for `'w` their values are accessible through what this returns alone.
    #[inline(always)]
    pub(super) unsafe fn values(self, rows: Range<usize>) -> &'w mut [C] {
        // SAFETY: the address is that of the first value of the column, which are of type `C`, and the rows are rows of it; the rest is
        // the caller's promise.
        unsafe { slice::from_raw_parts_mut(self.address.cast::<C>().add(rows.start).as_ptr(), rows.len()) }
    }

    /// The same by way of values that [`values`](Self::values) returned: those from a row on. Only these may be asked for.
    ///
    /// # Safety
    ///
    /// - The values are those of this column from row `first` on.
    #[inline(always)]
    pub(super) unsafe fn with_values(self, values: &'w mut [C], first: usize) -> Self {
        // SAFETY: the column begins `first` values before these.
        Self { address: unsafe { NonNull::from(values).cast::<C>().sub(first) }.cast(), ..self }
    }

    #[inline]
    pub(super) fn contains(self, entity: Entity) -> bool {
        self.storage().is_none_or(|storage| storage.contains(entity.index()))
    }

    /// Has the processor fetch the value of a row, or the first part of a large one.
    #[inline(always)]
    pub(super) fn fetch_ahead(self, row: usize) {
        if !is_sparse::<C>() {
            let value = self.address.cast::<C>().as_ptr().wrapping_add(row).cast::<u8>();
            (0..size_of::<C>().min(FETCHED_AHEAD)).step_by(64).for_each(|at| prefetch(value.wrapping_add(at)));
        }
    }

    /// # Safety
    ///
    /// - The row exists, and `contains` is true for its entity.
    /// - If [`packed`](Self::packed) returned this, the rows are those of its storage.
    #[inline(always)]
    pub(crate) unsafe fn value(self, rows: Rows, row: usize) -> NonNull<C> {
        if let Some(storage) = self.storage() {
            // SAFETY: the caller's promise.
            let entity = unsafe { rows.entity(row) };
            let value = storage.get(entity.index());
            // SAFETY: `contains` is true for the entity.
            return unsafe { value.unwrap_unchecked() }.cast();
        }
        // SAFETY: the row exists, so it is within the column of the table or of the storage, whose values are of type `C`.
        unsafe { self.address.cast::<C>().add(row) }
    }
}

/// Where the ticks of values are while a table is visited.
#[derive(Clone, Copy)]
pub(crate) struct TickSource<'w> {
    tracking: Option<&'w Tracking>,
    /// The ticks, if changes of the rows are noted already but for these. Then they stand here alone.
    noted: Option<NotedRows<'w>>,
    /// To ask for ticks if there are none; nothing if there never will be.
    request: Option<&'w TrackingRequest>,
    run_ticks: RunTicks,
}

/// The ticks of last changes, of which the compiler knows where they are.
#[derive(Clone, Copy)]
struct NotedRows<'w> {
    tracking: &'w Tracking,
    /// That of row 0; the others follow.
    cells: NonNull<TickCell>,
}

impl<'w> TickSource<'w> {
    /// The ticks in a row of the column. `RECORDED` says that [`Ticked::recording`] returned this for the row; the compiler knows in all
    /// other loops that a change records nothing but what [`Ticks`] does.
    ///
    /// # Safety
    ///
    /// - The row is one of the column.
    /// - `RECORDED` is true only for such rows.
    #[inline(always)]
    pub(crate) unsafe fn at<const RECORDED: bool>(self, row: usize) -> Ticks<'w> {
        if RECORDED && let Some(NotedRows { tracking, cells }) = self.noted {
            // SAFETY: there is room for the ticks of all rows of a column, so the cell is one of them.
            let cell = unsafe { cells.add(row).as_ref() };
            // SAFETY: `recording` has recorded the change of this row but for its tick.
            return Ticks::new(unsafe { TickPlace::noted(tracking, cell) }, self.run_ticks);
        }
        // SAFETY: there is room for the ticks of all rows of a column.
        unsafe { Ticks::in_row(self.tracking, row, self.request, self.run_ticks) }
    }

    /// Notes that rows are changed.
    ///
    /// # Safety
    ///
    /// - Unless the table is shared, no other thread reads or writes the ticks of these rows meanwhile.
    #[inline]
    pub(crate) unsafe fn mark(self, first: usize, count: usize, sharing: Sharing) {
        debug_assert!(self.noted.is_none(), "rows that are noted one by one are not marked together");
        let Some(tracking) = self.tracking else { return };
        match sharing {
            Sharing::Rows => tracking.mark_rows(first, count, self.run_ticks.somewhere()),
            // SAFETY: the caller's promise.
            Sharing::Nothing => unsafe { tracking.mark_unshared(first, count, self.run_ticks.somewhere()) },
        }
    }
}

/// Where the values of `C` and their ticks are while a table is visited.
pub struct Ticked<'w, C> {
    pub(crate) source: Source<'w, C>,
    pub(crate) ticks: TickSource<'w>,
}

impl_copy! { [C] Ticked<'_, C>; }

impl<'w, C: Component> Ticked<'w, C> {
    /// `CHANGES` says that values may be changed, which is noted.
    ///
    /// # Safety
    ///
    /// - State and column belong to the cell's store and a table of it.
    #[inline]
    pub(crate) unsafe fn new<const CHANGES: bool>(
        cell: StoreCell<'w>,
        state: TermState,
        address: ColumnAddress,
    ) -> Self {
        // SAFETY: forwarded.
        let source = unsafe { Source::new(cell, state, address) };
        let run_ticks = cell.run_ticks();
        if matches!(C::TRACK, ChangeTracking::Never) {
            return Self { source, ticks: TickSource { tracking: None, noted: None, request: None, run_ticks } };
        }
        let column = if is_sparse::<C>() {
            state.storage(cell).column()
        } else {
            // SAFETY: the column is one of a table of the store, which is borrowed for 'w, so it is there and unchanged.
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
            // The rows of a sparse component are not those of its storage.
            (Recording::TicksAlone, _) => {
                let is_enough = !is_sparse::<C>() && tracking.is_some_and(Tracking::is_without_log);
                return is_enough.then_some(self);
            }
            (_, None) => None,
            (Recording::Nothing, Some(_)) => return None,
            (Recording::Ticks { .. }, Some(_)) if is_sparse::<C>() => return None,
            (Recording::Ticks { first, count }, Some(tracking)) => {
                Some(NotedRows { tracking, cells: tracking.note_ahead(first, count, run_ticks.this_run)? })
            }
        };
        Some(Self { source, ticks: TickSource { tracking: None, noted, request, run_ticks } })
    }

    /// The row of the ticks for a row.
    ///
    /// # Safety
    ///
    /// - The row exists.
    #[inline]
    pub(crate) unsafe fn tick_row(self, rows: Rows, row: usize) -> usize {
        match self.source.storage() {
            Some(storage) if self.ticks.tracking.is_some() => {
                // SAFETY: the caller's promise.
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
    /// - `RECORDED` is true only for rows that [`recording`](Self::recording) returned this for.
    #[inline(always)]
    pub(crate) unsafe fn ticks<const RECORDED: bool>(self, rows: Rows, row: usize) -> Ticks<'w> {
        // SAFETY: the caller's promise; a component that an entity has is in this row.
        unsafe { self.ticks.at::<RECORDED>(self.tick_row(rows, row)) }
    }
}

/// Whether the entities of a table have a component: all or none of them, or as the storage says.
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
