//! Releasing memory: tables without rows, and unused capacity.
//!
//! Tests: tests/storage/shrink.rs

use alloc::vec::Vec;

use super::{Table, Tables};
use crate::component::ComponentId;
use crate::entity::TableId;
use crate::util::alloc_error::{try_shrink, try_shrink_map};

impl Table {
    /// Releases unused capacity, where the allocator supports it.
    fn shrink_to_fit(&mut self) {
        let rows = self.entities.len();
        for column in self.columns.iter_mut() {
            // SAFETY: rows from `len` on have no values between two operations.
            unsafe { column.shrink_to(rows) }
        }
        try_shrink(&mut self.entities);
        self.count_capacity();
    }
}

impl Tables {
    /// Removes the tables without rows, except [`TableId::EMPTY`], and renumbers the others without gaps, in the same order. Calls
    /// `renumbered` for each table whose id changes. Neither allocates nor runs user code.
    ///
    /// Begins a new epoch if a table was removed. `O(tables)`, plus the cost of `renumbered`.
    pub(crate) fn remove_empty(&mut self, renumbered: impl FnMut(&Table)) {
        let stays = |table: &Table| table.id == TableId::EMPTY || !table.is_empty();
        if self.tables.iter().all(stays) {
            return;
        }
        let tables = &self.tables;
        self.by_components.retain(|_, id| tables.get(id.index()).is_some_and(stays));
        self.places.clear();
        self.tables.retain(stays);
        self.renumber(renumbered);
    }

    /// Sets the id of each table to its index, and lists it by this id. Calls `renumbered` for each table whose id changes. Begins
    /// a new epoch. The number of tables must not have grown, and the map of column addresses must have been cleared.
    pub(super) fn renumber(&mut self, mut renumbered: impl FnMut(&Table)) {
        self.generation += 1;
        self.epoch += 1;
        self.with_component.iter_mut().for_each(Vec::clear);
        for (number, table) in self.tables.iter_mut().enumerate() {
            let id = TableId(number as u32);
            if table.id != id {
                table.id = id;
                if let Some(found) = self.by_components.get_mut(table.components()) {
                    *found = id;
                }
                renumbered(table);
            }
            // `push` does not allocate, because the number of tables has not grown.
            table.components.iter().for_each(|component| self.with_component[component.index()].push(id));
            // SAFETY: the map has columns of the remaining tables, which exist and are borrowed.
            unsafe { table.enter_places(&mut self.places) };
        }
    }

    /// Releases unused capacity for rows and tables. `O(tables)`, plus at most a copy of everything.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.tables.iter_mut().for_each(Table::shrink_to_fit);
        try_shrink(&mut self.tables);
        self.with_component.iter_mut().for_each(try_shrink);
        try_shrink_map(&mut self.by_components);
        // SAFETY: the map has columns of these tables only, which exist and are borrowed.
        unsafe { self.places.shrink_to_fit() };
    }

    /// The table for this set of components, in ascending order and without duplicates, if there is one.
    pub(crate) fn find(&self, ids: &[ComponentId]) -> Option<TableId> {
        self.by_components.get(ids).copied()
    }

    /// Number of bytes that the tables have allocated, excluding memory owned by their values.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.tables.iter().map(Table::allocated_bytes).sum::<usize>()
            + self.tables.capacity() * size_of::<Table>()
            + self.by_components.keys().map(|ids| size_of_val(&**ids)).sum::<usize>()
            + self.by_components.allocation_size()
            + self.places.allocated_bytes()
            + self.with_component.iter().map(|with| size_of_val(&**with)).sum::<usize>()
            + self.with_component.capacity() * size_of::<Vec<TableId>>()
    }
}
