//! Adds tables to the snapshot, with constructed components and with the markers that keep tables separate.
//!
//! Tests: tests/snapshots/versions.rs

use std::collections::HashMap;

use strata_ecs::change::Tick;
use strata_ecs::component::ComponentDescriptor;
use strata_ecs::prelude::World;
use strata_ecs::snapshot::SnapshotBuilder;

use super::source::{Source, Storage};
use crate::apart;
use crate::error::Problem;
use crate::format::WorldFormat;
use crate::required::Requirements;
use crate::tables::Table;

impl<'b> Source<'b> {
    /// Reads the names of the left-out components of each table.
    pub(super) fn left_out(&mut self, tables: &mut [Table<'b>]) -> Result<(), Problem> {
        if self.reader.len(8)? != tables.len() {
            return Err(Problem::TooLong);
        }
        for table in tables {
            for _ in 0..self.reader.len(8)? {
                table.left_out.push(self.reader.text()?);
            }
        }
        Ok(())
    }

    /// Returns the requirements, in `world`, of the components of the tables and sparse sets.
    pub(super) fn requirements<'w>(
        &self,
        format: &WorldFormat,
        world: &'w mut World,
        tables: &[Table<'b>],
        storages: &[Storage<'b>],
        are_apart: bool,
    ) -> Requirements<'w> {
        let descriptor = |number: u32| Some(self.components[number as usize].known.as_ref()?.descriptor());
        let mut numbers: Vec<u32> =
            tables.iter().flat_map(|table| table.columns.iter().map(|(number, _)| *number)).collect();
        numbers.extend(storages.iter().map(|storage| storage.number));
        numbers.sort_unstable();
        numbers.dedup();
        let numbered = numbers.into_iter().filter_map(|number| Some((number, descriptor(number)?)));
        let known = self.components.iter().filter_map(|ty| Some(ty.known.as_ref()?.descriptor()));
        let known = known.filter(|descriptor| format.saves(descriptor)).map(ComponentDescriptor::identity).collect();
        Requirements::of(world, numbered, known, are_apart)
    }

    /// Adds tables, with their constructed components and their markers.
    pub(super) fn add_tables(
        &mut self,
        tables: Vec<Table<'b>>,
        storages: &[Storage<'b>],
        required: &Requirements<'_>,
        builder: &mut SnapshotBuilder,
        now: Tick,
    ) -> Result<(), Problem> {
        let sparse: Vec<u32> = storages.iter().map(|storage| storage.number).collect();
        let mut sets: HashMap<Vec<&'b str>, usize> = HashMap::new();
        for table in tables {
            // If tables stay separate, the entities had the constructed components before the save, so the columns get the stamp of the
            // table.
            let stamp = if required.are_apart() { table.stamp } else { now };
            let constructed = required.columns(&table, &sparse, stamp);
            let Table { entities, stamp, columns, left_out, .. } = table;
            let columns = columns.into_iter().map(|(number, parts)| self.new_column(number, &parts, now));
            let mut columns = columns.collect::<Result<Vec<_>, _>>()?;
            columns.extend(constructed);
            if !left_out.is_empty() {
                let next = sets.len() + 1;
                let set = *sets.entry(left_out).or_insert(next);
                columns.extend(apart::columns(set, entities.len(), stamp).ok_or(Problem::TooMany)?);
            }
            builder.add_table(entities, stamp, columns);
        }
        Ok(())
    }
}
