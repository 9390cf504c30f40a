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

use std::collections::HashMap;

use crc32fast::Hasher;
use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{
    EntityIds, NewColumnContents, NewPairsContents, PairContents, SnapshotBuilder, SnapshotClock,
};

use crate::bytes::Reader;
use crate::error::{LoadError, Problem};
use crate::format::WorldFormat;
use crate::types::{ComponentType, ReadColumn, RelationType, ResourceType, Values, name_of};

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
    /// Names of the types that the bytes name, by number.
    components: Vec<(String, ReadColumn)>,
    resources: Vec<(String, ResourceType)>,
    relations: Vec<(String, RelationType)>,
    /// The type that is read now.
    name: Option<String>,
}

/// A builder with all that the bytes say.
pub(crate) fn read(format: &WorldFormat, bytes: &[u8]) -> Result<SnapshotBuilder, LoadError> {
    let (components, resources, relations) = (Vec::new(), Vec::new(), Vec::new());
    let mut source = Source { reader: Reader::new(bytes), components, resources, relations, name: None };
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
        let named = |ty: &ComponentType| {
            let aliases = ty.aliases.iter().map(|name| (*name).to_owned());
            [name_of(ty.descriptor)].into_iter().chain(aliases).map(|name| (name, ty.clone())).collect::<Vec<_>>()
        };
        let known: HashMap<String, ComponentType> = format.components.iter().flat_map(named).collect();
        self.components = self.types(&known, ComponentType::reader)?;
        let known: HashMap<String, ResourceType> =
            format.resources.iter().map(|ty| (name_of(ty.descriptor), *ty)).collect();
        self.resources = self.types(&known, |ty, version| (ty.version == version).then_some(*ty))?;
        let known: HashMap<String, RelationType> =
            format.relations.iter().map(|ty| (name_of(ty.descriptor), ty.clone())).collect();
        self.relations = self.types(&known, |ty, version| (ty.version == version).then(|| ty.clone()))?;
        for (name, ty) in &self.relations {
            let readers = ty.ends.iter().filter_map(|end| end.reader(end.version));
            self.components.extend(readers.map(|reader| (name.clone(), reader)));
        }

        let reader = &mut self.reader;
        let (frame_number, is_frame_open) = (reader.u64()?, reader.flag()?);
        let [tick, last, checked] = [self.tick()?, self.tick()?, self.tick()?];
        let clock = SnapshotClock { frame_number, is_frame_open, tick, last, checked };
        let reader = &mut self.reader;
        let (generations, free, retired) = (reader.u32s()?, reader.u32s()?, reader.u32s()?);
        let ids = EntityIds { generations, free, retired, first_generation: reader.u32()? };
        let mut builder = SnapshotBuilder::new(ids, clock);
        // A table has two lengths and a tick, at least, and so on.
        for _ in 0..self.reader.len(20)? {
            let (entities, stamp) = (self.entities()?, self.tick()?);
            let mut columns = Vec::new();
            for _ in 0..self.reader.len(18)? {
                columns.push(self.column(entities.len())?);
            }
            builder.add_table(entities, stamp, columns);
        }
        for _ in 0..self.reader.len(26)? {
            let entities = self.entities()?;
            let column = self.column(entities.len())?;
            builder.add_storage(entities, column);
        }
        for _ in 0..self.reader.len(20)? {
            let pairs = self.pairs()?;
            builder.add_pairs(pairs);
        }
        for _ in 0..self.reader.len(20)? {
            let number = self.reader.u32()?;
            let (name, ty) = self.resources.get(number as usize).cloned().ok_or(Problem::Number(number))?;
            self.name = Some(name);
            let ticks = self.ticks()?;
            self.values(|bytes| (ty.read)(bytes, &mut builder, ticks))?;
        }
        if self.reader.is_at_end() { Ok(builder) } else { Err(Problem::TooLong) }
    }

    /// The types that the bytes name: what a function finds for the version that they have.
    fn types<T, U>(
        &mut self,
        known: &HashMap<String, T>,
        find: impl Fn(&T, u32) -> Option<U>,
    ) -> Result<Vec<(String, U)>, Problem> {
        let mut types = Vec::new();
        for _ in 0..self.reader.len(12)? {
            let name = self.reader.text()?.to_owned();
            let ty = known.get(&name);
            self.name = Some(name.clone());
            let found = self.reader.u32()?;
            let ty = find(ty.ok_or(Problem::UnknownName)?, found).ok_or(Problem::ValueVersion(found))?;
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

    fn pairs(&mut self) -> Result<NewPairsContents, Problem> {
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
        self.values(|bytes| (ty.read)(bytes, pairs))
    }

    fn column(&mut self, entities: usize) -> Result<NewColumnContents, Problem> {
        let number = self.reader.u32()?;
        let (name, reader) = self.components.get(number as usize).cloned().ok_or(Problem::Number(number))?;
        self.name = Some(name);
        let stamp = self.tick()?;
        let ticks = match self.reader.flag()? {
            true => Some(self.reader.arrays(entities)?.iter().map(|bytes| ticks_of(*bytes)).collect()),
            false => None,
        };
        let are_plain = self.reader.flag()?;
        let column = self.values(|bytes| reader.read(Values { bytes, count: entities, are_plain }, stamp))?;
        Ok(match ticks {
            Some(ticks) => column.with_ticks(ticks),
            None => column,
        })
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
