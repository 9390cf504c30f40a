//! The tables of a forest, with the nodes of their rows.
//!
//! Tests: tests/relationships/forests.rs, tests/relationships/down.rs

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use super::nodes::NO_NODE;
use super::runs::Place;
use crate::entity::TableId;
use crate::storage::table::{Arrangement, Table, Tables};

/// A table that contains nodes.
pub(crate) struct ForestTable {
    pub(crate) id: TableId,
    pub(super) is_visited: bool,
    /// The arrangement of rows that `nodes` describes.
    arrangement: Arrangement,
    /// The node of each row. In a table that is not visited, most rows have no node.
    pub(super) nodes: Vec<u32>,
    /// The node of the target of each row, if the table is visited.
    pub(super) above: Vec<u32>,
}

/// The tables of a forest. The visited ones are in ascending order.
#[derive(Default)]
pub(super) struct ForestTables {
    tables: Vec<ForestTable>,
    /// Index in `tables`, by table id.
    numbers: Vec<u32>,
    epoch: u64,
}

impl_deref!([] ForestTables => [ForestTable], |this| *this.tables);

impl Index<u32> for ForestTables {
    type Output = ForestTable;

    #[inline]
    fn index(&self, number: u32) -> &ForestTable {
        &self.tables[number as usize]
    }
}

impl IndexMut<u32> for ForestTables {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut ForestTable {
        &mut self.tables[number as usize]
    }
}

const NOT_HERE: u32 = u32::MAX;

impl ForestTables {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the visited tables, each with its index.
    pub(super) fn visited(&self) -> impl Iterator<Item = (u32, &ForestTable)> + Clone {
        (0..).zip(&self.tables).filter(|(_, table)| table.is_visited)
    }

    /// Returns whether `visited` are the visited tables, and the rows of all tables are the same as at the last update.
    pub(super) fn are_current(&self, tables: &Tables, visited: impl Iterator<Item = TableId>) -> bool {
        let is_same =
            |table: &ForestTable| tables.get(table.id).is_some_and(|now| now.arrangement() == table.arrangement);
        self.epoch == tables.epoch()
            && visited.eq(self.visited().map(|(_, table)| table.id))
            && self.tables.iter().all(is_same)
    }

    /// Adds new visited tables, without their rows. Returns false if `visited` are not the known visited tables
    /// followed by new ones.
    pub(super) fn add_visited(&mut self, tables: &Tables, mut visited: impl Iterator<Item = TableId>) -> bool {
        if self.tables.is_empty() {
            self.epoch = tables.epoch();
        }
        let is_known = self.visited().all(|(_, table)| visited.next() == Some(table.id));
        is_known
            && self.epoch == tables.epoch()
            && visited.all(|id| {
                let Some(table) = tables.get(id).filter(|table| self.number(table.id()).is_none()) else {
                    return false;
                };
                self.add(table, true, Arrangement::EMPTY);
                true
            })
    }

    /// Returns the index of a table, if the forest has it.
    #[inline]
    pub(super) fn number(&self, id: TableId) -> Option<u32> {
        self.numbers.get(id.index()).copied().filter(|number| *number != NOT_HERE)
    }

    /// Returns the index of a table. If the table is new, adds it: it is not visited, and its rows have no nodes.
    pub(super) fn get_or_add(&mut self, table: &Table) -> u32 {
        if let Some(number) = self.number(table.id()) {
            return number;
        }
        let number = self.add(table, false, table.arrangement());
        self[number].nodes.resize(table.len(), NO_NODE);
        number
    }

    fn add(&mut self, table: &Table, is_visited: bool, arrangement: Arrangement) -> u32 {
        table.start_row_log();
        let (id, number) = (table.id(), self.tables.len() as u32);
        if self.numbers.len() <= id.index() {
            self.numbers.resize(id.index() + 1, NOT_HERE);
        }
        self.numbers[id.index()] = number;
        self.tables.push(ForestTable { id, is_visited, arrangement, nodes: Vec::new(), above: Vec::new() });
        number
    }

    /// Returns the node at a place.
    #[inline]
    pub(super) fn node(&self, place: Place) -> Option<u32> {
        let node = *self.tables.get(place.table as usize)?.nodes.get(place.row as usize)?;
        (node != NO_NODE).then_some(node)
    }

    /// Updates the arrangement of a table. Appends the rows whose entities may have changed to `changed`.
    pub(super) fn find_changed_rows(&mut self, number: u32, now: &Table, changed: &mut Vec<Place>) {
        let table = &mut self[number];
        if table.arrangement != now.arrangement() {
            now.for_each_row_since(table.arrangement, |row| changed.push(Place { table: number, row }));
            table.arrangement = now.arrangement();
        }
    }
}
