//! The tables of a file before their values are created. Rows are still bytes, and can move to other tables.
//!
//! Tests: tests/snapshots/parts.rs

use std::collections::HashMap;

use strata_ecs::change::Tick;
use strata_ecs::component::ComponentId;
use strata_ecs::prelude::Entity;

use crate::error::Problem;
use crate::regroup::{Remainder, newest, regroup};
use crate::values::Values;

/// A table whose values are not read yet.
pub(crate) struct Table<'b> {
    pub(crate) entities: Vec<Entity>,
    pub(crate) stamp: Tick,
    /// The columns of known components, in the order of the numbers of the components. Each column consists of parts.
    pub(crate) columns: Vec<(u32, Vec<Column<'b>>)>,
    /// Whether no component of the table was skipped.
    pub(crate) is_whole: bool,
    /// The constructed components, in the order of their ids.
    pub(crate) constructed: Vec<ComponentId>,
    /// The names of the left-out components that the entities had; empty unless tables with different left-out components stay separate.
    pub(crate) left_out: Vec<&'b str>,
}

/// A part of the identity of a table: tables with equal parts become one table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part<'b> {
    Component(u32),
    Constructed(ComponentId),
    LeftOut(&'b str),
}

impl<'b> Table<'b> {
    /// Returns the parts that this table would have with these components and constructed components.
    fn parts(&self, components: impl Iterator<Item = u32>, constructed: &[ComponentId]) -> Vec<Part<'b>> {
        let constructed = constructed.iter().copied().map(Part::Constructed);
        let left_out = self.left_out.iter().copied().map(Part::LeftOut);
        components.map(Part::Component).chain(constructed).chain(left_out).collect()
    }

    fn own_parts(&self) -> Vec<Part<'b>> {
        self.parts(self.columns.iter().map(|(number, _)| *number), &self.constructed)
    }
}

/// A part of a column: values of a component.
#[derive(Clone, Copy)]
pub(crate) struct Column<'b> {
    pub(crate) stamp: Tick,
    pub(crate) ticks: Option<&'b [[u8; 8]]>,
    pub(crate) values: Values<'b>,
}

/// The values that entities get as if they were inserted.
pub(crate) type Inserted<'b> = HashMap<Entity, New<'b>>;

/// The values that an entity gets, and the components that are constructed for it.
#[derive(Default)]
pub(crate) struct New<'b> {
    /// The values, by the number of the component.
    pub(crate) values: Vec<(u32, Values<'b>)>,
    pub(crate) constructed: Vec<ComponentId>,
}

impl<'b> Column<'b> {
    /// Splits the column into its values.
    fn one_by_one(self) -> Result<impl Iterator<Item = Self>, (usize, Problem)> {
        let Self { stamp, ticks, values } = self;
        let one = move |(at, values)| Self { stamp, ticks: ticks.map(|ticks| &ticks[at..=at]), values };
        Ok(values.one_by_one()?.enumerate().map(one))
    }
}

/// Merges each table that had skipped components with the table that has only the remaining components.
pub(crate) fn regrouped<'b>(tables: Vec<Table<'b>>, now: Tick) -> Vec<Table<'b>> {
    let remainder = |table: &Table<'b>| Remainder {
        components: table.own_parts(),
        is_whole: table.is_whole,
        rows: table.entities.len(),
    };
    let remainders: Vec<Remainder<Part<'b>>> = tables.iter().map(remainder).collect();
    let groups = regroup(&remainders);
    let mut tables: Vec<Option<Table<'_>>> = tables.into_iter().map(Some).collect();
    let mut grouped = Vec::new();
    for group in groups {
        let mut all = group.into_iter().filter_map(|number| tables[number].take());
        let Some(mut first) = all.next() else { continue };
        for other in all {
            first.stamp = newest([first.stamp, other.stamp].into_iter(), now);
            first.entities.extend(other.entities);
            first.columns.iter_mut().zip(other.columns).for_each(|(own, other)| own.1.extend(other.1));
        }
        grouped.push(first);
    }
    grouped
}

/// Returns an iterator over the values of each column. An error contains the number of the component.
fn value_iters<'b>(
    columns: Vec<(u32, Vec<Column<'b>>)>,
) -> Result<Vec<std::vec::IntoIter<Column<'b>>>, (u32, (usize, Problem))> {
    let mut by_column = Vec::new();
    for (number, parts) in columns {
        let mut values = Vec::new();
        for part in parts {
            values.extend(part.one_by_one().map_err(|error| (number, error))?);
        }
        by_column.push(values.into_iter());
    }
    Ok(by_column)
}

/// Adds components to rows. Such a row moves to the end of the table with the added components; a missing table is created after all
/// others. An error contains the number of the component.
pub(crate) fn insert<'b>(
    tables: &mut Vec<Table<'b>>,
    mut inserted: Inserted<'b>,
    now: Tick,
) -> Result<(), (u32, (usize, Problem))> {
    if inserted.is_empty() {
        return Ok(());
    }
    // Two tables with the same components are no error here: the builder of the snapshot rejects them.
    let mut found: HashMap<Vec<Part<'b>>, usize> =
        tables.iter().enumerate().map(|(number, table)| (table.own_parts(), number)).collect();
    for number in 0..tables.len() {
        if !tables[number].entities.iter().any(|entity| inserted.contains_key(entity)) {
            continue;
        }
        let entities = std::mem::take(&mut tables[number].entities);
        let columns = std::mem::take(&mut tables[number].columns);
        let numbers: Vec<u32> = columns.iter().map(|(number, _)| *number).collect();
        let mut by_column = value_iters(columns)?;
        tables[number].columns = numbers.iter().map(|number| (*number, Vec::new())).collect();
        for entity in entities {
            let values = by_column.iter_mut().map(Iterator::next);
            let mut row: Vec<(u32, Column<'b>)> =
                numbers.iter().zip(values).filter_map(|(number, value)| Some((*number, value?))).collect();
            let new = inserted.remove(&entity);
            let to = match new {
                None => number,
                Some(New { values, mut constructed }) => {
                    let values = values.into_iter();
                    row.extend(values.map(|(number, values)| (number, Column { stamp: now, ticks: None, values })));
                    row.sort_by_key(|(number, _)| *number);
                    constructed.extend(&tables[number].constructed);
                    constructed.sort_unstable();
                    constructed.dedup();
                    let parts = tables[number].parts(row.iter().map(|(number, _)| *number), &constructed);
                    *found.entry(parts).or_insert_with(|| {
                        let columns = row.iter().map(|(number, _)| (*number, Vec::new())).collect();
                        let left_out = tables[number].left_out.clone();
                        let (entities, stamp, is_whole) = (Vec::new(), now, true);
                        tables.push(Table { entities, stamp, columns, is_whole, constructed, left_out });
                        tables.len() - 1
                    })
                }
            };
            if to != number {
                tables[to].stamp = now;
            }
            tables[to].entities.push(entity);
            tables[to].columns.iter_mut().zip(row).for_each(|(column, (_, value))| column.1.push(value));
        }
    }
    // The entities that are left are in no table. Each of them has at least one value, whose position the error reports.
    let first = inserted.into_iter().flat_map(|(entity, new)| new.values.first().map(|new| (*new, entity)));
    match first.min_by_key(|((_, values), _)| values.offset) {
        Some(((number, values), entity)) => Err((number, (values.offset, Problem::Entity(entity.to_bits())))),
        None => Ok(()),
    }
}
