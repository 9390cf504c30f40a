//! Copies of tables, and restoring tables from them.
//!
//! Tests: tests/snapshots/histories.rs, tests/snapshots/ring.rs

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Arrangement, Table, Tables};
use crate::component::{ComponentId, Components};
use crate::entity::{Entity, TableId};
use crate::storage::column::{BegunTicks, ColumnClones, ColumnCopy};
use crate::storage::tick::Tick;
use crate::util::alloc_error::{AllocError, try_reserve, try_reserve_exact};

/// The rows of a table, with values owned by the copy.
pub(crate) struct TableCopy {
    components: Box<[ComponentId]>,
    entities: Arc<Vec<Entity>>,
    columns: Vec<ColumnCopy>,
    stamped: Tick,
}

/// A copy that was equal to a table at some tick, as the last operation on the table in that tick, and the arrangement of the table
/// at that time.
#[derive(Clone, Copy)]
pub(crate) struct KnownTable<'a> {
    pub(crate) copy: &'a TableCopy,
    pub(crate) arrangement: Arrangement,
}

impl KnownTable<'_> {
    /// Whether the table still has the same rows, and values have only been changed by visits of columns.
    pub(crate) fn has_same_rows(&self, table: &Table) -> bool {
        self.copy.components == table.components
            && table.arrangement() == self.arrangement
            && table.stamped.get() == self.copy.stamped
            && table.entities.len() == self.copy.entities.len()
    }
}

impl TableCopy {
    /// An empty copy with the components of a table.
    pub(crate) fn new(like: &Table, components: &Components) -> Self {
        let infos = like.components.iter().filter_map(|id| components.info(*id));
        let columns = infos.map(|info| ColumnCopy::new(info.descriptor())).collect();
        Self { components: like.components.clone(), entities: Arc::default(), columns, stamped: Tick::default() }
    }

    /// A copy that was not taken from a table: components in ascending order, and one value of each component per row.
    pub(crate) fn of(
        components: Box<[ComponentId]>,
        entities: Vec<Entity>,
        columns: Vec<ColumnCopy>,
        stamped: Tick,
    ) -> Self {
        assert!(components.is_sorted_by(|a, b| a < b) && components.len() == columns.len());
        assert!(columns.iter().all(|column| column.len() == entities.len()), "each row has a value in each column");
        Self { components, entities: Arc::new(entities), columns, stamped }
    }

    /// The entities, by row.
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// The copies of the columns, in the order of the components.
    pub(crate) fn columns(&self) -> &[ColumnCopy] {
        &self.columns
    }

    /// Tick of the last added row or replaced value.
    pub(crate) fn stamped(&self) -> Tick {
        self.stamped
    }

    /// The components of the table.
    pub(crate) fn components(&self) -> &[ComponentId] {
        &self.components
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.entities.len()
    }

    /// Becomes a copy of a table. Shares the entities and columns of `known` that are unchanged. After a panic or a failed
    /// allocation, the copy must not be used. Panics if some values cannot be copied.
    ///
    /// # Safety
    ///
    /// - The table has the components of the table for which this was made, and is in the same world.
    pub(crate) unsafe fn take(&mut self, from: &Table, known: Option<KnownTable<'_>>) -> Result<(), AllocError> {
        let rows = from.entities.len();
        let known = known.filter(|known| known.has_same_rows(from));
        match known {
            Some(known) => self.entities = Arc::clone(&known.copy.entities),
            None => {
                if Arc::get_mut(&mut self.entities).is_none() {
                    self.entities = Arc::default();
                }
                if let Some(entities) = Arc::get_mut(&mut self.entities) {
                    entities.clear();
                    try_reserve(entities, rows)?;
                    entities.extend_from_slice(&from.entities);
                }
            }
        }
        self.stamped = from.stamped.get();
        for (at, (copy, column)) in self.columns.iter_mut().zip(from.columns.iter()).enumerate() {
            match known.map(|known| &known.copy.columns[at]).filter(|known| known.is_as(column, rows)) {
                Some(known) => copy.share(known, column, rows)?,
                // SAFETY: columns of one component in one world have values of one type; this column has a value in each row.
                None => unsafe { copy.take(column, [0, rows], rows)? },
            }
        }
        Ok(())
    }

    /// The clones that are needed to restore a table from this copy.
    pub(crate) fn clones(&self) -> Result<Vec<ColumnClones>, AllocError> {
        self.columns.iter().map(ColumnCopy::clones).collect()
    }

    /// As [`clones`](Self::clones), but moves out the values that no other copy shares.
    pub(crate) fn take_clones(&mut self) -> Result<Vec<ColumnClones>, AllocError> {
        self.columns.iter_mut().map(ColumnCopy::take_clones).collect()
    }

    /// Number of bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.entities.capacity() * size_of::<Entity>()
            + self.columns.iter().map(ColumnCopy::allocated_bytes).sum::<usize>()
    }
}

impl Table {
    /// Makes room for the content of a copy.
    ///
    /// # Errors
    ///
    /// If the allocation fails. Rows and values are unchanged.
    pub(crate) fn make_room_for(&mut self, copy: &TableCopy, now: Tick) -> Result<Vec<BegunTicks>, AllocError> {
        let missing = copy.entities.len().saturating_sub(self.entities.len());
        try_reserve_exact(&mut self.entities, missing)?;
        let mut begun = Vec::new();
        try_reserve_exact(&mut begun, self.columns.len())?;
        for (column, copy_of) in self.columns.iter_mut().zip(&copy.columns) {
            copy_of.make_room(column)?;
            begun.push(copy_of.begun_ticks(column, Some(copy.stamped), now)?);
        }
        self.count_capacity();
        Ok(begun)
    }

    /// Restores the table from its copy. Afterwards `clones` holds the old values, unless they need no drop. Columns that are
    /// unchanged according to `known`, and share their values with the copy, keep them.
    ///
    /// # Safety
    ///
    /// - `copy` belongs to a table of this world with the components of this table, `clones` and `begun` were made from it, and
    ///   room has been made for it here since the last operation.
    pub(crate) unsafe fn restore_from(
        &mut self,
        copy: &TableCopy,
        known: Option<KnownTable<'_>>,
        clones: &mut [ColumnClones],
        begun: Vec<BegunTicks>,
    ) {
        debug_assert_eq!(self.components, copy.components);
        let before = self.entities.len();
        let known = known.filter(|known| known.has_same_rows(self));
        let is_same = |known: &KnownTable<'_>| Arc::ptr_eq(&known.copy.entities, &copy.entities);
        if !known.as_ref().is_some_and(is_same) {
            self.note_departure();
            self.entities.clear();
            // `make_room_for` has reserved room.
            self.entities.extend_from_slice(&copy.entities);
        }
        self.stamped.set(copy.stamped);
        let columns = self.columns.iter_mut().zip(&copy.columns);
        for (at, ((column, copy), (clones, begun))) in columns.zip(clones.iter_mut().zip(begun)).enumerate() {
            let known = known.map(|known| &known.copy.columns[at]);
            if known.is_some_and(|known| known.is_as(column, before) && known.shares_with(copy)) {
                copy.put_ticks(column, begun);
            } else {
                // SAFETY: both are columns of one component in one world, and the first `before` rows of this one have values;
                // forwarded: room has been made, and `clones` and `begun` belong to the copy.
                unsafe { copy.put(column, before, clones.as_mut(), begun) };
            }
        }
        self.count_capacity();
    }
}

impl Tables {
    /// Creates the tables of the copies if they are missing, and makes room in all of them.
    ///
    /// # Errors
    ///
    /// If the allocation fails. Some of the tables may have been created, without rows.
    pub(crate) fn make_room_for(
        &mut self,
        copies: &[TableCopy],
        components: &Components,
        now: Tick,
    ) -> Result<Vec<Vec<BegunTicks>>, AllocError> {
        let mut begun = Vec::new();
        try_reserve_exact(&mut begun, copies.len())?;
        for copy in copies {
            let id = self.find_or_create(&copy.components, components);
            begun.push(self.get_mut(id).make_room_for(copy, now)?);
        }
        Ok(begun)
    }

    /// Whether the tables are those of the copies, in this order.
    pub(crate) fn are(&self, copies: &[TableCopy]) -> bool {
        self.tables.len() == copies.len()
            && self.tables.iter().zip(copies).all(|(table, copy)| table.components == copy.components)
    }

    /// Reorders the tables to match the copies. Other tables are moved to `gone`, which has room for all tables. Returns whether
    /// anything was changed. [`Tables::make_room_for`] must have created all tables of the copies.
    pub(crate) fn arrange(&mut self, copies: &[TableCopy], gone: &mut Vec<Table>) -> bool {
        if self.are(copies) {
            return false;
        }
        self.places.clear();
        for (at, copy) in copies.iter().enumerate() {
            // The tables before `at` are in place, so the table with these components is at `at` or later.
            let Some(found) = self.by_components.get_mut(&copy.components) else { continue };
            let from = core::mem::replace(found, TableId(at as u32)).index();
            self.tables.swap(at, from);
            if let Some(moved) = self.by_components.get_mut(&self.tables[from].components).filter(|_| from != at) {
                *moved = TableId(from as u32);
            }
        }
        self.by_components.retain(|_, id| id.index() < copies.len());
        gone.extend(self.tables.drain(copies.len()..));
        self.renumber(|_| {});
        true
    }
}
