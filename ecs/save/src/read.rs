//! Converts bytes to a snapshot. Input is validated: lengths are compared with the remaining bytes, and the builder checks that the parts
//! are consistent. The layout is documented in `layout.rs`.
//!
//! Tests: tests/snapshots/saves.rs, tests/snapshots/hostile.rs

mod source;
mod kept;
mod constructed;

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use strata_ecs::component::{ComponentDescriptor, ComponentIdentity};
use strata_ecs::prelude::World;
use strata_ecs::snapshot::{EntityIds, NewPairsContents, PairContents, SnapshotBuilder, SnapshotClock};

pub(crate) use self::source::read_values;
use self::source::{Kept, Named, Source, Storage, Used, note_use, ticks_of};
use crate::bytes::Reader;
use crate::consumers;
use crate::encoding::Budget;
use crate::error::{LoadError, Problem};
use crate::format::WorldFormat;
use crate::layout::{MAGIC, VERSION, VERSION_WITH_LEFT_OUT, checksum};
use crate::tables::{Inserted, Table, insert, regrouped};
use crate::types::{ComponentType, ReadColumn, RelationType, ResourceType, by_name, one_sided};
use crate::unknown::UnknownValue;

/// The types of a format by their names in files.
struct KnownTypes {
    components: HashMap<String, ComponentType>,
    resources: HashMap<String, ResourceType>,
}

/// Returns, for each component number, the first number of the same component. A skipped component differs from all others.
fn first_numbers(components: &[Named<ReadColumn>]) -> Vec<usize> {
    let mut found: HashMap<ComponentIdentity, usize> = HashMap::new();
    let first = |(number, ty): (usize, &Named<ReadColumn>)| match &ty.known {
        Some(ty) => *found.entry(ty.descriptor().identity()).or_insert(number),
        None => number,
    };
    components.iter().enumerate().map(first).collect()
}

/// Returns a builder with the contents of the bytes, and with constructed values of the components that the loaded ones require in `world`.
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
        let are_apart = self.begin(bytes)?;
        let known = KnownTypes {
            components: by_name(&format.components, ComponentType::names),
            resources: by_name(&format.resources, ResourceType::names),
        };
        self.read_types(format, &known)?;
        let (clock, ids) = self.clock_and_ids()?;
        let mut builder = SnapshotBuilder::new(ids, clock);
        builder.keep_resources(self.unnamed_resources(format));
        let mut kept = Kept::default();
        let mut tables = self.tables(&mut kept)?;
        let mut storages = self.storages(&mut kept)?;
        let mut used_relations = Used::new();
        for _ in 0..self.reader.len(20)? {
            if let Some(pairs) = self.pairs(&mut used_relations)? {
                builder.add_pairs(pairs);
            }
        }
        let inserted = self.kept_values(&mut kept, &mut storages, clock.tick)?;
        let mut used_resources = Used::new();
        let kept_resources = self.resources(&mut builder, &mut used_resources)?;
        self.resources_kept(&mut builder, kept_resources, &mut used_resources, clock.tick)?;
        self.consumers(format, &known, &mut builder, clock)?;
        if are_apart {
            self.left_out(&mut tables)?;
        }
        if !self.reader.is_at_end() {
            return Err(Problem::TooLong);
        }

        let mut tables = regrouped(tables, clock.tick);
        self.insert(&mut tables, inserted, clock)?;
        let mut required = self.requirements(format, world, &tables, &storages, are_apart);
        required.add_to_tables(&mut tables);
        let of_storages = storages.iter().map(|storage| (storage.number, &storage.entities[..]));
        let inserted = required.add_to_entities(&tables, of_storages);
        self.insert(&mut tables, inserted, clock)?;
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

    /// Reads the magic bytes, the version and the checksum. Returns whether the names of left-out components are appended.
    fn begin(&mut self, bytes: &[u8]) -> Result<bool, Problem> {
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
        Ok(are_apart)
    }

    /// Reads the names of the types, and finds the types in the format.
    fn read_types(&mut self, format: &WorldFormat, known: &KnownTypes) -> Result<(), Problem> {
        self.components = self.types(&known.components, ComponentType::find_reader)?;
        if self.skips_unknown {
            // A relationship of which only one side is known makes no links, so that side is not used.
            let one_sided = one_sided(&format.components);
            for ty in &mut self.components {
                _ = ty.known.take_if(|ty| one_sided.contains(&ty.descriptor().identity()));
            }
        }
        self.resources = self.types(&known.resources, ResourceType::find_reader)?;
        let known_relations = by_name(&format.relations, RelationType::names);
        self.relations = self.types(&known_relations, RelationType::find_reader)?;
        for relation in &self.relations {
            for end in 0..2 {
                let known = relation.known.as_ref().map(|ty| &ty.ends[end]).and_then(|end| end.reader(end.version));
                self.components.push(Named { ty: Arc::clone(&relation.ty), known, is_side: true });
            }
        }
        self.first_kept = self.components.len();
        let kept = self.types(&known.components, ComponentType::find_reader)?;
        self.components.extend(kept);
        self.kept_resources = self.types(&known.resources, ResourceType::find_reader)?;
        self.first_numbers = first_numbers(&self.components);
        self.used = vec![None; self.components.len()];
        Ok(())
    }

    /// Returns the types of the resources with a text form that the bytes do not contain.
    fn unnamed_resources(&self, format: &WorldFormat) -> Vec<TypeId> {
        let named = self.resources.iter().filter_map(|ty| Some(ty.known.as_ref()?.descriptor.identity())).collect();
        format.unnamed_forms(&named).filter_map(ComponentDescriptor::value_type_id).collect()
    }

    fn clock_and_ids(&mut self) -> Result<(SnapshotClock, EntityIds), Problem> {
        let (frame_number, is_frame_open) = (self.reader.u64()?, self.reader.flag()?);
        let [tick, last, checked] = [self.tick()?, self.tick()?, self.tick()?];
        let clock = SnapshotClock { frame_number, is_frame_open, tick, last, checked };
        let reader = &mut self.reader;
        let (generations, free, retired) = (reader.u32s()?, reader.u32s()?, reader.u32s()?);
        Ok((clock, EntityIds { generations, free, retired, first_generation: reader.u32()? }))
    }

    fn tables(&mut self, kept: &mut Kept<'b>) -> Result<Vec<Table<'b>>, Problem> {
        let mut tables = Vec::new();
        // For each component, the last table that has it. A file with many columns of one component is rejected before values are created,
        // since these can take more memory than the file: some values take no bytes.
        let mut last_with = vec![None; self.components.len()];
        // The minimum size: a table has at least two lengths and a tick.
        for table in 0..self.reader.len(20)? {
            let (entities, stamp) = (self.entities()?, self.tick()?);
            let (mut columns, mut is_whole) = (Vec::new(), true);
            for _ in 0..self.reader.len(18)? {
                let at = self.reader.offset();
                let (number, column) = self.column(&entities, kept)?;
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
        Ok(tables)
    }

    fn storages(&mut self, kept: &mut Kept<'b>) -> Result<Vec<Storage<'b>>, Problem> {
        let mut storages = Vec::new();
        for _ in 0..self.reader.len(26)? {
            let entities = self.entities()?;
            if let (number, Some(column)) = self.column(&entities, kept)? {
                storages.push(Storage { entities, number, parts: vec![column] });
            }
        }
        Ok(storages)
    }

    /// Reads the resources into the builder, and returns the values of unknown types.
    fn resources(&mut self, builder: &mut SnapshotBuilder, used: &mut Used) -> Result<Vec<UnknownValue>, Problem> {
        let mut unknown_values = Vec::new();
        for _ in 0..self.reader.len(20)? {
            let number = self.reader.u32()?;
            let ty = self.resources.get(number as usize).ok_or(Problem::Number(number))?;
            let (unknown, known) = (Arc::clone(&ty.ty), ty.known.clone());
            self.name = Some(unknown.name.clone());
            if let Some(ty) = &known {
                note_use(used, ty.descriptor, &unknown)?;
            }
            let ticks = self.ticks()?;
            match known {
                Some(ty) => self.values(1, |values| (ty.read)(values, builder, ticks))?,
                None => {
                    let bytes = self.reader.block()?;
                    self.name = None;
                    unknown_values.push(UnknownValue { ty: unknown, is_plain: false, bytes: bytes.into() });
                }
            }
        }
        Ok(unknown_values)
    }

    /// Reads the state of consumers.
    fn consumers(
        &mut self,
        format: &WorldFormat,
        known: &KnownTypes,
        builder: &mut SnapshotBuilder,
        clock: SnapshotClock,
    ) -> Result<(), Problem> {
        let bytes = self.reader.block()?;
        let offset = self.reader.offset() - bytes.len();
        let KnownTypes { components, resources } = known;
        let consumers = consumers::Read { format, components, resources, budget: self.budget, offset, now: clock.tick };
        consumers.add_to(builder, bytes).map_err(|(name, problem)| {
            self.reader.go_to(offset);
            self.name = name;
            problem
        })
    }

    /// Adds values to the rows of entities, which moves the rows to other tables.
    fn insert(
        &mut self,
        tables: &mut Vec<Table<'b>>,
        inserted: Inserted<'b>,
        clock: SnapshotClock,
    ) -> Result<(), Problem> {
        insert(tables, inserted, clock.tick).or_else(|(number, (at, problem))| self.refuse(at, number, problem))
    }

    /// Reads the pairs of a relation; `None` if the relation is skipped.
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
}
