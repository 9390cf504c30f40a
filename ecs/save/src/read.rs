//! Converts bytes to a snapshot. Input is validated: lengths are compared with the remaining bytes, and the builder checks that the parts
//! are consistent.
//!
//! The layout, with all numbers little-endian and lists preceded by their lengths as 8 bytes: the magic bytes, the version of the format,
//! the checksum of all other bytes; names and versions of components, of resources, of relations, of kept components, and of kept
//! resources, each with a flag for components that are a side of a relationship; clock; ids; tables, each with its entities, its stamp and
//! its columns; sparse sets, each with its entities and its column; pairs of relations, each with the number of the relation, ends,
//! positions in the lists of the ends, ticks, and a block of values; kept values of components; resources; kept resources; a block with
//! consumer state (`consumers.rs`); and, if tables with different left-out components stay separate, the names of these components for each
//! table. The components of the ends of relations have numbers after the others. A column is the number of its component, its stamp, a flag
//! for ticks, and the ticks; the form of the values; then a block of values. A block is preceded by its length in bytes. Plain values are
//! stored as their bytes, and others consecutively in postcard's encoding: either all with the same length, or followed by their lengths as
//! 4 bytes each. So a program that does not know the type of the values can separate them.
//!
//! Kept values of components are entities and, if there are any, stamp, a flag for ticks, the ticks, and the values of each entity; kept
//! resources are a flag for their presence, ticks and values. Such values are preceded by their number, and each is the number of a type, a
//! flag for plain values, and a block.

mod constructed;

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crc32fast::Hasher;
use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::{ComponentDescriptor, ComponentIdentity, StorageType};
use strata_ecs::prelude::{Entity, World};
use strata_ecs::snapshot::{
    EntityIds, NewColumnContents, NewPairsContents, PairContents, SnapshotBuilder, SnapshotClock,
};

use crate::bytes::Reader;
use crate::consumers;
use crate::encoding::Budget;
use crate::error::{LoadError, Problem};
use crate::format::WorldFormat;
use crate::tables::{Column, Inserted, Table, insert, regrouped};
use crate::types::{ComponentType, ReadColumn, RelationType, ResourceType, TEXT_VERSION, by_name, one_sided};
use crate::unknown::{UnknownComponents, UnknownResources, UnknownType, UnknownValue};
use crate::values::{Form, Values};
use crate::write::newest;

/// The first bytes of a saved world. As in PNG, they detect programs that treat bytes as text.
pub(crate) const MAGIC: [u8; 8] = *b"\x93STRATA\n";
/// The version of the layout.
pub(crate) const VERSION: u32 = 4;
/// The version of the layout if the names of left-out components are appended.
pub(crate) const VERSION_WITH_LEFT_OUT: u32 = 5;

/// The form of the values of a column.
pub(crate) mod form {
    /// In postcard's encoding, followed by the lengths.
    pub(crate) const EACH: u8 = 0;
    /// As in memory.
    pub(crate) const PLAIN: u8 = 1;
    /// In postcard's encoding, all with the same length.
    pub(crate) const EVEN: u8 = 2;
}

/// The checksum of all bytes except the checksum itself.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let (before, after) = (MAGIC.len() + 4, MAGIC.len() + 8);
    let mut hasher = Hasher::new();
    hasher.update(&bytes[..before.min(bytes.len())]);
    hasher.update(bytes.get(after..).unwrap_or_default());
    hasher.finalize()
}

/// All bytes except the checksum, with their offsets.
pub(crate) fn without_checksum(bytes: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let of_checksum = MAGIC.len() + 4..MAGIC.len() + 8;
    bytes.iter().copied().enumerate().filter(move |(at, _)| !of_checksum.contains(at))
}

/// The ticks at which a value was added and changed.
fn ticks_of(bytes: [u8; 8]) -> ComponentTicks {
    let [a, b, c, d, e, f, g, h] = bytes;
    let mut ticks = ComponentTicks::new(Tick::new(u32::from_le_bytes([a, b, c, d])));
    ticks.changed = Tick::new(u32::from_le_bytes([e, f, g, h]));
    ticks
}

/// A reader with the types of the file.
struct Source<'b> {
    reader: Reader<'b>,
    /// The types that the bytes name, by number: components, ends of relations, and kept components.
    components: Vec<Named<ReadColumn>>,
    /// The number of these types that are not kept ones.
    first_kept: usize,
    /// For each of these, the first number of the same component, which may also occur under an earlier name.
    first_numbers: Vec<usize>,
    /// For each first number, the number under which there are values.
    used: Vec<Option<u32>>,
    resources: Vec<Named<ResourceType>>,
    kept_resources: Vec<Named<ResourceType>>,
    relations: Vec<Named<RelationType>>,
    skips_unknown: bool,
    keeps_unknown: bool,
    /// The remaining number of elements without bytes.
    budget: &'b Budget,
    /// The type that is being read.
    name: Option<String>,
}

/// A type that the bytes name. `known` is `None` if it is skipped or its values are kept.
struct Named<T> {
    ty: Arc<UnknownType>,
    known: Option<T>,
    /// Whether it is a side of a relationship.
    is_side: bool,
}

/// A sparse set whose values are not read yet.
struct Storage<'b> {
    entities: Vec<Entity>,
    number: u32,
    parts: Vec<Column<'b>>,
}

/// Values of an entity whose components were unknown when they were saved.
struct KeptValues<'b> {
    entity: Entity,
    ticks: Option<ComponentTicks>,
    values: Vec<(u32, Values<'b>)>,
}

/// The kept values of components.
#[derive(Default)]
struct Kept<'b> {
    stamp: Option<Tick>,
    are_tracked: bool,
    /// Values that were already kept in the file.
    all: Vec<KeptValues<'b>>,
    /// Values of columns that are kept from now on.
    new: Vec<(Entity, u32, Values<'b>)>,
}

/// For each component, the first number of the same component. A skipped component is equal to no other.
fn first_numbers(components: &[Named<ReadColumn>]) -> Vec<usize> {
    let mut found: HashMap<ComponentIdentity, usize> = HashMap::new();
    let first = |(number, ty): (usize, &Named<ReadColumn>)| match &ty.known {
        Some(ty) => *found.entry(ty.descriptor().identity()).or_insert(number),
        None => number,
    };
    components.iter().enumerate().map(first).collect()
}

/// A builder with the contents of the bytes, and with the components that these require in a world.
pub(crate) fn read(format: &WorldFormat, world: &mut World, bytes: &[u8]) -> Result<SnapshotBuilder, LoadError> {
    let mut source = Source {
        reader: Reader::new(bytes),
        components: Vec::new(),
        first_kept: 0,
        first_numbers: Vec::new(),
        used: Vec::new(),
        resources: Vec::new(),
        kept_resources: Vec::new(),
        relations: Vec::new(),
        skips_unknown: format.skips_unknown,
        keeps_unknown: format.keeps_unknown,
        budget: &Budget::of(bytes.len()),
        name: None,
    };
    source.read(format, world, bytes).map_err(|problem| {
        let (offset, name) = (source.reader.offset(), source.name.take());
        LoadError::Bytes { offset, name, problem }
    })
}

impl<'b> Source<'b> {
    fn read(&mut self, format: &WorldFormat, world: &mut World, bytes: &[u8]) -> Result<SnapshotBuilder, Problem> {
        if self.reader.bytes(MAGIC.len()) != Ok(&MAGIC) {
            return Err(Problem::NoSave);
        }
        let version = self.reader.u32()?;
        let are_apart = version == VERSION_WITH_LEFT_OUT;
        if version != VERSION && !are_apart {
            return Err(Problem::Version(version));
        }
        if self.reader.u32()? != checksum(bytes) {
            return Err(Problem::Checksum);
        }
        let known = by_name(&format.components, ComponentType::names);
        self.components = self.types(&known, ComponentType::find_reader)?;
        if self.skips_unknown {
            // A relationship of which only one side is known makes no links, so that side is not used.
            let one_sided = one_sided(&format.components);
            for ty in &mut self.components {
                _ = ty.known.take_if(|ty| one_sided.contains(&ty.descriptor().identity()));
            }
        }
        let known_resources = by_name(&format.resources, ResourceType::names);
        self.resources = self.types(&known_resources, ResourceType::find_reader)?;
        let named = self.resources.iter().filter_map(|ty| Some(ty.known.as_ref()?.descriptor.identity())).collect();
        let unnamed: Vec<TypeId> =
            format.unnamed_forms(&named).filter_map(ComponentDescriptor::value_type_id).collect();
        let known_relations = by_name(&format.relations, RelationType::names);
        self.relations = self.types(&known_relations, RelationType::find_reader)?;
        for relation in &self.relations {
            for end in 0..2 {
                let known = relation.known.as_ref().map(|ty| &ty.ends[end]).and_then(|end| end.reader(end.version));
                self.components.push(Named { ty: Arc::clone(&relation.ty), known, is_side: true });
            }
        }
        self.first_kept = self.components.len();
        let kept = self.types(&known, ComponentType::find_reader)?;
        self.components.extend(kept);
        self.kept_resources = self.types(&known_resources, ResourceType::find_reader)?;
        self.first_numbers = first_numbers(&self.components);
        self.used = vec![None; self.components.len()];

        let reader = &mut self.reader;
        let (frame_number, is_frame_open) = (reader.u64()?, reader.flag()?);
        let [tick, last, checked] = [self.tick()?, self.tick()?, self.tick()?];
        let clock = SnapshotClock { frame_number, is_frame_open, tick, last, checked };
        let reader = &mut self.reader;
        let (generations, free, retired) = (reader.u32s()?, reader.u32s()?, reader.u32s()?);
        let ids = EntityIds { generations, free, retired, first_generation: reader.u32()? };
        let mut builder = SnapshotBuilder::new(ids, clock);
        builder.keep_resources(unnamed);
        let (mut kept_resources, mut used_resources, mut used_relations) = (Vec::new(), Used::new(), Used::new());
        // The numbers given to `len` below are minimum sizes in bytes: a table, for example, has at least two lengths and a tick.
        let (mut tables, mut kept) = (Vec::new(), Kept::default());
        // For each component, the last table that has it. A file with many columns of one component is rejected before values are created,
        // since these can take more memory than the file: some values take no bytes.
        let mut last_with = vec![None; self.components.len()];
        for table in 0..self.reader.len(20)? {
            let (entities, stamp) = (self.entities()?, self.tick()?);
            let (mut columns, mut is_whole) = (Vec::new(), true);
            for _ in 0..self.reader.len(18)? {
                let at = self.reader.offset();
                let (number, column) = self.column(&entities, &mut kept)?;
                if last_with[number as usize].replace(table) == Some(table) {
                    return self.refuse(at, number, Problem::Twice);
                }
                match column {
                    Some(column) => columns.push((number, vec![column])),
                    None => is_whole = false,
                }
            }
            columns.sort_by_key(|(number, _)| *number);
            let (constructed, left_out) = (Vec::new(), Vec::new());
            tables.push(Table { entities, stamp, columns, is_whole, constructed, left_out });
        }
        let mut storages = Vec::new();
        for _ in 0..self.reader.len(26)? {
            let entities = self.entities()?;
            if let (number, Some(column)) = self.column(&entities, &mut kept)? {
                storages.push(Storage { entities, number, parts: vec![column] });
            }
        }
        for _ in 0..self.reader.len(20)? {
            if let Some(pairs) = self.pairs(&mut used_relations)? {
                builder.add_pairs(pairs);
            }
        }
        let inserted = self.kept_values(&mut kept, &mut storages, clock.tick)?;
        for _ in 0..self.reader.len(20)? {
            let number = self.reader.u32()?;
            let ty = self.resources.get(number as usize).ok_or(Problem::Number(number))?;
            let (unknown, known) = (Arc::clone(&ty.ty), ty.known.clone());
            self.name = Some(unknown.name.clone());
            if let Some(ty) = &known {
                note_use(&mut used_resources, ty.descriptor, &unknown)?;
            }
            let ticks = self.ticks()?;
            match known {
                Some(ty) => self.values(1, |values| (ty.read)(values, &mut builder, ticks))?,
                None => {
                    let bytes = self.reader.block()?;
                    self.name = None;
                    kept_resources.push(UnknownValue { ty: unknown, is_plain: false, bytes: bytes.into() });
                }
            }
        }
        self.resources_kept(&mut builder, kept_resources, &mut used_resources, clock.tick)?;
        let bytes = self.reader.block()?;
        let offset = self.reader.offset() - bytes.len();
        let (components, resources, budget) = (&known, &known_resources, self.budget);
        let consumers = consumers::Read { format, components, resources, budget, offset, now: clock.tick };
        if let Err((name, problem)) = consumers.add_to(&mut builder, bytes) {
            self.reader.go_to(offset);
            self.name = name;
            return Err(problem);
        }
        if are_apart {
            self.left_out(&mut tables)?;
        }
        if !self.reader.is_at_end() {
            return Err(Problem::TooLong);
        }

        let mut tables = regrouped(tables, clock.tick);
        insert(&mut tables, inserted, clock.tick)
            .or_else(|(number, (at, problem))| self.refuse(at, number, problem))?;
        let mut required = self.requirements(format, world, &tables, &storages, are_apart);
        required.add_to_tables(&mut tables);
        let of_storages = storages.iter().map(|storage| (storage.number, &storage.entities[..]));
        let inserted = required.add_to_entities(&tables, of_storages);
        insert(&mut tables, inserted, clock.tick)
            .or_else(|(number, (at, problem))| self.refuse(at, number, problem))?;
        self.add_tables(tables, &storages, &required, &mut builder, clock.tick)?;
        for Storage { entities, number, parts } in storages {
            builder.add_storage(entities, self.new_column(number, &parts, clock.tick)?);
        }
        for (entities, column) in required.storages(clock.tick) {
            builder.add_storage(entities, column);
        }
        self.add_kept(kept, &mut builder, clock.tick)?;
        Ok(builder)
    }

    /// Returns an error about a component, at an offset.
    fn refuse<T>(&mut self, at: usize, number: u32, problem: Problem) -> Result<T, Problem> {
        self.name = self.components.get(number as usize).map(|ty| ty.ty.name.clone());
        self.reader.go_to(at);
        Err(problem)
    }

    /// The types that the bytes name: each as a function finds it for its version, or nothing if unknown types are skipped or kept.
    fn types<T, U>(
        &mut self,
        known: &HashMap<String, T>,
        find: impl Fn(&T, u32) -> Result<U, Problem>,
    ) -> Result<Vec<Named<U>>, Problem> {
        let mut types = Vec::new();
        for _ in 0..self.reader.len(13)? {
            let name = self.reader.text()?.to_owned();
            let ty = known.get(&name);
            self.name = Some(name.clone());
            let version = self.reader.u32()?;
            let known = match ty {
                Some(ty) => Some(find(ty, version)?),
                None if self.skips_unknown || self.keeps_unknown || version == TEXT_VERSION => None,
                None => return Err(Problem::UnknownName),
            };
            let is_side = self.reader.flag()?;
            self.name = None;
            types.push(Named { ty: Arc::new(UnknownType { name, version }), known, is_side });
        }
        Ok(types)
    }

    /// Records that there are values of a component.
    fn note_use(&mut self, at: usize, number: u32) -> Result<(), Problem> {
        let first = &mut self.used[self.first_numbers[number as usize]];
        match *first.get_or_insert(number) {
            other if other == number => Ok(()),
            other => {
                let name = self.components[other as usize].ty.name.clone();
                self.refuse(at, number, Problem::Same(name))
            }
        }
    }

    /// Checks whether an unknown value of this length may be kept.
    fn note_empty(&mut self, bytes: usize) -> Result<(), Problem> {
        if bytes == 0 {
            return if self.budget.take() { Ok(()) } else { Err(Problem::TooMany) };
        }
        Ok(())
    }

    /// Reads values of components that were already kept. Values of types that are now known are added to sparse sets, or are returned.
    fn kept_values(
        &mut self,
        kept: &mut Kept<'b>,
        storages: &mut Vec<Storage<'b>>,
        now: Tick,
    ) -> Result<Inserted<'b>, Problem> {
        let mut inserted = Inserted::new();
        let at = self.reader.offset();
        let entities = self.entities()?;
        if entities.is_empty() {
            return Ok(inserted);
        }
        kept.stamp = Some(self.tick()?);
        kept.are_tracked = self.reader.flag()?;
        let ticks = if kept.are_tracked { Some(self.reader.arrays(entities.len())?) } else { None };
        // A second list for the same entity would hide the first one.
        let mut found = HashSet::new();
        for (row, entity) in entities.into_iter().enumerate() {
            if !found.insert(entity) {
                self.reader.go_to(at);
                return Err(Problem::Twice);
            }
            let (mut left, len) = (Vec::new(), self.reader.len(13)?);
            let mut numbers = HashSet::new();
            for _ in 0..len {
                let at = self.reader.offset();
                let number = self.reader.u32()?;
                let number = (number as usize)
                    .checked_add(self.first_kept)
                    .filter(|number| *number < self.components.len())
                    .ok_or(Problem::Number(number))? as u32;
                self.name = Some(self.components[number as usize].ty.name.clone());
                if !numbers.insert(number) {
                    return self.refuse(at, number, Problem::Twice);
                }
                let form = if self.reader.flag()? { Form::Plain } else { Form::Unmeasured };
                let bytes = self.reader.block()?;
                let values =
                    Values { offset: self.reader.offset() - bytes.len(), bytes, count: 1, form, budget: self.budget };
                self.name = None;
                match &self.components[number as usize].known {
                    Some(known) => {
                        let is_sparse = known.descriptor().storage() == Some(StorageType::Sparse);
                        self.note_use(at, number)?;
                        if is_sparse {
                            add_to_storage(storages, entity, number, Column { stamp: now, ticks: None, values });
                        } else {
                            inserted.entry(entity).or_default().values.push((number, values));
                        }
                    }
                    None if self.keeps_unknown => left.push((number, values)),
                    None => {}
                }
            }
            let ticks = ticks.map(|ticks| ticks_of(ticks[row]));
            kept.all.push(KeptValues { entity, ticks, values: left });
        }
        Ok(inserted)
    }

    /// Reads resources that were already kept, after newly kept ones. Those whose types are now known are added.
    fn resources_kept(
        &mut self,
        builder: &mut SnapshotBuilder,
        new: Vec<UnknownValue>,
        used: &mut Used,
        now: Tick,
    ) -> Result<(), Problem> {
        let (mut ticks, mut all) = (ComponentTicks::new(now), Vec::new());
        if self.reader.flag()? {
            ticks = self.ticks()?;
            for _ in 0..self.reader.len(13)? {
                let number = self.reader.u32()?;
                let ty = self.kept_resources.get(number as usize).ok_or(Problem::Number(number))?;
                let (unknown, known) = (Arc::clone(&ty.ty), ty.known.clone());
                self.name = Some(unknown.name.clone());
                if let Some(ty) = &known {
                    note_use(used, ty.descriptor, &unknown)?;
                }
                let is_plain = self.reader.flag()?;
                match known {
                    Some(ty) => self.values(1, |values| (ty.read)(values, builder, ComponentTicks::new(now)))?,
                    None => {
                        let bytes = self.reader.block()?;
                        self.name = None;
                        all.push(UnknownValue { ty: unknown, is_plain, bytes: bytes.into() });
                    }
                }
            }
        }
        all.extend(new);
        let mut names = HashSet::new();
        if let Some(value) = all.iter().find(|value| !names.insert(value.name())) {
            self.name = Some(value.name().to_owned());
            return Err(Problem::Twice);
        }
        if self.keeps_unknown && !all.is_empty() {
            builder.add_resource(UnknownResources(all), ticks);
        }
        Ok(())
    }

    /// Adds the kept values of components.
    fn add_kept(&mut self, kept: Kept<'b>, builder: &mut SnapshotBuilder, now: Tick) -> Result<(), Problem> {
        let Kept { stamp, are_tracked, mut all, new } = kept;
        let stamp = if new.is_empty() { stamp.unwrap_or(now) } else { now };
        let mut places: HashMap<Entity, usize> =
            all.iter().enumerate().map(|(place, kept)| (kept.entity, place)).collect();
        for (entity, number, values) in new {
            let place = *places.entry(entity).or_insert_with(|| {
                all.push(KeptValues { entity, ticks: None, values: Vec::new() });
                all.len() - 1
            });
            all[place].values.push((number, values));
        }
        all.retain(|kept| !kept.values.is_empty());
        if all.is_empty() {
            return Ok(());
        }
        // An entity must not have two values of one component. They could be in a table, in a sparse set and among the kept values, with
        // the same component number or different ones.
        let mut names = HashSet::new();
        for kept in &all {
            names.clear();
            let mut of_one = kept.values.iter();
            if let Some((number, values)) =
                of_one.find(|(number, _)| !names.insert(&self.components[*number as usize].ty.name))
            {
                return self.refuse(values.offset, *number, Problem::Twice);
            }
        }
        let ticks = all.iter().map(|kept| kept.ticks.unwrap_or(ComponentTicks::new(now))).collect();
        let value = |(number, values): (u32, Values<'b>)| UnknownValue {
            ty: Arc::clone(&self.components[number as usize].ty),
            is_plain: values.are_plain(),
            bytes: values.bytes.into(),
        };
        let (entities, values) = all
            .into_iter()
            .map(|kept| (kept.entity, UnknownComponents(kept.values.into_iter().map(value).collect())))
            .unzip();
        let column = NewColumnContents::of::<UnknownComponents>(values, stamp);
        builder.add_storage(entities, if are_tracked { column.with_ticks(ticks) } else { column });
        Ok(())
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

    /// Reads pairs of a relation; `None` if it is skipped.
    fn pairs(&mut self, used: &mut Used) -> Result<Option<NewPairsContents>, Problem> {
        let at = self.reader.offset();
        let number = self.reader.u32()?;
        let ty = self.relations.get(number as usize).ok_or(Problem::Number(number))?;
        let known = ty.known.clone();
        self.name = Some(ty.ty.name.clone());
        if let Some(relation) = &known {
            note_use(used, relation.descriptor, &ty.ty)?;
        }
        let ends = self.entities()?;
        let (ends, rest) = ends.as_chunks();
        if !rest.is_empty() {
            return Err(Problem::Odd);
        }
        if known.is_none() && !self.skips_unknown && !ends.is_empty() {
            self.reader.go_to(at);
            return Err(Problem::NotKept);
        }
        let places = self.reader.arrays(ends.len())?;
        let ticks = self.reader.arrays(ends.len())?;
        let pairs = ends.iter().zip(places).zip(ticks).map(|((&ends, &[a, b, c, d, e, f, g, h]), &ticks)| {
            let places = [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])];
            PairContents { ends, places, ticks: ticks_of(ticks) }
        });
        let pairs = pairs.collect();
        self.values(ends.len(), |values| known.map(|ty| (ty.read)(values, pairs)).transpose())
    }

    /// Reads the number of a component and its column, which has one value for each of the entities; `None` if it is skipped. Values of an
    /// unknown component are added to `kept`.
    fn column(&mut self, entities: &[Entity], kept: &mut Kept<'b>) -> Result<(u32, Option<Column<'b>>), Problem> {
        let at = self.reader.offset();
        let number = self.reader.u32()?;
        let ty = self.components[..self.first_kept].get(number as usize).ok_or(Problem::Number(number))?;
        let (known, can_be_kept) = (ty.known.clone(), !ty.is_side);
        self.name = Some(ty.ty.name.clone());
        let stamp = self.tick()?;
        let count = entities.len();
        let ticks = if self.reader.flag()? { Some(self.reader.arrays(count)?) } else { None };
        let form = self.reader.u8()?;
        let bytes = self.reader.block()?;
        let offset = self.reader.offset() - bytes.len();
        let form = match form {
            form::PLAIN => Form::Plain,
            form::EVEN => Form::Even,
            form::EACH => Form::Each(self.reader.arrays(count)?),
            _ => return self.refuse(offset - 9, number, Problem::Form),
        };
        let values = Values { offset, bytes, count, form, budget: self.budget };
        if let Some(known) = known {
            known.check(&values).or_else(|(at, problem)| self.refuse(at, number, problem))?;
            self.note_use(at, number)?;
            self.name = None;
            return Ok((number, Some(Column { stamp, ticks, values })));
        }
        let is_kept = self.keeps_unknown && can_be_kept;
        if !is_kept && !self.skips_unknown && count != 0 {
            return self.refuse(at, number, Problem::NotKept);
        }
        if is_kept {
            let one_by_one = values.one_by_one().or_else(|(at, problem)| self.refuse(at, number, problem))?;
            for (entity, values) in entities.iter().zip(one_by_one) {
                self.note_empty(values.bytes.len())?;
                kept.new.push((*entity, number, values));
            }
        }
        self.name = None;
        Ok((number, None))
    }

    /// The values of the parts of a column.
    fn new_column(&mut self, number: u32, parts: &[Column<'b>], now: Tick) -> Result<NewColumnContents, Problem> {
        let Some(Named { known: Some(reader), ty, .. }) = self.components.get(number as usize) else {
            return Err(Problem::Number(number));
        };
        let stamp = newest(parts.iter().map(|part| part.stamp), now);
        let values: Vec<Values<'b>> = parts.iter().map(|part| part.values).collect();
        let column = match reader.read(&values, stamp) {
            Ok(column) => column,
            Err((offset, problem)) => {
                self.name = Some(ty.name.clone());
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

    /// Calls a function with a block of `count` values and returns its result.
    fn values<T>(
        &mut self,
        count: usize,
        read: impl FnOnce(Values<'b>) -> Result<T, (usize, Problem)>,
    ) -> Result<T, Problem> {
        read_values(&mut self.reader, &mut self.name, self.budget, count, read)
    }
}

/// Calls a function with a block of `count` values and returns its result. An error contains the offset and `name`, the name of the type.
pub(crate) fn read_values<'b, T>(
    reader: &mut Reader<'b>,
    name: &mut Option<String>,
    budget: &'b Budget,
    count: usize,
    read: impl FnOnce(Values<'b>) -> Result<T, (usize, Problem)>,
) -> Result<T, Problem> {
    let bytes = reader.block()?;
    let offset = reader.offset() - bytes.len();
    match read(Values { offset, bytes, count, form: Form::Unmeasured, budget }) {
        Ok(value) => {
            *name = None;
            Ok(value)
        }
        Err((at, problem)) => {
            reader.go_to(at);
            Err(problem)
        }
    }
}

/// The resources or relations that have values in the file, each with the type that the file describes.
type Used = HashMap<ComponentIdentity, Arc<UnknownType>>;

/// Records that there are values of a type. Values of two types that are read as the same one could not be distinguished.
fn note_use(used: &mut Used, known: &ComponentDescriptor, ty: &Arc<UnknownType>) -> Result<(), Problem> {
    match used.insert(known.identity(), Arc::clone(ty)) {
        Some(other) if other.name == ty.name => Err(Problem::Twice),
        Some(other) => Err(Problem::Same(other.name.clone())),
        None => Ok(()),
    }
}

/// Adds a value to the sparse set of a component.
fn add_to_storage<'b>(storages: &mut Vec<Storage<'b>>, entity: Entity, number: u32, value: Column<'b>) {
    // A linear search is enough: there are at most as many sparse sets as known components.
    let place = storages.iter().position(|storage| storage.number == number).unwrap_or_else(|| {
        storages.push(Storage { entities: Vec::new(), number, parts: Vec::new() });
        storages.len() - 1
    });
    storages[place].entities.push(entity);
    storages[place].parts.push(value);
}
