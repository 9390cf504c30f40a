//! Data that comes to a living world: the values of a [`SnapshotBuilder`] by ordinary operations, of which hooks and observers are told.

use alloc::vec::Vec;

use super::columns::NewColumnContents;
use super::contents::{NewPairsContents, SnapshotBuilder};
use crate::component::{ComponentDescriptor, ErasedValue};
use crate::entity::{Entity, EntityMapper};
use crate::world::{World, arrange_sources, map_value, part_circles};

impl NewColumnContents {
    /// The values, each by itself, with other entities inside: those that stand for them, also for the target that a relationship names.
    /// One allocation for each value.
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
    /// let column = NewColumnContents::of(vec![Target(there)], Tick::new(1));
    /// for value in column.into_values(&mut (there, here)) {
    ///     world.entity_mut(here).insert_erased(value).unwrap();
    /// }
    /// assert_eq!(world.get::<Target>(here).unwrap().0, here);
    /// ```
    #[must_use]
    pub fn into_values(self, mapper: &mut dyn EntityMapper) -> Vec<ErasedValue> {
        let mut values: Vec<ErasedValue> =
            self.into_parts().values.into_each().into_iter().filter_map(ErasedValue::from_values).collect();
        values.iter_mut().for_each(|value| map_value(value, mapper));
        values
    }
}

impl NewPairsContents {
    /// What is known of the relation.
    #[must_use]
    pub fn descriptor(&self) -> &'static ComponentDescriptor {
        self.relation()
    }

    /// The pairs, without their values.
    pub fn ends(&self) -> impl ExactSizeIterator<Item = [Entity; 2]> + '_ {
        self.pairs().iter().map(|pair| pair.ends)
    }

    /// Keeps those of the pairs that are wanted, one flag for each.
    pub fn retain(&mut self, wanted: &[bool]) {
        self.retain_inside(wanted);
    }

    /// Replaces the entities at the ends of the pairs and inside of their values by those that stand for them.
    pub fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        self.map_inside(mapper);
    }

    /// Makes the pairs in a world: see [`World::relate`]. Those that are there get these values, and those with an end that is not alive
    /// are passed over. Says how many there are now.
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
        self.relate_in(world)
    }
}

impl SnapshotBuilder {
    /// Replaces the entities inside of the resources that have been added by those that stand for them.
    pub fn map_resources(&mut self, mapper: &mut dyn EntityMapper) {
        self.resources_mut().iter_mut().for_each(|new| new.map_entities(mapper));
    }

    /// Inserts the resources that have been added into a living world. All else is dropped. Says how many there were.
    ///
    /// # Panics
    ///
    /// If a resource has the stable name of another one.
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
        let all = self.into_resources();
        let count = all.len();
        for new in all {
            let now = world.store.now();
            drop(world.store.resources.put(new, now));
        }
        count
    }
}

impl World {
    /// Drops the resource of a type, if there is one that does not stay on its thread. Says whether there was.
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

    /// The targets of the pairs of a relation of which an entity is the source, in the order in which they were made. If the relation is
    /// symmetric, the other ends of all pairs of the entity.
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
        self.store.relation_of(relation).map_or_else(Vec::new, |number| self.store.targets_at(number, source))
    }

    /// Removes a pair of a relation: see [`World::unrelate`]. Says whether it was there.
    pub fn unrelate_of(&mut self, relation: &ComponentDescriptor, source: Entity, target: Entity) -> bool {
        self.store.relation_of(relation).is_some_and(|number| self.store.unrelate_at(number, [source, target]))
    }

    /// Brings the list of a target of a relationship into an order. False, and nothing happens, if it does not list these sources.
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

    /// Makes way for values of a relationship that are about to be inserted into these entities, each with what it will name. If one of
    /// them could not be linked now, since its target is below it and will not be when all have come, the component is removed from all
    /// that will name another target.
    pub fn part_circles(&mut self, links: &[(Entity, &ErasedValue)]) {
        part_circles(&mut self.store, links);
    }
}
