//! Regroups tables after components have been left out.
//!
//! The result is as if these components had been removed from all entities: the rows of a table are added to the table with the remaining
//! components, after its existing rows, in the order of their source tables. A missing table is created after all others. A table with
//! left-out components is removed.
//!
//! Tests: tests/snapshots/parts.rs

use std::collections::HashMap;
use std::hash::Hash;

use strata_ecs::change::Tick;

/// The remaining part of a table without its left-out components.
pub(crate) struct Remainder<C> {
    /// The remaining components, in an order that does not depend on the table.
    pub(crate) components: Vec<C>,
    /// Whether no component was left out.
    pub(crate) is_whole: bool,
    pub(crate) rows: usize,
}

/// Returns the resulting tables in order: for each, the indexes of the tables whose rows it gets.
pub(crate) fn regroup<C: Eq + Hash>(tables: &[Remainder<C>]) -> Vec<Vec<usize>> {
    let (mut groups, mut found) = (Vec::new(), HashMap::new());
    let whole = tables.iter().enumerate().filter(|(_, table)| table.is_whole);
    for (number, table) in whole {
        // Two tables with the same components are no error here: the builder of the snapshot rejects them.
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

/// Returns the latest of the ticks.
pub(crate) fn newest(ticks: impl Iterator<Item = Tick>, now: Tick) -> Tick {
    let later = |one: Tick, other: Tick| if other.is_newer_than(one, now) { other } else { one };
    ticks.reduce(later).unwrap_or(now)
}
