//! Adds the values of a [`SnapshotBuilder`] to a living world by ordinary operations, which run hooks and observers.
//!
//! Tests: tests/snapshots/deltas.rs, tests/snapshots/living.rs

use alloc::vec::Vec;

use strata_ecs_derive::Event;

use super::builder::SnapshotBuilder;
use super::columns::NewColumnContents;
use crate::component::{ComponentDescriptor, ComponentId, ErasedValue};
use crate::entity::{Entity, EntityMapper};
use crate::structure::store::pairs::{pairs_of, unrelate};
use crate::world::{World, arrange_sources, names_entities, part_circles, rename};

/// Data of another world has been added to a living world: [deltas](World::changes_since), or the entities of a file.
/// The event is triggered after all data has been added. If the whole contents are replaced,
/// [`Restored`](super::Restored) is triggered instead.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::Updated;
///
/// #[derive(Resource, Default)]
/// struct Updates(u32);
///
/// let mut world = World::new();
/// world.init_resource::<Updates>();
/// world.add_observer(|_: On<Updated>, mut updates: ResMut<Updates>| updates.0 += 1);
/// world.trigger(Updated); // What brings data does so.
/// assert_eq!(world.resource::<Updates>().0, 1);
/// ```
#[derive(Event, Clone, Copy, Debug)]
pub struct Updated;

impl NewColumnContents {
    /// Returns the descriptor of the component.
    #[must_use]
    pub fn descriptor(&self) -> &'static ComponentDescriptor {
        self.0.values.descriptor()
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.values.len()
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Maps the entities inside of the values, including the targets of a relationship.
    ///
    /// ```
    /// use strata_ecs::change::Tick;
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::NewColumnContents;
    ///
    /// #[derive(Component)]
    /// struct Target(Entity);
    ///
    /// let mut world = World::new();
    /// let [here, there] = [(); 2].map(|()| world.spawn_empty().id());
    /// let mut column = NewColumnContents::of(vec![Target(there)], Tick::new(1));
    /// column.map_entities(&mut (there, here));
    /// for value in column.into_values() {
    ///     world.entity_mut(here).insert_erased(value).unwrap();
    /// }
    /// assert_eq!(world.get::<Target>(here).unwrap().0, here);
    /// ```
    pub fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        if names_entities(self.0.values.descriptor()) {
            self.0.values.as_slice_mut().into_iter().for_each(|value| rename(value, mapper));
        }
    }

    /// Converts each value to a separate [`ErasedValue`], with one allocation per value.
    #[must_use]
    pub fn into_values(self) -> Vec<ErasedValue> {
        self.0.values.into_each().into_iter().filter_map(ErasedValue::from_values).collect()
    }

    /// Splits the values into `count` columns. `parts` contains for each value the index of its column. The values in
    /// each column keep their order.
    ///
    /// # Panics
    ///
    /// If the number of `parts` differs from the number of values, or if an index is out of range.
    ///
    /// ```
    /// use strata_ecs::change::Tick;
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::NewColumnContents;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let column = NewColumnContents::of(vec![Health(3), Health(4), Health(5)], Tick::new(1));
    /// let parts = column.divide(&[1, 0, 1], 2);
    /// assert_eq!([parts[0].len(), parts[1].len()], [1, 2]);
    /// ```
    #[must_use]
    pub fn divide(self, parts: &[u32], count: usize) -> Vec<Self> {
        let divided = self.0.values.divided(parts, count);
        divided.into_iter().map(Self::of_values).collect()
    }
}

impl SnapshotBuilder {
    /// Maps the entities inside of the resources that have been added.
    pub fn map_resources(&mut self, mapper: &mut dyn EntityMapper) {
        self.parts.resources.iter_mut().for_each(|new| new.map_entities(mapper));
    }

    /// Inserts the resources that have been added into a living world, and drops all other data of the builder. Returns
    /// the number of resources.
    ///
    /// # Panics
    ///
    /// If a resource has the same stable name as another one.
    ///
    /// ```
    /// use strata_ecs::change::{ComponentTicks, Tick};
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotBuilder;
    ///
    /// #[derive(Resource, Clone, PartialEq, Debug)]
    /// struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut builder = SnapshotBuilder::of_parts();
    /// builder.add_resource(Score(3), ComponentTicks::new(Tick::new(1)));
    /// assert_eq!(builder.insert_resources(&mut world), 1);
    /// assert_eq!(world.resource::<Score>(), &Score(3));
    /// ```
    pub fn insert_resources(self, world: &mut World) -> usize {
        let all = self.parts.resources;
        let count = all.len();
        for new in all {
            let now = world.store.now();
            drop(world.store.resources.put(new, now));
        }
        count
    }
}

impl World {
    /// Drops the resource of a type, unless it is non-send. Returns whether there was one.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// assert!(world.remove_resource_of(ComponentDescriptor::of_resource::<Score>()));
    /// assert!(!world.contains_resource::<Score>());
    /// ```
    pub fn remove_resource_of(&mut self, descriptor: &ComponentDescriptor) -> bool {
        self.store.resources.take(descriptor).is_some()
    }

    /// Returns the targets of the pairs whose source is an entity, for one relation, in the order in which the pairs
    /// were made. If the relation is symmetric, returns the other end of each pair of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::PairsContents;
    /// # #[derive(Relation)] struct Likes(i32);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    /// world.relate(a, Likes(1), b);
    /// let likes = PairsContents::descriptor_of::<Likes>();
    /// assert_eq!(world.targets_of(likes, a), [b]);
    /// assert!(world.unrelate_of(likes, a, b));
    /// assert!(world.targets_of(likes, a).is_empty());
    /// ```
    #[must_use]
    pub fn targets_of(&self, relation: &ComponentDescriptor, source: Entity) -> Vec<Entity> {
        let relations = &self.store.relations;
        let number = relations.number_of(relation);
        number.map_or_else(Vec::new, |number| {
            pairs_of(relations, number, 0, source).into_iter().map(|ends| ends[1]).collect()
        })
    }

    /// Removes a pair of a relation: see [`World::unrelate`]. Returns whether the pair existed.
    pub fn unrelate_of(&mut self, relation: &ComponentDescriptor, source: Entity, target: Entity) -> bool {
        let number = self.store.relations.number_of(relation);
        number.is_some_and(|number| unrelate(&mut self.store, number, &[[source, target]]) != 0)
    }

    /// Reorders the list of a target of a relationship to match `sources`. Returns false, without any change, if the
    /// list does not consist of exactly these sources.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let parent = world.spawn_empty().id();
    /// let [a, b] = [(); 2].map(|()| world.spawn(ChildOf(parent)).id());
    /// let children = ComponentDescriptor::of::<Children>();
    /// assert!(world.arrange_sources(children, parent, &[b, a]));
    /// assert!(world.get::<Children>(parent).unwrap().iter().eq([b, a]));
    /// assert!(!world.arrange_sources(children, parent, &[b, b]));
    /// ```
    pub fn arrange_sources(&mut self, list: &ComponentDescriptor, target: Entity, sources: &[Entity]) -> bool {
        arrange_sources(&mut self.store, list, target, sources)
    }

    /// Adds values of several components to entities at once. The values of each component are in the order of the
    /// entities: see [`EntityWorldMut::insert_by_ids`](crate::world::EntityWorldMut::insert_by_ids). Hooks and
    /// observers run after all values have been added.
    ///
    /// # Errors
    ///
    /// Returns the values, without any change, unless all of the following is true. The entities are distinct, alive,
    /// and have the same table-stored components. The components are distinct and stored in tables. The entities lack
    /// at least one of the components.
    ///
    /// # Panics
    ///
    /// If a component has the same stable name as another one, or if a memory allocation fails.
    ///
    /// ```
    /// use strata_ecs::change::Tick;
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::NewColumnContents;
    /// # #[derive(Component, PartialEq, Debug)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch([(), (), ()]).collect();
    /// let column = |values: Vec<Health>| vec![NewColumnContents::of(values, Tick::new(1))];
    /// world.insert_contents(&[ids[2], ids[0]], column(vec![Health(2), Health(0)])).unwrap();
    /// assert_eq!([0, 2].map(|at| world.get::<Health>(ids[at]).unwrap().0), [0, 2]);
    /// // One of them has a value already.
    /// assert!(world.insert_contents(&ids[..2], column(vec![Health(7), Health(8)])).is_err());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_contents(
        &mut self,
        entities: &[Entity],
        columns: Vec<NewColumnContents>,
    ) -> Result<(), Vec<NewColumnContents>> {
        let columns = columns.into_iter().map(|column| column.0.values).collect();
        let inserted = self.store.track_caller().insert_columns(entities, columns);
        inserted.map_err(|columns| columns.into_iter().map(NewColumnContents::of_parts).collect())
    }

    /// Replaces values of a component of some entities. This counts as a change, but hooks and observers are not
    /// notified. The old values are dropped. Returns the values for entities that do not have the component or are not
    /// alive. If the component is immutable, returns all values.
    ///
    /// # Panics
    ///
    /// If the number of values differs from the number of entities.
    ///
    /// ```
    /// use strata_ecs::change::Tick;
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::NewColumnContents;
    /// # #[derive(Component, PartialEq, Debug)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let (a, b) = (world.spawn(Health(1)).id(), world.spawn_empty().id());
    /// let column = NewColumnContents::of(vec![Health(2), Health(3)], Tick::new(1));
    /// let health = world.component_id::<Health>().unwrap();
    /// let left = world.write_contents(health, &[a, b], column);
    /// assert_eq!(world.get(a), Some(&Health(2)));
    /// assert!(left.len() == 1 && left[0].0 == b);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn write_contents(
        &mut self,
        id: ComponentId,
        entities: &[Entity],
        column: NewColumnContents,
    ) -> Vec<(Entity, ErasedValue)> {
        let mut values = column.0.values;
        let left = self.store.track_caller().exchange_values(id, entities, &mut values);
        if left.is_empty() {
            return Vec::new();
        }
        let mut parts = alloc::vec![0; entities.len()];
        left.iter().for_each(|nth| parts[*nth as usize] = 1);
        let values = values.divided(&parts, 2).pop().map(NewColumnContents::of_values);
        let values = values.map_or_else(Vec::new, NewColumnContents::into_values);
        left.into_iter().map(|nth| entities[nth as usize]).zip(values).collect()
    }

    /// Prepares the insertion of relationship components into these entities, each with its new target. A link can be
    /// temporarily impossible, because its target is below the entity until the other values have been inserted. If
    /// there is such a link, the component is removed from all entities that get another target.
    pub fn part_circles(&mut self, links: &[(Entity, &ErasedValue)]) {
        part_circles(&mut self.store, links);
    }
}
