//! Copies of tables, and tables that become what their copies are.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Arrangement, Table, Tables};
use crate::alloc_error::{AllocError, try_reserve, try_reserve_exact};
use crate::column::{BegunTicks, ColumnClones, ColumnCopy};
use crate::component::{ComponentId, Components};
use crate::entity::{Entity, TableId};
use crate::tick::Tick;

/// The rows of a table, with values of its own.
pub(crate) struct TableCopy {
    components: Box<[ComponentId]>,
    entities: Arc<Vec<Entity>>,
    columns: Vec<ColumnCopy>,
    stamped: Tick,
}

/// A copy that a table was equal to, as the last that was done with it in its world before some tick, and which rows there were in the
/// table then.
#[derive(Clone, Copy)]
pub(crate) struct KnownTable<'a> {
    pub(crate) copy: &'a TableCopy,
    pub(crate) arrangement: Arrangement,
}

impl KnownTable<'_> {
    /// Whether the table still has these very rows, and none has got new values but by a visit of a column.
    pub(crate) fn has_same_rows(&self, table: &Table) -> bool {
        self.copy.components == table.components
            && table.arrangement() == self.arrangement
            && table.stamped.get() == self.copy.stamped
            && table.entities.len() == self.copy.entities.len()
    }
}

impl TableCopy {
    /// No rows of a table.
    pub(crate) fn new(like: &Table, components: &Components) -> Self {
        let infos = like.components.iter().filter_map(|id| components.info(*id));
        let columns = infos.map(|info| ColumnCopy::new(info.descriptor())).collect();
        Self { components: like.components.clone(), entities: Arc::default(), columns, stamped: Tick::default() }
    }

    /// Rows that were not taken from a table: components in the order of their ids, and for each row a value of each.
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

    /// What the columns held, in the order of the components.
    pub(crate) fn columns(&self) -> &[ColumnCopy] {
        &self.columns
    }

    /// When a row last came.
    pub(crate) fn stamped(&self) -> Tick {
        self.stamped
    }

    /// The components of the table.
    pub(crate) fn components(&self) -> &[ComponentId] {
        &self.components
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.entities.len()
    }

    /// Becomes a copy of a table, which shares with another one what is known to be as it was. If that panics, or there is no memory, what is here is worth nothing. It panics if some values
    /// cannot be copied.
    ///
    /// # Safety
    ///
    /// - The table has the components of the one that this was made for, and is in the same world.
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
                // SAFETY: columns of one component in one world have values of one type; this one has a value in each row.
                None => unsafe { copy.take(column, [0, rows], rows)? },
            }
        }
        Ok(())
    }

    /// The clones that are needed to make a table what this is.
    pub(crate) fn clones(&self) -> Result<Vec<ColumnClones>, AllocError> {
        self.columns.iter().map(ColumnCopy::clones).collect()
    }

    /// As [`clones`](Self::clones), but the values themselves, as far as they belong to this copy alone. None are left here.
    pub(crate) fn take_clones(&mut self) -> Result<Vec<ColumnClones>, AllocError> {
        self.columns.iter_mut().map(ColumnCopy::take_clones).collect()
    }

    /// The bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.entities.capacity() * size_of::<Entity>()
            + self.columns.iter().map(ColumnCopy::allocated_bytes).sum::<usize>()
    }
}

impl Table {
    /// Makes room for what its copy holds.
    ///
    /// # Errors
    ///
    /// If there is no memory. Rows and values stay as they were.
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

    /// Becomes what its copy is. Its values are what the clones are afterwards, unless dropping them does nothing. What is known to be
    /// so stays.
    ///
    /// # Safety
    ///
    /// - The copy is one of a table of this world with the components of this one, the clones are its own, and room has been made for it
    ///   here since the last operation.
    pub(crate) unsafe fn become_copy(
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
            // There is room.
            self.entities.extend_from_slice(&copy.entities);
        }
        self.stamped.set(copy.stamped);
        let columns = self.columns.iter_mut().zip(&copy.columns);
        for (at, ((column, copy), (clones, begun))) in columns.zip(clones.iter_mut().zip(begun)).enumerate() {
            let known = known.map(|known| &known.copy.columns[at]);
            if known.is_some_and(|known| known.is_as(column, before) && known.shares_with(copy)) {
                copy.put_ticks(column, begun);
            } else {
                // SAFETY: both are columns of one component in one world, and this one has held a value in each row; the caller's
                // promise.
                unsafe { copy.put(column, before, clones.as_mut(), begun) };
            }
        }
        self.count_capacity();
    }
}

impl Tables {
    /// Makes the tables that copies are of, if they are missing, and makes room in all of them.
    ///
    /// # Errors
    ///
    /// If there is no memory. There may be more tables than before, without rows.
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

    /// Whether these are the tables, in this order.
    pub(crate) fn are(&self, copies: &[TableCopy]) -> bool {
        self.tables.len() == copies.len()
            && self.tables.iter().zip(copies).all(|(table, copy)| table.components == copy.components)
    }

    /// Gives the tables that copies are of the order of these. The others go: they are added to a list, in which there is room for
    /// all tables. Says whether anything was to be done. All those that stay have been made, by [`Tables::make_room_for`].
    pub(crate) fn arrange(&mut self, copies: &[TableCopy], gone: &mut Vec<Table>) -> bool {
        if self.are(copies) {
            return false;
        }
        self.places.clear();
        for (at, copy) in copies.iter().enumerate() {
            // Those before have their places, so it is here or behind.
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
