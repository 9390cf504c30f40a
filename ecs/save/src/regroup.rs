//! Tables of which components are left out.
//!
//! What is left is as if these components had been removed from all entities before: the rows come to the table that has the other
//! components, behind those that are there, in the order of the tables that they come from. A table that is missing is made, behind
//! all others. A table that had such components is gone.

use std::collections::HashMap;
use std::hash::Hash;

/// A table, as far as it is there.
pub(crate) struct Remainder<C> {
    /// The components that are left, in an order that does not depend on the table.
    pub(crate) components: Vec<C>,
    /// Whether these are all.
    pub(crate) is_whole: bool,
    pub(crate) rows: usize,
}

/// The tables that there are then, in their order: the numbers of those whose rows each of them has.
pub(crate) fn regroup<C: Eq + Hash>(tables: &[Remainder<C>]) -> Vec<Vec<usize>> {
    let (mut groups, mut found) = (Vec::new(), HashMap::new());
    let whole = tables.iter().enumerate().filter(|(_, table)| table.is_whole);
    for (number, table) in whole {
        // If there were two with the same components this is for the builder of the snapshot to refuse.
        found.entry(&table.components[..]).or_insert(groups.len());
        groups.push(vec![number]);
    }
    let others = tables.iter().enumerate().filter(|(_, table)| !table.is_whole && table.rows != 0);
    for (number, table) in others {
        let group = *found.entry(&table.components[..]).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(number);
    }
    groups
}
