//! Fetches the items of single entities.
//!
//! Tests: tests/queries/access.rs, tests/queries/lists.rs

use alloc::vec::Vec;
use core::any::type_name;
use core::mem::MaybeUninit;

use super::blocks::{Block, Matched};
use super::cache::{Cache, Match};
use super::data::{QueryData, ReadOnlyQueryData};
use super::error::QueryEntityError;
use super::fetch::Fetch;
use super::filter::{FilterTerms, QueryFilter};
use super::matching::looked_up;
use crate::access::term::{TermComponent, TermEntry};
use crate::entity::{Entity, Slot, TableId};
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;

/// The lists that lead from an entity to its table and column. Finding an entity reads nothing else.
pub(crate) struct Books<'w, 's, C> {
    pub(super) slots: &'w [Slot],
    by_table: &'s [Option<C>],
    /// A copy of `Cache::only`, so that a loop keeps it in registers.
    only: (TableId, MaybeUninit<C>),
}

impl_copy! { [C: Copy] Books<'_, '_, C>; }

impl<'w, 's, C: Copy> Books<'w, 's, C> {
    #[inline]
    pub(crate) fn new<D, F>(cell: StoreCell<'w>, cache: &'s Cache<D, C, F>) -> Self {
        Self { slots: cell.store().structure.entities.slots(), by_table: &cache.by_table, only: cache.only }
    }
}

/// The item of one entity, if it matches.
///
/// # Safety
///
/// - The lookup lists were made from the cell and the cache of `matched`.
/// - The access of `D` to this entity is allowed for `'w` and conflicts with no other borrow. The same holds for the access of
///   queries that are nested in `D`, to all entities.
#[inline]
pub(super) unsafe fn fetch<'w, D: Fetch, F: FilterTerms>(
    matched: Matched<'w, '_, D, F>,
    books: Books<'_, '_, D::Column>,
    entity: Entity,
) -> Option<D::Item<'w>> {
    let (only, known) = books.only;
    let (found, row) = match Slot::row_in(books.slots, entity, only) {
        // SAFETY: a slot names this table, so it is not `TableId::UNUSED`, and its column state is initialized.
        Some(row) => (Match { table: only, column: unsafe { known.assume_init() } }, row),
        None => {
            let location = Slot::find(books.slots, entity)?;
            let column = books.by_table.get(location.table.index()).copied().flatten()?;
            (Match { table: location.table, column }, location.row)
        }
    };
    // SAFETY: the match is one of the cache, which belongs to the store and is up to date, as promised to `Matched::new`.
    let block = unsafe { Block::<D, F>::whole(matched.cell(), matched.cache(), &found) };
    let row = row as usize;
    if !block.contains(entity, row) {
        return None;
    }
    // SAFETY: a live entity is in this row of the table; it matches; the access is allowed (forwarded).
    Some(unsafe { D::row::<false>(block.data, block.rows, row) })
}

/// Fetches the items of single entities, one after the other. Caches the blocks of a few tables.
pub(crate) struct Finder<'w, 's, D: QueryData, F: QueryFilter> {
    matched: Matched<'w, 's, D::Terms, F::Terms>,
    slots: &'w [Slot],
    /// The first table in which an entity was found; usually there is no other one.
    first: Known<'w, D::Terms, F::Terms>,
    /// Cache of tables, indexed by the lowest bits of the table id.
    known: [Known<'w, D::Terms, F::Terms>; KNOWN],
}

/// A table and its rows; `block` is `None` if the query does not match it. The alignment rounds the size up, usually to a power of
/// two, so that an entry is found by a shift.
#[repr(align(64))]
struct Known<'w, D: Fetch, F: FilterTerms> {
    table: TableId,
    block: Option<Block<'w, D, F>>,
}

/// Number of entries in the cache.
const KNOWN: usize = 4;

impl<'w, 's, D: ReadOnlyQueryData, F: QueryFilter> Finder<'w, 's, D, F> {
    /// # Safety
    ///
    /// - The access of `D` is allowed for `'w` and conflicts with no other borrow.
    pub(super) unsafe fn new(matched: Matched<'w, 's, D::Terms, F::Terms>) -> Self {
        Self {
            matched,
            slots: matched.cell().store().structure.entities.slots(),
            first: Known { table: TableId::UNUSED, block: None },
            known: [const { Known { table: TableId::UNUSED, block: None } }; KNOWN],
        }
    }

    /// All rows of the table of an entity, and the entity's row; `None` if it is not alive, or its table does not match.
    #[inline(always)]
    pub(super) fn find(&mut self, entity: Entity) -> Option<(&Block<'w, D::Terms, F::Terms>, usize)> {
        if let Some(row) = Slot::row_in(self.slots, entity, self.first.table) {
            return self.first.block.as_ref().map(|block| (block, row as usize));
        }
        let location = Slot::find(self.slots, entity)?;
        let at = location.table.index() % KNOWN;
        if self.known[at].table != location.table {
            self.look_at(location.table);
        }
        self.known[at].block.as_ref().map(|block| (block, location.row as usize))
    }

    /// The item of the entity, if it is alive and matches.
    #[inline(always)]
    pub(crate) fn get(&mut self, entity: Entity) -> Option<D::Item<'w, 's>> {
        let kept = Some(&self.matched.cache().data);
        let (block, row) = self.find(entity)?;
        if !block.contains(entity, row) {
            return None;
        }
        // SAFETY: a live entity is in this row and matches; the access is allowed, as promised to `new`, and is read-only.
        let got = unsafe { D::Terms::row::<false>(block.data, block.rows, row) };
        Some(D::item(got, kept))
    }

    #[inline(never)]
    fn look_at(&mut self, table: TableId) {
        let block = || self.matched.block_of(table);
        if self.first.block.is_none()
            && let Some(block) = block()
        {
            self.first = Known { table, block: Some(block) };
        }
        self.known[table.index() % KNOWN] = Known { table, block: block() };
    }
}

/// The components that the query's data demands of every entity and that this entity lacks. Empty if the entity does not pass the
/// filter, or if that is unknown.
#[cold]
pub(crate) fn lacking<D: QueryData, F: QueryFilter>(store: &Store, entity: Entity) -> Vec<&'static str> {
    let components = &store.structure.archetypes.components;
    let has =
        |component: &TermComponent| component.id.is_some_and(|id| store.structure.value_by_id(entity, id).is_some());
    let Some(terms) = looked_up(components, &D::Terms::TERM, &F::Terms::TERM) else { return Vec::new() };
    let passes = terms.filter().singles().all(|single| match single.node() {
        TermEntry::Component(usage, _) if usage.selects_changes() => false,
        TermEntry::Component(usage, component) if usage.demands() => has(component),
        TermEntry::Component(usage, component) if usage.excludes() => !has(component),
        TermEntry::Component(..) => true,
        _ => false,
    });
    let demanded = terms.data().singles().filter_map(|single| match single.node() {
        TermEntry::Component(usage, component) if usage.demands() && !has(component) => Some(component.name),
        _ => None,
    });
    if passes { demanded.collect() } else { Vec::new() }
}

/// The reason why a query yields nothing for an entity.
#[cold]
pub(super) fn why_not<D: QueryData>(cell: StoreCell<'_>, entity: Entity) -> QueryEntityError {
    match cell.store().structure.entities.locate(entity) {
        Ok(_) => QueryEntityError::QueryDoesNotMatch(entity, type_name::<D>()),
        Err(error) => QueryEntityError::NotSpawned(error),
    }
}
