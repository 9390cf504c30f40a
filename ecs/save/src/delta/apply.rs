//! Replicas: worlds that follow another world.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use strata_ecs::component::{ComponentDescriptor, ComponentId, ComponentIdentity, ErasedValue, StorageType};
use strata_ecs::entity::{EntityHashMap, EntityHashSet, EntityMap, EntityMapper};
use strata_ecs::prelude::{Entity, World};
use strata_ecs::snapshot::{NewColumnContents, StorageContents, Updated};
use strata_ecs::store::WorldId;

use super::read::{Block, Column, Found, Group, Lists, Pairs, Place, Standing, Update, read, read_marks};
use super::{ApplyError, DeltaMark};
use crate::format::WorldFormat;

/// The state of a world that follows another one by [deltas](WorldFormat::delta_since): the last position, and the entities of this world
/// that correspond to entities of the other one.
///
/// A replica starts with a full delta, or with a saved world and its mark and ids. The world may have its own entities, components and
/// resources, which deltas do not change, with one exception: when a delta changes the components of an entity, components of the format
/// that the other world does not have are removed from it.
///
/// When the world is restored to a snapshot, the replica has to be restored too: keep a clone of it with the snapshot.
#[derive(Clone, Default, Debug)]
pub struct Replica {
    /// The entities of the other world that have been named, including despawned ones: an id in later values maps to the same entity as
    /// before.
    ids: EntityHashMap<Entity>,
    at: Option<DeltaMark>,
    world: Option<WorldId>,
    /// Resources that came from the other world.
    resources: HashSet<ComponentIdentity>,
}

/// The effects of a delta.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Applied {
    /// The number of new entities.
    pub made: usize,
    /// The number of entities that may have got other components or pairs.
    pub changed: usize,
    /// The number of despawned entities.
    pub ended: usize,
    /// The number of values.
    pub values: usize,
    /// The number of values and despawns that were skipped because the program itself has despawned their entities.
    pub missing: usize,
}

/// Maps entities of the other world to those of this one. Unknown entities map to ids that are dead and stay dead.
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

/// The entities of a group, and the values that they get.
struct Coming<'u> {
    /// The components that the entities should have.
    components: &'u [&'static ComponentDescriptor],
    /// The entities of this world, new ones first.
    own: Vec<Entity>,
    /// The number of new entities.
    made: usize,
    /// If new entities get all of their values at once: their order in the values.
    is_together: bool,
    order: Vec<u32>,
    together: Vec<NewColumnContents>,
    /// Values that are inserted one by one, for each entity; empty if there are no such values.
    singly: Vec<Vec<(ComponentId, ErasedValue)>>,
}

impl Coming<'_> {
    fn add(&mut self, id: ComponentId, order: &[u32], values: NewColumnContents) {
        self.singly.resize_with(self.own.len(), Vec::new);
        for (nth, value) in order.iter().zip(values.into_values()) {
            self.singly[*nth as usize].push((id, value));
        }
    }

    /// Adds a column of values for new entities.
    fn add_together(&mut self, id: ComponentId, order: &[u32], values: NewColumnContents) {
        if self.together.is_empty() {
            self.order = order.to_vec();
        }
        if self.order == order {
            self.together.push(values);
        } else {
            self.add(id, order, values);
        }
    }
}

/// Values for entities.
#[derive(Default)]
struct Arriving<'u> {
    groups: Vec<Coming<'u>>,
    /// Values that are written in place, if the component allows it.
    in_place: Vec<(ComponentId, Rc<[Entity]>, NewColumnContents)>,
}

impl Arriving<'_> {
    /// Adds values that have the same destination.
    fn add(&mut self, id: ComponentId, way: Way, going: &Going, values: NewColumnContents) {
        match (way, going) {
            (Way::Together(group), Going::In(order)) => self.groups[group as usize].add_together(id, order, values),
            (Way::Singly(group), Going::In(order)) => self.groups[group as usize].add(id, order, values),
            (_, Going::To(entities)) => self.in_place.push((id, Rc::clone(entities), values)),
            (Way::InPlace, Going::In(_)) => unreachable!("what is written in place is in no group"),
        }
    }
}

/// The entities that values are for.
enum Going {
    To(Rc<[Entity]>),
    /// By index in their group.
    In(Vec<u32>),
}

impl Going {
    /// The entities with this destination.
    fn of(way: Way, entities: &mut dyn Iterator<Item = &Found>) -> Self {
        match way {
            Way::InPlace => Self::To(
                entities.filter_map(|found| if let Found::Known(own) = found { Some(*own) } else { None }).collect(),
            ),
            _ => Self::In(
                entities
                    .filter_map(|found| if let Found::In(place) = found { Some(place.nth) } else { None })
                    .collect(),
            ),
        }
    }
}

/// The destination of the values of a column.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    InPlace,
    /// New entities of a group, together.
    Together(u32),
    /// Entities of a group, one by one.
    Singly(u32),
}

impl Replica {
    /// Creates a replica that starts with a [full delta](WorldFormat::full_delta).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a replica of a world into which a saved one has just been [loaded](WorldFormat::load): its entities have the same ids there.
    /// The mark must belong to a position that was taken directly before the world was saved.
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

    /// Creates a replica of the entities of a saved world that were [added](WorldFormat::load_entities) to a world. The resources of the
    /// world then follow those of the other one. See [`of_loaded`](Self::of_loaded).
    #[must_use]
    pub fn of_entities(world: &World, map: &EntityMap, mark: DeltaMark) -> Self {
        let resources = world.resource_descriptors().map(|descriptor| descriptor.identity()).collect();
        Self { ids: map.iter().collect(), at: Some(mark), world: Some(world.id()), resources }
    }

    /// The last position of the replica; `None` if it has not started.
    #[must_use]
    pub fn mark(&self) -> Option<DeltaMark> {
        self.at
    }

    /// The entity that corresponds to an entity of the other world. It may have been despawned.
    #[must_use]
    pub fn get(&self, source: Entity) -> Option<Entity> {
        self.ids.get(&source).copied()
    }

    /// The entities of the other world that have been named, and the corresponding entities of this world, in unspecified order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Entity, Entity)> + '_ {
        self.ids.iter().map(|(source, own)| (*source, *own))
    }

    /// Removes despawned entities from the replica, which frees 16 bytes each. Later values that name a removed entity name another dead
    /// entity than earlier values.
    pub fn forget_ended(&mut self, world: &World) {
        self.ids.retain(|_, own| world.contains(*own));
    }

    /// Updates the world with a [delta](WorldFormat::delta_since), by ordinary operations that run hooks and observers: all components that
    /// an entity gets are inserted together, and all that it loses are removed together. Values of entities that get no new components are
    /// written in place, without hooks and observers but as a change that systems detect, unless the component is immutable: such values
    /// are inserted.
    ///
    /// Hooks and observers of added data run when the whole delta is in place, including links and pairs, so they see complete entities in
    /// any order. Those of removed data (`Remove`, `Discard`, `Despawn`) run before the removal, while the delta is being applied:
    /// components are removed first, and entities are despawned last. Commands that hooks and observers record are applied at the end.
    ///
    /// An entity that the program itself has despawned stays despawned. Entities inside values are
    /// [mapped](strata_ecs::entity::MapEntities); an entity that is dead in the other world, or not spawned yet, maps to one that is dead
    /// here and stays dead.
    ///
    /// # Errors
    ///
    /// If the delta does not start at the position of the replica, or the bytes are damaged. The replica and the world are unchanged.
    ///
    /// # Panics
    ///
    /// If hooks or observers panic: then some of the delta is missing, and the replica needs a full delta. If there is no memory, or no id
    /// is left.
    pub fn apply(&mut self, format: &WorldFormat, world: &mut World, bytes: &[u8]) -> Result<Applied, ApplyError> {
        let format = &format.for_world(world);
        format.check_names().map_err(|name| ApplyError::Load(crate::LoadError::SameName(name)))?;
        let [from, _] = read_marks(bytes).map_err(ApplyError::Load)?;
        if let Some(from) = from.filter(|from| self.at != Some(*from)) {
            return Err(ApplyError::NotNext { replica: self.at, delta: from });
        }
        if self.world.is_some_and(|known| known != world.id()) {
            return Err(ApplyError::OtherWorld);
        }
        // Values may name entities that the program itself has despawned: these count as ended. Entities that the other world has
        // despawned, or that never existed, are not alive here either.
        let standing = |entity: Entity| match self.ids.get(&entity) {
            None => Standing::Unknown,
            Some(own) if world.contains(*own) => Standing::Alive(*own),
            Some(own) => Standing::Ended(*own),
        };
        let update = read(format, bytes, &standing).map_err(ApplyError::Load)?;
        let known = registered(format, world)?;
        self.world = Some(world.id());
        // `at` is `None` during the update: if a hook panics, no further delta can be applied to the replica.
        self.at = None;
        let to = update.to;
        let applied = world.with_deferred_events(|world| self.carry_out(update, &known, world));
        self.at = Some(to);
        world.trigger(Updated);
        Ok(applied)
    }

    fn carry_out(&mut self, update: Update, known: &Known, world: &mut World) -> Applied {
        let Update { from, to: _, groups, mut ended, blocks, lists, pairs, absent, present, mut resources } = update;
        let mut applied = Applied::default();
        if from.is_none() {
            let made = groups.iter().flat_map(|group| &group.made).copied();
            let all: EntityHashSet = if self.ids.is_empty() { EntityHashSet::default() } else { made.collect() };
            let is_over = |&(source, own): &(Entity, Entity)| !all.contains(&source) && world.contains(own);
            ended = self.iter().filter(is_over).map(|(source, _)| source).collect();
            ended.sort_unstable();
        }
        let mut arriving = self.make(&groups, world, &mut applied.made, known);
        applied.changed = groups.iter().map(|group| group.changed.len()).sum();
        applied.values = blocks.iter().flat_map(|block| &block.columns).map(|column| column.values.len()).sum();

        resources.map_resources(&mut Ids { ids: &mut self.ids, world });
        resources.insert_resources(world);
        self.resources.extend(present.iter().map(|descriptor| descriptor.identity()));
        for gone in absent {
            if self.resources.remove(&gone.identity()) {
                world.remove_resource_of(gone);
            }
        }

        self.sort(blocks, &mut arriving, known, world);
        remove_others(&arriving.groups, known, world);
        applied.missing += insert(&mut arriving, known, world);
        // Other components are removed once more, because inserted components may have added required components.
        remove_others(&arriving.groups, known, world);
        self.relate(&arriving.groups, pairs, known, world);
        for source in ended {
            let own = self.ids.get(&source).copied();
            match own.filter(|own| world.contains(*own)) {
                Some(own) => {
                    world.despawn(own);
                    applied.ended += 1;
                }
                // The entity may already have been despawned together with another one.
                None => applied.ended += 1,
            }
        }
        self.arrange(lists, world);
        applied
    }

    /// Spawns entities without components, and counts them. They have no values yet.
    fn make<'u>(&mut self, groups: &'u [Group], world: &mut World, count: &mut usize, known: &Known) -> Arriving<'u> {
        let (mut arriving, mut new) = (Arriving::default(), Vec::new());
        for group in groups {
            let own = group.made.iter().map(|made| {
                let own = self.get(*made).filter(|own| world.contains(*own));
                own.unwrap_or_else(|| {
                    new.push(*made);
                    Entity::PLACEHOLDER
                })
            });
            let own = own.chain(group.changed.iter().map(|changed| self.ids[changed])).collect();
            let is_together = group.components.iter().all(|component| known.comes_together(component));
            arriving.groups.push(Coming {
                components: &group.components,
                own,
                made: group.made.len(),
                is_together,
                order: Vec::new(),
                together: Vec::new(),
                singly: Vec::new(),
            });
        }
        let ids: Vec<Entity> = world.spawn_batch(new.iter().map(|_| ())).collect();
        *count = ids.len();
        self.ids.reserve(new.len());
        self.ids.extend(new.into_iter().zip(ids.iter().copied()));
        let missing = arriving.groups.iter_mut().flat_map(|coming| &mut coming.own);
        missing.filter(|own| **own == Entity::PLACEHOLDER).zip(ids).for_each(|(own, id)| *own = id);
        arriving
    }

    /// Distributes the values of blocks to their destinations, with mapped entities inside.
    fn sort(&mut self, blocks: Vec<Block>, arriving: &mut Arriving<'_>, known: &Known, world: &mut World) {
        for Block { entities, columns } in blocks {
            let way = |found: &Found| match *found {
                Found::Known(_) => Way::InPlace,
                Found::In(Place { group, nth }) => {
                    let coming = &arriving.groups[group as usize];
                    let is_together = coming.is_together && (nth as usize) < coming.made;
                    if is_together { Way::Together(group) } else { Way::Singly(group) }
                }
            };
            let ways: Vec<Way> = entities.iter().map(way).collect();
            // The usual case: all entities have values of all components, with one destination.
            let all = ways.first().filter(|first| ways.iter().all(|way| way == *first));
            let all = all.map(|way| (*way, Going::of(*way, &mut entities.iter())));
            for Column { descriptor, some, mut values } in columns {
                let id = known.id(descriptor);
                values.map_entities(&mut Ids { ids: &mut self.ids, world });
                if let (Some((way, all)), None) = (&all, &some) {
                    arriving.add(id, *way, all, values);
                    continue;
                }
                let some = some.unwrap_or_else(|| (0..entities.len() as u32).collect());
                let (mut met, mut parts) = (Vec::<Way>::new(), Vec::with_capacity(some.len()));
                // Adjacent entities often have the same destination, so the last destination is compared first.
                let mut last = 0;
                for number in &some {
                    let way = ways[*number as usize];
                    if met.get(last) != Some(&way) {
                        last = met.iter().position(|known| *known == way).unwrap_or(met.len());
                        if last == met.len() {
                            met.push(way);
                        }
                    }
                    parts.push(last as u32);
                }
                let divided = if met.len() == 1 { vec![values] } else { values.divide(&parts, met.len()) };
                for ((way, values), part) in met.into_iter().zip(divided).zip(0..) {
                    let of_part = some.iter().zip(&parts).filter(|(_, of)| **of == part);
                    let mut of_part = of_part.map(|(number, _)| &entities[*number as usize]);
                    arriving.add(id, way, &Going::of(way, &mut of_part), values);
                }
            }
        }
    }

    /// Makes the pairs of sources equal to those of the other world.
    fn relate(&mut self, groups: &[Coming<'_>], all: Vec<Pairs>, known: &Known, world: &mut World) {
        let mut all: HashMap<ComponentIdentity, Pairs> =
            all.into_iter().map(|pairs| (pairs.descriptor.identity(), pairs)).collect();
        for &(relation, is_symmetric) in &known.relations {
            let pairs = all.remove(&relation.identity());
            let (mut sources, mut wanted) = (Vec::new(), HashSet::new());
            let mut ids = Ids { ids: &mut self.ids, world };
            if let Some(pairs) = &pairs {
                sources.extend(pairs.sources.iter().map(|source| ids.get_mapped(*source)));
                wanted.extend(pairs.ends.iter().map(|ends| ends.map(|end| ids.get_mapped(end))));
            }
            sources.extend(groups.iter().flat_map(|coming| &coming.own).copied());
            sources.sort_unstable();
            sources.dedup();
            for source in sources {
                for target in world.targets_of(relation, source) {
                    // A symmetric pair may be named from either end, so both orders are looked up.
                    let is_wanted =
                        wanted.contains(&[source, target]) || is_symmetric && wanted.contains(&[target, source]);
                    if !is_wanted {
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

    /// Reorders lists of sources like those of the other world.
    fn arrange(&self, all: Vec<Lists>, world: &mut World) {
        for Lists { descriptor, lists } in all {
            for (target, sources) in lists {
                let sources: Option<Vec<Entity>> = sources.iter().map(|source| self.get(*source)).collect();
                if let (Some(target), Some(sources)) = (self.get(target), sources) {
                    // The result is ignored: the call fails if the program has linked other entities to the target.
                    world.arrange_sources(descriptor, target, &sources);
                }
            }
        }
    }
}

/// The types of a format, in a world.
#[derive(Default)]
struct Known {
    ids: HashMap<ComponentIdentity, ComponentId>,
    /// Components that are removed if the other world does not have them. Components that follow from others are excluded.
    removable: HashSet<ComponentId>,
    /// Whether all of them are stored in tables.
    are_in_tables: bool,
    /// Relationships: components that name a target.
    relationships: HashSet<ComponentId>,
    /// Relations, and whether they are symmetric.
    relations: Vec<(&'static ComponentDescriptor, bool)>,
}

impl Known {
    fn id(&self, component: &ComponentDescriptor) -> ComponentId {
        self.ids[&component.identity()]
    }

    /// Whether many values of a component can be inserted at once.
    fn comes_together(&self, component: &ComponentDescriptor) -> bool {
        component.storage() == Some(StorageType::Table) && !self.relationships.contains(&self.id(component))
    }
}

/// Registers the types of a format.
fn registered(format: &WorldFormat, world: &mut World) -> Result<Known, ApplyError> {
    let mut known = Known { are_in_tables: true, ..Known::default() };
    let all: HashSet<ComponentIdentity> = format.components.iter().map(|ty| ty.descriptor.identity()).collect();
    for descriptor in format.components.iter().map(|ty| ty.descriptor) {
        let id = world.register_component_with_descriptor(descriptor);
        let id = id.map_err(|error| ApplyError::Register(error.to_string()))?;
        known.ids.insert(descriptor.identity(), id);
        let other = StorageContents::other_side_of(descriptor);
        let has_both_sides = other.is_none_or(|other| all.contains(&other.identity()));
        if format.saves(descriptor) && has_both_sides && !StorageContents::lists_sources(descriptor) {
            known.removable.insert(id);
            known.are_in_tables &= descriptor.storage() == Some(StorageType::Table);
            if other.is_some() {
                known.relationships.insert(id);
            }
        }
    }
    let saved = format.relations.iter().filter(|ty| format.saves(ty.descriptor));
    known.relations.extend(saved.map(|ty| (ty.descriptor, ty.is_symmetric)));
    Ok(known)
}

/// Removes components that the entities of groups should not have.
fn remove_others(groups: &[Coming<'_>], known: &Known, world: &mut World) {
    for group in groups {
        let wanted: HashSet<ComponentId> = group.components.iter().map(|component| known.id(component)).collect();
        let is_other = |id: &ComponentId| known.removable.contains(id) && !wanted.contains(id);
        // A table whose entities are known to have no other components. The next entity is often in the same table.
        let mut right = None;
        for &entity in &group.own {
            let Ok(found) = world.get_entity(entity) else { continue };
            let table = found.location().table;
            if right == Some(table) {
                continue;
            }
            let others: Vec<ComponentId> = found.components().filter(is_other).collect();
            if others.is_empty() {
                right = known.are_in_tables.then_some(table);
            } else if let Ok(mut entity) = world.get_entity_mut(entity)
                && let Err(error) = entity.remove_by_ids(&others)
            {
                unreachable!("the components are registered, and the entity is alive: {error}");
            }
        }
    }
}

/// Inserts and writes values, and returns the number of values of entities that are not alive.
fn insert(arriving: &mut Arriving<'_>, known: &Known, world: &mut World) -> usize {
    let Arriving { groups, in_place } = arriving;
    let in_place = core::mem::take(in_place);
    let (links, in_place): (Vec<_>, Vec<_>) =
        in_place.into_iter().partition(|(id, ..)| known.relationships.contains(id));
    let links: Vec<(ComponentId, Vec<(Entity, ErasedValue)>)> = links
        .into_iter()
        .map(|(id, entities, values)| (id, entities.iter().copied().zip(values.into_values()).collect()))
        .collect();
    for relationship in &known.relationships {
        let singly = groups.iter().flat_map(|coming| coming.own.iter().zip(&coming.singly));
        let of_entities =
            singly.filter_map(|(entity, values)| Some((*entity, &values.iter().find(|(id, _)| id == relationship)?.1)));
        let written = links.iter().filter(|(id, _)| id == relationship).flat_map(|(_, values)| values);
        let links: Vec<(Entity, &ErasedValue)> =
            of_entities.chain(written.map(|(entity, value)| (*entity, value))).collect();
        world.part_circles(&links);
    }
    groups.iter_mut().map(|coming| insert_into(coming, known, world)).sum::<usize>()
        + in_place
            .into_iter()
            .map(|(id, entities, values)| insert_singly(world.write_contents(id, &entities, values), world))
            .sum::<usize>()
        + links.into_iter().map(|(_, values)| insert_singly(values, world)).sum::<usize>()
}

/// Inserts the values of a group, and returns the number of values of entities that are not alive.
fn insert_into(coming: &mut Coming<'_>, known: &Known, world: &mut World) -> usize {
    let (order, columns) = (core::mem::take(&mut coming.order), core::mem::take(&mut coming.together));
    let mut done = 0;
    if !columns.is_empty() {
        let entities: Vec<Entity> = order.iter().map(|nth| coming.own[*nth as usize]).collect();
        // A delta contains values of all components of a new entity. All of them are in `columns`, unless some came in another order.
        let are_all = coming.singly.iter().take(coming.made).all(Vec::is_empty);
        match if are_all { world.insert_contents(&entities, columns) } else { Err(columns) } {
            Ok(()) => done = coming.made,
            Err(columns) => {
                columns.into_iter().for_each(|values| coming.add(known.id(values.descriptor()), &order, values))
            }
        }
    }
    let (mut missing, mut singly) = (0, core::mem::take(&mut coming.singly).into_iter().skip(done));
    for entity in &coming.own[done..] {
        let values = singly.next().unwrap_or_default();
        let count = values.len();
        match world.get_entity_mut(*entity) {
            Ok(_) if values.is_empty() => {}
            Ok(mut entity) => {
                if let Err(error) = entity.insert_by_ids(values) {
                    unreachable!("each component is registered and comes once: {error}");
                }
            }
            Err(_) => missing += count.max(1),
        }
    }
    missing
}

/// Inserts values one by one, and returns the number of values of entities that are not alive.
fn insert_singly(values: Vec<(Entity, ErasedValue)>, world: &mut World) -> usize {
    let mut missing = 0;
    for (entity, value) in values {
        match world.get_entity_mut(entity) {
            // The value could not be written in place: the component is immutable, or the program has removed it.
            Ok(mut entity) => {
                if let Err(error) = entity.insert_erased(value) {
                    unreachable!("the component is registered: {error}");
                }
            }
            Err(_) => missing += 1,
        }
    }
    missing
}
