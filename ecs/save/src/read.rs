//! Bytes as a snapshot. Nothing is believed: lengths are compared with what is there, and what the parts promise each other is checked
//! by the builder.
//!
//! In this order, all numbers little-endian, lists with their lengths before them as 8 bytes: the magic bytes, the version of the
//! format, the checksum of all other bytes; names and versions of components, of resources, and of relations; clock; ids; tables, each with its
//! entities, its stamp and its columns; sparse storages, each with its entities and its column; pairs of relations, each with the number
//! of the relation, ends, places in the lists of these, ticks, and a block of values; resources. The components of the ends of
//! relations have numbers behind the others. A column is the number of
//! its component, its stamp, whether there are ticks, and these; whether the values are plain; then a block of values. A block has the
//! number of its bytes before it. Plain values are there as their bytes, and others as postcard has them, one behind the other.

use std::collections::{HashMap, HashSet};

use crc32fast::Hasher;
use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::ComponentIdentity;
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{
    EntityIds, NewColumnContents, NewPairsContents, PairContents, SnapshotBuilder, SnapshotClock, StorageContents,
};

use crate::bytes::Reader;
use crate::error::{LoadError, Problem};
use crate::format::WorldFormat;
use crate::regroup::{Remainder, regroup};
use crate::types::{ComponentType, ReadColumn, RelationType, ResourceType, Values, name_of};
use crate::write::newest;

/// The first bytes of a saved world. As in PNG, what treats bytes as text damages them.
pub(crate) const MAGIC: [u8; 8] = *b"\x93STRATA\n";
/// The version of the order of the bytes.
pub(crate) const VERSION: u32 = 2;

/// The checksum of all bytes but its own.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let (before, after) = (MAGIC.len() + 4, MAGIC.len() + 8);
    let mut hasher = Hasher::new();
    hasher.update(&bytes[..before.min(bytes.len())]);
    hasher.update(bytes.get(after..).unwrap_or_default());
    hasher.finalize()
}

/// All bytes but the checksum, with their places.
pub(crate) fn without_checksum(bytes: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let of_checksum = MAGIC.len() + 4..MAGIC.len() + 8;
    bytes.iter().copied().enumerate().filter(move |(at, _)| !of_checksum.contains(at))
}

/// The ticks of a value: when it was added, and when it was changed.
fn ticks_of(bytes: [u8; 8]) -> ComponentTicks {
    let [a, b, c, d, e, f, g, h] = bytes;
    let mut ticks = ComponentTicks::new(Tick::new(u32::from_le_bytes([a, b, c, d])));
    ticks.changed = Tick::new(u32::from_le_bytes([e, f, g, h]));
    ticks
}

/// A reader that knows of what it reads.
struct Source<'b> {
    reader: Reader<'b>,
    /// Names of the types that the bytes name, by number. None is known of those that are passed over.
    components: Vec<(String, Option<ReadColumn>)>,
    /// For each of these, the first number of the same component: it may be there by an earlier name, too.
    first_numbers: Vec<usize>,
    resources: Vec<(String, Option<ResourceType>)>,
    relations: Vec<(String, Option<RelationType>)>,
    /// The type that is read now.
    name: Option<String>,
}

/// A table, of which the values are not read yet.
struct Table<'b> {
    entities: Vec<Entity>,
    stamp: Tick,
    /// Of components that are known, by number.
    columns: Vec<(u32, Column<'b>)>,
    /// Whether these are all.
    is_whole: bool,
}

/// Values of a component.
#[derive(Clone, Copy)]
struct Column<'b> {
    stamp: Tick,
    ticks: Option<&'b [[u8; 8]]>,
    values: Values<'b>,
}

/// For each component, the first number of the same one. One that is passed over is like no other.
fn first_numbers(components: &[(String, Option<ReadColumn>)]) -> Vec<usize> {
    let mut found: HashMap<ComponentIdentity, usize> = HashMap::new();
    let first = |(number, (_, ty)): (usize, &(String, Option<ReadColumn>))| match ty {
        Some(ty) => *found.entry(ty.descriptor().identity()).or_insert(number),
        None => number,
    };
    components.iter().enumerate().map(first).collect()
}

/// A builder with all that the bytes say.
pub(crate) fn read(format: &WorldFormat, bytes: &[u8]) -> Result<SnapshotBuilder, LoadError> {
    let (components, resources, relations) = (Vec::new(), Vec::new(), Vec::new());
    let (reader, first_numbers) = (Reader::new(bytes), Vec::new());
    let mut source = Source { reader, components, first_numbers, resources, relations, name: None };
    source.read(format, bytes).map_err(|problem| {
        let (offset, name) = (source.reader.offset(), source.name.take());
        LoadError::Bytes { offset, name, problem }
    })
}

impl<'b> Source<'b> {
    fn read(&mut self, format: &WorldFormat, bytes: &[u8]) -> Result<SnapshotBuilder, Problem> {
        if self.reader.bytes(MAGIC.len()) != Ok(&MAGIC) {
            return Err(Problem::NoSave);
        }
        let version = self.reader.u32()?;
        if version != VERSION {
            return Err(Problem::Version(version));
        }
        if self.reader.u32()? != checksum(bytes) {
            return Err(Problem::Checksum);
        }
        let named = |ty: &ComponentType| ty.names().map(|name| (name, ty.clone())).collect::<Vec<_>>();
        let known: HashMap<String, ComponentType> = format.components.iter().flat_map(named).collect();
        let skips = format.skips_unknown;
        self.components = self.types(&known, skips, ComponentType::reader)?;
        if skips {
            // Without one side of a relationship there is no link, so neither side has anything to say.
            let known: HashSet<ComponentIdentity> =
                format.components.iter().map(|ty| ty.descriptor.identity()).collect();
            let has_no_other_side = |ty: &ReadColumn| {
                StorageContents::other_side_of(ty.descriptor()).is_some_and(|other| !known.contains(&other.identity()))
            };
            for (_, ty) in &mut self.components {
                _ = ty.take_if(|ty| has_no_other_side(ty));
            }
        }
        let known: HashMap<String, ResourceType> =
            format.resources.iter().map(|ty| (name_of(ty.descriptor), *ty)).collect();
        self.resources = self.types(&known, skips, |ty, version| (ty.version == version).then_some(*ty))?;
        let known: HashMap<String, RelationType> =
            format.relations.iter().map(|ty| (name_of(ty.descriptor), ty.clone())).collect();
        self.relations = self.types(&known, skips, |ty, version| (ty.version == version).then(|| ty.clone()))?;
        for (name, ty) in &self.relations {
            for end in 0..2 {
                let end = ty.as_ref().map(|ty| &ty.ends[end]);
                self.components.push((name.clone(), end.and_then(|end| end.reader(end.version))));
            }
        }

        self.first_numbers = first_numbers(&self.components);

        let reader = &mut self.reader;
        let (frame_number, is_frame_open) = (reader.u64()?, reader.flag()?);
        let [tick, last, checked] = [self.tick()?, self.tick()?, self.tick()?];
        let clock = SnapshotClock { frame_number, is_frame_open, tick, last, checked };
        let reader = &mut self.reader;
        let (generations, free, retired) = (reader.u32s()?, reader.u32s()?, reader.u32s()?);
        let ids = EntityIds { generations, free, retired, first_generation: reader.u32()? };
        let mut builder = SnapshotBuilder::new(ids, clock);
        // A table has two lengths and a tick, at least, and so on.
        let mut tables = Vec::new();
        // The last table that has a component. A file with many columns of one component is refused before values are made, since these
        // can take more memory than the file: some are made of no bytes at all.
        let mut last_with = vec![None; self.components.len()];
        for table in 0..self.reader.len(20)? {
            let (entities, stamp) = (self.entities()?, self.tick()?);
            let (mut columns, mut is_whole) = (Vec::new(), true);
            for _ in 0..self.reader.len(18)? {
                let at = self.reader.offset();
                let (number, column) = self.column(entities.len())?;
                if last_with[self.first_numbers[number as usize]].replace(table) == Some(table) {
                    self.name = Some(self.components[number as usize].0.clone());
                    self.reader.go_to(at);
                    return Err(Problem::Twice);
                }
                match column {
                    Some(column) => columns.push((number, column)),
                    None => is_whole = false,
                }
            }
            tables.push(Table { entities, stamp, columns, is_whole });
        }
        self.add_tables(tables, &mut builder, clock.tick)?;
        for _ in 0..self.reader.len(26)? {
            let entities = self.entities()?;
            if let (number, Some(column)) = self.column(entities.len())? {
                builder.add_storage(entities, self.new_column(number, &[column], clock.tick)?);
            }
        }
        for _ in 0..self.reader.len(20)? {
            if let Some(pairs) = self.pairs()? {
                builder.add_pairs(pairs);
            }
        }
        for _ in 0..self.reader.len(20)? {
            let number = self.reader.u32()?;
            let (name, ty) = self.resources.get(number as usize).cloned().ok_or(Problem::Number(number))?;
            self.name = Some(name);
            let ticks = self.ticks()?;
            self.values(|bytes| ty.map_or(Ok(()), |ty| (ty.read)(bytes, &mut builder, ticks)))?;
        }
        if self.reader.is_at_end() { Ok(builder) } else { Err(Problem::TooLong) }
    }

    /// The types that the bytes name: what a function finds for the version that they have, or nothing, if unknown ones are passed over.
    fn types<T, U>(
        &mut self,
        known: &HashMap<String, T>,
        skips_unknown: bool,
        find: impl Fn(&T, u32) -> Option<U>,
    ) -> Result<Vec<(String, Option<U>)>, Problem> {
        let mut types = Vec::new();
        for _ in 0..self.reader.len(12)? {
            let name = self.reader.text()?.to_owned();
            let ty = known.get(&name);
            self.name = Some(name.clone());
            let found = self.reader.u32()?;
            let ty = match ty {
                Some(ty) => Some(find(ty, found).ok_or(Problem::ValueVersion(found))?),
                None if skips_unknown => None,
                None => return Err(Problem::UnknownName),
            };
            self.name = None;
            types.push((name, ty));
        }
        Ok(types)
    }

    fn tick(&mut self) -> Result<Tick, Problem> {
        self.reader.u32().map(Tick::new)
    }

    fn ticks(&mut self) -> Result<ComponentTicks, Problem> {
        self.reader.u64().map(|ticks| ticks_of(ticks.to_le_bytes()))
    }

    fn entities(&mut self) -> Result<Vec<Entity>, Problem> {
        let len = self.reader.len(8)?;
        let mut entities = Vec::with_capacity(len);
        for bytes in self.reader.arrays(len)? {
            let bits = u64::from_le_bytes(*bytes);
            entities.push(Entity::try_from_bits(bits).ok_or(Problem::Entity(bits))?);
        }
        Ok(entities)
    }

    /// Pairs of a relation; none if it is passed over.
    fn pairs(&mut self) -> Result<Option<NewPairsContents>, Problem> {
        let number = self.reader.u32()?;
        let (name, ty) = self.relations.get(number as usize).cloned().ok_or(Problem::Number(number))?;
        self.name = Some(name);
        let ends = self.entities()?;
        let (ends, rest) = ends.as_chunks();
        if !rest.is_empty() {
            return Err(Problem::Odd);
        }
        let places = self.reader.arrays(ends.len())?;
        let ticks = self.reader.arrays(ends.len())?;
        let pairs = ends.iter().zip(places).zip(ticks).map(|((&ends, &[a, b, c, d, e, f, g, h]), &ticks)| {
            let places = [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])];
            PairContents { ends, places, ticks: ticks_of(ticks) }
        });
        let pairs = pairs.collect();
        self.values(|bytes| ty.map(|ty| (ty.read)(bytes, pairs)).transpose())
    }

    /// The number of a component, and its column, which has a value for each of so many entities; none if it is passed over.
    fn column(&mut self, entities: usize) -> Result<(u32, Option<Column<'b>>), Problem> {
        let number = self.reader.u32()?;
        let (name, ty) = self.components.get(number as usize).ok_or(Problem::Number(number))?;
        let is_known = ty.is_some();
        self.name = Some(name.clone());
        let stamp = self.tick()?;
        let ticks = if self.reader.flag()? { Some(self.reader.arrays(entities)?) } else { None };
        let are_plain = self.reader.flag()?;
        let bytes = self.reader.block()?;
        self.name = None;
        let values = Values { offset: self.reader.offset() - bytes.len(), bytes, count: entities, are_plain };
        Ok((number, is_known.then_some(Column { stamp, ticks, values })))
    }

    /// Adds tables; those that had components which are passed over become one with others.
    fn add_tables(
        &mut self,
        mut tables: Vec<Table<'b>>,
        builder: &mut SnapshotBuilder,
        now: Tick,
    ) -> Result<(), Problem> {
        let remainder = |table: &mut Table<'b>| {
            table.columns.sort_by_key(|(number, _)| *number);
            let components = table.columns.iter().map(|(number, _)| *number).collect();
            Remainder { components, is_whole: table.is_whole, rows: table.entities.len() }
        };
        let remainders: Vec<Remainder<u32>> = tables.iter_mut().map(remainder).collect();
        for group in regroup(&remainders) {
            let stamp = newest(group.iter().map(|number| tables[*number].stamp), now);
            let mut columns = Vec::new();
            for at in 0..tables[group[0]].columns.len() {
                let parts: Vec<Column<'b>> = group.iter().map(|number| tables[*number].columns[at].1).collect();
                columns.push(self.new_column(tables[group[0]].columns[at].0, &parts, now)?);
            }
            let mut entities = std::mem::take(&mut tables[group[0]].entities);
            group[1..].iter().for_each(|number| entities.extend_from_slice(&tables[*number].entities));
            builder.add_table(entities, stamp, columns);
        }
        Ok(())
    }

    /// The values of some parts of a column.
    fn new_column(&mut self, number: u32, parts: &[Column<'b>], now: Tick) -> Result<NewColumnContents, Problem> {
        let Some((name, Some(reader))) = self.components.get(number as usize) else {
            return Err(Problem::Number(number));
        };
        let stamp = newest(parts.iter().map(|part| part.stamp), now);
        let values: Vec<Values<'b>> = parts.iter().map(|part| part.values).collect();
        let column = match reader.read(&values, stamp) {
            Ok(column) => column,
            Err((offset, problem)) => {
                self.name = Some(name.clone());
                self.reader.go_to(offset);
                return Err(problem);
            }
        };
        if parts.iter().all(|part| part.ticks.is_none()) {
            return Ok(column);
        }
        let mut ticks = Vec::new();
        for part in parts {
            match part.ticks {
                Some(bytes) => ticks.extend(bytes.iter().map(|bytes| ticks_of(*bytes))),
                None => ticks.extend((0..part.values.count).map(|_| ComponentTicks::new(part.stamp))),
            }
        }
        Ok(column.with_ticks(ticks))
    }

    /// What a function makes of the bytes of a block.
    fn values<T>(&mut self, read: impl FnOnce(&[u8]) -> Result<T, (usize, Problem)>) -> Result<T, Problem> {
        let mut within = self.reader.block_from_here()?;
        match read(within.left()) {
            Ok(value) => {
                self.reader.block()?;
                self.name = None;
                Ok(value)
            }
            Err((at, problem)) => {
                within.skip(at);
                self.reader = within;
                Err(problem)
            }
        }
    }
}
