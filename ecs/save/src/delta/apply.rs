//! Replicas: worlds that follow another one.

use std::collections::{HashMap, HashSet};

use strata_ecs::component::{ComponentDescriptor, ComponentId, ComponentIdentity, ErasedValue};
use strata_ecs::entity::{EntityHashMap, EntityMap, EntityMapper};
use strata_ecs::prelude::{Entity, World};
use strata_ecs::store::WorldId;

use super::read::{Column, Group, Lists, Pairs, Standing, Update, read, read_marks};
use super::{ApplyError, DeltaMark};
use crate::format::WorldFormat;

/// What is known of a world that follows another one by [deltas](WorldFormat::delta_since): how far it has come, and which of its entities
/// stand for which.
///
/// It begins with a full delta; or with a saved world, of which it is told the mark and the ids. The world may have entities, components
/// and resources of its own, which deltas leave alone, but that components of the format which the other world does not have go from an
/// entity when that changes its components.
///
/// When the world is restored to a snapshot the replica has to go back, too: a clone of it goes with the snapshot.
#[derive(Clone, Default, Debug)]
pub struct Replica {
    /// The entities of the other world that have been named, also those that have ended: what names one of these names the same one as before.
    ids: EntityHashMap<Entity>,
    at: Option<DeltaMark>,
    world: Option<WorldId>,
    /// Resources that have come from the other world.
    resources: HashSet<ComponentIdentity>,
}

/// What a delta has done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Applied {
    /// How many entities are new.
    pub made: usize,
    /// How many may have got other components or pairs.
    pub changed: usize,
    /// How many have ended.
    pub ended: usize,
    /// How many values have come.
    pub values: usize,
    /// How many values and ends were for entities that the program has ended itself: they are passed over.
    pub missing: usize,
}

/// Entities of the other world by those that stand for them. Others get ids that are dead, and stay so.
struct Ids<'r> {
    ids: &'r mut EntityHashMap<Entity>,
    world: &'r mut World,
}

impl EntityMapper for Ids<'_> {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        if source == Entity::PLACEHOLDER {
            return source;
        }
        *self.ids.entry(source).or_insert_with(|| {
            let dead = self.world.spawn_empty().id();
            self.world.despawn(dead);
            dead
        })
    }

    fn set_mapped(&mut self, source: Entity, target: Entity) {
        self.ids.insert(source, target);
    }
}

/// Values that come to entities.
#[derive(Default)]
struct Arriving {
    /// With the entities in the order in which they get them.
    of_entities: Vec<(Entity, Vec<(ComponentId, ErasedValue)>)>,
    /// To be written in place, if the component can be.
    in_place: Vec<(ComponentId, Vec<(Entity, ErasedValue)>)>,
}

impl Replica {
    /// A replica that begins with a [full delta](WorldFormat::full_delta).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A replica that begins with a world into which a saved one has just been [loaded](WorldFormat::load): its entities have the same ids
    /// there. The mark is that of a position that was taken before the world was saved, without anything between.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{DeltaMark, Replica, WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// struct Health(u32);
    ///
    /// let format = WorldFormat::new().with_components(components![Health]);
    /// let mut world = World::new();
    /// let ann = world.spawn(Health(3)).id();
    /// format.start_journal(&mut world, 1 << 10)?;
    /// let position = world.journal_position()?;
    /// let bytes = format.save(&mut world)?;
    ///
    /// let mut there = World::new();
    /// format.load(&mut there, &bytes)?;
    /// let mut replica = Replica::of_loaded(&there, DeltaMark::from(position));
    /// world.get_mut::<Health>(ann).unwrap().0 = 4;
    /// replica.apply(&format, &mut there, &format.delta_since(&mut world, &position)?.bytes)?;
    /// assert_eq!(there.get(ann), Some(&Health(4)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_loaded(world: &World, mark: DeltaMark) -> Self {
        let entities = world.tables().iter().flat_map(|table| table.entities());
        let resources = world.resource_descriptors().map(|descriptor| descriptor.identity()).collect();
        let ids = entities.map(|entity| (*entity, *entity)).collect();
        Self { ids, at: Some(mark), world: Some(world.id()), resources }
    }

    /// A replica that begins with the entities of a saved world that were [added](WorldFormat::load_entities) to a world. Resources, which
    /// do not come that way, come when they change. See [`of_loaded`](Self::of_loaded).
    #[must_use]
    pub fn of_entities(world: &World, map: &EntityMap, mark: DeltaMark) -> Self {
        Self { ids: map.iter().collect(), at: Some(mark), world: Some(world.id()), resources: HashSet::new() }
    }

    /// How far the replica has come; `None` if it has not begun.
    #[must_use]
    pub fn mark(&self) -> Option<DeltaMark> {
        self.at
    }

    /// The entity that stands for one of the other world, which may have ended.
    #[must_use]
    pub fn get(&self, source: Entity) -> Option<Entity> {
        self.ids.get(&source).copied()
    }

    /// The entities of the other world that have been named, and those that stand for them, in no order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Entity, Entity)> + '_ {
        self.ids.iter().map(|(source, own)| (*source, *own))
    }

    /// Forgets the entities that are no more: 16 bytes each. A value that comes later and names one of them names another dead entity than
    /// a value that came before.
    pub fn forget_ended(&mut self, world: &World) {
        self.ids.retain(|_, own| world.contains(*own));
    }

    /// Brings the world up to date with a [delta](WorldFormat::delta_since), by ordinary operations of which hooks and observers are told:
    /// what has come to an entity, or gone from it, comes and goes as one. Values of entities that have got nothing else are written in
    /// place, without a call of hooks and observers but with a change that systems see, unless the component is immutable: those are inserted.
    /// New entities are there, without components, before the first value comes, and those that have ended end last.
    ///
    /// An entity that the program has ended itself stays so. Entities inside of values are [mapped](strata_ecs::entity::MapEntities);
    /// what is dead in the other world, or not made yet, is one that is dead here and stays so.
    ///
    /// # Errors
    ///
    /// If the delta does not follow on what the replica has come to, or the bytes are damaged. Replica and world are as they were.
    ///
    /// # Panics
    ///
    /// If hooks or observers do: then some of the delta is missing, and the replica has to begin with a full one. If there is no memory, or no id is
    /// left.
    pub fn apply(&mut self, format: &WorldFormat, world: &mut World, bytes: &[u8]) -> Result<Applied, ApplyError> {
        format.check_names().map_err(|name| ApplyError::Load(crate::LoadError::SameName(name)))?;
        let [from, _] = read_marks(bytes).map_err(ApplyError::Load)?;
        if let Some(from) = from.filter(|from| self.at != Some(*from)) {
            return Err(ApplyError::NotNext { replica: self.at, delta: from });
        }
        if self.world.is_some_and(|known| known != world.id()) {
            return Err(ApplyError::OtherWorld);
        }
        // What the program has ended itself may be named as before. What the other world has ended there, and what was dead all along, is
        // not alive here either.
        let standing = |entity: Entity| match self.ids.get(&entity) {
            None => Standing::Unknown,
            Some(own) if world.contains(*own) => Standing::Alive,
            Some(_) => Standing::Ended,
        };
        let update = read(format, bytes, &standing).map_err(ApplyError::Load)?;
        let known = registered(format, world)?;
        self.world = Some(world.id());
        // A panic of a hook leaves a replica that no delta follows on.
        self.at = None;
        let to = update.to;
        let applied = self.carry_out(update, &known, world);
        self.at = Some(to);
        Ok(applied)
    }

    fn carry_out(&mut self, update: Update, known: &Known, world: &mut World) -> Applied {
        let Update { from, to: _, groups, mut ended, columns, lists, pairs, absent, present, mut resources } = update;
        let mut applied = Applied::default();
        if from.is_none() {
            let all: HashSet<Entity> = groups.iter().flat_map(|group| &group.made).copied().collect();
            let is_over = |&(source, own): &(Entity, Entity)| !all.contains(&source) && world.contains(own);
            ended = self.iter().filter(is_over).map(|(source, _)| source).collect();
            ended.sort_unstable();
        }
        applied.made = self.make(&groups, world);
        applied.changed = groups.iter().map(|group| group.changed.len()).sum();
        applied.values = columns.iter().map(|column| column.entities.len()).sum();

        resources.map_resources(&mut Ids { ids: &mut self.ids, world });
        resources.insert_resources(world);
        self.resources.extend(present.iter().map(|descriptor| descriptor.identity()));
        for gone in absent {
            if self.resources.remove(&gone.identity()) {
                world.remove_resource_of(gone);
            }
        }

        let arriving = self.arriving(&groups, columns, known, world);
        self.remove_others(&groups, known, world);
        applied.missing += insert(arriving, known, world);
        // What came may require others.
        self.remove_others(&groups, known, world);
        self.relate(&groups, pairs, known, world);
        for source in ended {
            let own = self.ids.get(&source).copied();
            match own.filter(|own| world.contains(*own)) {
                Some(own) => {
                    world.despawn(own);
                    applied.ended += 1;
                }
                // It may have ended with another one.
                None => applied.ended += 1,
            }
        }
        self.arrange(lists, world);
        applied
    }

    /// Makes entities, without components, and says how many.
    fn make(&mut self, groups: &[Group], world: &mut World) -> usize {
        let made = groups.iter().flat_map(|group| &group.made).copied();
        let made: Vec<Entity> =
            made.filter(|made| !self.ids.get(made).is_some_and(|own| world.contains(*own))).collect();
        let own: Vec<Entity> = world.spawn_batch(made.iter().map(|_| ())).collect();
        let count = own.len();
        self.ids.extend(made.into_iter().zip(own));
        count
    }

    /// The values of columns, with entities of this world inside.
    fn arriving(&mut self, groups: &[Group], columns: Vec<Column>, known: &Known, world: &mut World) -> Arriving {
        let mut arriving = Arriving::default();
        let mut places: EntityHashMap<usize> = EntityHashMap::default();
        for entity in groups.iter().flat_map(|group| group.made.iter().chain(&group.changed)) {
            places.insert(*entity, arriving.of_entities.len());
            arriving.of_entities.push((self.ids[entity], Vec::new()));
        }
        for Column { descriptor, entities, values } in columns {
            let id = known.ids[&descriptor.identity()];
            let values = values.into_values(&mut Ids { ids: &mut self.ids, world });
            let mut in_place = Vec::new();
            for (entity, value) in entities.into_iter().zip(values) {
                match places.get(&entity) {
                    Some(place) => arriving.of_entities[*place].1.push((id, value)),
                    None => in_place.push((self.ids[&entity], value)),
                }
            }
            if !in_place.is_empty() {
                arriving.in_place.push((id, in_place));
            }
        }
        arriving
    }

    /// Removes what entities in groups should not have.
    fn remove_others(&self, groups: &[Group], known: &Known, world: &mut World) {
        for group in groups {
            let wanted: HashSet<ComponentId> =
                group.components.iter().map(|descriptor| known.ids[&descriptor.identity()]).collect();
            for entity in group.made.iter().chain(&group.changed) {
                let Ok(entity) = world.get_entity(self.ids[entity]) else { continue };
                let is_other = |id: &ComponentId| known.removable.contains(id) && !wanted.contains(id);
                let others: Vec<ComponentId> = entity.components().filter(is_other).collect();
                let entity = entity.id();
                if !others.is_empty()
                    && let Ok(mut entity) = world.get_entity_mut(entity)
                    && let Err(error) = entity.remove_by_ids(&others)
                {
                    unreachable!("the components are registered, and the entity is alive: {error}");
                }
            }
        }
    }

    /// Makes the pairs of sources those that the other world has.
    fn relate(&mut self, groups: &[Group], all: Vec<Pairs>, known: &Known, world: &mut World) {
        let changed: Vec<Entity> = groups.iter().flat_map(|group| &group.changed).copied().collect();
        let all_made: Vec<Entity> = groups.iter().flat_map(|group| &group.made).copied().collect();
        let mut all: HashMap<ComponentIdentity, Pairs> =
            all.into_iter().map(|pairs| (pairs.descriptor.identity(), pairs)).collect();
        for relation in &known.relations {
            let pairs = all.remove(&relation.identity());
            let (mut sources, mut wanted) = (Vec::new(), HashSet::new());
            let mut ids = Ids { ids: &mut self.ids, world };
            if let Some(pairs) = &pairs {
                sources.extend(pairs.sources.iter().map(|source| ids.get_mapped(*source)));
                wanted.extend(pairs.ends.iter().map(|ends| ends.map(|end| ids.get_mapped(end))));
            }
            sources.extend(changed.iter().chain(&all_made).map(|source| ids.get_mapped(*source)));
            sources.sort_unstable();
            sources.dedup();
            for source in sources {
                for target in world.targets_of(relation, source) {
                    // One without direction may be named from its other end.
                    if !wanted.contains(&[source, target]) && !wanted.contains(&[target, source]) {
                        world.unrelate_of(relation, source, target);
                    }
                }
            }
            if let Some(Pairs { new, mut values, .. }) = pairs {
                values.retain(&new);
                values.map_entities(&mut Ids { ids: &mut self.ids, world });
                values.relate(world);
            }
        }
    }

    /// Brings lists of sources into the order that they have in the other world.
    fn arrange(&self, all: Vec<Lists>, world: &mut World) {
        for Lists { descriptor, lists } in all {
            for (target, sources) in lists {
                let sources: Option<Vec<Entity>> = sources.iter().map(|source| self.get(*source)).collect();
                if let (Some(target), Some(sources)) = (self.get(target), sources) {
                    // A program may have linked other entities to the target.
                    world.arrange_sources(descriptor, target, &sources);
                }
            }
        }
    }
}

/// What a format knows, in a world.
struct Known {
    ids: HashMap<ComponentIdentity, ComponentId>,
    /// Components that go if the other world does not have them: not those that follow from others.
    removable: HashSet<ComponentId>,
    /// Relationships: components that name a target.
    relationships: HashSet<ComponentId>,
    relations: Vec<&'static ComponentDescriptor>,
}

/// Registers what a format knows.
fn registered(format: &WorldFormat, world: &mut World) -> Result<Known, ApplyError> {
    use strata_ecs::snapshot::StorageContents;

    let mut known =
        Known { ids: HashMap::new(), removable: HashSet::new(), relationships: HashSet::new(), relations: Vec::new() };
    let all: HashSet<ComponentIdentity> = format.components.iter().map(|ty| ty.descriptor.identity()).collect();
    for descriptor in format.components.iter().map(|ty| ty.descriptor) {
        let id = world.register_component_with_descriptor(descriptor);
        let id = id.map_err(|error| ApplyError::Register(error.to_string()))?;
        known.ids.insert(descriptor.identity(), id);
        let other = StorageContents::other_side_of(descriptor);
        let has_both_sides = other.is_none_or(|other| all.contains(&other.identity()));
        if format.saves(descriptor) && has_both_sides && !StorageContents::lists_sources(descriptor) {
            known.removable.insert(id);
            if other.is_some() {
                known.relationships.insert(id);
            }
        }
    }
    known.relations.extend(format.relations.iter().map(|ty| ty.descriptor).filter(|relation| format.saves(relation)));
    Ok(known)
}

/// Inserts and writes values, and says how many there were of entities that are no more.
fn insert(arriving: Arriving, known: &Known, world: &mut World) -> usize {
    let Arriving { of_entities, in_place } = arriving;
    for relationship in &known.relationships {
        let of_entities = of_entities
            .iter()
            .filter_map(|(entity, values)| Some((*entity, &values.iter().find(|(id, _)| id == relationship)?.1)));
        let written = in_place.iter().filter(|(id, _)| id == relationship).flat_map(|(_, values)| values);
        let links: Vec<(Entity, &ErasedValue)> =
            of_entities.chain(written.map(|(entity, value)| (*entity, value))).collect();
        world.part_circles(&links);
    }
    let mut missing = 0;
    for (entity, values) in of_entities {
        let count = values.len();
        match world.get_entity_mut(entity) {
            Ok(_) if values.is_empty() => {}
            Ok(mut entity) => {
                if let Err(error) = entity.insert_by_ids(values) {
                    unreachable!("each component is registered and comes once: {error}");
                }
            }
            Err(_) => missing += count.max(1),
        }
    }
    for (id, values) in in_place {
        for (entity, value) in values {
            match world.get_mut_by_id(entity, id) {
                Ok(mut place) => drop(place.replace(value)),
                Err(_) => match world.get_entity_mut(entity) {
                    // It is immutable, or the program has removed it.
                    Ok(mut entity) => {
                        if let Err(error) = entity.insert_erased(value) {
                            unreachable!("the component is registered: {error}");
                        }
                    }
                    Err(_) => missing += 1,
                },
            }
        }
    }
    missing
}
