//! Converts the contents of a text to the bytes of a saved world.
//!
//! Tests: tests/snapshots/text.rs

use std::collections::HashSet;

use serde_core::de::{Deserializer, Error};
use strata_ecs::prelude::Entity;

use super::parts::{ColumnTimes, Ticks, VERSION, part, there};
use super::read::{Pair, Row, Table, Types, World, read};
use crate::bytes::{Lengths, Writer};
use crate::consumers;
use crate::format::WorldFormat;
use crate::layout::{self, form};
use crate::types::TEXT_VERSION;
use crate::write::{begin, end, write_types};

fn ticks_as_bytes((added, changed): &Ticks) -> [u8; 8] {
    (u64::from(*added) | u64::from(*changed) << 32).to_le_bytes()
}

/// Writes a column. The values of a skipped component are empty.
fn write_column<E: Error>(
    out: &mut Writer,
    number: usize,
    (name, stamp, ticks): &ColumnTimes,
    rows: &[Row],
) -> Result<(), E> {
    out.u32(number as u32);
    out.u32(*stamp);
    out.u8(ticks.is_some().into());
    if let Some(ticks) = ticks {
        if ticks.len() != rows.len() {
            return Err(E::custom(format_args!("there is not one tick for each value of component `{name}`")));
        }
        out.arrays(ticks, ticks_as_bytes);
    }
    out.u8(form::EVEN);
    let (at, mut lengths) = (out.bytes.len(), Lengths::default());
    out.block(|out| {
        rows.iter().try_for_each(|row| {
            let Some(value) = row.values.get(name) else {
                return Err(E::custom(format_args!(
                    "entity {} has no component `{name}`, and others of its table do",
                    row.entity
                )));
            };
            let bytes = value.as_deref().unwrap_or_default();
            out.extend_from_slice(bytes);
            lengths.push(bytes.len()).map_err(E::custom)
        })
    })?;
    if let Some(each) = lengths.each() {
        out.bytes[at - 1] = form::EACH;
        out.arrays(each, |len| len.to_le_bytes());
    }
    Ok(())
}

/// Returns the format without the text-form resources that a text does not name, because a load must not change these. Also returns the new
/// number of each resource of `format`.
fn named_only(format: &WorldFormat, named: impl Iterator<Item = usize>) -> (WorldFormat, Vec<usize>) {
    let named: HashSet<usize> = named.collect();
    let is_kept: Vec<bool> =
        format.resources.iter().enumerate().map(|(at, ty)| ty.version != TEXT_VERSION || named.contains(&at)).collect();
    let before = |at: usize| is_kept[..at].iter().filter(|is_kept| **is_kept).count();
    let numbers = (0..is_kept.len()).map(before).collect();
    let mut format = format.clone();
    let mut kept = is_kept.into_iter();
    format.resources.retain(|_| kept.next() == Some(true));
    (format, numbers)
}

/// The numbers that the components of a text have in a file.
///
/// One additional component stands for all skipped components in tables, so that such tables count as incomplete. Sparse sets of skipped
/// components are left out.
struct Numbers<'t, 'f> {
    types: &'t Types<'f>,
    /// The number of components that the format lists. This is also the number of the additional component; the ends of relations follow.
    first_end: usize,
    /// The number of additional components: 1 if the format skips unknown types, otherwise 0.
    passed_over: usize,
}

impl Numbers<'_, '_> {
    /// Returns, for each column of a table, the number of its component in the format; `None` for a skipped component.
    fn in_format<E: Error>(&self, table: &Table) -> Result<Vec<Option<usize>>, E> {
        let number = |times: &ColumnTimes| Ok(self.types.component(&times.0)?.map(|(number, _)| number));
        table.columns.iter().map(number).collect()
    }

    fn in_file(&self, number: Option<usize>) -> usize {
        match number {
            None => self.first_end,
            Some(number) if number < self.first_end => number,
            Some(number) => number + self.passed_over,
        }
    }
}

fn write_rows(out: &mut Writer, rows: &[Row]) {
    out.u64s(rows, |row| row.entity.to_bits());
}

fn write_tables<E: Error>(out: &mut Writer, tables: &[Table], numbers: &Numbers<'_, '_>) -> Result<(), E> {
    out.len(tables.len());
    for table in tables {
        write_rows(out, &table.rows);
        out.u32(table.stamp);
        let in_file = numbers.in_format(table)?.into_iter().map(|number| numbers.in_file(number));
        let mut columns: Vec<(usize, &ColumnTimes)> = in_file.zip(&table.columns).collect();
        if let Some(row) = table.rows.iter().find(|row| row.values.len() != columns.len()) {
            return Err(E::custom(format_args!(
                "entity {} has other components than its table has columns",
                row.entity
            )));
        }
        let mut is_passed_over = false;
        columns.retain(|(number, _)| *number != numbers.first_end || !std::mem::replace(&mut is_passed_over, true));
        out.len(columns.len());
        for (number, times) in columns {
            write_column(out, number, times, &table.rows)?;
        }
    }
    Ok(())
}

fn write_storages<E: Error>(out: &mut Writer, storages: &[Table], numbers: &Numbers<'_, '_>) -> Result<(), E> {
    let mut known = Vec::new();
    for storage in storages {
        match (&numbers.in_format(storage)?[..], &storage.columns[..]) {
            ([Some(number)], [times]) => known.push((numbers.in_file(Some(*number)), times, &storage.rows)),
            ([None], _) => {}
            _ => return Err(E::custom("a storage has one column")),
        }
    }
    out.len(known.len());
    for (number, times, rows) in known {
        write_rows(out, rows);
        write_column(out, number, times, rows)?;
    }
    Ok(())
}

fn write_pairs(out: &mut Writer, all: &[(usize, Vec<Pair>)]) {
    out.len(all.len());
    for (number, pairs) in all {
        out.u32(*number as u32);
        let ends: Vec<Entity> = pairs.iter().flat_map(|(ends, ..)| *ends).collect();
        out.u64s(&ends, |end| end.to_bits());
        out.arrays(pairs, |(_, [source, target], ..)| (u64::from(*source) | u64::from(*target) << 32).to_le_bytes());
        out.arrays(pairs, |(_, _, ticks, _)| ticks_as_bytes(ticks));
        out.len(pairs.iter().map(|(.., value)| value.len()).sum());
        pairs.iter().for_each(|(.., value)| out.bytes.extend_from_slice(value));
    }
}

/// Reads a text, and returns the bytes of the saved world.
pub(super) fn convert<'de, D: Deserializer<'de>>(format: &WorldFormat, deserializer: D) -> Result<Vec<u8>, D::Error> {
    let types = Types::of(format);
    let world: World = read(&types, deserializer)?;
    match there(world.version, part::VERSION)? {
        VERSION => {}
        version => return Err(D::Error::custom(format_args!("the text is in version {version}"))),
    }
    let (tables, storages) = (there(world.tables, part::TABLES)?, there(world.storages, part::STORAGES)?);
    let passed_over = usize::from(format.skips_unknown);
    let in_file = Numbers { types: &types, first_end: format.components.len(), passed_over };

    let resources = there(world.resources, part::RESOURCES)?;
    let absent: Vec<Option<_>> = world.absent.iter().map(|key| types.resource(key)).collect::<Result<_, _>>()?;
    let (format, numbers) = named_only(
        format,
        resources.iter().map(|(number, ..)| *number).chain(absent.into_iter().flatten().map(|(number, _)| number)),
    );

    let mut out = Writer::new(Vec::new());
    begin(&mut out, layout::VERSION);
    write_types(&format, &mut out, passed_over);
    // No types of kept values.
    out.len(0);
    out.len(0);
    let (frame, is_open, tick, last, checked) = there(world.clock, part::CLOCK)?;
    out.u64(frame);
    out.u8(is_open.into());
    [tick, last, checked].into_iter().for_each(|tick| out.u32(tick));
    let (generations, free, retired, first) = there(world.ids, part::IDS)?;
    [generations, free, retired].iter().for_each(|list| out.u32s(list));
    out.u32(first);
    write_tables(&mut out, &tables, &in_file)?;
    write_storages(&mut out, &storages, &in_file)?;
    write_pairs(&mut out, &there(world.pairs, part::PAIRS)?);
    // No kept values.
    out.len(0);
    out.len(resources.len());
    for (number, ticks, value) in resources {
        out.u32(numbers[number] as u32);
        out.bytes.extend_from_slice(&ticks_as_bytes(&ticks));
        out.len(value.len());
        out.bytes.extend_from_slice(&value);
    }
    out.u8(0);
    out.block(|out| consumers::write(&world.consumers, out)).map_err(D::Error::custom)?;
    end(&mut out);
    Ok(out.bytes)
}
