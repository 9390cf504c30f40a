//! Selections: the rows of entities in several tables.
//!
//! Tests: tests/storage/selections

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::addition::removing;
use super::lifecycle_events::AffectedEntities;
use super::{Store, Structure};
use crate::entity::{Entity, Location, TableId};
use crate::storage::table::{AscendingRows, Table, Tables};
use crate::structure::bundle::Bundle;
use crate::structure::graph::ChangeKey;
use crate::util::id_map::IdMap;

/// Rows of one table.
pub(crate) struct Selection {
    pub(crate) table: TableId,
    /// The selected rows; `None` selects all rows.
    pub(crate) rows: Option<AscendingRows>,
    /// The number of entities in the selections before this one.
    pub(crate) before: usize,
}

impl Selection {
    pub(crate) fn len(&self, store: &Store) -> usize {
        match &self.rows {
            Some(rows) => rows.len(),
            None => store.structure.archetypes.tables.get(self.table).map_or(0, Table::len),
        }
    }

    /// Returns the entities, in the order of their rows.
    pub(crate) fn entities(&self, store: &Store) -> Vec<Entity> {
        self.entities_in(&store.structure.archetypes.tables).into_owned()
    }

    pub(super) fn entities_in<'t>(&self, tables: &'t Tables) -> Cow<'t, [Entity]> {
        let entities = tables.get(self.table).map_or(&[][..], Table::entities);
        match &self.rows {
            Some(rows) => rows.iter().map(|&row| entities[row as usize]).collect(),
            None => entities.into(),
        }
    }
}

impl Store {
    /// Groups entities by table, in the order in which the tables first occur. Entities that are not alive are skipped; an entity that
    /// occurs several times counts once. `O(entities)`.
    pub(crate) fn select(&mut self, entities: &[Entity]) -> Vec<Selection> {
        self.flush();
        let mut parts: Vec<(TableId, Vec<u32>)> = Vec::new();
        // The index in `parts` of each table that has been met. Consecutive entities are often in one table.
        let mut places = IdMap::default();
        let mut rest = entities;
        while let Some((&first, behind)) = rest.split_first() {
            let Some(Location { table, .. }) = self.structure.entities.get(first) else {
                rest = behind;
                continue;
            };
            let place = places.get(table.0).unwrap_or_else(|| {
                let place = parts.len() as u32;
                // Often all entities are in one table, so the first list gets room for all of them.
                parts.push((table, Vec::with_capacity(if place == 0 { entities.len() } else { 0 })));
                places.insert(table.0, place);
                place
            });
            rest = &rest[self.structure.entities.leading_rows(rest, table, &mut parts[place as usize].1)..];
        }
        let len = |table| self.structure.archetypes.tables.get(table).map_or(0, Table::len);
        self.in_order(parts.into_iter().map(|(table, rows)| (table, AscendingRows::of(rows, len(table)))))
    }

    /// Creates selections of these tables and rows, in this order.
    pub(crate) fn in_order(&self, parts: impl Iterator<Item = (TableId, Option<AscendingRows>)>) -> Vec<Selection> {
        let mut before = 0;
        let selection = |(table, rows)| {
            let selection = Selection { table, rows, before };
            before += selection.len(self);
            selection
        };
        parts.map(selection).collect()
    }

    /// Orders selections for the insertion of a bundle. Selections whose entities stay in their table come first, because the other
    /// selections may add rows to these tables.
    pub(crate) fn order_for_insert<B: Bundle>(&mut self, selections: &mut Vec<Selection>) {
        let change = self.insertion_of::<B>();
        self.structure.order(selections, change);
    }

    /// As [`order_for_insert`](Self::order_for_insert), for the removal of a bundle.
    pub(crate) fn order_for_removal<B: Bundle>(&mut self, selections: &mut Vec<Selection>) {
        let change = removing::<B>(self).change();
        self.structure.order(selections, change);
    }

    /// Calls a function with the selected entities; in the order of `order`, if it is given.
    pub(super) fn with_affected<T>(
        &mut self,
        selection: &Selection,
        order: Option<&[Entity]>,
        then: impl FnOnce(&mut Self, AffectedEntities<'_>) -> T,
    ) -> T {
        match (order, &selection.rows) {
            (Some(order), _) => then(self, AffectedEntities::Listed(order)),
            (None, Some(_)) => {
                let entities = selection.entities(self);
                then(self, AffectedEntities::Listed(&entities))
            }
            (None, None) => {
                let (table, count) = (selection.table, selection.len(self));
                then(self, AffectedEntities::Rows { table, first: 0, count })
            }
        }
    }
}

impl Structure {
    fn order(&mut self, selections: &mut Vec<Selection>, change: ChangeKey) {
        let all = core::mem::take(selections).into_iter();
        let (moving, staying): (Vec<Selection>, _) = all.partition(|selection| self.moves(selection.table, change));
        *selections = staying;
        selections.extend(moving);
    }

    fn moves(&mut self, table: TableId, change: ChangeKey) -> bool {
        self.archetypes.planned(table, change).plan.table != table
    }

    /// Moves the rows of a selection to the end of their table. Returns the first of the new rows.
    pub(super) fn gather(&mut self, selection: &Selection) -> usize {
        let Some(rows) = &selection.rows else { return 0 };
        let entities = &mut self.entities;
        let table = self.archetypes.tables.get_mut(selection.table);
        table.gather(rows, |entity, row| entities.set_row(entity, row))
    }

    /// Selects entities that are all in this table. Returns `None` if an entity occurs twice.
    pub(super) fn select_in(&self, table: TableId, entities: &[Entity]) -> Option<Selection> {
        let of = self.archetypes.tables.get(table)?.len();
        let rows = AscendingRows::of(self.entities.rows_of(entities), of);
        (rows.as_ref().map_or(of, |rows| rows.len()) == entities.len()).then_some(Selection { table, rows, before: 0 })
    }
}
