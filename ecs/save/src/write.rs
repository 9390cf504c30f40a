//! A snapshot as bytes: see `read.rs` for their order.

use std::collections::HashMap;

use strata_ecs::change::ComponentTicks;
use strata_ecs::component::{ComponentDescriptor, ComponentIdentity};
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{ColumnContents, LeftOut, SnapshotContents, StorageContents, TableContents};

use crate::bytes::Writer;
use crate::error::{NotSaved, SaveError};
use crate::format::WorldFormat;
use crate::read::{MAGIC, VERSION};
use crate::types::{ComponentType, known_components, name_of, plain_bytes};

/// The numbers of types in the format.
struct Numbers(HashMap<ComponentIdentity, usize>);

impl Numbers {
    fn get(&self, identity: ComponentIdentity) -> Option<usize> {
        self.0.get(&identity).copied()
    }

    /// Some of the types in the order of their numbers: bytes do not depend on the order in which a world has met them.
    fn in_order<T>(&self, all: impl Iterator<Item = T>, of: impl Fn(&T) -> &'static ComponentDescriptor) -> Vec<T> {
        let mut all: Vec<T> = all.collect();
        all.sort_by_key(|one| self.get(of(one).identity()));
        all
    }
}

/// Writes a snapshot behind nothing.
pub(crate) fn write(format: &WorldFormat, contents: SnapshotContents<'_>, out: &mut Writer) -> Result<(), SaveError> {
    let known: Vec<ComponentType> = known_components(&format.components, format.relations.iter().cloned());
    let all = known.iter().enumerate().map(|(number, ty)| (ty.descriptor.identity(), number));
    let components = Numbers(all.collect());
    let all = format.resources.iter().enumerate().map(|(number, ty)| (ty.descriptor.identity(), number));
    let resources = Numbers(all.collect());
    let all = format.relations.iter().enumerate().map(|(number, ty)| (ty.descriptor.identity(), number));
    let relations = Numbers(all.collect());
    check(format, contents, [&components, &resources, &relations])?;

    out.bytes.reserve(expected_size(contents));
    out.bytes.extend_from_slice(&MAGIC);
    out.u32(VERSION);
    // The checksum.
    out.skip_u32();
    out.len(format.components.len());
    for ty in &format.components {
        out.text(&name_of(ty.descriptor));
        out.u32(ty.version);
    }
    out.len(format.resources.len());
    for ty in &format.resources {
        out.text(&name_of(ty.descriptor));
        out.u32(ty.version);
    }
    out.len(format.relations.len());
    for ty in &format.relations {
        out.text(&name_of(ty.descriptor));
        out.u32(ty.version);
    }

    let (clock, ids) = (contents.clock(), contents.ids());
    out.u64(clock.frame_number);
    out.u8(clock.is_frame_open.into());
    [clock.tick, clock.last, clock.checked].into_iter().for_each(|tick| out.u32(tick.get()));
    [&ids.generations, &ids.free, &ids.retired].into_iter().for_each(|list| out.u32s(list));
    out.u32(ids.first_generation);

    let tables = contents.tables();
    out.len(tables.len());
    for table in tables {
        out.u64s(table.entities(), |entity| entity.to_bits());
        out.u32(table.stamp().get());
        let columns = components.in_order(table.columns(), |column| column.values().descriptor());
        out.len(columns.len());
        for column in columns {
            write_column(out, &known, &components, column)?;
        }
    }
    let storages = components.in_order(contents.storages(), |storage| storage.column().values().descriptor());
    out.len(storages.len());
    for storage in storages {
        out.u64s(&storage.entities(), |entity| entity.to_bits());
        write_column(out, &known, &components, storage.column())?;
    }
    let all = relations.in_order(contents.pairs(), |pairs| pairs.descriptor());
    out.len(all.len());
    for pairs in all {
        let name = pairs.descriptor().name();
        let Some(number) = relations.get(pairs.descriptor().identity()) else {
            return Err(SaveError::NotSaved(vec![NotSaved::Relation(name)]));
        };
        let write = format.relations[number].write;
        out.u32(number as u32);
        let all = pairs.pairs();
        let ends: Vec<Entity> = all.iter().flat_map(|pair| pair.ends).collect();
        out.u64s(&ends, |end| end.to_bits());
        out.arrays(&all, |pair| {
            let [source, target] = pair.places;
            (u64::from(source) | u64::from(target) << 32).to_le_bytes()
        });
        out.arrays(&all, |pair| ticks_as_bytes(pair.ticks));
        let at = out.bytes.len();
        out.block(|out| write(pairs, out)).map_err(|error| SaveError::Value(name, error))?;
        out.note_values(at, name);
    }
    let all = resources.in_order(contents.resources(), |resource| resource.descriptor());
    out.len(all.len());
    for resource in all {
        let Some(number) = resources.get(resource.descriptor().identity()) else {
            return Err(SaveError::NotSaved(vec![NotSaved::Resource(resource.descriptor().name())]));
        };
        let write = format.resources[number].write;
        out.u32(number as u32);
        write_ticks(out, resource.ticks());
        let (at, name) = (out.bytes.len(), resource.descriptor().name());
        out.block(|out| write(resource, out)).map_err(|error| SaveError::Value(name, error))?;
        out.note_values(at, name);
    }
    let sum = out.checksum();
    out.bytes[MAGIC.len() + 4..MAGIC.len() + 8].copy_from_slice(&sum.to_le_bytes());
    Ok(())
}

/// About how many bytes there will be: more if values have memory of their own.
fn expected_size(contents: SnapshotContents<'_>) -> usize {
    let of_column = |column: ColumnContents<'_>| {
        let values = column.values();
        values.len() * (values.descriptor().layout().size() + if column.is_tracked() { 8 } else { 0 }) + 32
    };
    let of_table =
        |table: TableContents<'_>| 8 * table.entities().len() + table.columns().map(of_column).sum::<usize>() + 32;
    let of_storage = |storage: StorageContents<'_>| {
        let column = storage.column();
        8 * column.values().len() + of_column(column) + 32
    };
    let ids = contents.ids();
    4 * (ids.generations.len() + ids.free.len() + ids.retired.len())
        + contents.tables().map(of_table).sum::<usize>()
        + contents.storages().map(of_storage).sum::<usize>()
        + 4096
}

/// Whether all of the contents is in the format.
fn check(
    format: &WorldFormat,
    contents: SnapshotContents<'_>,
    [components, resources, relations]: [&Numbers; 3],
) -> Result<(), SaveError> {
    let is_left_out = |what: &LeftOut| {
        let of_consumers = matches!(what, LeftOut::Systems(_) | LeftOut::Removals(_) | LeftOut::IdForecasts);
        !(of_consumers && format.new_consumers)
    };
    let left_out: Vec<LeftOut> = contents.left_out().into_iter().filter(is_left_out).collect();
    let in_tables = contents.tables().flat_map(|table| table.columns());
    // The components of pairs are saved with these.
    let storages = contents.storages().filter(|storage| !storage.is_of_pairs());
    let columns = in_tables.chain(storages.map(|storage| storage.column()));
    let unknown = columns.map(|column| column.values().descriptor());
    let unknown = unknown.filter(|descriptor| components.get(descriptor.identity()).is_none());
    let unknown = unknown.map(|descriptor| NotSaved::Component(descriptor.name()));
    let resources = contents.resources().filter(|resource| resources.get(resource.descriptor().identity()).is_none());
    let resources = resources.map(|resource| NotSaved::Resource(resource.descriptor().name()));
    let mut all: Vec<NotSaved> = Vec::new();
    let pairs = contents.pairs().map(|pairs| pairs.descriptor());
    let pairs = pairs.filter(|descriptor| relations.get(descriptor.identity()).is_none());
    let pairs = pairs.map(|descriptor| NotSaved::Relation(descriptor.name()));
    for one in unknown.chain(pairs).chain(resources).chain(left_out.iter().cloned().map(NotSaved::LeftOut)) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    if all.is_empty() { Ok(()) } else { Err(SaveError::NotSaved(all)) }
}

fn write_column(
    out: &mut Writer,
    known: &[ComponentType],
    components: &Numbers,
    column: ColumnContents<'_>,
) -> Result<(), SaveError> {
    let values = column.values();
    let Some(number) = components.get(values.descriptor().identity()) else {
        return Err(SaveError::NotSaved(vec![NotSaved::Component(values.descriptor().name())]));
    };
    let ComponentType { write, .. } = known[number];
    out.u32(number as u32);
    out.u32(column.stamp().get());
    let ticks = column.ticks();
    out.u8(ticks.is_some().into());
    if let Some(ticks) = ticks {
        out.arrays(&ticks, |ticks| ticks_as_bytes(*ticks));
    }
    let plain = plain_bytes(values);
    out.u8(plain.is_some().into());
    let (at, name) = (out.bytes.len(), values.descriptor().name());
    match plain {
        Some(plain) => out.plain(plain),
        None => out.block(|out| write(values, out)).map_err(|error| SaveError::Value(name, error))?,
    }
    out.note_values(at, name);
    Ok(())
}

fn ticks_as_bytes(ticks: ComponentTicks) -> [u8; 8] {
    (u64::from(ticks.added.get()) | u64::from(ticks.changed.get()) << 32).to_le_bytes()
}

fn write_ticks(out: &mut Writer, ticks: ComponentTicks) {
    out.u32(ticks.added.get());
    out.u32(ticks.changed.get());
}
