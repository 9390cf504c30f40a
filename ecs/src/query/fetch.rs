//! Reads the terms of a query from storage.
//!
//! A [`Fetch`] is one term, or a tuple of terms. It works in steps, so that the frequent steps do little. `state` runs once per
//! query, `column` once per matched table, `visit_table` once per visit of a table, and `fetch_row` once per row. Most terms can
//! also return several rows as slices: [`ContiguousFetch`].
//!
//! Tests: tests/queries/terms.rs, ecs/src/world/tests/dynamic_terms.rs

use core::ops::Range;
use core::ptr::NonNull;
use core::slice;

use crate::access::FilteredAccess;
use crate::access::term::{ConstTerm, Term, TermFacts};
use crate::entity::Entity;
use crate::storage::sparse::SparseSet;
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::util::prefetch::prefetch;

/// The entities of a table, or of a sparse storage, by row.
#[derive(Clone, Copy)]
pub struct Rows(NonNull<Entity>);

impl Rows {
    /// Prefetches the entity of a row.
    #[inline(always)]
    pub(crate) fn prefetch_row(self, row: usize) {
        prefetch(self.0.as_ptr().wrapping_add(row));
    }

    #[inline]
    pub(crate) fn of(table: &Table) -> Self {
        Self(NonNull::from(table.entities()).cast())
    }

    /// Returns the entities of a sparse storage, indexed by the rows of its values.
    #[inline]
    pub(crate) fn of_storage(storage: &SparseSet) -> Self {
        Self(NonNull::from(storage.entities()).cast())
    }

    /// # Safety
    ///
    /// - `row` exists in the table, which has not changed since `self` was made.
    #[inline]
    pub(crate) unsafe fn entity(self, row: usize) -> Entity {
        // SAFETY: forwarded: the row exists in the table.
        unsafe { self.0.add(row).read() }
    }

    /// # Safety
    ///
    /// - The rows exist in the table, which does not change for `'w`.
    #[inline]
    pub(crate) unsafe fn entities<'w>(self, first: usize, count: usize) -> &'w [Entity] {
        // SAFETY: forwarded: the rows exist in the table, which does not change for `'w`.
        unsafe { slice::from_raw_parts(self.0.add(first).as_ptr(), count) }
    }

    /// Returns a mask of the matching rows among `count` rows from `first` on. `count` is at most 64.
    ///
    /// # Safety
    ///
    /// - The rows exist in the table, which has not changed since `self` was made.
    #[inline]
    pub(crate) unsafe fn mask(self, first: usize, count: usize, matches: impl Fn(Entity, usize) -> bool) -> u64 {
        // SAFETY: forwarded: the rows exist in the table.
        let bit = |nth: usize| unsafe { u64::from(matches(self.entity(first + nth), first + nth)) << nth };
        (0..count).fold(0, |mask, nth| mask | bit(nth))
    }
}

/// The rows of a table that a concurrent query may change while a query visits the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// No rows. If another query may run at the same time and changes components that this query borrows, a component that is
    /// stored in tables separates the two, so they match different tables.
    Nothing,
    /// Rows that this query does not match because of a sparse component. Their ticks are stored next to the ticks of rows that it
    /// matches.
    Rows,
}

impl Sharing {
    /// Returns the rows for a query. `names_sparse` says whether its terms demand or forbid a sparse component.
    pub(crate) const fn of(names_sparse: bool) -> Self {
        if names_sparse { Self::Rows } else { Self::Nothing }
    }
}

/// Defines how the terms of a query are read.
///
/// A term is described in one place, `TERM`; see [`ConstTerm`]. Details that are only known at run time come from the term that is
/// passed to `state`.
///
/// # Safety
///
/// - `TERM` declares everything that `fetch_row` gives access to.
/// - If the term matches a table and `contains` returns true for an entity of that table, the entity has what the term demands.
///   Without `PER_ROW`, each entity of the table has it.
/// - Constants whose default is derived from `TERM` are not overridden.
/// - `ReadOnly` only reads.
/// - Several threads may visit a table at the same time, each for its own rows: data that they share is only read, or changed by
///   atomic operations.
#[doc(hidden)]
pub unsafe trait Fetch: 'static {
    /// State per query.
    type State: Send + Sync + 'static;
    /// State per matched table.
    type Column: Copy + Send + Sync + 'static;
    /// State per visit of a table.
    type TableFetch<'w>: Copy;
    /// The fetched values of one row.
    type Item<'w>;
    /// The same terms with read-only access.
    type ReadOnly: ReadOnlyFetch<State = Self::State, Column = Self::Column>;

    /// The description of the term.
    const TERM: ConstTerm;

    /// Facts derived from `TERM` that loops use.
    const FACTS: TermFacts = Self::TERM.facts();
    /// Whether a row of a matched table may lack a component, so that `contains` has to be called.
    const PER_ROW: bool = Self::FACTS.per_row;
    /// Returns the state for a term of a world. `term` was made from `TERM`.
    fn state(term: Term<'_>) -> Self::State;

    /// Passes the access that was added to the query to the term. Returns true if the term takes this access; at most one term
    /// does. The query has this access for each entity with the components, and no other term of the query conflicts with it.
    fn grant_access(state: &mut Self::State, added: &FilteredAccess) -> bool {
        let _ = (state, added);
        false
    }

    /// Updates nested queries with new tables. If the terms nest, this is called whenever there are new tables, and once for a new
    /// state.
    fn update(state: &mut Self::State, store: &Store) {
        let _ = (state, store);
    }

    /// Returns the column state of a table, or `None` if the table lacks a component that each row needs.
    fn column(state: &Self::State, table: &Table) -> Option<Self::Column>;

    /// Prepares the visit of a table.
    ///
    /// # Safety
    ///
    /// - `state` and `column` belong to the cell's store and this table.
    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &Self::State,
        column: Self::Column,
        table: &'w Table,
    ) -> Self::TableFetch<'w>;

    /// Returns a state for a loop that records the changes of rows in the way that `recording` says, or `None` if a term has to
    /// record more. The returned state tells the compiler that other recording code is unreachable, so it can remove this code from
    /// the loop.
    #[inline(always)]
    fn recording<'w>(ready: Self::TableFetch<'w>, recording: Recording) -> Option<Self::TableFetch<'w>> {
        let _ = recording;
        Some(ready)
    }

    /// Switches from the rows of the table to the rows of a sparse storage.
    fn packed<'w>(ready: Self::TableFetch<'w>, storage: &'w SparseSet) -> Self::TableFetch<'w> {
        let _ = storage;
        ready
    }

    /// Tells the compiler that every demanded component is in the storage whose rows are visited. Returns the state with this
    /// knowledge.
    ///
    /// # Safety
    ///
    /// - [`packed`](Self::packed) returned `ready` for the only sparse storage that the query demands.
    #[inline(always)]
    unsafe fn all_packed<'w>(ready: Self::TableFetch<'w>) -> Self::TableFetch<'w> {
        ready
    }

    /// Prefetches the values of a row. Call this some time before the row is read. The row need not exist.
    #[inline(always)]
    fn prefetch_row(ready: Self::TableFetch<'_>, rows: Rows, row: usize) {
        let _ = (ready, rows, row);
    }

    /// Calls `then` with a state for some rows. This state tells the compiler that the columns written through it do not overlap
    /// other columns. Otherwise a loop over many columns would start with run-time overlap checks.
    ///
    /// # Safety
    ///
    /// - `ready` belongs to a table or storage that has the rows, and no row has to be checked. The access to their values is
    ///   allowed for `'w` and conflicts with no other borrow.
    /// - Until this returns, the values are accessed only through the argument of `then`.
    #[inline]
    unsafe fn apart<'w, Via: Apart, R>(
        ready: Self::TableFetch<'w>,
        rows: Range<usize>,
        then: impl FnOnce(Self::TableFetch<'w>) -> R,
    ) -> R {
        let _ = rows;
        then(ready)
    }

    /// Returns whether an entity of the table has the demanded components that are not stored in tables. Terms without `PER_ROW`
    /// keep this definition.
    #[inline]
    fn contains(ready: Self::TableFetch<'_>, entity: Entity) -> bool {
        let _ = (ready, entity);
        true
    }

    /// Fetches one row. `RECORDED` says that [`recording`](Self::recording) returned `ready` for [`Recording::Ticks`] and this row.
    ///
    /// # Safety
    ///
    /// - `ready` and `rows` belong to a table that has the row and has not changed since; `contains` returned true, or `PER_ROW` is
    ///   false.
    /// - If [`packed`](Self::packed) returned `ready`, `rows` belong to its storage instead, and `FACTS.outside_tables` is true.
    /// - The access to the values is allowed for `'w` and conflicts with no other borrow.
    /// - If `RECORDED` is true, [`recording`](Self::recording) returned `ready` for this row, the value is changed during the run
    ///   of the cell that was passed to `visit_table`, and no other live query has rows of the table whose values this query may
    ///   change.
    unsafe fn fetch_row<'w, const RECORDED: bool>(
        ready: Self::TableFetch<'w>,
        rows: Rows,
        row: usize,
    ) -> Self::Item<'w>;
}

/// The way in which a loop records that it changes rows.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recording {
    /// Changes are not recorded, because there are no ticks.
    Nothing,
    /// Changes are recorded in ticks alone. This value is only used to ask whether that is enough. It may become enough while rows
    /// are changed, and stays so until the next visit of the table.
    TicksAlone,
    /// Changes of `count` rows from `first` on are recorded in ticks alone. Everything else about these changes is recorded in
    /// advance, for all of these rows.
    Ticks { first: usize, count: usize },
}

/// Passes values through a function parameter. If a parameter is a mutable reference, the compiler knows in the whole function that
/// no other pointer aliases the values.
///
/// The compiler loses this knowledge if it inlines the function before it optimises, which it may do if it knows the callee.
/// Therefore this is a trait, and [`Fetch::apart`] is generic over the type that implements it.
pub trait Apart {
    /// Calls a function with the values.
    fn pass<'w, C, R>(values: &'w mut [C], then: impl FnOnce(&'w mut [C]) -> R) -> R;
}

/// The state of the terms, which items of nested queries borrow. `None` for the fetch of a single entity: the query state of such a
/// fetch does not outlive the call.
#[doc(hidden)]
pub type Kept<'s, T> = Option<&'s <T as Fetch>::State>;

/// Terms that only read.
///
/// # Safety
///
/// - `TERM` declares no write access.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this query can change components, and here it may only read",
    label = "borrows mutably",
    note = "use `&T` instead of `&mut T`; or `while let Some(item) = iter.fetch_next()`, which lends one item at a time"
)]
pub unsafe trait ReadOnlyFetch: Fetch<ReadOnly = Self> {}

/// Terms whose rows can be read as slices.
///
/// # Safety
///
/// - A slice gives access to nothing but its rows, as [`Fetch::fetch_row`] does.
#[doc(hidden)]
pub unsafe trait ContiguousFetch: Fetch {
    /// The slices of several consecutive rows.
    type Slice<'w>;

    /// Whether slices are limited to one row, because values are not contiguous.
    const SINGLE_ROWS: bool;

    /// Whether slices can have many rows when the rows belong to a sparse storage.
    const PACKED_SLICES: bool = false;

    /// Records rows as changed before they are returned as slices. Used by slices that cannot record changes of single rows later.
    ///
    /// # Safety
    ///
    /// - The conditions of [`slice`](Self::slice) hold, except that only the ticks of the rows must be accessible, for writing, not
    ///   the values.
    /// - Unless `sharing` is `Sharing::Rows`, no other live query has rows of the table whose values this query may change.
    #[inline(always)]
    unsafe fn mark(ready: Self::TableFetch<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        let _ = (ready, rows, first, count, sharing);
    }

    /// Returns the `count` rows from `first` on as slices.
    ///
    /// # Safety
    ///
    /// - The conditions of [`Fetch::fetch_row`] hold for each of the `count` rows. If `SINGLE_ROWS` is true, `count` is 1, unless
    ///   `PACKED_SLICES` is true and `ready` comes from [`Fetch::all_packed`].
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w>;
}
