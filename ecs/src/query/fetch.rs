//! Reading the terms of a query from storage.
//!
//! A [`Fetch`] is one term, or a tuple of terms. It is used in steps, so that each does as little as possible: once per
//! query (`init`), once per table that could match (`column`), once per visit of a table (`ready`), once per row.

use core::marker::PhantomData;
use core::ptr::NonNull;
use core::slice;

use super::term::{Demand, Term};
use crate::access::FilteredAccess;
use crate::cell::Cell;
use crate::change::{Mut, Place, Ticks};
use crate::column::{Column, ColumnAddress};
use crate::component::{ChangeTracking, Component, ComponentId, StorageType, TrackingRequest};
use crate::const_access::ConstAccess;
use crate::entity::Entity;
use crate::sparse::SparseStorage;
use crate::store::Store;
use crate::table::Table;
use crate::tick::Span;
use crate::tracking::Tracking;

/// The entities of a table, by row.
#[derive(Clone, Copy)]
pub struct Rows(NonNull<Entity>);

impl Rows {
    #[inline]
    pub(crate) fn of(table: &Table) -> Self {
        Self(NonNull::from(table.entities()).cast())
    }

    /// # Safety
    ///
    /// - `row` is a row of the table, which has not changed since.
    #[inline]
    pub(crate) unsafe fn entity(self, row: usize) -> Entity {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(row).read() }
    }

    /// # Safety
    ///
    /// - The rows are rows of the table, which does not change for `'w`.
    #[inline]
    pub(crate) unsafe fn entities<'w>(self, first: usize, count: usize) -> &'w [Entity] {
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts(self.0.add(first).as_ptr(), count) }
    }
}

impl Rows {
    /// A bit for each of up to 64 rows from `first` on that matches.
    ///
    /// # Safety
    ///
    /// - The rows are rows of the table, which has not changed since.
    #[inline]
    pub(crate) unsafe fn mask(self, first: usize, count: usize, matches: impl Fn(Entity, usize) -> bool) -> u64 {
        // SAFETY: the caller's promise.
        let bit = |nth: usize| unsafe { u64::from(matches(self.entity(first + nth), first + nth)) << nth };
        (0..count).fold(0, |mask, nth| mask | bit(nth))
    }
}

/// What another query that changes values may have of a table while a query goes through it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// No rows: a query that may be alive at the same time, and changes what this one borrows, is kept apart from it by a
    /// component that is stored in tables, so it matches other tables.
    Nothing,
    /// Rows that this query does not match: a sparse component keeps them apart. Their ticks are beside those of its own.
    Rows,
}

impl Sharing {
    /// For terms that demand or forbid a sparse component, or do not.
    pub(crate) const fn of(names_sparse: bool) -> Self {
        if names_sparse { Self::Rows } else { Self::Nothing }
    }
}

/// How the terms of a query are read.
///
/// # Safety
///
/// - `NAMES_SPARSE` is true if `access` demands or forbids any sparse component.
/// - `access` tells of everything that `row` gives access to, and demands nothing that `column` or `contains` does not.
/// - `ReadOnly` only reads.
/// - Several threads may visit a table at the same time, each for rows of its own: what they share is read, or changed by
///   atomic operations.
#[doc(hidden)]
pub unsafe trait Fetch: 'static {
    /// What is known once the query exists.
    type State: Clone + Send + Sync + 'static;
    /// What is known once a table is.
    type Column: Copy + Send + Sync + 'static;
    /// What is known while a table is visited.
    type Ready<'w>: Copy;
    /// One row.
    type Item<'w>;
    /// The same terms, without writing.
    type ReadOnly: ReadOnlyFetch<State = Self::State, Column = Self::Column>;

    /// Whether a row of a matched table may lack something, so that `contains` has to be asked.
    const PER_ROW: bool;
    /// Whether a sparse component is demanded or forbidden: then another query may change other rows of the same table.
    const NAMES_SPARSE: bool;
    /// The size of the largest value in a row that one can compute with: one without a destructor. Zero if there is none:
    /// loops over such rows are not worth compiling for several instruction sets.
    const WIDEST: usize = 0;
    /// What is known of the access when the program is compiled.
    const ACCESS: ConstAccess = ConstAccess::Nothing;

    /// Registers the components.
    fn init(store: &mut Store) -> Self::State;

    /// The state, if all components are registered.
    fn find(store: &Store) -> Option<Self::State>;

    /// What the terms demand, for those who ask why they match what they match.
    fn describe(store: &Store) -> Term;

    /// Adds what the terms borrow and demand.
    fn access(state: &Self::State, access: &mut FilteredAccess);

    /// Calls `each` with every sparse storage that a matched entity must be in.
    fn required_sparse(state: &Self::State, each: &mut dyn FnMut(u32));

    /// Where the values are in a table; `None` if its entities do not match.
    fn column(state: &Self::State, table: &Table) -> Option<Self::Column>;

    /// Gets a table ready.
    ///
    /// # Safety
    ///
    /// - State and column belong to the cell's store and this table.
    unsafe fn ready<'w>(cell: Cell<'w>, state: &Self::State, column: Self::Column, table: &'w Table)
    -> Self::Ready<'w>;

    /// Whether an entity of the table has what is not stored in tables.
    fn contains(ready: Self::Ready<'_>, entity: Entity) -> bool;

    /// One row.
    ///
    /// # Safety
    ///
    /// - `ready` and `rows` are those of a table that has the row and has not changed since; `contains` was true, or
    ///   `PER_ROW` is false.
    /// - The access to the values is allowed, and no other borrow of them is in its way, for `'w`.
    unsafe fn row<'w>(ready: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w>;
}

/// Terms that only read.
///
/// # Safety
///
/// - `access` tells of no writes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this query can change components, and here it may only read",
    label = "borrows mutably",
    note = "use `&T` instead of `&mut T`; or `while let Some(item) = iter.fetch_next()`, which lends one item at a time"
)]
pub unsafe trait ReadOnlyFetch: Fetch<ReadOnly = Self> {}

/// A component and, if it has one, its sparse storage.
#[derive(Clone, Copy)]
pub struct TermState {
    id: ComponentId,
    sparse: u32,
}

impl TermState {
    pub(crate) fn init<C: Component>(store: &mut Store) -> Self {
        let id = store.register_component::<C>();
        Self::of(store, id)
    }

    pub(crate) fn find<C: Component>(store: &Store) -> Option<Self> {
        let state = Self::of(store, store.archetypes.components.id::<C>()?);
        (!is_sparse::<C>() || (state.sparse as usize) < store.sparse.len()).then_some(state)
    }

    fn of(store: &Store, id: ComponentId) -> Self {
        let info = store.archetypes.components.info(id).filter(|info| info.storage() == StorageType::Sparse);
        Self { id, sparse: info.map_or(u32::MAX, |info| info.sparse_index() as u32) }
    }

    pub(crate) fn id(self) -> ComponentId {
        self.id
    }

    /// The number of the sparse storage, for sparse components.
    pub(crate) fn sparse(self) -> u32 {
        self.sparse
    }

    /// The sparse storage. Only for sparse components.
    #[inline]
    pub(crate) fn storage<'w>(self, cell: Cell<'w>) -> &'w SparseStorage {
        &cell.store().sparse[self.sparse as usize]
    }
}

/// The size of `C`, if it may be made of numbers: see [`Fetch::WIDEST`].
const fn plain_size<C: Component>() -> usize {
    if is_sparse::<C>() || core::mem::needs_drop::<C>() { 0 } else { size_of::<C>() }
}

/// Whether `C` is stored outside the tables.
pub(crate) const fn is_sparse<C: Component>() -> bool {
    matches!(C::STORAGE, StorageType::Sparse)
}

/// Where the column of a table is; anything for a sparse component.
fn place_of<C: Component>(state: TermState, table: &Table) -> Option<ColumnAddress> {
    if is_sparse::<C>() { Some(ColumnAddress::NOWHERE) } else { table.column_address(state.id) }
}

/// Where the values of `C` are while a table is visited: the first of its column, or the sparse storage.
pub struct Source<'w, C> {
    address: NonNull<u8>,
    marker: PhantomData<(&'w SparseStorage, C)>,
}

impl<C> Clone for Source<'_, C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Source<'_, C> {}

impl<'w, C: Component> Source<'w, C> {
    /// # Safety
    ///
    /// - State and column belong to the cell's store and a table of it.
    #[inline]
    unsafe fn new(cell: Cell<'w>, state: TermState, column: ColumnAddress) -> Self {
        let address = if is_sparse::<C>() {
            NonNull::from(state.storage(cell)).cast()
        } else {
            // SAFETY: the column is one of a table of the store, which is borrowed for 'w, so it is there and unchanged.
            unsafe { column.data() }
        };
        Self { address, marker: PhantomData }
    }

    #[inline]
    fn storage(self) -> &'w SparseStorage {
        debug_assert!(is_sparse::<C>());
        // SAFETY: `new` stored the address of a sparse storage that is borrowed for 'w; every caller has checked that
        // the component is sparse.
        unsafe { self.address.cast().as_ref() }
    }

    #[inline]
    fn contains(self, entity: Entity) -> bool {
        !is_sparse::<C>() || self.storage().contains(entity.index())
    }

    /// # Safety
    ///
    /// - The row exists, and `contains` is true for its entity.
    #[inline]
    pub(crate) unsafe fn value(self, rows: Rows, row: usize) -> NonNull<C> {
        if is_sparse::<C>() {
            // SAFETY: the caller's promise.
            let entity = unsafe { rows.entity(row) };
            let value = self.storage().get(entity.index());
            // SAFETY: `contains` is true for the entity.
            return unsafe { value.unwrap_unchecked() }.cast();
        }
        // SAFETY: the row exists, so it is within the column, whose values are of type `C`.
        unsafe { self.address.cast::<C>().add(row) }
    }
}

/// Where the ticks of values are while a table is visited.
#[derive(Clone, Copy)]
pub(crate) struct TickSource<'w> {
    tracking: Option<&'w Tracking>,
    /// To ask for ticks if there are none; nothing if there never will be.
    request: Option<&'w TrackingRequest>,
    span: Span,
}

impl<'w> TickSource<'w> {
    /// The ticks in a row of the column.
    ///
    /// # Safety
    ///
    /// - The row is one of the column.
    #[inline]
    pub(crate) unsafe fn at(self, row: usize) -> Ticks<'w> {
        let place = match (self.tracking, self.request) {
            // SAFETY: there is room for the ticks of all rows of a column.
            (Some(tracking), _) => unsafe { Place::row(tracking, row) },
            (None, Some(request)) => Place::Untracked(request),
            (None, None) => Place::Nowhere,
        };
        Ticks::new(place, self.span)
    }

    /// Notes that rows are changed.
    ///
    /// # Safety
    ///
    /// - Unless the table is shared, no other thread reads or writes the ticks of these rows meanwhile.
    #[inline]
    pub(crate) unsafe fn mark(self, first: usize, count: usize, sharing: Sharing) {
        let Some(tracking) = self.tracking else { return };
        match sharing {
            Sharing::Rows => tracking.mark_rows(first, count, self.span.somewhere()),
            // SAFETY: the caller's promise.
            Sharing::Nothing => unsafe { tracking.mark_unshared(first, count, self.span.somewhere()) },
        }
    }
}

/// Where the values of `C` and their ticks are while a table is visited.
pub struct Ticked<'w, C> {
    pub(crate) source: Source<'w, C>,
    pub(crate) ticks: TickSource<'w>,
}

impl<C> Clone for Ticked<'_, C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Ticked<'_, C> {}

impl<'w, C: Component> Ticked<'w, C> {
    /// # Safety
    ///
    /// - State and column belong to the cell's store and a table of it.
    #[inline]
    pub(crate) unsafe fn new(source: Source<'w, C>, cell: Cell<'w>, state: TermState, column: ColumnAddress) -> Self {
        let span = cell.span();
        if matches!(C::TRACK, ChangeTracking::Never) {
            return Self { source, ticks: TickSource { tracking: None, request: None, span } };
        }
        // SAFETY: the caller's promise; the store is borrowed for 'w, so its columns are there and unchanged.
        let column = unsafe { column_of::<C>(cell, state, column) };
        let (tracking, request) = (column.tracking(), column.tracking_request());
        Self { source, ticks: TickSource { tracking, request, span } }
    }

    /// As [`Ticked::new`], and notes that values may be changed.
    ///
    /// # Safety
    ///
    /// - As for [`Ticked::new`]. The values may be changed.
    #[inline]
    unsafe fn visit(source: Source<'w, C>, cell: Cell<'w>, state: TermState, address: ColumnAddress) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let ticked = Self::new(source, cell, state, address);
            if !matches!(C::TRACK, ChangeTracking::Never) && !cell.is_again() {
                column_of::<C>(cell, state, address).visit(ticked.ticks.span.this_run);
            }
            ticked
        }
    }

    /// The row of the ticks for a row of the table.
    ///
    /// # Safety
    ///
    /// - The row exists.
    #[inline]
    pub(crate) unsafe fn tick_row(self, rows: Rows, row: usize) -> usize {
        if is_sparse::<C>() && self.ticks.tracking.is_some() {
            // SAFETY: the caller's promise.
            let entity = unsafe { rows.entity(row) };
            return self.source.storage().tick_row(entity.index()).unwrap_or(0);
        }
        row
    }

    /// The ticks of a row.
    ///
    /// # Safety
    ///
    /// - The row exists, and its entity has the component.
    #[inline]
    pub(crate) unsafe fn ticks(self, rows: Rows, row: usize) -> Ticks<'w> {
        // SAFETY: the caller's promise; a component that an entity has is in this row.
        unsafe { self.ticks.at(self.tick_row(rows, row)) }
    }
}

/// The column of the values of `C`, also if that is in a sparse storage.
///
/// # Safety
///
/// - State and column belong to the cell's store and a table of it.
#[inline]
unsafe fn column_of<'w, C: Component>(cell: Cell<'w>, state: TermState, column: ColumnAddress) -> &'w Column {
    if is_sparse::<C>() {
        return state.storage(cell).column();
    }
    // SAFETY: the column is one of a table of the store, which is borrowed for 'w, so it is there and unchanged.
    unsafe { column.column() }
}

/// Whether the entities of a table have a component: all or none of them, or as the storage says.
#[derive(Clone, Copy)]
pub struct Presence<'w> {
    table: bool,
    storage: Option<&'w SparseStorage>,
}

impl<'w> Presence<'w> {
    #[inline]
    pub(crate) fn new<C: Component>(cell: Cell<'w>, state: TermState, table: &Table) -> Self {
        if is_sparse::<C>() {
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

/// `&C`.
#[doc(hidden)]
pub struct Read<C>(PhantomData<fn() -> C>);

/// `&mut C`, with plain mutable slices.
#[doc(hidden)]
pub struct Write<C>(PhantomData<fn() -> C>);

/// `Mut<C>`: as `&mut C`, with slices that tell which rows are changed.
#[doc(hidden)]
pub struct WriteRows<C>(PhantomData<fn() -> C>);

/// What all terms that borrow one component have in common.
macro_rules! one_component {
    ($add:ident, $write:literal, $before:literal $behind:literal) => {
        type State = TermState;
        type Column = ColumnAddress;

        const PER_ROW: bool = is_sparse::<C>();
        const NAMES_SPARSE: bool = is_sparse::<C>();
        const WIDEST: usize = plain_size::<C>();

        fn init(store: &mut Store) -> TermState {
            TermState::init::<C>(store)
        }

        fn find(store: &Store) -> Option<TermState> {
            TermState::find::<C>(store)
        }

        fn describe(store: &Store) -> Term {
            Term::one::<C>(store, $before, $behind, Demand::With)
        }

        const ACCESS: ConstAccess =
            ConstAccess::Terms(&[ConstAccess::Component { key: C::KEY, write: $write }, ConstAccess::With(C::KEY)]);

        fn access(state: &TermState, access: &mut FilteredAccess) {
            access.$add(state.id);
            access.add_with(state.id);
        }

        fn required_sparse(state: &TermState, each: &mut dyn FnMut(u32)) {
            if is_sparse::<C>() {
                each(state.sparse);
            }
        }

        fn column(state: &TermState, table: &Table) -> Option<ColumnAddress> {
            place_of::<C>(*state, table)
        }
    };
}

/// What all terms that change one component have in common.
macro_rules! one_changing_component {
    ($before:literal $behind:literal) => {
        type Ready<'w> = Ticked<'w, C>;
        type Item<'w> = Mut<'w, C>;
        type ReadOnly = Read<C>;

        one_component!(add_write, true, $before $behind);

        #[inline]
        unsafe fn ready<'w>(cell: Cell<'w>, state: &TermState, column: ColumnAddress, _: &'w Table) -> Ticked<'w, C> {
            // SAFETY: the caller's promise.
            unsafe { Ticked::visit(Source::new(cell, *state, column), cell, *state, column) }
        }

        #[inline]
        fn contains(ready: Ticked<'_, C>, entity: Entity) -> bool {
            ready.source.contains(entity)
        }

        #[inline]
        unsafe fn row<'w>(ready: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
            // SAFETY: the caller promises that the value is there and may be changed for 'w.
            unsafe { Mut::new(ready.source.value(rows, row).as_mut(), ready.ticks(rows, row)) }
        }
    };
}

// SAFETY: reads one component and says so; a table without it does not match, nor does an entity without it.
unsafe impl<C: Component> Fetch for Read<C> {
    type Ready<'w> = Source<'w, C>;
    type Item<'w> = &'w C;
    type ReadOnly = Self;

    one_component!(add_read, false, "&" "");

    #[inline]
    unsafe fn ready<'w>(cell: Cell<'w>, state: &TermState, column: ColumnAddress, _: &'w Table) -> Source<'w, C> {
        // SAFETY: the caller's promise.
        unsafe { Source::new(cell, *state, column) }
    }

    #[inline]
    fn contains(ready: Source<'_, C>, entity: Entity) -> bool {
        ready.contains(entity)
    }

    #[inline]
    unsafe fn row<'w>(ready: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
        // SAFETY: the caller promises that the value is there and may be read for 'w.
        unsafe { ready.value(rows, row).as_ref() }
    }
}

// SAFETY: only reads.
unsafe impl<C: Component> ReadOnlyFetch for Read<C> {}

// SAFETY: writes one component and says so; a table without it does not match, nor does an entity without it.
unsafe impl<C: Component> Fetch for Write<C> {
    one_changing_component!("&mut " "");
}

// SAFETY: as `Write`.
unsafe impl<C: Component> Fetch for WriteRows<C> {
    one_changing_component!("Mut<" ">");
}

/// `Entity`.
#[doc(hidden)]
pub struct EntityTerm;

// SAFETY: borrows no component; every row has an entity.
unsafe impl Fetch for EntityTerm {
    type State = ();
    type Column = ();
    type Ready<'w> = ();
    type Item<'w> = Entity;
    type ReadOnly = Self;

    const PER_ROW: bool = false;
    const NAMES_SPARSE: bool = false;

    fn init(_: &mut Store) {}

    fn find(_: &Store) -> Option<()> {
        Some(())
    }

    fn describe(_: &Store) -> Term {
        Term::entity()
    }

    fn access((): &(), _: &mut FilteredAccess) {}

    fn required_sparse((): &(), _: &mut dyn FnMut(u32)) {}

    fn column((): &(), _: &Table) -> Option<()> {
        Some(())
    }

    #[inline]
    unsafe fn ready<'w>(_: Cell<'w>, (): &(), (): (), _: &'w Table) {}

    #[inline]
    fn contains((): (), _: Entity) -> bool {
        true
    }

    #[inline]
    unsafe fn row<'w>((): Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
        // SAFETY: the caller promises that the row exists.
        unsafe { rows.entity(row) }
    }
}

// SAFETY: only reads.
unsafe impl ReadOnlyFetch for EntityTerm {}
