//! Reading the terms of a query from storage.
//!
//! A [`Fetch`] is one term, or a tuple of terms. It is used in steps, so that each does as little as possible: once per
//! query (`state`), once per table that matches (`column`), once per visit of a table (`ready`), once per row.
//! What most terms give of several rows at once are slices: [`ContiguousFetch`].

use core::ops::Range;
use core::ptr::NonNull;
use core::slice;

use crate::access::FilteredAccess;
use crate::cell::StoreCell;
use crate::entity::Entity;
use crate::prefetch::prefetch;
use crate::sparse::SparseSet;
use crate::store::Store;
use crate::table::Table;
use crate::term::{ConstTerm, Term, TermFacts};

/// The entities of a table, or of a sparse storage, by row.
#[derive(Clone, Copy)]
pub struct Rows(NonNull<Entity>);

impl Rows {
    /// Has the processor fetch the entity of a row.
    #[inline(always)]
    pub(crate) fn fetch_ahead(self, row: usize) {
        prefetch(self.0.as_ptr().wrapping_add(row));
    }

    #[inline]
    pub(crate) fn of(table: &Table) -> Self {
        Self(NonNull::from(table.entities()).cast())
    }

    /// The entities of a sparse storage, by the rows of their values there.
    #[inline]
    pub(crate) fn of_storage(storage: &SparseSet) -> Self {
        Self(NonNull::from(storage.entities()).cast())
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
/// What a term says, it says in `TERM`, once; see [`ConstTerm`]. Of what `TERM` leaves to the run time, the term that
/// `state` gets says it.
///
/// # Safety
///
/// - The term says everything that `row` gives access to. Of a table that the term matches, an entity of which `contains`
///   says that it is there has what the term demands; without `PER_ROW`, each entity of the table does.
/// - No constant that follows from `TERM` is set otherwise.
/// - `ReadOnly` only reads.
/// - Several threads may visit a table at the same time, each for rows of its own: what they share is read, or changed by
///   atomic operations.
#[doc(hidden)]
pub unsafe trait Fetch: 'static {
    /// What is known once the query exists.
    type State: Send + Sync + 'static;
    /// What is known once a table is.
    type Column: Copy + Send + Sync + 'static;
    /// What is known while a table is visited.
    type TableFetch<'w>: Copy;
    /// One row.
    type Item<'w>;
    /// The same terms, without writing.
    type ReadOnly: ReadOnlyFetch<State = Self::State, Column = Self::Column>;

    /// What the term says.
    const TERM: ConstTerm;

    /// What follows from it for loops.
    const FACTS: TermFacts = Self::TERM.facts();
    /// Whether a row of a matched table may lack something, so that `contains` has to be asked.
    const PER_ROW: bool = Self::FACTS.per_row;
    /// The state for the term in a world, which was made of `TERM`.
    fn state(term: Term<'_>) -> Self::State;

    /// Lets a term have what was added to the query when it was made: at most one has it, and says so. The query borrows it of each
    /// entity that has it, and no term of the query is in its way.
    fn give(state: &mut Self::State, added: &FilteredAccess) -> bool {
        let _ = (state, added);
        false
    }

    /// Has nested queries look at tables that are new. Called whenever there are any, and once for a new state, if the terms nest.
    fn update(state: &mut Self::State, store: &Store) {
        let _ = (state, store);
    }

    /// Where the values are in a table; `None` if it lacks what each row needs.
    fn column(state: &Self::State, table: &Table) -> Option<Self::Column>;

    /// Gets a table ready.
    ///
    /// # Safety
    ///
    /// - State and column belong to the cell's store and this table.
    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &Self::State,
        column: Self::Column,
        table: &'w Table,
    ) -> Self::TableFetch<'w>;

    /// Prepares a loop that records the changes of rows as `recording` says; `None` if a term has to record more than that. What the
    /// compiler sees in the result leaves the rest out of the loop.
    #[inline(always)]
    fn recording<'w>(ready: Self::TableFetch<'w>, recording: Recording) -> Option<Self::TableFetch<'w>> {
        let _ = recording;
        Some(ready)
    }

    /// Makes the rows those of a sparse storage, instead of those of the table.
    fn packed<'w>(ready: Self::TableFetch<'w>, storage: &'w SparseSet) -> Self::TableFetch<'w> {
        let _ = storage;
        ready
    }

    /// Shows the compiler that every demanded component is in the storage that the rows are those of.
    ///
    /// # Safety
    ///
    /// - [`packed`](Self::packed) returned `ready`; the storage is the only sparse one of which the query demands that it has an entity.
    #[inline(always)]
    unsafe fn all_packed<'w>(ready: Self::TableFetch<'w>) -> Self::TableFetch<'w> {
        ready
    }

    /// Has the processor fetch what it knows to need for a row. This is worth doing a while before the row is read. There need not be
    /// such a row.
    #[inline(always)]
    fn fetch_ahead(ready: Self::TableFetch<'_>, rows: Rows, row: usize) {
        let _ = (ready, rows, row);
    }

    /// Calls a function with the same for some rows, and lets the compiler know that no column which is written there overlaps another
    /// one. Otherwise a loop over many columns would have to find that out before it begins.
    ///
    /// # Safety
    ///
    /// - `ready` is that of a table, or of a storage, that has the rows, none of which has to be asked; the access to their values is
    ///   allowed for `'w`, and no other borrow is in its way.
    /// - Until this returns, their values are accessible through what `then` gets alone.
    #[inline]
    unsafe fn apart<'w, Via: Apart, R>(
        ready: Self::TableFetch<'w>,
        rows: Range<usize>,
        then: impl FnOnce(Self::TableFetch<'w>) -> R,
    ) -> R {
        let _ = rows;
        then(ready)
    }

    /// Whether an entity of the table has what is not stored in tables. Terms without `PER_ROW` keep this definition.
    #[inline]
    fn contains(ready: Self::TableFetch<'_>, entity: Entity) -> bool {
        let _ = (ready, entity);
        true
    }

    /// One row. `RECORDED` says that [`recording`](Self::recording) returned `ready` for [`Recording::Ticks`] and this row.
    ///
    /// # Safety
    ///
    /// - `ready` and `rows` are those of a table that has the row and has not changed since; `contains` was true, or
    ///   `PER_ROW` is false.
    /// - If [`packed`](Self::packed) returned `ready`, `rows` are those of its storage instead, and `FACTS.outside_tables` is true.
    /// - The access to the values is allowed, and no other borrow of them is in its way, for `'w`.
    /// - `RECORDED` is true only for such rows. The value is changed in the run of the cell that the table was got ready with, and no other
    ///   query that is alive has rows of the table whose values this one may change.
    unsafe fn row<'w, const RECORDED: bool>(ready: Self::TableFetch<'w>, rows: Rows, row: usize) -> Self::Item<'w>;
}

/// How a loop records that it changes rows.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recording {
    /// Not at all, because there are no ticks.
    Nothing,
    /// In ticks alone. This only asks whether that is enough; it may become enough while rows are changed, and stays so until another
    /// visit of the table.
    TicksAlone,
    /// In ticks alone, for `count` rows from `first` on. Everything else is recorded now, for all of them.
    Ticks { first: usize, count: usize },
}

/// Passes values through a parameter: if a parameter of a function is a mutable reference, the compiler knows in the whole function that
/// nothing else leads to these values.
///
/// It forgets this of a function that it inlines before it optimises, which it may do wherever it knows which function is called. So this
/// is a trait, and [`Fetch::apart`] is generic over the type that implements it.
pub trait Apart {
    /// Calls a function with the values.
    fn pass<'w, C, R>(values: &'w mut [C], then: impl FnOnce(&'w mut [C]) -> R) -> R;
}

/// What a query knows of its terms, for items that borrow it: those of nested queries. Of single entities, which are fetched by a
/// query that is gone afterwards, there is nothing.
#[doc(hidden)]
pub type Kept<'s, T> = Option<&'s <T as Fetch>::State>;

/// Terms that only read.
///
/// # Safety
///
/// - The term says that nothing is written.
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
/// - A slice gives access to nothing that its rows do not.
#[doc(hidden)]
pub unsafe trait ContiguousFetch: Fetch {
    /// Several rows, one behind the other.
    type Slice<'w>;

    /// Whether slices can have one row only, because values do not lie one behind the other.
    const SINGLE_ROWS: bool;

    /// Whether slices can have many rows if these are rows of a sparse storage.
    const PACKED_SLICES: bool = false;

    /// Notes that rows are given out, before they are: those of which a slice cannot tell later which were changed count as
    /// changed.
    ///
    /// # Safety
    ///
    /// - As for [`slice`](Self::slice), but that values need not be accessible: only their ticks, to write.
    /// - Unless the table is shared, no other query that is alive has rows of it whose values this one may change.
    #[inline(always)]
    unsafe fn mark(ready: Self::TableFetch<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        let _ = (ready, rows, first, count, sharing);
    }

    /// The rows from `first` on.
    ///
    /// # Safety
    ///
    /// - As for [`Fetch::row`], for each of `count` rows; `count` is 1 if `SINGLE_ROWS`, unless `PACKED_SLICES` is true and
    ///   `ready` comes from [`Fetch::all_packed`].
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w>;
}
