//! Writes changes as bytes: see `read.rs` for the layout.
//!
//! Tests: tests/snapshots/deltas.rs

use std::collections::HashMap;

use strata_ecs::component::{ComponentDescriptor, ComponentId, ComponentIdentity, ErasedSlice};
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{PairsContents, ResourceContents, StorageContents, WorldChanges};

use super::error::DeltaError;
use super::parts::{Delta, DeltaMark, MAGIC, VERSION};
use crate::bytes::{Lengths, Writer};
use crate::error::NotSaved;
use crate::format::WorldFormat;
use crate::layout::form;
use crate::types::{ComponentType, RelationType, ResourceType, name_of};
use crate::unknown::{UnknownComponents, UnknownResources};
use crate::values::plain_bytes;

/// The types of a format by identity, and the numbers of the types that a delta uses. A type gets its number on first use.
struct Used<'f, T> {
    known: HashMap<ComponentIdentity, &'f T>,
    numbers: HashMap<ComponentIdentity, u32>,
    /// The name and version of each used type, by number.
    named: Vec<(String, u32)>,
}

impl<'f, T> Used<'f, T> {
    fn of(types: impl Iterator<Item = (&'static ComponentDescriptor, &'f T)>) -> Self {
        let known = types.map(|(descriptor, ty)| (descriptor.identity(), ty)).collect();
        Self { known, numbers: HashMap::new(), named: Vec::new() }
    }

    fn get(&self, descriptor: &ComponentDescriptor) -> Option<&'f T> {
        self.known.get(&descriptor.identity()).copied()
    }

    /// Returns the number of a type. On first use, assigns the number and records the name and version.
    fn number(&mut self, descriptor: &ComponentDescriptor, version: u32) -> u32 {
        let named = &mut self.named;
        *self.numbers.entry(descriptor.identity()).or_insert_with(|| {
            named.push((name_of(descriptor), version));
            named.len() as u32 - 1
        })
    }

    fn write(&self, out: &mut Writer) {
        out.len(self.named.len());
        for (name, version) in &self.named {
            out.text(name);
            out.u32(*version);
        }
    }
}

/// The changes of a world, and the writer of the delta.
struct Source<'f, 'c, 'w> {
    format: &'f WorldFormat,
    changes: &'c WorldChanges<'w>,
    components: Used<'f, ComponentType>,
    resources: Used<'f, ResourceType>,
    relations: Used<'f, RelationType>,
    /// The part of the delta that follows the names of the types.
    out: Writer,
    values: usize,
}

/// Entities with the same components.
struct Group {
    components: Vec<u32>,
    made: Vec<Entity>,
    changed: Vec<Entity>,
}

/// Writes a delta with these changes. It starts at `from`, or contains the whole world if `from` is `None`.
pub(super) fn write(
    format: &WorldFormat,
    changes: &WorldChanges<'_>,
    from: Option<DeltaMark>,
) -> Result<Delta, DeltaError> {
    let is_saved = |descriptor: &ComponentDescriptor| format.saves(descriptor);
    let components = format.components.iter().map(|ty| (ty.descriptor, ty)).filter(|(known, _)| is_saved(known));
    let relations = format.relations.iter().map(|ty| (ty.descriptor, ty)).filter(|(known, _)| is_saved(known));
    let options = format.snapshot_options();
    let resources = format.resources.iter().map(|ty| (ty.descriptor, ty));
    let resources = resources.filter(|(known, _)| !options.leaves_out_resource(known));
    let mut source = Source {
        format,
        changes,
        components: Used::of(components),
        resources: Used::of(resources),
        relations: Used::of(relations),
        out: Writer::new(Vec::new()),
        values: 0,
    };
    source.check()?;
    let (made, changed) = source.write_groups();
    let ended = changes.ended();
    source.out.u64s(ended, |entity| entity.to_bits());
    source.write_values()?;
    source.write_lists();
    let pairs = source.write_pairs()?;
    let resources = source.write_resources()?;
    let Source { components, resources: of_resources, relations, out: body, values, .. } = source;
    if let Some(name) = body.too_many_empty() {
        return Err(DeltaError::Value(name, "its sequences have too many elements that take no bytes".to_owned()));
    }

    let mut out = Writer::new(Vec::with_capacity(body.bytes.len() + 1024));
    out.bytes.extend_from_slice(&MAGIC);
    out.u32(VERSION);
    // Room for the checksum.
    out.skip_u32();
    out.u8(from.is_some().into());
    from.into_iter().chain([changes.position().into()]).for_each(|mark| out.bytes.extend_from_slice(&mark.to_bytes()));
    components.write(&mut out);
    of_resources.write(&mut out);
    relations.write(&mut out);
    out.bytes.extend_from_slice(&body.bytes);
    let sum = out.checksum();
    out.bytes[MAGIC.len() + 4..MAGIC.len() + 8].copy_from_slice(&sum.to_le_bytes());
    Ok(Delta {
        bytes: out.bytes,
        position: changes.position(),
        is_full: from.is_none(),
        made,
        changed,
        ended: ended.len(),
        values,
        pairs,
        resources,
    })
}

impl Source<'_, '_, '_> {
    /// Checks that the format saves or leaves out all data of the world.
    fn check(&self) -> Result<(), DeltaError> {
        let Self { format, changes, .. } = self;
        let mut all: Vec<NotSaved> = Vec::new();
        let mut note = |one: NotSaved| {
            if !all.contains(&one) {
                all.push(one);
            }
        };
        let is_left_out = |descriptor: &ComponentDescriptor| format.leaves_out(descriptor);
        for table in changes.tables().filter(|table| !table.entities().is_empty()) {
            for column in table.columns() {
                let descriptor = column.values().descriptor();
                if self.components.get(descriptor).is_none() && !is_left_out(descriptor) {
                    note(NotSaved::Component(descriptor.name()));
                }
            }
        }
        for storage in changes.storages().filter(|storage| !storage.is_of_pairs()) {
            let descriptor = storage.column().values().descriptor();
            let is_known = self.components.get(descriptor).is_some();
            let is_unknown_values = storage.column().values().downcast_ref::<UnknownComponents>().is_some();
            match storage.other_side() {
                _ if !is_known && is_left_out(descriptor) => {}
                _ if is_unknown_values => note(NotSaved::Unknown),
                _ if !is_known => note(NotSaved::Component(descriptor.name())),
                Some(other) if self.components.get(other).is_none() && format.saves(other) => {
                    note(NotSaved::OtherSide(descriptor.name()));
                }
                _ => {}
            }
        }
        for descriptor in changes.relations() {
            if self.relations.get(descriptor).is_none() && !is_left_out(descriptor) {
                note(NotSaved::Relation(descriptor.name()));
            }
        }
        let options = format.snapshot_options();
        for resource in changes.resources() {
            let descriptor = resource.descriptor();
            if self.resources.get(descriptor).is_some() || options.leaves_out_resource(descriptor) {
                continue;
            }
            if resource.get::<UnknownResources>().is_some() {
                note(NotSaved::Unknown);
            } else {
                note(NotSaved::Resource(descriptor.name()));
            }
        }
        if all.is_empty() { Ok(()) } else { Err(DeltaError::NotSaved(all)) }
    }

    /// Returns the number of a component; `None` if its values are not written. The values of components that list sources are not written,
    /// because they follow from the sources.
    fn number_of(&mut self, descriptor: &ComponentDescriptor) -> Option<u32> {
        let ty = self.components.get(descriptor)?;
        let other = StorageContents::other_side_of(descriptor);
        let has_both_sides = other.is_none_or(|other| self.components.get(other).is_some());
        let is_saved = has_both_sides && !StorageContents::lists_sources(descriptor);
        is_saved.then(|| self.components.number(descriptor, ty.version))
    }

    /// Writes the groups of new and changed entities with their components. Returns the numbers of new and of changed entities.
    fn write_groups(&mut self) -> (usize, usize) {
        let changes = self.changes;
        let (mut groups, mut found) = (Vec::<Group>::new(), HashMap::<Vec<ComponentId>, usize>::new());
        let mut numbers: HashMap<ComponentId, Option<u32>> = HashMap::new();
        let mut ids: Vec<ComponentId> = Vec::new();
        let all = changes.made().iter().map(|made| (*made, true));
        let mut last: Option<(Vec<ComponentId>, usize)> = None;
        for (entity, is_made) in all.chain(changes.changed().iter().map(|changed| (*changed, false))) {
            ids.clear();
            ids.extend(changes.components_of(entity));
            let group = match last.as_ref().filter(|(same, _)| *same == ids) {
                Some((_, group)) => *group,
                None => {
                    let group = match found.get(&ids) {
                        Some(group) => *group,
                        None => {
                            let mut number = |id: ComponentId| {
                                let info = changes.world().components().get_info(id)?;
                                *numbers.entry(id).or_insert_with(|| self.number_of(info.descriptor()))
                            };
                            let components = ids.iter().filter_map(|id| number(*id)).collect();
                            groups.push(Group { components, made: Vec::new(), changed: Vec::new() });
                            found.insert(ids.clone(), groups.len() - 1);
                            groups.len() - 1
                        }
                    };
                    last = Some((ids.clone(), group));
                    group
                }
            };
            let group = &mut groups[group];
            if is_made { &mut group.made } else { &mut group.changed }.push(entity);
        }
        self.out.len(groups.len());
        for group in &groups {
            self.out.u32s(&group.components);
            self.out.u64s(&group.made, |entity| entity.to_bits());
            self.out.u64s(&group.changed, |entity| entity.to_bits());
        }
        (changes.made().len(), changes.changed().len())
    }

    /// Writes the new and changed values.
    fn write_values(&mut self) -> Result<(), DeltaError> {
        let changes = self.changes;
        let count_at = self.out.bytes.len();
        self.out.len(0);
        let mut count = 0_u64;
        for table in changes.tables().filter(|table| !table.entities().is_empty()) {
            let mut columns = Vec::new();
            for column in table.columns() {
                let descriptor = column.values().descriptor();
                let Some(ty) = self.components.get(descriptor) else { continue };
                let rows = changes.changed_rows(table, column);
                if !rows.is_empty()
                    && let Some(number) = self.number_of(descriptor)
                {
                    columns.push((number, ty, column.values(), rows));
                }
            }
            if columns.is_empty() {
                continue;
            }
            let rows = union(columns.iter().map(|(.., rows)| &rows[..]));
            let entities = table.entities();
            self.out.u64s(&rows, |row| entities[*row as usize].to_bits());
            self.out.len(columns.len());
            for (number, ty, values, own) in columns {
                self.write_column(number, ty, values, &own, &rows)?;
            }
            count += 1;
        }
        for storage in changes.storages().filter(|storage| !storage.is_of_pairs()) {
            let values = storage.column().values();
            let Some(ty) = self.components.get(values.descriptor()) else { continue };
            let Some(number) = self.number_of(values.descriptor()) else { continue };
            let places = changes.changed_places(storage);
            if places.is_empty() {
                continue;
            }
            let entities = storage.entities();
            self.out.u64s(&places, |place| entities[*place as usize].to_bits());
            self.out.len(1);
            self.write_column(number, ty, values, &places, &places)?;
            count += 1;
        }
        self.out.bytes[count_at..count_at + 8].copy_from_slice(&count.to_le_bytes());
        Ok(())
    }

    /// Writes the values in `rows`. If `among`, the rows of the whole block, has further rows, the indexes of `rows` in `among` are written
    /// first.
    fn write_column(
        &mut self,
        number: u32,
        ty: &ComponentType,
        values: ErasedSlice<'_>,
        rows: &[u32],
        among: &[u32],
    ) -> Result<(), DeltaError> {
        let out = &mut self.out;
        out.u32(number);
        out.u8((rows.len() == among.len()).into());
        if rows.len() != among.len() {
            let mut places = among.iter().zip(0_u32..);
            let place = |row: &u32| places.find_map(|(other, place)| (other == row).then_some(place));
            out.u32s(&rows.iter().filter_map(place).collect::<Vec<_>>());
        }
        self.values += rows.len();
        let plain = plain_bytes(values);
        out.u8(if plain.is_some() { form::PLAIN } else { form::EVEN });
        let (at, name) = (out.bytes.len(), values.descriptor().name());
        let mut lengths = Lengths::default();
        if let Some(bytes) = plain {
            let size = values.descriptor().layout().size();
            out.len(rows.len() * size);
            match (rows, size) {
                ([first, .., last], _) if (last - first) as usize == rows.len() - 1 => {
                    out.bytes.extend_from_slice(&bytes[*first as usize * size..(*last as usize + 1) * size]);
                }
                // Copying many small pieces is faster if their length is a constant.
                (_, 4) => gather::<4>(out, bytes, rows),
                (_, 8) => gather::<8>(out, bytes, rows),
                (_, 12) => gather::<12>(out, bytes, rows),
                (_, 16) => gather::<16>(out, bytes, rows),
                (_, 24) => gather::<24>(out, bytes, rows),
                _ => runs(rows).for_each(|run| {
                    out.bytes.extend_from_slice(&bytes[run.start * size..run.end * size]);
                }),
            }
        } else {
            let write = |out: &mut Vec<u8>| {
                runs(rows).try_for_each(|run| match values.slice(run) {
                    Some(values) => (ty.write)(values, out, &mut lengths),
                    None => unreachable!("the rows are those of the column"),
                })
            };
            out.block(write).map_err(|error| DeltaError::Value(name, error))?;
            if let Some(each) = lengths.each() {
                out.bytes[at - 1] = form::EACH;
                out.arrays(each, |len| len.to_le_bytes());
            }
        }
        out.note_values(at, name, lengths.empty);
        Ok(())
    }

    /// Writes the sources of targets whose lists have changed.
    fn write_lists(&mut self) {
        let changes = self.changes;
        let is_list =
            |storage: &StorageContents<'_>| StorageContents::lists_sources(storage.column().values().descriptor());
        let mut lists = Vec::new();
        for storage in changes.storages().filter(is_list) {
            let descriptor = storage.column().values().descriptor();
            let Some(ty) = self.components.get(descriptor) else { continue };
            if storage.other_side().is_none_or(|other| self.components.get(other).is_none()) {
                continue;
            }
            let places = changes.changed_places(storage);
            if !places.is_empty() {
                lists.push((self.components.number(descriptor, ty.version), storage, places));
            }
        }
        self.out.len(lists.len());
        for (number, storage, places) in lists {
            let entities = storage.entities();
            self.out.u32(number);
            self.out.len(places.len());
            for place in places {
                self.out.u64(entities[place as usize].to_bits());
                let sources = storage.sources_at(place as usize).unwrap_or_default();
                self.out.u64s(&sources, |source| source.to_bits());
            }
        }
    }

    /// Writes pairs, and returns their number.
    fn write_pairs(&mut self) -> Result<usize, DeltaError> {
        let changes = self.changes;
        let all: Vec<(PairsContents<'_>, &[Entity])> = changes.pairs().collect();
        let known: Vec<_> = all
            .into_iter()
            .filter_map(|(pairs, of)| Some((pairs, of, self.relations.get(pairs.descriptor())?)))
            .collect();
        self.out.len(known.len());
        let mut count = 0;
        for (pairs, sources, ty) in known {
            let number = self.relations.number(pairs.descriptor(), ty.version);
            let contents = pairs.pairs();
            count += contents.len();
            self.out.u32(number);
            self.out.u64s(sources, |source| source.to_bits());
            let ends: Vec<Entity> = contents.iter().flat_map(|pair| pair.ends).collect();
            self.out.u64s(&ends, |end| end.to_bits());
            for pair in &contents {
                self.out.u8(changes.is_new(pair.ticks).into());
            }
            let (at, name) = (self.out.bytes.len(), pairs.descriptor().name());
            let mut lengths = Lengths::default();
            self.out
                .block(|out| (ty.write)(pairs, out, &mut lengths))
                .map_err(|error| DeltaError::Value(name, error))?;
            self.out.note_values(at, name, lengths.empty);
        }
        Ok(count)
    }

    /// Writes new, changed and removed resources, and returns their number.
    fn write_resources(&mut self) -> Result<usize, DeltaError> {
        let changes = self.changes;
        let absent: Vec<u32> = changes
            .absent_resources()
            .filter_map(|gone| {
                let ty = self.resources.get(gone)?;
                Some(self.resources.number(gone, ty.version))
            })
            .collect();
        let present: Vec<(ResourceContents<'_>, &ResourceType)> = changes
            .resources()
            .filter(|resource| changes.is_new(resource.ticks()))
            .filter_map(|resource| Some((resource, self.resources.get(resource.descriptor())?)))
            .collect();
        self.out.u32s(&absent);
        self.out.len(present.len());
        for (resource, ty) in &present {
            let number = self.resources.number(resource.descriptor(), ty.version);
            self.out.u32(number);
            let (at, name) = (self.out.bytes.len(), resource.descriptor().name());
            let mut lengths = Lengths::default();
            self.out
                .block(|out| (ty.write)(*resource, out, &mut lengths))
                .map_err(|error| DeltaError::Value(name, error))?;
            self.out.note_values(at, name, lengths.empty);
        }
        Ok(absent.len() + present.len())
    }
}

/// Writes the values in some rows; each value has `SIZE` bytes.
fn gather<const SIZE: usize>(out: &mut Writer, bytes: &[u8], rows: &[u32]) {
    let (values, _) = bytes.as_chunks::<SIZE>();
    out.arrays(rows, |row| values[*row as usize]);
}

/// Returns the runs of consecutive rows, as ranges.
fn runs(rows: &[u32]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    rows.chunk_by(|row, next| *row + 1 == *next).map(|run| run[0] as usize..run[run.len() - 1] as usize + 1)
}

/// Returns the union of several lists of rows, each in ascending order.
fn union<'r>(lists: impl Iterator<Item = &'r [u32]>) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::new();
    for rows in lists {
        if all.is_empty() {
            all.extend_from_slice(rows);
        } else if all != rows {
            let (mut merged, mut own, mut other) = (Vec::with_capacity(all.len() + rows.len()), &all[..], rows);
            while let (Some(&a), Some(&b)) = (own.first(), other.first()) {
                merged.push(a.min(b));
                own = &own[usize::from(a <= b)..];
                other = &other[usize::from(b <= a)..];
            }
            merged.extend_from_slice(own);
            merged.extend_from_slice(other);
            all = merged;
        }
    }
    all
}
