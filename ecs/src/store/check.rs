//! A checker for tests: whether all parts of the store tell the same story.

use super::Store;
use crate::entity::Location;

impl Store {
    /// Panics with a text if a book contradicts another.
    pub(crate) fn check_invariants(&mut self) {
        self.flush();
        self.entities.check_invariants();
        self.check_rows();
        self.check_sparse();
        self.check_removals();
    }

    fn check_rows(&self) {
        let mut rows = 0;
        for (number, table) in self.tables.iter().enumerate() {
            assert_eq!(table.id().index(), number, "table {number} believes to have another number");
            assert_eq!(self.tables.find(table.components()), Some(table.id()), "table {number} is not found");
            assert!(table.components().is_sorted_by(|a, b| a < b), "table {:?}: order of components", table.id());
            for (at, &id) in table.components().iter().enumerate() {
                assert_eq!(table.column_index(id), Some(at), "table {:?}: column of {id:?}", table.id());
                assert!(table.column(at).capacity() >= table.len(), "table {:?}: capacity of {id:?}", table.id());
            }
            for (row, &entity) in table.entities().iter().enumerate() {
                let expected = Location { table: table.id(), row: row as u32 };
                assert_eq!(self.entities.get(entity), Some(expected), "location of entity {entity}");
            }
            rows += table.len();
        }
        assert_eq!(rows, self.entities.len(), "every live entity has one row");
    }

    fn check_sparse(&self) {
        for (number, storage) in self.sparse.iter().enumerate() {
            let mut count = 0;
            let mut at = 0;
            while let Some((index, next)) = storage.next_index(at) {
                at = next;
                count += 1;
                let alive = self.entities.at_index(index);
                assert!(alive.is_some(), "sparse storage {number} holds the dead index {index}");
                assert!(storage.contains(index), "sparse storage {number}: row of index {index}");
                let summary = self.entities.sparse_summary(index);
                let listed = summary.storages(self.sparse.len()).any(|listed| listed == number);
                assert!(listed, "the summary of index {index} omits sparse storage {number}");
            }
            assert_eq!(count, storage.len(), "sparse storage {number}: number of values");
        }
    }
}
