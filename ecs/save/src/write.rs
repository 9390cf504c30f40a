//! Writes a snapshot as bytes: see `layout.rs` for the layout.
//!
//! Tests: tests/snapshots/saves.rs, tests/snapshots/versions.rs

use std::collections::HashMap;

use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::{ComponentDescriptor, ComponentIdentity};
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{
    ColumnContents, LeftOut, PairsContents, ResourceContents, SnapshotContents, StorageContents, TableContents,
};

use crate::bytes::{Lengths, Writer};
use crate::consumers::{self, ConsumersData};
use crate::error::{NotSaved, SaveError};
use crate::format::WorldFormat;
use crate::layout::{MAGIC, VERSION, VERSION_WITH_LEFT_OUT, form};
use crate::regroup::{Remainder, newest, regroup};
use crate::types::{ComponentType, known_components, name_of};
#[cfg(feature = "text")]
use crate::types::{RelationType, ResourceType};
use crate::unknown::{UnknownComponents, UnknownResources, UnknownType, UnknownValue};
use crate::values::plain_bytes;

/// The numbers of saved types.
struct Numbers(HashMap<ComponentIdentity, usize>);

impl Numbers {
    /// Numbers types by their positions in `types`, and includes the numbers for which `are_saved` returns true.
    fn of(types: impl Iterator<Item = &'static ComponentDescriptor>, are_saved: impl Fn(usize) -> bool) -> Self {
        let numbered = types.enumerate().filter(|(number, _)| are_saved(*number));
        Self(numbered.map(|(number, descriptor)| (descriptor.identity(), number)).collect())
    }

    fn get(&self, identity: ComponentIdentity) -> Option<usize> {
        self.0.get(&identity).copied()
    }

    /// Sorts items by the numbers of their types, because the bytes must not depend on the order of registration.
    fn in_order<T>(&self, all: impl Iterator<Item = T>, of: impl Fn(&T) -> &'static ComponentDescriptor) -> Vec<T> {
        let mut all: Vec<T> = all.collect();
        all.sort_by_key(|one| self.get(of(one).identity()));
        all
    }
}

/// The contents of a world that a format saves.
pub(crate) struct Saved<'s> {
    format: &'s WorldFormat,
    contents: SnapshotContents<'s>,
    /// The components that have numbers in a file.
    known: Vec<ComponentType>,
    components: Numbers,
    resources: Numbers,
    relations: Numbers,
    unknown: Unknown<'s>,
    #[cfg(feature = "text")]
    pub(crate) now: Tick,
}

/// The tables, the saved columns of each, and for each resulting table the indexes of the tables that are merged into it.
type GroupedTables<'s> = (Vec<TableContents<'s>>, Vec<Vec<ColumnContents<'s>>>, Vec<Vec<usize>>);

impl<'s> Saved<'s> {
    /// Collects the data to save. It is an error if the format neither saves nor leaves out some of the contents.
    pub(crate) fn of(format: &'s WorldFormat, contents: SnapshotContents<'s>) -> Result<Self, SaveError> {
        let known: Vec<ComponentType> = known_components(&format.components, format.relations.iter().cloned());
        let components = Numbers::of(known.iter().map(|ty| ty.descriptor), |number| {
            // The end components of relations come after the others, two for each relation.
            let relation = number.checked_sub(format.components.len()).map(|end| format.relations[end / 2].descriptor);
            format.saves(relation.unwrap_or(known[number].descriptor))
        });
        let resources = Numbers::of(format.resources.iter().map(|ty| ty.descriptor), |_| true);
        let relations = Numbers::of(format.relations.iter().map(|ty| ty.descriptor), |number| {
            format.saves(format.relations[number].descriptor)
        });
        check(format, contents, [&components, &resources, &relations])?;
        let unknown = Unknown::of(format, contents);
        Ok(Self {
            format,
            contents,
            known,
            components,
            resources,
            relations,
            unknown,
            #[cfg(feature = "text")]
            now: contents.clock().tick,
        })
    }

    fn has(&self, descriptor: &ComponentDescriptor) -> bool {
        self.components.get(descriptor.identity()).is_some()
    }

    /// Returns the tables. Unless `are_apart` is set, tables with equal sets of remaining components are merged.
    pub(crate) fn tables(&self, are_apart: bool) -> GroupedTables<'s> {
        let tables: Vec<TableContents<'s>> = self.contents.tables().collect();
        let is_saved = |column: &ColumnContents<'_>| self.has(column.values().descriptor());
        let in_order = |table: &TableContents<'s>| {
            self.components.in_order(table.columns().filter(is_saved), |column| column.values().descriptor())
        };
        let columns: Vec<Vec<ColumnContents<'s>>> = tables.iter().map(in_order).collect();
        if are_apart {
            let groups = (0..tables.len()).map(|number| vec![number]).collect();
            return (tables, columns, groups);
        }
        let remainder = |(table, columns): (&TableContents<'s>, &Vec<ColumnContents<'s>>)| Remainder {
            components: columns.iter().map(|column| column.values().descriptor().identity()).collect(),
            is_whole: columns.len() == table.columns().len(),
            rows: table.entities().len(),
        };
        let remainders: Vec<Remainder<ComponentIdentity>> = tables.iter().zip(&columns).map(remainder).collect();
        let groups = regroup(&remainders);
        (tables, columns, groups)
    }

    /// Returns the names of the left-out components of a table.
    fn left_out_of(&self, table: TableContents<'s>) -> Vec<String> {
        let left_out = table.columns().map(|column| column.values().descriptor()).filter(|known| !self.has(known));
        let mut names: Vec<String> = left_out.map(name_of).collect();
        names.sort_unstable();
        names
    }

    /// Returns the sparse sets to save. Either both sides of a relationship are saved, or neither.
    pub(crate) fn storages(&self) -> Vec<StorageContents<'s>> {
        let is_saved = |storage: &StorageContents<'_>| {
            self.has(storage.column().values().descriptor()) && storage.other_side().is_none_or(|other| self.has(other))
        };
        let all = self.contents.storages().filter(is_saved);
        self.components.in_order(all, |storage| storage.column().values().descriptor())
    }

    pub(crate) fn pairs(&self) -> Vec<PairsContents<'s>> {
        let is_saved = |pairs: &PairsContents<'_>| self.relations.get(pairs.descriptor().identity()).is_some();
        self.relations.in_order(self.contents.pairs().filter(is_saved), |pairs| pairs.descriptor())
    }

    pub(crate) fn resources(&self) -> Vec<ResourceContents<'s>> {
        let is_known = |resource: &ResourceContents<'_>| resource.get::<UnknownResources>().is_none();
        self.resources.in_order(self.contents.resources().filter(is_known), |resource| resource.descriptor())
    }
}

#[cfg(feature = "text")]
impl<'s> Saved<'s> {
    /// Returns whether there are values of unknown types.
    pub(crate) fn has_unknown(&self) -> bool {
        self.unknown.components.is_some() || self.unknown.resources.is_some()
    }

    /// Returns the type of a column. If the column belongs to the ends of pairs, also returns the relation, and 0 for sources or 1 for
    /// targets.
    pub(crate) fn component(
        &self,
        column: ColumnContents<'_>,
    ) -> Option<(&ComponentType, Option<(&RelationType, usize)>)> {
        let number = self.components.get(column.values().descriptor().identity())?;
        let end = number.checked_sub(self.format.components.len());
        Some((&self.known[number], end.map(|end| (&self.format.relations[end / 2], end % 2))))
    }

    pub(crate) fn relation(&self, pairs: PairsContents<'_>) -> Option<&'s RelationType> {
        Some(&self.format.relations[self.relations.get(pairs.descriptor().identity())?])
    }

    pub(crate) fn resource(&self, resource: ResourceContents<'_>) -> Option<&'s ResourceType> {
        Some(&self.format.resources[self.resources.get(resource.descriptor().identity())?])
    }
}

/// Writes the header before the types.
pub(crate) fn begin(out: &mut Writer, version: u32) {
    out.bytes.extend_from_slice(&MAGIC);
    out.u32(version);
    // Room for the checksum.
    out.skip_u32();
}

/// Writes the types of a format, and `passed_over` nameless components that stand for skipped ones.
pub(crate) fn write_types(format: &WorldFormat, out: &mut Writer, passed_over: usize) {
    let ty = |descriptor: &ComponentDescriptor, version: u32, is_side: bool, out: &mut Writer| {
        out.text(&name_of(descriptor));
        out.u32(version);
        out.u8(is_side.into());
    };
    out.len(format.components.len() + passed_over);
    for one in &format.components {
        ty(one.descriptor, one.version, StorageContents::other_side_of(one.descriptor).is_some(), out);
    }
    for _ in 0..passed_over {
        out.text("");
        out.u32(1);
        // The component counts as a side of a relationship, so that a load keeps no values of it.
        out.u8(1);
    }
    out.len(format.resources.len());
    format.resources.iter().for_each(|one| ty(one.descriptor, one.version, false, out));
    out.len(format.relations.len());
    format.relations.iter().for_each(|one| ty(one.descriptor, one.version, false, out));
}

/// Writes a snapshot into an empty writer. The consumer state is `consumers`, or if that is `None` the state in the snapshot.
pub(crate) fn write(
    format: &WorldFormat,
    contents: SnapshotContents<'_>,
    consumers: Option<ConsumersData>,
    out: &mut Writer,
) -> Result<(), SaveError> {
    let saved = Saved::of(format, contents)?;
    let consumers = consumers.map_or_else(|| consumers::of(format, contents), Ok)?;
    out.bytes.reserve(expected_size(contents));
    begin(out, if format.keeps_tables { VERSION_WITH_LEFT_OUT } else { VERSION });
    write_types(format, out, 0);
    saved.unknown.write_types(out);
    write_clock_and_ids(contents, out);
    saved.write_tables(out)?;
    saved.write_storages(out)?;
    saved.write_pairs(out)?;
    saved.unknown.write_components(out);
    saved.write_resources(out)?;
    saved.unknown.write_resources(out);
    out.block(|out| consumers::write(&consumers, out))?;
    if format.keeps_tables {
        saved.write_left_out(out);
    }
    if let Some(name) = out.too_many_empty() {
        return Err(SaveError::Value(name, "its sequences have too many elements that take no bytes".to_owned()));
    }
    end(out);
    Ok(())
}

fn write_clock_and_ids(contents: SnapshotContents<'_>, out: &mut Writer) {
    let (clock, ids) = (contents.clock(), contents.ids());
    out.u64(clock.frame_number);
    out.u8(clock.is_frame_open.into());
    [clock.tick, clock.last, clock.checked].into_iter().for_each(|tick| out.u32(tick.get()));
    [&ids.generations, &ids.free, &ids.retired].into_iter().for_each(|list| out.u32s(list));
    out.u32(ids.first_generation);
}

impl Saved<'_> {
    fn write_tables(&self, out: &mut Writer) -> Result<(), SaveError> {
        let now = self.contents.clock().tick;
        let (tables, columns, groups) = self.tables(self.format.keeps_tables);
        out.len(groups.len());
        for group in &groups {
            let parts: Vec<TableContents<'_>> = group.iter().map(|number| tables[*number]).collect();
            out.len(parts.iter().map(|table| table.entities().len()).sum());
            parts.iter().for_each(|table| out.arrays(table.entities(), |entity| entity.to_bits().to_le_bytes()));
            out.u32(newest(parts.iter().map(|table| table.stamp()), now).get());
            let first = &columns[group[0]];
            out.len(first.len());
            for (at, _) in first.iter().enumerate() {
                let parts: Vec<ColumnContents<'_>> = group.iter().map(|number| columns[*number][at]).collect();
                write_column(out, &self.known, &self.components, &parts, now)?;
            }
        }
        Ok(())
    }

    fn write_storages(&self, out: &mut Writer) -> Result<(), SaveError> {
        let now = self.contents.clock().tick;
        let storages = self.storages();
        out.len(storages.len());
        for storage in storages {
            out.u64s(&storage.entities(), |entity| entity.to_bits());
            write_column(out, &self.known, &self.components, &[storage.column()], now)?;
        }
        Ok(())
    }

    fn write_pairs(&self, out: &mut Writer) -> Result<(), SaveError> {
        let all = self.pairs();
        out.len(all.len());
        for pairs in all {
            let name = pairs.descriptor().name();
            let Some(number) = self.relations.get(pairs.descriptor().identity()) else {
                return Err(SaveError::NotSaved(vec![NotSaved::Relation(name)]));
            };
            let write = self.format.relations[number].write;
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
            let mut lengths = Lengths::default();
            out.block(|out| write(pairs, out, &mut lengths)).map_err(|error| SaveError::Value(name, error))?;
            out.note_values(at, name, lengths.empty);
        }
        Ok(())
    }

    fn write_resources(&self, out: &mut Writer) -> Result<(), SaveError> {
        let all = self.resources();
        out.len(all.len());
        for resource in all {
            let name = resource.descriptor().name();
            let Some(number) = self.resources.get(resource.descriptor().identity()) else {
                return Err(SaveError::NotSaved(vec![NotSaved::Resource(name)]));
            };
            let write = self.format.resources[number].write;
            out.u32(number as u32);
            write_ticks(out, resource.ticks());
            let at = out.bytes.len();
            let mut lengths = Lengths::default();
            out.block(|out| write(resource, out, &mut lengths)).map_err(|error| SaveError::Value(name, error))?;
            out.note_values(at, name, lengths.empty);
        }
        Ok(())
    }

    /// Writes the names of the left-out components of each table.
    fn write_left_out(&self, out: &mut Writer) {
        out.len(self.contents.tables().count());
        for table in self.contents.tables() {
            let left_out = self.left_out_of(table);
            out.len(left_out.len());
            left_out.iter().for_each(|name| out.text(name));
        }
    }
}

/// Writes the checksum into its place in the header.
pub(crate) fn end(out: &mut Writer) {
    let sum = out.checksum();
    out.bytes[MAGIC.len() + 4..MAGIC.len() + 8].copy_from_slice(&sum.to_le_bytes());
}

/// Returns an estimate of the number of bytes. Values that own memory may take more.
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

/// Returns whether a table or an entity has a left-out component, or a left-out relation has pairs. Tables without entities count.
pub(crate) fn leaves_out_any(format: &WorldFormat, contents: SnapshotContents<'_>) -> bool {
    let columns = contents.tables().flat_map(|table| table.columns());
    let storages = contents.storages().map(|storage| storage.column());
    let storages = storages.filter(|column| !column.values().is_empty());
    let is_left_out = format.left_out_types();
    columns.chain(storages).any(|column| is_left_out(column.values().descriptor()))
        || contents.pairs().any(|pairs| is_left_out(pairs.descriptor()))
}

/// Checks that the format saves or leaves out all contents.
fn check(
    format: &WorldFormat,
    contents: SnapshotContents<'_>,
    [components, resources, relations]: [&Numbers; 3],
) -> Result<(), SaveError> {
    let is_left_out = |what: &LeftOut| {
        let of_consumers = matches!(what, LeftOut::Systems(_) | LeftOut::Removals(_) | LeftOut::IdForecasts);
        !(of_consumers && (format.new_consumers || format.skips_consumers))
    };
    let left_out: Vec<LeftOut> = contents.left_out().into_iter().filter(is_left_out).collect();
    let mut all: Vec<NotSaved> = Vec::new();
    let mut note = |one: NotSaved| {
        if !all.contains(&one) {
            all.push(one);
        }
    };
    let is_known = |descriptor: &ComponentDescriptor| components.get(descriptor.identity()).is_some();
    let is_left_out = |descriptor: &ComponentDescriptor| format.leaves_out(descriptor);
    for column in contents.tables().flat_map(|table| table.columns()) {
        let descriptor = column.values().descriptor();
        if !is_known(descriptor) && !is_left_out(descriptor) {
            note(NotSaved::Component(descriptor.name()));
        } else if is_known(descriptor) && !column.values().is_empty() && descriptor.functions().forbids_clone() {
            note(NotSaved::NotClone(descriptor.name()));
        }
    }
    // The components of pairs are saved with the pairs, so they are skipped here.
    for storage in contents.storages().filter(|storage| !storage.is_of_pairs()) {
        let descriptor = storage.column().values().descriptor();
        match storage.other_side() {
            _ if is_unknown_values(storage) && (format.keeps_unknown || is_left_out(descriptor)) => {}
            _ if is_unknown_values(storage) => note(NotSaved::Unknown),
            _ if !is_known(descriptor) && !is_left_out(descriptor) => note(NotSaved::Component(descriptor.name())),
            Some(other) if is_known(descriptor) && !is_known(other) && format.saves(other) => {
                note(NotSaved::OtherSide(descriptor.name()));
            }
            _ if is_known(descriptor) && descriptor.functions().forbids_clone() => {
                note(NotSaved::NotClone(descriptor.name()));
            }
            _ => {}
        }
    }
    for pairs in contents.pairs() {
        let descriptor = pairs.descriptor();
        if relations.get(descriptor.identity()).is_none() && !is_left_out(descriptor) {
            note(NotSaved::Relation(descriptor.name()));
        }
    }
    for resource in contents.resources() {
        if resource.get::<UnknownResources>().is_some() {
            if !format.keeps_unknown && !is_left_out(resource.descriptor()) {
                note(NotSaved::Unknown);
            }
        } else if resources.get(resource.descriptor().identity()).is_none() {
            note(NotSaved::Resource(resource.descriptor().name()));
        }
    }
    left_out.into_iter().for_each(|what| note(NotSaved::LeftOut(what)));
    if all.is_empty() { Ok(()) } else { Err(SaveError::NotSaved(all)) }
}

/// Writes the values of one component, from several parts.
fn write_column(
    out: &mut Writer,
    known: &[ComponentType],
    components: &Numbers,
    parts: &[ColumnContents<'_>],
    now: Tick,
) -> Result<(), SaveError> {
    let descriptor = parts[0].values().descriptor();
    let Some(number) = components.get(descriptor.identity()) else {
        return Err(SaveError::NotSaved(vec![NotSaved::Component(descriptor.name())]));
    };
    let ComponentType { write, .. } = known[number];
    out.u32(number as u32);
    write_times(out, parts, now);
    let plain: Option<Vec<&[u8]>> = parts.iter().map(|part| plain_bytes(part.values())).collect();
    out.u8(if plain.is_some() { form::PLAIN } else { form::EVEN });
    let (at, name) = (out.bytes.len(), descriptor.name());
    let mut lengths = Lengths::default();
    match plain {
        Some(plain) => out.plain(&plain),
        None => {
            out.block(|out| parts.iter().try_for_each(|part| write(part.values(), out, &mut lengths)))
                .map_err(|error| SaveError::Value(name, error))?;
            if let Some(each) = lengths.each() {
                out.bytes[at - 1] = form::EACH;
                out.arrays(each, |len| len.to_le_bytes());
            }
        }
    }
    out.note_values(at, name, lengths.empty);
    Ok(())
}

/// Writes the ticks of the values of a component, from several parts.
fn write_times(out: &mut Writer, parts: &[ColumnContents<'_>], now: Tick) {
    out.u32(newest(parts.iter().map(|part| part.stamp()), now).get());
    let are_tracked = parts.iter().any(|part| part.is_tracked());
    out.u8(are_tracked.into());
    if are_tracked {
        for part in parts {
            let unknown = || vec![ComponentTicks::new(part.stamp()); part.values().len()];
            out.arrays(&part.ticks().unwrap_or_else(unknown), |ticks| ticks_as_bytes(*ticks));
        }
    }
}

fn is_unknown_values(storage: StorageContents<'_>) -> bool {
    storage.column().values().downcast_ref::<UnknownComponents>().is_some()
}

/// The saved values of unknown types in a world.
struct Unknown<'s> {
    components: Option<(StorageContents<'s>, &'s [UnknownComponents])>,
    resources: Option<(ResourceContents<'s>, &'s UnknownResources)>,
    /// The unknown types of components, and of resources, in the order in which they first occur in values, and their numbers.
    types: [(Vec<&'s UnknownType>, HashMap<&'s UnknownType, u32>); 2],
    now: Tick,
}

impl<'s> Unknown<'s> {
    fn of(format: &WorldFormat, contents: SnapshotContents<'s>) -> Self {
        let now = contents.clock().tick;
        let mut unknown = Self { components: None, resources: None, types: Default::default(), now };
        if !format.keeps_unknown {
            return unknown;
        }
        let values = |storage: StorageContents<'s>| Some((storage, storage.column().values().downcast_ref()?));
        unknown.components = contents.storages().find_map(values);
        unknown.resources = contents.resources().find_map(|resource| Some((resource, resource.get()?)));
        let [of_components, of_resources] = &mut unknown.types;
        let note = |(types, numbers): &mut (Vec<_>, HashMap<_, u32>), value: &'s UnknownValue| {
            numbers.entry(&*value.ty).or_insert_with(|| {
                types.push(&*value.ty);
                types.len() as u32 - 1
            });
        };
        let all = unknown.components.iter().flat_map(|(_, all)| *all).flat_map(|one| &one.0);
        all.for_each(|value| note(of_components, value));
        unknown.resources.iter().flat_map(|(_, all)| &all.0).for_each(|value| note(of_resources, value));
        unknown
    }

    fn write_types(&self, out: &mut Writer) {
        for (types, _) in &self.types {
            out.len(types.len());
            for ty in types {
                out.text(&ty.name);
                out.u32(ty.version);
                out.u8(0);
            }
        }
    }

    fn write_components(&self, out: &mut Writer) {
        let Some((storage, all)) = self.components else { return out.len(0) };
        let at = out.bytes.len();
        out.u64s(&storage.entities(), |entity| entity.to_bits());
        if all.is_empty() {
            return;
        }
        write_times(out, &[storage.column()], self.now);
        all.iter().for_each(|one| self.write_values(out, 0, &one.0));
        out.note_values(at, storage.column().values().descriptor().name(), 0);
    }

    fn write_resources(&self, out: &mut Writer) {
        out.u8(self.resources.is_some().into());
        let Some((resource, all)) = self.resources else { return };
        let at = out.bytes.len();
        write_ticks(out, resource.ticks());
        self.write_values(out, 1, &all.0);
        out.note_values(at, resource.descriptor().name(), 0);
    }

    fn write_values(&self, out: &mut Writer, kind: usize, values: &[UnknownValue]) {
        out.len(values.len());
        for value in values {
            out.u32(self.types[kind].1[&*value.ty]);
            out.u8(value.is_plain.into());
            out.len(value.bytes.len());
            out.bytes.extend_from_slice(&value.bytes);
        }
    }
}

fn ticks_as_bytes(ticks: ComponentTicks) -> [u8; 8] {
    (u64::from(ticks.added.get()) | u64::from(ticks.changed.get()) << 32).to_le_bytes()
}

fn write_ticks(out: &mut Writer, ticks: ComponentTicks) {
    out.u32(ticks.added.get());
    out.u32(ticks.changed.get());
}
