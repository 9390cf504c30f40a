//! Moving entities from one store to another.

use alloc::vec::Vec;

use super::Store;
use super::bulk::Selection;
use crate::component::{ComponentId, ComponentInfo};
use crate::entity::{Entity, Location, SparseSummary, TableId};
use crate::removal::Fate;
use crate::table::{ColumnPair, Table};

impl Store {
    /// Makes room for so many entities in the books, so that nothing is lost half way.
    pub(crate) fn reserve_entities(&mut self, count: usize) {
        self.flush();
        if let Err(error) = self.entities.reserve_next_many(count) {
            super::SpawnError::from(error).raise();
        }
    }

    /// Moves the entities of a selection to another store, and adds their old and new ids to a list. There is room for them
    /// in the books. Everything that may fail comes first; no user code runs.
    pub(crate) fn move_selection_to(&mut self, selection: &Selection, to: &mut Self, ids: &mut Vec<(Entity, Entity)>) {
        let count = selection.len(self);
        let (table, pairs) = self.table_in(to, selection.table);
        to.make_room_for(table, count);
        ids.reserve(count);
        let outside = self.sparse_values_of(selection, to);
        let listed = self.list_watched(selection.table, |store| selection.entities(store));
        // SAFETY: they live there, and go now.
        unsafe { self.record_ending(selection.table, listed.as_deref(), Fate::Taken) };
        let first = self.gather(selection);
        let now = to.now();
        let start = to.tables.get_mut(table).len();
        let source = self.tables.get_mut(selection.table);
        // SAFETY: the pairs name columns of one component each in both tables; there is room for the rows, whose values
        // the source forgets below.
        unsafe { source.copy_rows_to(first, to.tables.get_mut(table), &pairs) };
        let location = Location { table, row: start as u32 };
        let target = to.tables.get_mut(table);
        // SAFETY: room has been made; every column of the table has a pair, and has got its values.
        unsafe { target.commit_rows(count, now, |list| to.entities.allocate_rows(count, location, list)) }
        let (old, new) = (&source.entities()[first..], &target.entities()[start..]);
        let moved = ids.len();
        ids.extend(old.iter().copied().zip(new.iter().copied()));
        self.entities.free_many(old);
        source.truncate(first);
        self.move_sparse(to, &outside, &ids[moved..]);
    }

    /// The table of another store for the components of a table of this one, and which column belongs to which.
    fn table_in(&self, to: &mut Self, table: TableId) -> (TableId, Vec<ColumnPair>) {
        let source = self.tables.get(table);
        let infos = || source.map_or(&[][..], Table::components).iter().filter_map(|&id| self.components.info(id));
        let adopted: Vec<ComponentId> = infos().map(|info| to.components.adopt(info.kind())).collect();
        // What is adopted may require sparse components.
        to.add_sparse_storages();
        let mut sorted = adopted.clone();
        sorted.sort_unstable();
        let table = to.tables.find_or_create(&sorted, &to.components);
        let target = to.tables.get(table);
        let pair = |((from, &id), info): ((usize, &ComponentId), &ComponentInfo)| {
            let to = target?.column_index(id)?;
            Some(ColumnPair { from: from as u32, to: to as u32, size: info.layout().size() })
        };
        let pairs = adopted.iter().enumerate().zip(infos()).filter_map(pair).collect();
        (table, pairs)
    }

    fn make_room_for(&mut self, table: TableId, count: usize) {
        if let Err(error) = self.tables.get_mut(table).reserve(count) {
            error.raise();
        }
    }

    /// The sparse values of the entities of a selection: whose, from which storage, to which. There is room for them.
    fn sparse_values_of(&self, selection: &Selection, to: &mut Self) -> Vec<(Entity, usize, usize)> {
        let mut values = Vec::new();
        if !self.entities.has_summaries() {
            return values;
        }
        let numbers: Vec<Option<usize>> =
            self.components.sparse().iter().map(|&id| to.adopt_sparse(self, id)).collect();
        for entity in selection.entities(self) {
            let summary = self.entities.sparse_summary(entity.index());
            let held = summary.storages(self.sparse.len()).filter(|&from| self.sparse[from].contains(entity.index()));
            values.extend(held.filter_map(|from| Some((entity, from, numbers[from]?))));
        }
        let indexes: Vec<u32> = to.entities.next_indexes(selection.len(self)).collect();
        for number in 0..to.sparse.len() {
            let count = values.iter().filter(|&&(_, _, to)| to == number).count();
            let room = to.sparse[number].reserve_many(count, indexes.iter().copied().filter(|_| count != 0));
            let room = room.and_then(|()| to.entities.reserve_summaries(indexes.len()));
            room.unwrap_or_else(|error| error.raise());
        }
        values
    }

    /// The number of the sparse storage for a component of another store.
    fn adopt_sparse(&mut self, from: &Self, id: ComponentId) -> Option<usize> {
        let id = self.components.adopt(from.components.info(id)?.kind());
        self.add_sparse_storages();
        Some(self.components.info(id)?.sparse_index())
    }

    /// Moves sparse values of entities that are gone to their new ids. The lists are in the same order.
    fn move_sparse(&mut self, to: &mut Self, values: &[(Entity, usize, usize)], ids: &[(Entity, Entity)]) {
        let mut new_ids: Vec<(Entity, Entity)> = if values.is_empty() { Vec::new() } else { ids.to_vec() };
        new_ids.sort_unstable();
        let now = to.now();
        for &(old, from, number) in values {
            let Ok(at) = new_ids.binary_search_by_key(&old, |&(old, _)| old) else { continue };
            let new = new_ids[at].1;
            let Some(value) = self.sparse[from].retire(old) else { continue };
            let size = self.components.sparse().get(from).and_then(|&id| self.components.info(id));
            let size = size.map_or(0, |info| info.layout().size());
            // SAFETY: both storages are of one component. The value is behind the last one, and is forgotten there; the
            // entity is new, so it has none in the other storage, where room has been made.
            unsafe { to.sparse[number].insert(new, now).copy_from_nonoverlapping(value, size) };
            self.sparse[from].forget_retired();
            let summary: SparseSummary = to.entities.sparse_summary(new.index()).with(number);
            to.entities.set_sparse_summary(new.index(), summary);
        }
    }
}
