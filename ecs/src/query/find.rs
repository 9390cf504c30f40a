//! Fetches the items of single entities.
//!
//! Tests: tests/queries/access.rs, tests/queries/lists.rs

use alloc::vec::Vec;
use core::any::type_name;
use core::mem::MaybeUninit;

use super::blocks::{Block, Matched};
use super::cache::{Cache, Match};
use super::data::QueryData;
use super::error::QueryEntityError;
use super::fetch::Fetch;
use super::filter::{FilterTerms, QueryFilter};
use super::matching::looked_up;
use crate::access::term::{TermComponent, TermEntry};
use crate::entity::{Entity, EntityError, Slot, TableId};
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;

/// The lists in which the table and the column of an entity are looked up. Finding an entity reads nothing else.
pub(crate) struct LookupLists<'w, 's, C> {
    pub(super) slots: &'w [Slot],
    by_table: &'s [Option<C>],
    /// A copy of `Cache::only`, so that a loop keeps it in registers.
    only: (TableId, MaybeUninit<C>),
}

impl_copy! { [C: Copy] LookupLists<'_, '_, C>; }

impl<'w, 's, C: Copy> LookupLists<'w, 's, C> {
    #[inline]
    pub(crate) fn new<D, F>(cell: StoreCell<'w>, cache: &'s Cache<D, C, F>) -> Self {
        Self { slots: cell.store().structure.entities.slots(), by_table: &cache.by_table, only: cache.only }
    }
}

/// Returns the item of one entity, if it matches.
///
/// # Safety
///
/// - The lookup lists were made from the cell and the cache of `matched`.
/// - The access of `D` to this entity is allowed for `'w` and conflicts with no other borrow. The same holds for the access of
///   queries that are nested in `D`, to all entities.
#[inline]
pub(super) unsafe fn fetch<'w, D: Fetch, F: FilterTerms>(
    matched: Matched<'w, '_, D, F>,
    books: LookupLists<'_, '_, D::Column>,
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
    Some(unsafe { D::fetch_row::<false>(block.data, block.rows, row) })
}

/// Returns the components that the query's data demands and that the entity lacks. The result is empty if the entity does not pass
/// the filter, or if it is unknown whether it passes.
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

/// Returns the reason why a query yields nothing for an entity.
///
/// This function is inlined, so the error is built in the caller. The compiler then sees that the result is an error: the path that
/// finds an item does not have to be joined with this one.
#[inline(always)]
pub(super) fn why_not<D: QueryData>(store: &Store, entity: Entity) -> QueryEntityError {
    match why_not_alive(store, entity) {
        Some(error) => QueryEntityError::NotSpawned(error),
        None => QueryEntityError::QueryDoesNotMatch(entity, type_name::<D>()),
    }
}

/// Returns the reason why an entity is not alive, or `None` if it is. The arguments are such that no caller has to write them to
/// memory before it knows whether there is an error.
#[cold]
#[inline(never)]
fn why_not_alive(store: &Store, entity: Entity) -> Option<EntityError> {
    store.structure.entities.locate(entity).err()
}
