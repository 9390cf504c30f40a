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
use strata_ecs::component::{ComponentDescriptor, ComponentIdentity};
use strata_ecs::entity::EntityHashMap;
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{NewColumnContents, NewPairsContents, PairContents, SnapshotBuilder, StorageContents};

use super::{DeltaMark, MAGIC, VERSION};
use crate::bytes::Reader;
use crate::encoding::Budget;
use crate::error::{LoadError, Problem};
use crate::format::WorldFormat;
use crate::read::{checksum, form};
use crate::types::{ComponentType, Form, ReadColumn, RelationType, ResourceType, Values, name_of};

/// When all that a delta has happened, for values that know no time.
const NOW: Tick = Tick::new(1);

/// What is to be done with a replica.
pub(super) struct Update {
    /// What the delta follows on; all that there is, if it follows on nothing.
    pub(super) from: Option<DeltaMark>,
    pub(super) to: DeltaMark,
    pub(super) groups: Vec<Group>,
    pub(super) ended: Vec<Entity>,
    pub(super) columns: Vec<Column>,
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

/// Values of a component.
pub(super) struct Column {
    pub(super) descriptor: &'static ComponentDescriptor,
    pub(super) entities: Vec<Entity>,
    pub(super) values: NewColumnContents,
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
    Alive,
    /// It has been named, and what stands for it is no more, or never was.
    Ended,
}

/// What is said of an entity.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// The group of an entity that is new or has changed, and how many entities of groups come before it.
    In(usize, usize),
    Ended,
}

/// Which components entities of groups have got values of: a bit for each component of each entity.
struct Got {
    /// By group: how many entities come before its first one, its components, and where its bits begin.
    first: Vec<usize>,
    components: Vec<usize>,
    bits_from: Vec<usize>,
    bits: Vec<u64>,
}

impl Got {
    fn of(groups: &[Group]) -> Self {
        let (mut first, mut components, mut bits_from) = (Vec::new(), Vec::new(), Vec::new());
        let (mut entities, mut bits) = (0, 0);
        for group in groups {
            first.push(entities);
            components.push(group.components.len());
            bits_from.push(bits);
            let count = group.made.len() + group.changed.len();
            entities += count;
            bits += count * group.components.len();
        }
        Self { first, components, bits_from, bits: vec![0; bits.div_ceil(64)] }
    }

    fn bit(&self, group: usize, nth: usize, place: usize) -> usize {
        self.bits_from[group] + (nth - self.first[group]) * self.components[group] + place
    }

    fn has(&self, group: usize, nth: usize, place: usize) -> bool {
        let bit = self.bit(group, nth, place);
        self.bits[bit / 64] & 1 << (bit % 64) != 0
    }

    /// Notes a value. False if there is one already.
    fn insert(&mut self, group: usize, nth: usize, place: usize) -> bool {
        let is_new = !self.has(group, nth, place);
        let bit = self.bit(group, nth, place);
        self.bits[bit / 64] |= 1 << (bit % 64);
        is_new
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
    fates: EntityHashMap<Fate>,
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
        fates: EntityHashMap::default(),
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
        let columns = self.blocks(&groups, standing)?;
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
        Ok(Update { from, to, groups, ended, columns, lists, pairs, absent, present, resources })
    }

    fn read_types(&mut self, format: &WorldFormat) -> Result<(), Problem> {
        let named = |ty: &ComponentType| ty.names().map(|name| (name, ty.clone())).collect::<Vec<_>>();
        let known: HashMap<String, ComponentType> = format.components.iter().flat_map(named).collect();
        self.components = self.types(&known, ComponentType::reader)?;
        // Without one side of a relationship there is no link.
        let all: HashSet<ComponentIdentity> = format.components.iter().map(|ty| ty.descriptor.identity()).collect();
        let has_no_other_side = |ty: &ReadColumn| {
            StorageContents::other_side_of(ty.descriptor()).is_some_and(|other| !all.contains(&other.identity()))
        };
        for (name, ty) in &mut self.components {
            if ty.take_if(|ty| has_no_other_side(ty)).is_some() && !self.skips_unknown {
                self.name = Some(name.clone());
                return Err(Problem::UnknownName);
            }
        }
        let named = |ty: &ResourceType| ty.names().map(|name| (name, ty.clone())).collect::<Vec<_>>();
        self.resources = self.types(&format.resources.iter().flat_map(named).collect(), ResourceType::reader)?;
        let named = |ty: &RelationType| ty.names().map(|name| (name, ty.clone())).collect::<Vec<_>>();
        self.relations = self.types(&format.relations.iter().flat_map(named).collect(), RelationType::reader)?;
        Ok(())
    }

    /// The types that the bytes name: what a function finds for the version that they have, or nothing, if unknown ones are passed over.
    fn types<T, U>(
        &mut self,
        known: &HashMap<String, T>,
        find: impl Fn(&T, u32) -> Option<U>,
    ) -> Result<Vec<(String, Option<U>)>, Problem> {
        let mut types = Vec::new();
        for _ in 0..self.reader.len(12)? {
            let name = self.reader.text()?.to_owned();
            self.name = Some(name.clone());
            let version = self.reader.u32()?;
            let found = match known.get(&name) {
                Some(ty) => Some(find(ty, version).ok_or(Problem::ValueVersion(version))?),
                None if self.skips_unknown => None,
                None => return Err(Problem::UnknownName),
            };
            self.name = None;
            types.push((name, found));
        }
        Ok(types)
    }

    fn groups(&mut self, standing: &dyn Fn(Entity) -> Standing) -> Result<Vec<Group>, Problem> {
        let (mut groups, mut before) = (Vec::new(), 0);
        for group in 0..self.reader.len(24)? {
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
            let was_there = made.iter().find(|made| !self.is_full && standing(**made) == Standing::Alive);
            let was_not_there = changed.iter().find(|changed| self.is_full || standing(**changed) == Standing::Unknown);
            if let Some(wrong) = was_there.or(was_not_there) {
                return Err(Problem::Entity(wrong.to_bits()));
            }
            for entity in made.iter().chain(&changed) {
                self.set_fate(*entity, Fate::In(group, before))?;
                before += 1;
            }
            groups.push(Group { components, made, changed });
        }
        Ok(groups)
    }

    fn set_fate(&mut self, entity: Entity, fate: Fate) -> Result<(), Problem> {
        if entity == Entity::PLACEHOLDER {
            return Err(Problem::Entity(entity.to_bits()));
        }
        match self.fates.insert(entity, fate) {
            None => Ok(()),
            Some(_) => Err(Problem::Twice),
        }
    }

    fn blocks(&mut self, groups: &[Group], standing: &dyn Fn(Entity) -> Standing) -> Result<Vec<Column>, Problem> {
        let (mut columns, mut got) = (Vec::new(), Got::of(groups));
        for _ in 0..self.reader.len(16)? {
            let entities = self.living_entities(standing)?;
            let mut in_block = HashSet::new();
            for _ in 0..self.reader.len(14)? {
                let at = self.reader.offset();
                let number = self.reader.u32()?;
                let (name, known) = self.components.get(number as usize).ok_or(Problem::Number(number))?.clone();
                self.name = Some(name);
                // As in a saved world: values of no bytes could take more memory than the delta.
                if !in_block.insert(number) {
                    return Err(Problem::Twice);
                }
                let own = match self.reader.flag()? {
                    true => entities.clone(),
                    false => {
                        let places = self.reader.u32s()?;
                        if !places.is_sorted_by(|place, next| place < next) {
                            return Err(Problem::Twice);
                        }
                        let at = |place: &u32| entities.get(*place as usize).copied().ok_or(Problem::Number(*place));
                        places.iter().map(at).collect::<Result<Vec<_>, _>>()?
                    }
                };
                let form = self.reader.u8()?;
                let bytes = self.reader.block()?;
                let offset = self.reader.offset() - bytes.len();
                let form = match form {
                    form::PLAIN => Form::Plain,
                    form::EVEN => Form::Even,
                    form::EACH => Form::Each(self.reader.arrays(own.len())?),
                    _ => return Err(Problem::Form),
                };
                let values = Values { offset, bytes, count: own.len(), form, budget: self.budget };
                let Some(ty) = known else { continue };
                let descriptor = ty.descriptor();
                if StorageContents::lists_sources(descriptor) {
                    self.reader.go_to(at);
                    return Err(Problem::Number(number));
                }
                for entity in &own {
                    // What is in a group has no other components, and each once.
                    let Some(Fate::In(group, nth)) = self.fates.get(entity) else { continue };
                    let all = &groups[*group].components;
                    let Some(place) = all.iter().position(|one| one.identity() == descriptor.identity()) else {
                        self.reader.go_to(at);
                        return Err(Problem::Number(number));
                    };
                    if !got.insert(*group, *nth, place) {
                        self.reader.go_to(at);
                        return Err(Problem::Twice);
                    }
                }
                let checked = ty.check(&values).and_then(|()| ty.read(&[values], NOW));
                let values = checked.map_err(|(at, problem)| {
                    self.reader.go_to(at);
                    problem
                })?;
                columns.push(Column { descriptor, entities: own, values });
                self.name = None;
            }
        }
        // A new entity has all of its components.
        for (number, group) in groups.iter().enumerate() {
            for (nth, entity) in group.made.iter().enumerate() {
                let missing =
                    (0..group.components.len()).find(|place| !got.has(number, got.first[number] + nth, *place));
                if let Some(place) = missing {
                    self.name = Some(name_of(group.components[place]));
                    return Err(Problem::Missing(entity.to_bits()));
                }
            }
        }
        Ok(columns)
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
        (0..self.reader.len(8)?).map(|_| self.entity()).collect()
    }

    /// An entity that is alive in the end.
    fn living_entity(&mut self, standing: &dyn Fn(Entity) -> Standing) -> Result<Entity, Problem> {
        let entity = self.entity()?;
        let is_alive = match self.fates.get(&entity) {
            Some(fate) => *fate != Fate::Ended,
            None => !self.is_full && standing(entity) != Standing::Unknown,
        };
        if is_alive { Ok(entity) } else { Err(Problem::Entity(entity.to_bits())) }
    }

    fn living_entities(&mut self, standing: &dyn Fn(Entity) -> Standing) -> Result<Vec<Entity>, Problem> {
        (0..self.reader.len(8)?).map(|_| self.living_entity(standing)).collect()
    }

    /// What a function makes of a block with so many values.
    fn values<T>(
        &mut self,
        count: usize,
        read: impl FnOnce(Values<'b>) -> Result<T, (usize, Problem)>,
    ) -> Result<T, Problem> {
        let bytes = self.reader.block()?;
        let offset = self.reader.offset() - bytes.len();
        match read(Values { offset, bytes, count, form: Form::Unmeasured, budget: self.budget }) {
            Ok(value) => {
                self.name = None;
                Ok(value)
            }
            Err((at, problem)) => {
                self.reader.go_to(at);
                Err(problem)
            }
        }
    }
}
