//! Bytes as what is to be done with a replica. Nothing is believed: lengths are compared with what is there, values are read before any is
//! applied, and what is said of entities has to fit what the replica knows.
//!
//! In this order, all numbers little-endian, lists with their lengths before them as 8 bytes: the magic bytes, the version, the checksum of
//! all other bytes; whether the delta follows on a position, that if so, and the position to which it leads; names and versions of the
//! components, resources and relations that are in it. Then *groups* of entities with the same components: the numbers of these, the
//! entities that are new, and those that were there before. The entities that have ended. *Blocks* of values: entities, and columns, each
//! with the number of its component, whether all of these entities have a value, else the places of those that have, the form of the
//! values and a block of them, as in a saved world. Lists of sources: the number of the component, and targets with their sources.
//! Pairs: the number of the relation, the sources of which these are all pairs, the ends of these, for each of them whether it has a
//! new value, and a block of values. Resources that are no more, by number, and those with new values, each with its number and a block.

use std::collections::{HashMap, HashSet};

use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::ComponentDescriptor;
use strata_ecs::entity::EntityHashMap;
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{NewColumnContents, NewPairsContents, PairContents, SnapshotBuilder, StorageContents};

use super::{DeltaMark, MAGIC, VERSION};
use crate::bytes::Reader;
use crate::encoding::Budget;
use crate::error::{LoadError, Problem};
use crate::format::WorldFormat;
use crate::read::{checksum, form, read_values};
use crate::types::{ComponentType, ReadColumn, RelationType, ResourceType, TEXT_VERSION, by_name, name_of, one_sided};
use crate::values::{Form, Values};

/// When all that a delta has happened, for values that know no time.
const NOW: Tick = Tick::new(1);

/// What is to be done with a replica.
pub(super) struct Update {
    /// What the delta follows on; all that there is, if it follows on nothing.
    pub(super) from: Option<DeltaMark>,
    pub(super) to: DeltaMark,
    pub(super) groups: Vec<Group>,
    pub(super) ended: Vec<Entity>,
    pub(super) blocks: Vec<Block>,
    pub(super) lists: Vec<Lists>,
    pub(super) pairs: Vec<Pairs>,
    /// Resources that are no more.
    pub(super) absent: Vec<&'static ComponentDescriptor>,
    pub(super) present: Vec<&'static ComponentDescriptor>,
    pub(super) resources: SnapshotBuilder,
}

/// Entities with the same components, as far as the format knows them.
pub(super) struct Group {
    pub(super) components: Vec<&'static ComponentDescriptor>,
    pub(super) made: Vec<Entity>,
    pub(super) changed: Vec<Entity>,
}

/// Values of some entities.
pub(super) struct Block {
    pub(super) entities: Vec<Found>,
    pub(super) columns: Vec<Column>,
}

/// Values of a component.
pub(super) struct Column {
    pub(super) descriptor: &'static ComponentDescriptor,
    /// The entities of the block that have them, by number in ascending order; all of them if there is no list.
    pub(super) some: Option<Vec<u32>>,
    pub(super) values: NewColumnContents,
}

/// An entity that is alive in the end.
#[derive(Clone, Copy)]
pub(super) enum Found {
    In(Place),
    /// It is in no group: what stands for it.
    Known(Entity),
}

/// A group, and which of its entities it is, new ones first.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) group: u32,
    pub(super) nth: u32,
}

/// What targets list.
pub(super) struct Lists {
    pub(super) descriptor: &'static ComponentDescriptor,
    pub(super) lists: Vec<(Entity, Vec<Entity>)>,
}

/// All pairs of some sources.
pub(super) struct Pairs {
    pub(super) descriptor: &'static ComponentDescriptor,
    pub(super) sources: Vec<Entity>,
    pub(super) ends: Vec<[Entity; 2]>,
    pub(super) new: Vec<bool>,
    pub(super) values: NewPairsContents,
}

/// What a replica knows of an entity of the other world.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Standing {
    Unknown,
    /// What stands for it is alive.
    Alive(Entity),
    /// It has been named, and what stands for it is no more, or never was.
    Ended(Entity),
}

/// What is said of an entity.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// It is new, or has changed.
    In(Place),
    Ended,
}

/// What is said of entities.
#[derive(Default)]
struct Fates {
    /// Those in groups by index, as long as there are not many more indexes than such entities.
    by_index: Vec<(Entity, Place)>,
    others: EntityHashMap<Fate>,
}

impl Fates {
    /// Room for so many in groups, of which none is known so far.
    fn of(count: usize, highest: u32) -> Self {
        let len = if highest as usize / 4 <= count { highest as usize + 1 } else { 0 };
        let none = (Entity::PLACEHOLDER, Place { group: 0, nth: 0 });
        Self { by_index: vec![none; len], others: EntityHashMap::default() }
    }

    fn get(&self, entity: Entity) -> Option<Fate> {
        match self.by_index.get(entity.index() as usize) {
            Some((known, place)) if *known == entity => Some(Fate::In(*place)),
            _ if self.others.is_empty() => None,
            _ => self.others.get(&entity).copied(),
        }
    }

    /// Notes what is said of an entity. False if something is already.
    fn set(&mut self, entity: Entity, fate: Fate) -> bool {
        if let (Some(room), Fate::In(place)) = (self.by_index.get_mut(entity.index() as usize), fate) {
            if room.0 == Entity::PLACEHOLDER {
                *room = (entity, place);
                return true;
            }
            if room.0 == entity {
                return false;
            }
        }
        self.get(entity).is_none() && self.others.insert(entity, fate).is_none()
    }
}

/// Which components entities of groups have got values of: a bit for each component of each entity.
struct Got {
    /// By group: its components, and where its bits begin.
    groups: Vec<(usize, usize)>,
    bits: Vec<u64>,
}

impl Got {
    fn of(groups: &[Group]) -> Self {
        let (mut of, mut bits) = (Vec::new(), 0);
        for group in groups {
            of.push((group.components.len(), bits));
            bits += (group.made.len() + group.changed.len()) * group.components.len();
        }
        Self { groups: of, bits: vec![0; bits.div_ceil(64)] }
    }

    fn bit(&self, place: Place, component: usize) -> usize {
        let (components, from) = self.groups[place.group as usize];
        from + place.nth as usize * components + component
    }

    fn has(&self, bit: usize) -> bool {
        self.bits[bit / 64] & 1 << (bit % 64) != 0
    }

    /// Notes a value. False if there is one already.
    fn insert(&mut self, place: Place, component: usize) -> bool {
        let bit = self.bit(place, component);
        let is_new = !self.has(bit);
        self.bits[bit / 64] |= 1 << (bit % 64);
        is_new
    }

    /// The first value that is missing of the first entities of a group, so many: of which of them, and the component.
    fn missing(&self, group: usize, entities: usize) -> Option<(usize, usize)> {
        let (components, from) = self.groups[group];
        let (mut bit, end) = (from, from + entities * components);
        while bit < end {
            if bit % 64 == 0 && self.bits[bit / 64] == u64::MAX {
                bit += 64;
            } else if self.has(bit) {
                bit += 1;
            } else {
                return Some(((bit - from) / components, (bit - from) % components));
            }
        }
        None
    }
}

/// A reader that knows of what it reads.
struct Source<'b> {
    reader: Reader<'b>,
    components: Vec<(String, Option<ReadColumn>)>,
    resources: Vec<(String, Option<ResourceType>)>,
    relations: Vec<(String, Option<RelationType>)>,
    skips_unknown: bool,
    /// Whether the delta is all that there is, so that nothing else counts of what the replica knows.
    is_full: bool,
    budget: &'b Budget,
    /// The type that is read now.
    name: Option<String>,
    fates: Fates,
}

/// Reads a delta, for a replica of which a function says what it knows of entities.
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

/// What a delta follows on, and where it leads, if its beginning and its checksum are right.
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
            // What a delta follows on the replica knows, and all of it.
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
        // Without one side of a relationship there is no link.
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

    /// The types that the bytes name: what a function finds for the version that they have, or nothing, if unknown ones are passed over.
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
        // A new entity has all of its components.
        for (number, group) in groups.iter().enumerate() {
            if let Some((nth, component)) = got.missing(number, group.made.len()) {
                self.name = Some(name_of(group.components[component]));
                return Err(Problem::Missing(group.made[nth].to_bits()));
            }
        }
        Ok(blocks)
    }

    /// A column of a block; none if it is passed over.
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
        // As in a saved world: values of no bytes could take more memory than the delta.
        if !in_block.insert(number) {
            return Err(Problem::Twice);
        }
        let some = if self.reader.flag()? { None } else { Some(self.reader.u32s()?) };
        if let Some(some) = &some {
            if !some.is_sorted_by(|one, next| one < next) {
                return Err(Problem::Twice);
            }
            if let Some(last) = some.last().filter(|last| **last as usize >= block.entities.len()) {
                return Err(Problem::Number(*last));
            }
        }
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
        // It may be named several times. There are no more columns than components that are known.
        if block.columns.iter().any(|other| other.descriptor.identity() == descriptor.identity()) {
            return refuse(self, at, Problem::Twice);
        }
        // What is in a group has no other components, and each once.
        let mut component = None;
        let mut note = |found: &Found| {
            let Found::In(place) = *found else { return Ok(()) };
            let (_, nth) = match component {
                Some(known @ (group, _)) if group == place.group => known,
                _ => {
                    let all = &groups[place.group as usize].components;
                    let nth = all.iter().position(|one| one.identity() == descriptor.identity());
                    *component.insert((place.group, nth.ok_or(Problem::Number(number))?))
                }
            };
            if got.insert(place, nth) { Ok(()) } else { Err(Problem::Twice) }
        };
        let noted = match &some {
            None => block.entities.iter().try_for_each(&mut note),
            Some(some) => some.iter().try_for_each(|one| note(&block.entities[*one as usize])),
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
            // A target may have ended.
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

    /// What an entity is that is alive in the end.
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

    /// An entity that is alive in the end.
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

    /// What a function makes of a block with so many values.
    fn values<T>(
        &mut self,
        count: usize,
        read: impl FnOnce(Values<'b>) -> Result<T, (usize, Problem)>,
    ) -> Result<T, Problem> {
        read_values(&mut self.reader, &mut self.name, self.budget, count, read)
    }
}
