//! Finding what a query yields for single entities.

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
use crate::cell::StoreCell;
use crate::entity::{Entity, Slot, TableId};
use crate::store::Store;
use crate::term::{TermComponent, TermEntry};

/// The lists that lead from an entity to its values: kept at hand, finding an entity reads nothing else but these.
pub(crate) struct Books<'w, 's, C> {
    pub(super) slots: &'w [Slot],
    by_table: &'s [Option<C>],
    /// As `Cache::only`. Here, and not read from the cache, it is in registers in a loop.
    only: (TableId, MaybeUninit<C>),
}

impl_copy! { [C: Copy] Books<'_, '_, C>; }

impl<'w, 's, C: Copy> Books<'w, 's, C> {
    #[inline]
    pub(crate) fn new<D, F>(cell: StoreCell<'w>, cache: &'s Cache<D, C, F>) -> Self {
        Self { slots: cell.store().structure.entities.slots(), by_table: &cache.by_table, only: cache.only }
    }
}

/// What a query yields for one entity, if it matches.
///
/// # Safety
///
/// - The books were made from the cell and the cache of `matched`.
/// - The access of `D` to this entity is allowed, and no other borrow is in its way, for `'w`; and if queries are nested in it, the access
///   of these to all entities.
#[inline]
pub(super) unsafe fn fetch<'w, D: Fetch, F: FilterTerms>(
    matched: Matched<'w, '_, D, F>,
    books: Books<'_, '_, D::Column>,
    entity: Entity,
) -> Option<D::Item<'w>> {
    let (only, known) = books.only;
    let (found, row) = match Slot::row_in(books.slots, entity, only) {
        // SAFETY: a slot names this table, so it is not `TableId::UNUSED`, and what is known of it is initialised.
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
    // SAFETY: a live entity is in its row; it matches; the access is allowed.
    Some(unsafe { D::row::<false>(block.data, block.rows, row) })
}

/// Finds what a query yields for single entities, one after the other. What was found out of a few tables is kept.
pub(crate) struct Finder<'w, 's, D: QueryData, F: QueryFilter> {
    matched: Matched<'w, 's, D::Terms, F::Terms>,
    slots: &'w [Slot],
    /// The first table in which something was found: mostly there is no other one.
    first: Known<'w, D::Terms, F::Terms>,
    /// By the lowest bits of its number: a table, and nothing if the query does not match it.
    known: [Known<'w, D::Terms, F::Terms>; KNOWN],
}

/// A table, and nothing if a query does not match it. An entry is found by shifting the number.
#[repr(align(64))]
struct Known<'w, D: Fetch, F: FilterTerms> {
    table: TableId,
    block: Option<Block<'w, D, F>>,
}

/// How many tables are kept.
const KNOWN: usize = 4;

impl<'w, 's, D: ReadOnlyQueryData, F: QueryFilter> Finder<'w, 's, D, F> {
    /// # Safety
    ///
    /// - The access of `D` is allowed, and no other borrow is in its way, for `'w`.
    pub(super) unsafe fn new(matched: Matched<'w, 's, D::Terms, F::Terms>) -> Self {
        Self {
            matched,
            slots: matched.cell().store().structure.entities.slots(),
            first: Known { table: TableId::UNUSED, block: None },
            known: [const { Known { table: TableId::UNUSED, block: None } }; KNOWN],
        }
    }

    /// All rows of the table in which an entity is, and its row; `None` if it is not alive, or its table does not match.
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

    /// What the entity has, if it is alive and matches.
    #[inline(always)]
    pub(crate) fn get(&mut self, entity: Entity) -> Option<D::Item<'w, 's>> {
        let kept = Some(&self.matched.cache().data);
        let (block, row) = self.find(entity)?;
        if !block.contains(entity, row) {
            return None;
        }
        // SAFETY: a live entity is in its row, and matches; the access is allowed, as promised to `new`, and only reads.
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

/// The components that a query demands of every entity as its data, and that this one lacks. There are none if the entity does not pass the
/// filter, or if it is not known whether it does.
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

/// Why a query yields nothing for an entity.
#[cold]
pub(super) fn why_not<D: QueryData>(cell: StoreCell<'_>, entity: Entity) -> QueryEntityError {
    match cell.store().structure.entities.locate(entity) {
        Ok(_) => QueryEntityError::QueryDoesNotMatch(entity, type_name::<D>()),
        Err(error) => QueryEntityError::NotSpawned(error),
    }
}
