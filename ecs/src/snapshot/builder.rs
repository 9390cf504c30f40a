//! Builds snapshots from data that a format has read.
//!
//! Tests: tests/snapshots/contents.rs

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::api::WorldSnapshot;
use super::columns::NewColumnContents;
use super::consumers::{NewRemovalContents, NewScheduleContents, SpawnTicks, memories, prepare};
use super::options::SnapshotOptions;
use crate::component::ComponentDescriptor;
use crate::entity::{Entity, EntityIds, EntityMapper};
use crate::events::observer::register_relation;
use crate::relations::relation::{PairClones, PairContents, PairsParts, PartsOf, Relation};
use crate::storage::resource::{NewResource, Resource};
use crate::storage::tick::{ComponentTicks, Tick};
use crate::structure::store::{BuildError, SnapshotClock, Store, StoreCopy, StoreParts, TableParts, build_copy};
use crate::world::{World, links_of_parts};

/// The pairs of one relation, for a [`SnapshotBuilder`].
pub struct NewPairsContents {
    parts: Box<dyn PairsParts>,
    register: fn(&mut Store) -> usize,
    map: fn(&mut dyn PairsParts, &mut dyn EntityMapper),
    relate: fn(Box<dyn PairsParts>, &mut World) -> usize,
}

impl NewPairsContents {
    /// Creates the pairs from their ends, and from the value of each pair.
    #[must_use]
    pub fn of<R: Relation>(pairs: Vec<PairContents>, values: Vec<R>) -> Self {
        let (register, map, relate) = (register_relation::<R>, map_pairs::<R>, relate::<R>);
        Self { parts: Box::new(PartsOf { pairs, values }), register, map, relate }
    }

    /// Returns the descriptor of the relation.
    #[must_use]
    pub fn descriptor(&self) -> &'static ComponentDescriptor {
        self.parts.relation()
    }

    /// Returns the source and the target of each pair, without the values.
    pub fn ends(&self) -> impl ExactSizeIterator<Item = [Entity; 2]> + '_ {
        self.parts.pairs().iter().map(|pair| pair.ends)
    }

    /// Keeps the pairs whose flag is true. `wanted` has one flag for each pair.
    pub fn retain(&mut self, wanted: &[bool]) {
        self.parts.retain(wanted);
    }

    /// Maps the entities at the ends of the pairs and inside of their values.
    pub fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        (self.map)(&mut *self.parts, mapper);
    }

    /// Adds the pairs to a world: see [`World::relate`]. Pairs that exist already get the new values. If an end of a
    /// pair is not alive, the pair is skipped. Returns the number of these pairs that exist afterwards.
    ///
    /// ```
    /// use strata_ecs::change::{ComponentTicks, Tick};
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::{NewPairsContents, PairContents};
    /// # #[derive(Relation, PartialEq, Debug)] struct Likes(i32);
    ///
    /// let mut world = World::new();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
    /// let pair = PairContents { ends: [a, b], places: [0; 2], ticks: ComponentTicks::new(Tick::new(1)) };
    /// let mut pairs = NewPairsContents::of(vec![pair], vec![Likes(3)]);
    /// pairs.map_entities(&mut std::collections::HashMap::from([(b, c)]));
    /// assert_eq!(pairs.relate(&mut world), 1);
    /// assert_eq!(world.get_pair(a, c), Some(&Likes(3)));
    /// ```
    pub fn relate(self, world: &mut World) -> usize {
        (self.relate)(self.parts, world)
    }
}

/// Maps the entities at the ends of pairs and inside of their values.
fn map_pairs<R: Relation>(parts: &mut dyn PairsParts, mapper: &mut dyn EntityMapper) {
    let Some(PartsOf { pairs, values }) = (parts as &mut dyn Any).downcast_mut::<PartsOf<R>>() else { return };
    let targets = pairs.iter().map(|pair| pair.ends[1]);
    let mut clones: Vec<(Entity, R)> = targets.zip(core::mem::take(values)).collect();
    PairClones::map_entities(&mut clones, mapper);
    for (pair, (target, value)) in pairs.iter_mut().zip(clones) {
        pair.ends = [mapper.get_mapped(pair.ends[0]), target];
        values.push(value);
    }
}

/// Adds pairs to a world.
fn relate<R: Relation>(parts: Box<dyn PairsParts>, world: &mut World) -> usize {
    let parts: Box<dyn Any> = parts;
    let Ok(parts) = parts.downcast::<PartsOf<R>>() else { return 0 };
    let mut count = 0;
    for (pair, value) in parts.pairs.into_iter().zip(parts.values) {
        let [source, target] = pair.ends;
        if world.contains(source) && world.contains(target) {
            count += usize::from(world.relate(source, value, target));
        }
    }
    count
}

impl_debug_as_struct! {
    [] NewPairsContents, "NewPairsContents", |this| { relation: this.parts.relation().name(), len: this.parts.pairs().len() } finish_non_exhaustive;
    [] SnapshotBuilder, "SnapshotBuilder", |this| {
        ids: this.parts.ids, tables: this.parts.tables.len(), storages: this.parts.storages.len(),
        resources: this.parts.resources.len()
    } finish_non_exhaustive;
}

/// Builds a snapshot from the parts that are added. See [Contents](super#contents).
pub struct SnapshotBuilder {
    pub(super) parts: StoreParts,
    schedules: Vec<NewScheduleContents>,
    /// The types of the resources that are not part of the snapshot.
    kept: Vec<TypeId>,
}

impl SnapshotBuilder {
    /// Creates a builder without tables.
    #[must_use]
    pub fn new(ids: EntityIds, clock: SnapshotClock) -> Self {
        let parts = StoreParts {
            ids,
            tables: Vec::new(),
            storages: Vec::new(),
            resources: Vec::new(),
            pairs: Vec::new(),
            removals: Vec::new(),
            spawns: None,
            expected_ids: Vec::new(),
            held: Vec::new(),
            ran: Vec::new(),
            clock,
        };
        Self { parts, schedules: Vec::new(), kept: Vec::new() }
    }

    /// Creates a builder without entities. It is used for resources that are [inserted](Self::insert_resources) into a
    /// living world.
    #[must_use]
    pub fn of_parts() -> Self {
        let ids = EntityIds { generations: Vec::new(), free: Vec::new(), retired: Vec::new(), first_generation: 1 };
        let tick = Tick::new(1);
        let clock =
            SnapshotClock { frame_number: 0, is_frame_open: false, tick, last: Tick::new(0), checked: Tick::new(0) };
        Self::new(ids, clock)
    }

    /// Adds clones of all resources and pairs of the copy of a store.
    pub(super) fn add_whole(&mut self, copy: &StoreCopy) {
        self.parts.resources.extend(copy.resources.to_new());
        let pairs = copy.pairs.iter().zip(&copy.relations);
        let pairs = pairs.filter_map(|(pairs, register)| Some((pairs.as_ref()?.to_parts(), *register)));
        self.parts.pairs.extend(pairs);
    }

    /// Adds the next table. The arguments are its entities, the tick at which the last row was added, and the values of
    /// each component by row. The first table has no components.
    pub fn add_table(
        &mut self,
        entities: Vec<Entity>,
        stamp: Tick,
        columns: impl IntoIterator<Item = NewColumnContents>,
    ) -> &mut Self {
        let columns = columns.into_iter().map(|column| column.0).collect();
        self.parts.tables.push(TableParts { entities, stamped: stamp, columns });
        self
    }

    /// Adds the values of a sparse component, in the order of the given entities.
    pub fn add_storage(&mut self, entities: Vec<Entity>, column: NewColumnContents) -> &mut Self {
        self.parts.storages.push((entities, column.0));
        self
    }

    /// Adds the pairs of a relation. The components [`PairSource`](crate::relation::PairSource) and
    /// [`PairTarget`](crate::relation::PairTarget) are added like other sparse components.
    pub fn add_pairs(&mut self, pairs: NewPairsContents) -> &mut Self {
        self.parts.pairs.push((pairs.parts, pairs.register));
        self
    }

    /// Adds a resource and the ticks at which it was added and changed.
    pub fn add_resource<R: Resource>(&mut self, value: R, ticks: ComponentTicks) -> &mut Self {
        self.parts.resources.push(NewResource::new(value, ticks));
        self
    }

    /// Adds a resource from its [text form](crate::component::TextForm), with the ticks at which it was added and
    /// changed.
    ///
    /// # Errors
    ///
    /// If the type has no text form, or if the text is not a value of the type. The error describes the reason. Nothing
    /// has been added.
    ///
    /// ```
    /// use strata_ecs::change::{ComponentTicks, Tick};
    /// use strata_ecs::component::{ComponentDescriptor, Persistence, TextForm};
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotBuilder;
    ///
    /// #[derive(Resource, Clone)]
    /// #[resource(persistence = score_as_text)]
    /// struct Score(u32);
    ///
    /// fn score_as_text() -> Persistence<Score> {
    ///     Persistence::Text(TextForm::new(
    ///         |score, text| text.push_str(&score.0.to_string()),
    ///         |text| text.parse().map(Score).map_err(|error| format!("{error}")),
    ///     ))
    /// }
    ///
    /// let (descriptor, ticks) = (ComponentDescriptor::of_resource::<Score>(), ComponentTicks::new(Tick::new(1)));
    /// let mut builder = SnapshotBuilder::of_parts();
    /// assert!(builder.add_resource_text(descriptor, "three", ticks).is_err());
    /// builder.add_resource_text(descriptor, "3", ticks).unwrap();
    /// let mut world = World::new();
    /// builder.insert_resources(&mut world);
    /// assert_eq!(world.resource::<Score>().0, 3);
    /// ```
    pub fn add_resource_text(
        &mut self,
        descriptor: &ComponentDescriptor,
        text: &str,
        ticks: ComponentTicks,
    ) -> Result<&mut Self, String> {
        let mut list: (Vec<NewResource>, ComponentTicks) = (Vec::new(), ticks);
        (descriptor.persistence.read)(text, &mut list)?;
        self.parts.resources.append(&mut list.0);
        Ok(self)
    }

    /// Keeps resources of some types unchanged when the snapshot is restored, like
    /// [`SnapshotOptions::without_resources`]. Use it for types of resources that the data does not mention.
    pub fn keep_resources(&mut self, types: impl IntoIterator<Item = TypeId>) -> &mut Self {
        self.kept.extend(types);
        self
    }

    /// Adds the state of the systems of a schedule. [`build`](Self::build) ignores it if the world has no such schedule.
    pub fn add_schedule(&mut self, schedule: NewScheduleContents) -> &mut Self {
        self.schedules.push(schedule);
        self
    }

    /// Adds removals of a component.
    pub fn add_removals(&mut self, removals: NewRemovalContents) -> &mut Self {
        self.parts.removals.push(removals.0);
        self
    }

    /// Sets the ticks at which entities were spawned. Without this call, all entities count as spawned at the tick of
    /// the snapshot.
    pub fn set_spawns(&mut self, spawns: SpawnTicks) -> &mut Self {
        self.parts.spawns = Some((spawns.of_indexes, spawns.others, spawns.newest));
        self
    }

    /// Builds a snapshot that can be restored in the given world. Components and resources that the world does not have
    /// are registered, and the schedules to which system state belongs are prepared. Nothing else in the world changes.
    /// When the snapshot is restored, resources that are not part of it are removed, unless the options leave them out.
    ///
    /// # Errors
    ///
    /// If the parts contradict each other. A snapshot that is built could always have been taken of a world.
    ///
    /// # Panics
    ///
    /// If a memory allocation fails, or if a resource has the same stable name as another one.
    pub fn build(self, world: &mut World, options: &SnapshotOptions) -> Result<WorldSnapshot, BuildError> {
        let Self { mut parts, schedules, kept } = self;
        let mut options = options.clone().without_resources(kept);
        world.add_locals_to(&mut options);
        let systems = prepare(world, schedules, &mut parts)?;
        let copy = build_copy(
            &mut world.store,
            parts,
            links_of_parts,
            |descriptor| options.is_apart(descriptor),
            &options.clones,
        )?;
        let systems = memories(world, &copy, systems)?;
        Ok(WorldSnapshot { world: world.id(), options, copy, systems })
    }
}
