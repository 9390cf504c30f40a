//! Copies of tables, and tables that become what their copies are.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Table, Tables};
use crate::alloc_error::{AllocError, try_reserve, try_reserve_exact};
use crate::column::ColumnCopy;
use crate::component::{ComponentId, Components};
use crate::entity::{Entity, TableId};
use crate::tick::Tick;
use crate::tracking::Tracking;

/// The rows of a table, with values of its own.
pub(crate) struct TableCopy {
    components: Box<[ComponentId]>,
    entities: Vec<Entity>,
    columns: Vec<ColumnCopy>,
    stamped: Tick,
}

/// What a table needs to become what its copy is, by column.
pub(crate) struct TableClones(Vec<Option<ColumnCopy>>);

/// Ticks for the columns of a table of which none had been kept.
pub(crate) struct BegunTicks(Vec<Option<Box<Tracking>>>);

impl TableCopy {
    /// No rows of a table.
    pub(crate) fn new(like: &Table, components: &Components) -> Self {
        let copy = |(id, column): (&ComponentId, _)| {
            let copying = components.info(*id).and_then(|info| info.descriptor().functions().copying());
            // SAFETY: the column has values of this component, of which the descriptor tells.
            unsafe { ColumnCopy::new(column, copying) }
        };
        let columns = like.components.iter().zip(like.columns.iter()).map(copy).collect();
        Self { components: like.components.clone(), entities: Vec::new(), columns, stamped: Tick::default() }
    }

    /// The components of the table.
    pub(crate) fn components(&self) -> &[ComponentId] {
        &self.components
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.entities.len()
    }

    /// Becomes a copy of a table. If that panics, or there is no memory, what is here is worth nothing. It panics if some values
    /// cannot be copied.
    ///
    /// # Safety
    ///
    /// - The table has the components of the one that this was made for, and is in the same world.
    pub(crate) unsafe fn take(&mut self, from: &Table) -> Result<(), AllocError> {
        let rows = from.entities.len();
        self.entities.clear();
        try_reserve(&mut self.entities, rows)?;
        self.entities.extend_from_slice(&from.entities);
        self.stamped = from.stamped.get();
        for (copy, column) in self.columns.iter_mut().zip(from.columns.iter()) {
            // SAFETY: columns of one component in one world have values of one type; this one has a value in each row.
            unsafe { copy.take(column, [0, rows], rows)? };
        }
        Ok(())
    }

    /// The clones that are needed to make a table what this is.
    pub(crate) fn clones(&self) -> Result<TableClones, AllocError> {
        self.columns.iter().map(ColumnCopy::clones).collect::<Result<_, _>>().map(TableClones)
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
    pub(crate) fn make_room_for(&mut self, copy: &TableCopy, now: Tick) -> Result<BegunTicks, AllocError> {
        let missing = copy.entities.len().saturating_sub(self.entities.len());
        try_reserve_exact(&mut self.entities, missing)?;
        let mut begun = Vec::new();
        try_reserve_exact(&mut begun, self.columns.len())?;
        for (column, copy_of) in self.columns.iter_mut().zip(&copy.columns) {
            copy_of.make_room(column)?;
            begun.push(copy_of.begun_ticks(column, Some(copy.stamped), now)?);
        }
        self.count_capacity();
        Ok(BegunTicks(begun))
    }

    /// Becomes what its copy is. Its values are what the clones are afterwards, unless dropping them does nothing.
    ///
    /// # Safety
    ///
    /// - The copy is one of a table of this world with the components of this one, the clones are its own, and room has been made for it
    ///   here since the last operation.
    pub(crate) unsafe fn become_copy(&mut self, copy: &TableCopy, clones: &mut TableClones, begun: BegunTicks) {
        debug_assert_eq!(self.components, copy.components);
        let before = self.entities.len();
        self.note_departure();
        self.entities.clear();
        // There is room.
        self.entities.extend_from_slice(&copy.entities);
        self.stamped.set(copy.stamped);
        let columns = self.columns.iter_mut().zip(&copy.columns);
        for ((column, copy), (clones, begun)) in columns.zip(clones.0.iter_mut().zip(begun.0)) {
            // SAFETY: both are columns of one component in one world, and this one has held a value in each row; the caller's promise.
            unsafe { copy.put(column, before, clones.as_mut(), begun) };
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
    ) -> Result<Vec<BegunTicks>, AllocError> {
        let mut begun = Vec::new();
        try_reserve_exact(&mut begun, copies.len())?;
        for copy in copies {
            let id = self.find_or_create(&copy.components, components);
            begun.push(self.get_mut(id).make_room_for(copy, now)?);
        }
        Ok(begun)
    }

    /// Whether these are the tables, in this order.
    fn are(&self, copies: &[TableCopy]) -> bool {
        self.tables.len() == copies.len()
            && self.tables.iter().zip(copies).all(|(table, copy)| table.components == copy.components)
    }

    /// Gives the tables that copies are of the order of these. The others go: they are added to a list, in which there is room for
    /// all tables. Says whether anything was to be done. All those that stay have been made, by [`Tables::make_room_for`].
    pub(crate) fn arrange(&mut self, copies: &[TableCopy], gone: &mut Vec<Table>) -> bool {
        if self.are(copies) {
            return false;
        }
        self.generation += 1;
        self.epoch += 1;
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
        self.with_component.iter_mut().for_each(Vec::clear);
        for (number, table) in self.tables.iter_mut().enumerate() {
            table.id = TableId(number as u32);
            // There is room: there are no more tables than before.
            table.components.iter().for_each(|component| self.with_component[component.index()].push(table.id));
            // SAFETY: the map has columns of tables that stay, which exist and are borrowed.
            unsafe { table.enter_places(&mut self.places) };
        }
        true
    }
}
