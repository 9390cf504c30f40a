//! Reads a delta. Input is validated: lengths are compared with the remaining bytes, all values are read before any of them is applied, and
//! the entities must match the state of the replica.
//!
//! All numbers are little-endian, and lists are preceded by their lengths as 8 bytes. The layout is:
//!
//! - the magic bytes, the version, and the checksum of all other bytes;
//! - a flag whether the delta starts at a position, that position if the flag is set, and the position to which the delta leads;
//! - the names and versions of the components, of the resources, and of the relations that occur in the delta;
//! - *groups* of entities with equal sets of components: the numbers of the components, the new entities, and the existing entities;
//! - the despawned entities;
//! - *blocks* of values: the entities, and the columns. A column is the number of the component, a flag whether all entities of the block
//!   have a value, the indexes of the entities with a value if the flag is not set, the form of the values, and a block of values as in a
//!   saved world;
//! - lists of sources: the number of the component, and the targets, each with its sources;
//! - pairs: the number of the relation, the sources of which all pairs follow, the ends of these pairs, for each pair a flag whether its
//!   value is new, and a block of values;
//! - the numbers of the removed resources; and the resources with new values, each with its number and a block.
//!
//! Tests: tests/snapshots/deltas.rs

use std::collections::{HashMap, HashSet};

use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::ComponentDescriptor;
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{PairContents, SnapshotBuilder, StorageContents};

use super::fates::{Fate, Fates, Got};
use super::parts::{DeltaMark, MAGIC, VERSION};
use super::update::{Block, Column, Found, Group, Lists, Pairs, Place, Standing, Update};
use crate::bytes::Reader;
use crate::encoding::Budget;
use crate::error::{LoadError, Problem};
use crate::format::WorldFormat;
use crate::layout::{checksum, form};
use crate::read::read_values;
use crate::types::{ComponentType, ReadColumn, RelationType, ResourceType, TEXT_VERSION, by_name, name_of, one_sided};
use crate::values::{Form, Values};

/// The tick of all values of a delta, because a delta stores no ticks.
const NOW: Tick = Tick::new(1);

/// A reader with the types of the delta.
struct Source<'b> {
    reader: Reader<'b>,
    components: Vec<(String, Option<ReadColumn>)>,
    resources: Vec<(String, Option<ResourceType>)>,
    relations: Vec<(String, Option<RelationType>)>,
    skips_unknown: bool,
    /// Whether the delta contains the whole world. Then entities may occur again that the replica already has.
    is_full: bool,
    budget: &'b Budget,
    /// The name of the type that is being read, for errors.
    name: Option<String>,
    fates: Fates,
}

/// Reads a delta. `standing` returns the state of an entity in the replica.
pub(super) fn read(
    format: &WorldFormat,
    bytes: &[u8],
    standing: &dyn Fn(Entity) -> Standing,
) -> Result<Update, LoadError> {
    let mut source = Source {
        reader: Reader::new(bytes),
        components: Vec::new(),
        resources: Vec::new(),
        relations: Vec::new(),
        skips_unknown: format.skips_unknown,
        is_full: false,
        budget: &Budget::of(bytes.len()),
        name: None,
        fates: Fates::default(),
    };
    source.read(format, bytes, standing).map_err(|problem| {
        let (offset, name) = (source.reader.offset(), source.name.take());
        LoadError::Bytes { offset, name, problem }
    })
}

/// Returns the positions at which a delta starts and to which it leads, if its first bytes and its checksum are valid.
pub(super) fn read_marks(bytes: &[u8]) -> Result<[Option<DeltaMark>; 2], LoadError> {
    let mut reader = Reader::new(bytes);
    marks(&mut reader, bytes).map_err(|problem| LoadError::Bytes { offset: reader.offset(), name: None, problem })
}

fn marks(reader: &mut Reader<'_>, bytes: &[u8]) -> Result<[Option<DeltaMark>; 2], Problem> {
    if reader.bytes(MAGIC.len()) != Ok(&MAGIC) {
        return Err(Problem::NoDelta);
    }
    let version = reader.u32()?;
    if version != VERSION {
        return Err(Problem::Version(version));
    }
    if reader.u32()? != checksum(bytes) {
        return Err(Problem::Checksum);
    }
    let from = if reader.flag()? { Some(DeltaMark::read(reader)?) } else { None };
    Ok([from, Some(DeltaMark::read(reader)?)])
}

impl<'b> Source<'b> {
    fn read(
        &mut self,
        format: &WorldFormat,
        bytes: &[u8],
        standing: &dyn Fn(Entity) -> Standing,
    ) -> Result<Update, Problem> {
        let [from, Some(to)] = marks(&mut self.reader, bytes)? else { return Err(Problem::Ended) };
        self.is_full = from.is_none();
        self.read_types(format)?;
        let groups = self.groups(standing)?;
        let ended = self.entities()?;
        for entity in &ended {
            // An entity that has ended existed at the start of the delta, so the replica must know it. A full delta has no start, so no
            // entity may end in it.
            if self.is_full || standing(*entity) == Standing::Unknown {
                return Err(Problem::Entity(entity.to_bits()));
            }
            self.set_fate(*entity, Fate::Ended)?;
        }
        let blocks = self.blocks(&groups, standing)?;
        let lists = self.lists(standing)?;
        let pairs = self.pairs(standing)?;
        let mut used = HashSet::new();
        let mut absent = Vec::new();
        for number in self.reader.u32s()? {
            let (_, known) = self.resources.get(number as usize).ok_or(Problem::Number(number))?;
            if let Some(ty) = known {
                used.insert(ty.descriptor.identity()).then_some(()).ok_or(Problem::Twice)?;
                absent.push(ty.descriptor);
            }
        }
        let (mut resources, mut present) = (SnapshotBuilder::of_parts(), Vec::new());
        for _ in 0..self.reader.len(12)? {
            let number = self.reader.u32()?;
            let (name, known) = self.resources.get(number as usize).ok_or(Problem::Number(number))?.clone();
            self.name = Some(name);
            let Some(ty) = known else {
                _ = self.reader.block()?;
                continue;
            };
            used.insert(ty.descriptor.identity()).then_some(()).ok_or(Problem::Twice)?;
            self.values(1, |values| (ty.read)(values, &mut resources, ComponentTicks::new(NOW)))?;
            present.push(ty.descriptor);
        }
        self.name = None;
        if !self.reader.is_at_end() {
            return Err(Problem::TooLong);
        }
        Ok(Update { from, to, groups, ended, blocks, lists, pairs, absent, present, resources })
    }

    fn read_types(&mut self, format: &WorldFormat) -> Result<(), Problem> {
        self.components = self.types(&by_name(&format.components, ComponentType::names), ComponentType::find_reader)?;
        // A relationship of which only one side is known makes no links, so that side is not used.
        let one_sided = one_sided(&format.components);
        for (name, ty) in &mut self.components {
            if ty.take_if(|ty| one_sided.contains(&ty.descriptor().identity())).is_some() && !self.skips_unknown {
                self.name = Some(name.clone());
                return Err(Problem::UnknownName);
            }
        }
        self.resources = self.types(&by_name(&format.resources, ResourceType::names), ResourceType::find_reader)?;
        self.relations = self.types(&by_name(&format.relations, RelationType::names), RelationType::find_reader)?;
        Ok(())
    }

    /// Reads the names and versions of types. For each type, returns the name and the result of `find`, or `None` if the type is unknown
    /// and is skipped.
    fn types<T, U>(
        &mut self,
        known: &HashMap<String, T>,
        find: impl Fn(&T, u32) -> Result<U, Problem>,
    ) -> Result<Vec<(String, Option<U>)>, Problem> {
        let mut types = Vec::new();
        for _ in 0..self.reader.len(12)? {
            let name = self.reader.text()?.to_owned();
            self.name = Some(name.clone());
            let version = self.reader.u32()?;
            let found = match known.get(&name) {
                Some(ty) => Some(find(ty, version)?),
                None if self.skips_unknown || version == TEXT_VERSION => None,
                None => return Err(Problem::UnknownName),
            };
            self.name = None;
            types.push((name, found));
        }
        Ok(types)
    }

    fn groups(&mut self, standing: &dyn Fn(Entity) -> Standing) -> Result<Vec<Group>, Problem> {
        let mut groups = Vec::new();
        for _ in 0..self.reader.len(24)? {
            let mut components: Vec<&'static ComponentDescriptor> = Vec::new();
            for number in self.reader.u32s()? {
                let (_, known) = self.components.get(number as usize).ok_or(Problem::Number(number))?;
                let Some(ty) = known else { continue };
                if StorageContents::lists_sources(ty.descriptor()) {
                    return Err(Problem::Number(number));
                }
                if components.iter().any(|other| other.identity() == ty.descriptor().identity()) {
                    return Err(Problem::Twice);
                }
                components.push(ty.descriptor());
            }
            let (made, changed) = (self.entities()?, self.entities()?);
            let was_there = made.iter().find(|made| !self.is_full && matches!(standing(**made), Standing::Alive(_)));
            let was_not_there = changed.iter().find(|changed| self.is_full || standing(**changed) == Standing::Unknown);
            if let Some(wrong) = was_there.or(was_not_there) {
                return Err(Problem::Entity(wrong.to_bits()));
            }
            groups.push(Group { components, made, changed });
        }
        let all = groups.iter().flat_map(|group: &Group| group.made.iter().chain(&group.changed));
        let (count, highest) = all.fold((0, 0), |(count, highest), entity| (count + 1, entity.index().max(highest)));
        self.fates = Fates::of(count, highest);
        for (of, group) in groups.iter().zip(0..) {
            for (entity, nth) in of.made.iter().chain(&of.changed).zip(0..) {
                self.set_fate(*entity, Fate::In(Place { group, nth }))?;
            }
        }
        Ok(groups)
    }

    fn set_fate(&mut self, entity: Entity, fate: Fate) -> Result<(), Problem> {
        if entity == Entity::PLACEHOLDER {
            return Err(Problem::Entity(entity.to_bits()));
        }
        if self.fates.set(entity, fate) { Ok(()) } else { Err(Problem::Twice) }
    }

    fn blocks(&mut self, groups: &[Group], standing: &dyn Fn(Entity) -> Standing) -> Result<Vec<Block>, Problem> {
        let (mut blocks, mut got) = (Vec::new(), Got::of(groups));
        for _ in 0..self.reader.len(16)? {
            let mut block = Block { entities: self.found_entities(standing)?, columns: Vec::new() };
            let mut in_block = HashSet::new();
            for _ in 0..self.reader.len(14)? {
                let column = self.column(&block, groups, &mut in_block, &mut got)?;
                block.columns.extend(column);
            }
            blocks.push(block);
        }
        // A new entity must have values of all of its components.
        for (number, group) in groups.iter().enumerate() {
            if let Some((nth, component)) = got.missing(number, group.made.len()) {
                self.name = Some(name_of(group.components[component]));
                return Err(Problem::Missing(group.made[nth].to_bits()));
            }
        }
        Ok(blocks)
    }

    /// Reads a column of a block; `None` if it is skipped.
    fn column(
        &mut self,
        block: &Block,
        groups: &[Group],
        in_block: &mut HashSet<u32>,
        got: &mut Got,
    ) -> Result<Option<Column>, Problem> {
        let at = self.reader.offset();
        let number = self.reader.u32()?;
        let (name, known) = self.components.get(number as usize).ok_or(Problem::Number(number))?.clone();
        self.name = Some(name);
        // A repeated column is rejected before its values are created: values that take no bytes in the delta could take much memory here.
        if !in_block.insert(number) {
            return Err(Problem::Twice);
        }
        let some = self.rows(block.entities.len())?;
        let count = some.as_ref().map_or(block.entities.len(), Vec::len);
        let form = self.reader.u8()?;
        let bytes = self.reader.block()?;
        let offset = self.reader.offset() - bytes.len();
        let form = match form {
            form::PLAIN => Form::Plain,
            form::EVEN => Form::Even,
            form::EACH => Form::Each(self.reader.arrays(count)?),
            _ => return Err(Problem::Form),
        };
        let values = Values { offset, bytes, count, form, budget: self.budget };
        let Some(ty) = known else { return Ok(None) };
        let descriptor = ty.descriptor();
        let refuse = |source: &mut Self, at, problem| {
            source.reader.go_to(at);
            Err(problem)
        };
        if StorageContents::lists_sources(descriptor) {
            return refuse(self, at, Problem::Number(number));
        }
        // A component may have several names, so it is also compared by identity. The search is short: a block has no more columns than
        // there are known components.
        if block.columns.iter().any(|other| other.descriptor.identity() == descriptor.identity()) {
            return refuse(self, at, Problem::Twice);
        }
        // An entity in a group may only have values of the components of the group, one of each.
        let noted = match &some {
            None => got.insert_all(groups, descriptor, number, block.entities.iter()),
            Some(some) => {
                let with_value = some.iter().map(|one| &block.entities[*one as usize]);
                got.insert_all(groups, descriptor, number, with_value)
            }
        };
        if let Err(problem) = noted {
            return refuse(self, at, problem);
        }
        match ty.check(&values).and_then(|()| ty.read(&[values], NOW)) {
            Ok(values) => {
                self.name = None;
                Ok(Some(Column { descriptor, some, values }))
            }
            Err((at, problem)) => refuse(self, at, problem),
        }
    }

    /// Reads the indexes of the entities of a block that have a value; `None` if all entities of the block have one.
    fn rows(&mut self, entities: usize) -> Result<Option<Vec<u32>>, Problem> {
        if self.reader.flag()? {
            return Ok(None);
        }
        let some = self.reader.u32s()?;
        if !some.is_sorted_by(|one, next| one < next) {
            return Err(Problem::Twice);
        }
        match some.last().filter(|last| **last as usize >= entities) {
            Some(last) => Err(Problem::Number(*last)),
            None => Ok(Some(some)),
        }
    }

    fn lists(&mut self, standing: &dyn Fn(Entity) -> Standing) -> Result<Vec<Lists>, Problem> {
        let mut all = Vec::new();
        for _ in 0..self.reader.len(12)? {
            let number = self.reader.u32()?;
            let (_, known) = self.components.get(number as usize).ok_or(Problem::Number(number))?.clone();
            let mut lists = Vec::new();
            for _ in 0..self.reader.len(16)? {
                let target = self.living_entity(standing)?;
                lists.push((target, self.living_entities(standing)?));
            }
            let Some(ty) = known else { continue };
            if !StorageContents::lists_sources(ty.descriptor()) {
                return Err(Problem::Number(number));
            }
            all.push(Lists { descriptor: ty.descriptor(), lists });
        }
        Ok(all)
    }

    fn pairs(&mut self, standing: &dyn Fn(Entity) -> Standing) -> Result<Vec<Pairs>, Problem> {
        let (mut all, mut used) = (Vec::new(), HashSet::new());
        for _ in 0..self.reader.len(28)? {
            let number = self.reader.u32()?;
            let (name, known) = self.relations.get(number as usize).ok_or(Problem::Number(number))?.clone();
            self.name = Some(name);
            let sources = self.living_entities(standing)?;
            // Targets need not be alive: a target may have been despawned.
            let ends = self.entities()?;
            let (ends, rest) = ends.as_chunks::<2>();
            if !rest.is_empty() {
                return Err(Problem::Odd);
            }
            let mut new = Vec::new();
            for _ in ends {
                new.push(self.reader.flag()?);
            }
            let Some(ty) = known else {
                _ = self.reader.block()?;
                self.name = None;
                continue;
            };
            if !used.insert(ty.descriptor.identity()) {
                return Err(Problem::Twice);
            }
            let ticks = ComponentTicks::new(NOW);
            let contents = ends.iter().map(|&ends| PairContents { ends, places: [0; 2], ticks }).collect();
            let values = self.values(ends.len(), |values| (ty.read)(values, contents))?;
            all.push(Pairs { descriptor: ty.descriptor, sources, ends: ends.to_vec(), new, values });
        }
        Ok(all)
    }

    fn entity(&mut self) -> Result<Entity, Problem> {
        let bits = self.reader.u64()?;
        Entity::try_from_bits(bits).ok_or(Problem::Entity(bits))
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

    /// Finds an entity that is alive in the other world after the delta; any other entity is an error.
    fn found(&self, entity: Entity, standing: &dyn Fn(Entity) -> Standing) -> Result<Found, Problem> {
        match self.fates.get(entity) {
            Some(Fate::In(place)) => Ok(Found::In(place)),
            None if !self.is_full
                && let Standing::Alive(own) | Standing::Ended(own) = standing(entity) =>
            {
                Ok(Found::Known(own))
            }
            Some(Fate::Ended) | None => Err(Problem::Entity(entity.to_bits())),
        }
    }

    /// Reads an entity, which must be alive in the other world after the delta.
    fn living_entity(&mut self, standing: &dyn Fn(Entity) -> Standing) -> Result<Entity, Problem> {
        let entity = self.entity()?;
        self.found(entity, standing).map(|_| entity)
    }

    fn living_entities(&mut self, standing: &dyn Fn(Entity) -> Standing) -> Result<Vec<Entity>, Problem> {
        let entities = self.entities()?;
        entities.iter().try_for_each(|entity| self.found(*entity, standing).map(|_| ()))?;
        Ok(entities)
    }

    fn found_entities(&mut self, standing: &dyn Fn(Entity) -> Standing) -> Result<Vec<Found>, Problem> {
        let entities = self.entities()?;
        let mut found = Vec::with_capacity(entities.len());
        for entity in entities {
            found.push(self.found(entity, standing)?);
        }
        Ok(found)
    }

    /// Reads a block of `count` values, and returns the result of calling `read` with them.
    fn values<T>(
        &mut self,
        count: usize,
        read: impl FnOnce(Values<'b>) -> Result<T, (usize, Problem)>,
    ) -> Result<T, Problem> {
        read_values(&mut self.reader, &mut self.name, self.budget, count, read)
    }
}
