//! Replicas: worlds that follow another world.
//!
//! Tests: tests/snapshots/deltas.rs

use std::collections::{HashMap, HashSet};

use strata_ecs::component::ComponentIdentity;
use strata_ecs::entity::{EntityHashMap, EntityHashSet, EntityMap, EntityMapper};
use strata_ecs::prelude::{Entity, World};
use strata_ecs::snapshot::Updated;
use strata_ecs::store::WorldId;

use super::arriving::{Arriving, Coming, Going, Way, insert, remove_others};
use super::error::ApplyError;
use super::known::{Known, registered};
use super::parts::DeltaMark;
use super::read::{read, read_marks};
use super::update::{Block, Column, Found, Group, Lists, Pairs, Place, Standing, Update};
use crate::format::WorldFormat;

/// The state of a world that follows another world by [deltas](WorldFormat::delta_since). It consists of the last position, and of the
/// entities of this world that correspond to entities of the other world.
///
/// A replica starts with a full delta, or with a saved world, its [mark](DeltaMark) and its ids. The world may have its own entities,
/// components and resources, which deltas do not change, with one exception: when a delta changes the components of an entity, components
/// of the format that the entity does not have in the other world are removed from it.
///
/// When the world is restored to a snapshot, the replica has to be restored too: keep a clone of the replica with the snapshot.
#[derive(Clone, Default, Debug)]
pub struct Replica {
    /// The entities of the other world that deltas have named so far, and their entities in this world. Despawned entities are included, so
    /// that an id in a later value maps to the entity to which it mapped before.
    ids: EntityHashMap<Entity>,
    at: Option<DeltaMark>,
    world: Option<WorldId>,
    /// The resources that came from the other world.
    resources: HashSet<ComponentIdentity>,
}

/// The changes that [`Replica::apply`] has made.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Applied {
    /// The number of new entities.
    pub made: usize,
    /// The number of existing entities whose components or pairs may have changed.
    pub changed: usize,
    /// The number of despawned entities.
    pub ended: usize,
    /// The number of component values in the delta.
    pub values: usize,
    /// The number of values that were skipped because the program itself has despawned their entities. A skipped entity without values
    /// counts as one.
    pub missing: usize,
}

/// Maps entities of the other world to entities of this world. An unknown entity maps to a new id, which is dead and stays dead.
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

impl Replica {
    /// Creates a replica that starts with a [full delta](WorldFormat::full_delta).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a replica for a world into which a saved world has just been [loaded](WorldFormat::load): the entities have equal ids in
    /// both worlds. The mark must belong to a position that was taken directly before the world was saved.
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

    /// Creates a replica of the entities of a saved world that were [added](WorldFormat::load_entities) to a world. From then on the
    /// resources of this world follow the resources of the other world. See [`of_loaded`](Self::of_loaded).
    #[must_use]
    pub fn of_entities(world: &World, map: &EntityMap, mark: DeltaMark) -> Self {
        let resources = world.resource_descriptors().map(|descriptor| descriptor.identity()).collect();
        Self { ids: map.iter().collect(), at: Some(mark), world: Some(world.id()), resources }
    }

    /// Returns the last position of the replica; `None` if it has not started.
    #[must_use]
    pub fn mark(&self) -> Option<DeltaMark> {
        self.at
    }

    /// Returns the entity of this world that corresponds to an entity of the other world. It may have been despawned.
    #[must_use]
    pub fn get(&self, source: Entity) -> Option<Entity> {
        self.ids.get(&source).copied()
    }

    /// Returns the entities of the other world that deltas have named, each with the corresponding entity of this world, in unspecified
    /// order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Entity, Entity)> + '_ {
        self.ids.iter().map(|(source, own)| (*source, *own))
    }

    /// Removes despawned entities from the replica, which frees 16 bytes per entity. If a later value names a removed entity, it maps to
    /// another dead entity than earlier values did.
    pub fn forget_ended(&mut self, world: &World) {
        self.ids.retain(|_, own| world.contains(*own));
    }

    /// Updates the world with a [delta](WorldFormat::delta_since), by ordinary operations that run hooks and observers. All components that
    /// an entity gets are inserted together, and all that it loses are removed together. If an entity gets no new components, its values
    /// are written in place: systems detect the change, but no hooks and observers run. Values of immutable components are inserted
    /// instead.
    ///
    /// Hooks and observers of added data run when the whole delta is in place, including links and pairs, so they see complete entities.
    /// Hooks and observers of removed data (`Remove`, `Discard`, `Despawn`) run before the removal, while the delta is being applied:
    /// components are removed first, and entities are despawned last. Commands that hooks and observers record are applied at the end.
    ///
    /// An entity that the program itself has despawned stays despawned. Entities inside values are
    /// [mapped](strata_ecs::entity::MapEntities); an entity that is dead or not spawned yet in the other world maps to an entity that is
    /// dead here and stays dead.
    ///
    /// # Errors
    ///
    /// If the delta does not start at the position of the replica, or the bytes are damaged. The replica and the world are unchanged.
    ///
    /// # Panics
    ///
    /// If a hook or an observer panics: then a part of the delta is missing, and the replica needs a full delta. Also if there is no
    /// memory, or no id is left.
    pub fn apply(&mut self, format: &WorldFormat, world: &mut World, bytes: &[u8]) -> Result<Applied, ApplyError> {
        let format = &format.for_world(world);
        format.check_names().map_err(|name| ApplyError::Load(crate::error::LoadError::SameName(name)))?;
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

    /// Spawns the new entities of the groups without components, and sets `count` to their number. Returns the groups with the entities of
    /// this world; no values have been added yet.
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

    /// Adds the values of the blocks to `arriving`, by their destinations. Entities inside the values are mapped.
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

    /// Adds, changes and removes pairs, so that the sources in the delta have the pairs that they have in the other world.
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

    /// Puts the lists of sources into the order that they have in the other world.
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
