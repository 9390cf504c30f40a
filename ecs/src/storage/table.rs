//! Tables: one for each distinct set of table-stored components (what other systems call an archetype).
//!
//! A table has a list of entities and one column per component, all of the same length and growing together. All functions keep
//! rows complete: between two calls every row below `len` has an entity and a value in each column. To add a row, its values are
//! written to the columns past the last row, and then the row is committed. To remove a row, the last row is moved into it. Values
//! that have to be dropped are moved past the last row first, so that the table is valid while `Drop` runs, even if it panics.
//!
//! The memory of a table depends only on its own columns, not on the number of components in the world.
//!
//! Tests: tests/hazards/rows.rs, tests/storage/components.rs

mod column_move;
mod ticks;
mod bulk;
mod moves;
mod tables;
mod shrink;
mod watch;
mod copy;

pub(crate) use self::bulk::AscendingRows;
pub(crate) use self::column_move::ColumnMove;
pub(crate) use self::copy::{KnownTable, TableCopy};
pub use self::tables::Tables;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use crate::component::transition::{ColumnSet, ListenerMask};
use crate::component::{ComponentId, Components};
use crate::entity::{Entity, TableId};
use crate::storage::column::{Column, ColumnAddress, Columns};
use crate::storage::column_places::ColumnLookup;
use crate::storage::tick::{Tick, TickCell, WriteStamp};
use crate::util::alloc_error::{AllocError, try_reserve_exact};
use crate::util::guard::for_each_despite_panics;

/// The entities that have one set of table-stored components, and the values of these components.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// let id = world.entity(entity).location().table;
/// let table = world.tables().get(id).unwrap();
/// assert_eq!((table.id(), table.entities()), (id, &[entity][..]));
/// ```
#[doc(alias("Archetype", "Chunk", "ArchetypeChunk", "ecs_table_t"))]
pub struct Table {
    id: TableId,
    components: Box<[ComponentId]>,
    columns: Columns,
    entities: Vec<Entity>,
    capacity: usize,
    /// Whether the values of some column need to be dropped.
    needs_drop: bool,
    /// Whether some column has ticks.
    tracked: bool,
    /// Tick of the last added row or replaced value.
    stamped: TickCell,
    /// Incremented whenever rows are removed or moved; wraps around.
    departures: u32,
    /// The listeners to events of its entities.
    interest: ListenerMask,
    /// The columns whose removals are recorded.
    watched: ColumnSet,
    /// The removal list, if removals of exactly one column are recorded.
    only_list: u32,
    /// The columns of disabling components.
    disabling: Box<[u32]>,
}

/// Identifies which entities are in the rows of a table, without a look at the list: see [`Table::arrangement`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrangement {
    pub(crate) rows: usize,
    departures: u32,
}

/// The columns of disabling components among the given components of columns.
fn disabling_columns(ids: &[ComponentId], components: &Components) -> Box<[u32]> {
    let columns = ids.iter().zip(0..).filter(|(id, _)| components.disabling().contains(id));
    columns.map(|(_, column)| column).collect()
}

/// No removal list.
const NO_LIST: u32 = u32::MAX;

/// The removal list of the only component whose removals are recorded; [`NO_LIST`] if there are several, or no such component.
fn only_list(ids: &[ComponentId], components: &Components) -> u32 {
    let mut lists = ids.iter().filter_map(|&id| components.removals(id));
    let first = lists.next();
    first.filter(|_| lists.next().is_none()).unwrap_or(NO_LIST)
}

/// The listeners to events of entities with these components.
fn interest_in(ids: &[ComponentId], watched: ColumnSet, components: &Components, in_all: ListenerMask) -> ListenerMask {
    let is_observed = ids.iter().any(|&id| !components.observed(id).is_empty());
    in_all
        .union(ListenerMask::REMOVALS.only_if(!watched.is_empty()))
        .union(ListenerMask::OBSERVERS.only_if(is_observed))
}

impl Table {
    fn new(id: TableId, ids: Box<[ComponentId]>, components: &Components, in_all: ListenerMask) -> Self {
        let columns: Columns = ids.iter().filter_map(|&id| components.info(id)).map(Column::new).collect();
        let watched = ColumnSet::watched(&ids, components);
        Self {
            id,
            entities: Vec::new(),
            capacity: 0,
            needs_drop: columns.iter().any(|column| column.drop_fn().is_some()),
            tracked: columns.iter().any(|column| column.tracking().is_some()),
            stamped: TickCell::default(),
            departures: 0,
            interest: interest_in(&ids, watched, components, in_all),
            watched,
            only_list: only_list(&ids, components),
            disabling: disabling_columns(&ids, components),
            columns,
            components: ids,
        }
    }

    /// The id of the table in its world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let tables = world.tables();
    /// assert!(tables.iter().all(|table| tables.get(table.id()).is_some()));
    /// ```
    #[must_use]
    pub fn id(&self) -> TableId {
        self.id
    }

    /// The components, in ascending order; the columns have the same order.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let health = world.component_id::<Health>().unwrap();
    /// assert!(world.tables().iter().any(|table| table.components() == [health]));
    /// ```
    #[must_use]
    pub fn components(&self) -> &[ComponentId] {
        &self.components
    }

    /// The entity of each row.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch([Health(3), Health(4)]).collect();
    /// let table = world.tables().iter().last().unwrap();
    /// assert_eq!(table.entities(), ids);
    /// ```
    #[inline]
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Number of rows.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// Whether there are no rows.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// world.despawn(entity);
    /// assert!(world.tables().iter().all(|table| table.is_empty()));
    /// ```
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Tick of the last added row or replaced value.
    pub(crate) fn stamped(&self) -> Tick {
        self.stamped.get()
    }

    /// A value that changes whenever existing rows may have got other entities. Appended rows only change the length.
    #[inline]
    pub(crate) fn arrangement(&self) -> Arrangement {
        Arrangement { rows: self.entities.len(), departures: self.departures }
    }

    /// Records that rows are removed or moved.
    #[inline(always)]
    fn note_departure(&mut self) {
        self.departures = self.departures.wrapping_add(1);
    }

    /// Whether the next row needs an allocation.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.entities.len() == self.capacity
    }

    /// Number of rows that fit without an allocation.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.capacity - self.entities.len()
    }

    /// Whether the table has a column for a component. `O(log columns)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let health = world.component_id::<Health>().unwrap();
    /// assert!(world.tables().iter().last().unwrap().contains(health));
    /// ```
    #[must_use]
    pub fn contains(&self, id: ComponentId) -> bool {
        self.column_index(id).is_some()
    }

    /// Adds the columns to a map, which must have room for them.
    ///
    /// # Safety
    ///
    /// - The tables of the columns in the map exist and are not being changed.
    unsafe fn enter_places(&self, places: &mut ColumnLookup) {
        for (at, column) in self.columns.iter().enumerate() {
            if let (Some(slot), Some(address)) = (column.slot(), self.columns.address(at)) {
                // SAFETY: forwarded: the tables of the columns in the map exist and are not being changed.
                unsafe { places.insert(self.id, slot, address) };
            }
        }
    }

    /// The index of a component's column. `O(log columns)`.
    pub(crate) fn column_index(&self, id: ComponentId) -> Option<usize> {
        // A linear search is faster for few components.
        if self.components.len() <= 8 {
            return self.components.iter().position(|other| *other == id);
        }
        self.components.binary_search(&id).ok()
    }

    /// The address of a component's column. It is valid for as long as the table exists, even if the id of the table changes.
    pub(crate) fn column_address(&self, id: ComponentId) -> Option<ColumnAddress> {
        self.columns.address(self.column_index(id)?)
    }

    /// The columns, in the order of the components.
    #[inline]
    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column with this index.
    #[inline]
    pub(crate) fn column(&self, index: usize) -> &Column {
        &self.columns[index]
    }

    /// The column with this index, without a bounds check.
    ///
    /// # Safety
    ///
    /// - `index` came from [`Table::column_index`] of this table.
    #[inline]
    pub(crate) unsafe fn column_unchecked(&self, index: usize) -> &Column {
        debug_assert!(index < self.columns.len());
        // SAFETY: forwarded: `index` came from `column_index`, so it is in bounds; the number of columns never changes.
        unsafe { self.columns.get_unchecked(index) }
    }

    /// Makes room for more rows in all columns. Amortised `O(1)` per row.
    ///
    /// # Errors
    ///
    /// If the allocation fails. Rows and values are unchanged.
    #[inline]
    pub(crate) fn reserve(&mut self, additional: usize) -> Result<(), AllocError> {
        if self.capacity - self.entities.len() >= additional { Ok(()) } else { self.grow(additional) }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, additional: usize) -> Result<(), AllocError> {
        let needed = self.entities.len().saturating_add(additional);
        let capacity = needed.max(self.capacity.saturating_mul(2)).max(4);
        for column in self.columns.iter_mut() {
            column.grow_to(capacity)?;
        }
        let more = capacity - self.entities.len();
        try_reserve_exact(&mut self.entities, more)?;
        self.capacity = capacity;
        Ok(())
    }

    /// Appends the row past the last one, with new values. Its row number is the previous `len`.
    ///
    /// # Safety
    ///
    /// - Room has been reserved, and every column has a value in the row, which the table owns from now on.
    #[inline]
    pub(crate) unsafe fn commit_row(&mut self, entity: Entity, now: WriteStamp) {
        if self.tracked {
            self.note_new_rows(self.entities.len(), 1, now);
        }
        self.stamp(now.tick);
        // SAFETY: forwarded: room has been reserved, and every column has a value in the row.
        unsafe { self.commit_moved_row(entity) }
    }

    /// As [`Table::commit_row`], for a row whose ticks are already set.
    ///
    /// # Safety
    ///
    /// - As for [`Table::commit_row`].
    #[inline]
    pub(crate) unsafe fn commit_moved_row(&mut self, entity: Entity) {
        debug_assert!(self.entities.len() < self.capacity);
        let row = self.entities.len();
        debug_assert!(row < self.entities.capacity());
        // SAFETY: `reserve` makes room in the entity list and in the columns together, so there is room.
        unsafe {
            self.entities.as_mut_ptr().add(row).write(entity);
            self.entities.set_len(row + 1);
        }
    }

    /// Appends `count` rows with new values; `list` adds their entities. The number of the first row is the previous `len`.
    ///
    /// # Safety
    ///
    /// - Room has been reserved, and every column has a value in each of the rows, which the table owns from now on.
    /// - `list` adds `count` entities and does nothing else.
    pub(crate) unsafe fn commit_rows(&mut self, count: usize, now: WriteStamp, list: impl FnOnce(&mut Vec<Entity>)) {
        debug_assert!(count <= self.capacity - self.entities.len());
        let before = self.entities.len();
        if self.tracked {
            self.note_new_rows(before, count, now);
        }
        self.stamp(now.tick);
        list(&mut self.entities);
        debug_assert_eq!(self.entities.len(), before + count);
    }

    /// Removes the entity of a row from the list and moves the last entity into its place. Returns the last entity, which is the
    /// removed one if the row is the last.
    ///
    /// # Safety
    ///
    /// - Both rows exist in the table; `last` is the last one.
    #[inline]
    unsafe fn take_entity_of(&mut self, row: usize, last: usize) -> Entity {
        debug_assert!(row <= last && last + 1 == self.entities.len());
        self.note_departure();
        // SAFETY: both rows are in the list. Entities need no drop.
        unsafe {
            let entities = self.entities.as_mut_ptr();
            let entity = *entities.add(last);
            *entities.add(row) = entity;
            self.entities.set_len(last);
            entity
        }
    }

    /// Removes a row. Values that have to be dropped are moved past the last row, to the row with number `len`. They must be
    /// dropped by [`Table::drop_retired_row`] before any other operation on the table.
    ///
    /// Returns the last entity, which is moved into the row unless the row was the last one.
    ///
    /// # Safety
    ///
    /// - `row` exists in the table.
    #[inline]
    pub(crate) unsafe fn retire_row(&mut self, row: usize) -> Entity {
        let last = self.entities.len() - 1;
        // SAFETY: both rows exist in the table, and `put_row_past_end` is only called if they differ.
        unsafe {
            if row != last {
                self.put_row_past_end(row, last);
            }
            self.take_entity_of(row, last)
        }
    }

    /// The entity of the last row.
    ///
    /// # Safety
    ///
    /// - There is a row.
    #[inline(always)]
    pub(crate) unsafe fn last_entity(&self) -> Entity {
        debug_assert!(!self.entities.is_empty());
        // SAFETY: forwarded: there is a row.
        unsafe { *self.entities.get_unchecked(self.entities.len() - 1) }
    }

    /// Removes a row of a table that [`can_overwrite_rows`](Table::can_overwrite_rows). Returns the last entity, which is moved
    /// into the row; `None` if the row was the last one.
    ///
    /// # Safety
    ///
    /// - `row` exists in the table. Its values need no drop, and no column has ticks.
    #[inline(always)]
    pub(crate) unsafe fn overwrite_row(&mut self, row: usize) -> Option<Entity> {
        debug_assert!(self.can_overwrite_rows());
        let last = self.entities.len() - 1;
        // SAFETY: both rows exist in the table; if they differ, the overwritten values need no drop, and no column has ticks.
        unsafe {
            let moved = self.take_entity_of(row, last);
            if row == last {
                return None;
            }
            for column in self.columns.iter() {
                column.overwrite(row, last);
            }
            Some(moved)
        }
    }

    /// [`Table::overwrite_row`] for consecutive rows. Returns the entities that were moved into the removed rows from the end of
    /// the table, to `rows.start` and the following rows.
    ///
    /// # Safety
    ///
    /// - All of the rows exist in the table. Their values need no drop, and no column has ticks.
    pub(crate) unsafe fn overwrite_rows(&mut self, rows: Range<usize>) -> &[Entity] {
        debug_assert!(self.can_overwrite_rows());
        let behind = self.entities.len() - rows.end;
        let moved = rows.len().min(behind);
        let from = self.entities.len() - moved;
        self.note_departure();
        for column in self.columns.iter() {
            // SAFETY: the rows exist in the table, and those from `from` on come after the removed ones. The values need no drop,
            // and no column has ticks.
            unsafe { column.overwrite_rows(rows.start, from, moved) }
        }
        self.entities.copy_within(from.., rows.start);
        self.entities.truncate(rows.start + behind);
        &self.entities[rows.start..rows.start + moved]
    }

    /// Moves the last row to a row, and moves those values of the row that have to be dropped past the end.
    ///
    /// # Safety
    ///
    /// - Both rows exist in the table and differ; `last` is the last one.
    #[inline(never)]
    unsafe fn put_row_past_end(&mut self, row: usize, last: usize) {
        let overwrites = self.can_overwrite_rows();
        for column in self.columns.iter_mut() {
            // SAFETY: forwarded: both rows exist and differ. A value is overwritten only if it needs no drop and no column has
            // ticks.
            unsafe { if overwrites { column.overwrite(row, last) } else { column.put_past_end(row, last, false) } }
        }
    }

    /// As [`Table::retire_row`], but the values of the columns in `kept` are moved past the last row even if they need no drop.
    ///
    /// # Safety
    ///
    /// - `row` exists in the table.
    pub(crate) unsafe fn retire_row_to_tell(&mut self, row: usize, kept: &[u32]) -> Entity {
        let last = self.entities.len() - 1;
        if row != last {
            for (at, column) in (0..).zip(self.columns.iter_mut()) {
                // SAFETY: both rows exist in the table and differ.
                unsafe { column.put_past_end(row, last, kept.contains(&at)) }
            }
        }
        // SAFETY: both rows exist in the table; `last` is the last one.
        unsafe { self.take_entity_of(row, last) }
    }

    /// Drops the values past the last row.
    ///
    /// # Safety
    ///
    /// - [`Table::retire_row`] was called, and no other operation since.
    #[inline]
    pub(crate) unsafe fn drop_retired_row(&mut self) {
        if !self.needs_drop {
            return;
        }
        let row = self.entities.len();
        // SAFETY: `retire_row` left values in this row that have no owner.
        unsafe { drop_columns(self.columns.iter_mut(), row, 1) }
    }

    /// Removes all rows and drops their values, except those of the columns in `kept`, which a listener owns. The rows are removed
    /// before the first value is dropped.
    pub(crate) fn clear_except(&mut self, kept: &[u32]) {
        let count = self.entities.len();
        self.note_departure();
        self.entities.clear();
        // SAFETY: the columns had `count` values, and the table has no rows any more.
        unsafe { self.drop_rows_except(kept, None, 0, count) }
    }

    /// Number of bytes that the table has allocated, excluding memory owned by its values.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..100).map(Health));
    /// assert!(world.tables().iter().last().unwrap().allocated_bytes() >= 400);
    /// ```
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        self.columns.iter().map(Column::allocated_bytes).sum::<usize>()
            + self.entities.capacity() * size_of::<Entity>()
            + size_of_val(&*self.columns)
            + size_of_val(&*self.components)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.clear_except(&[]);
    }
}

/// Drops values of several columns. If one drop panics, the others still run.
///
/// # Safety
///
/// - Each column has `count` values from row `first` on, which are not used afterwards.
unsafe fn drop_columns<'a>(columns: impl Iterator<Item = &'a mut Column>, first: usize, count: usize) {
    if count != 0 {
        // SAFETY: forwarded: each column has `count` values from row `first` on; each column is visited once.
        for_each_despite_panics(columns, |column| unsafe { column.drop_rows(first, count) });
    }
}
