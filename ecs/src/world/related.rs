//! Linking entities, and working on those that are linked.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::mem::needs_drop;

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use super::links::link_to;
use crate::bundle::Bundle;
use crate::command::{Commands, EntityCommands};
use crate::entity::{Entity, EntityError, EntityHashSet};
use crate::hierarchy::{ChildOf, Children};
use crate::relationship::{
    OrderedRelationshipSourceCollection, Relationship, RelationshipSourceCollection, RelationshipTarget,
};
use crate::store::{EntityAt, WorldId};

/// Spawns children: what [`EntityWorldMut::with_children`] gives its function.
pub type ChildSpawner<'w> = RelatedSpawner<'w, ChildOf>;

/// Records spawns of children: what [`EntityCommands::with_children`] gives its function.
pub type ChildSpawnerCommands<'w> = RelatedSpawnerCommands<'w, ChildOf>;

/// Some entities with others among them moved: the first one of `moved` to `index`, the next one behind it, and so on. One that comes
/// several times has the place of the last time, and one that is not among the entities has none. The rest keep their order.
fn with_moved(all: &[Entity], index: usize, moved: &[Entity]) -> Vec<Entity> {
    let is_listed = EntityHashSet::from_iter(all.iter().copied());
    let moved: Vec<Entity> = moved.iter().copied().filter(|entity| is_listed.contains(entity)).collect();
    let mut seen = EntityHashSet::default();
    let places = moved.iter().enumerate().rev().filter(|(_, entity)| seen.insert(*entity));
    let places: Vec<(usize, Entity)> = places.map(|(nth, entity)| (index.saturating_add(nth), entity)).collect();
    let mut places = places.into_iter().rev().peekable();
    let mut rest = all.iter().copied().filter(|entity| !seen.contains(entity));
    let mut arranged = Vec::with_capacity(all.len());
    loop {
        let is_next = places.peek().is_some_and(|(place, _)| *place <= arranged.len());
        let other = if is_next { None } else { rest.next() };
        match other.or_else(|| places.next().map(|(_, entity)| entity)) {
            Some(entity) => arranged.push(entity),
            None => return arranged,
        }
    }
}

impl World {
    /// The entities that are linked to one by `S`.
    fn sources<S: RelationshipTarget>(&self, target: Entity) -> Vec<Entity> {
        self.get::<S>(target).map_or_else(Vec::new, |sources| sources.iter().collect())
    }

    /// Links entities to one, in this order, as one operation. Other fields of a relationship that they have stay. The origin is that of the
    /// operation that this is a part of.
    ///
    /// # Panics
    ///
    /// If one of them is not alive.
    #[track_caller]
    fn link_all<R: Relationship>(&mut self, target: Entity, sources: &[Entity]) {
        sources.iter().for_each(|&source| _ = self.entity(source));
        // Other fields of a value stay. A value without them is replaced as if another one was inserted, and dropped.
        let has_more = size_of::<R>() > size_of::<Entity>();
        if let Some(id) = self.store.structure.archetypes.components.id::<R>()
            && (has_more || !needs_drop::<R>())
            && self.store.can_link_component_at_once::<R>()
            && sources.iter().all(|&source| self.store.sole_mut::<R>(source).is_some())
        {
            self.store.change_links_at_once(|store| {
                for &source in sources {
                    store.sole_mut::<R>(source).into_iter().for_each(|named| named.set_risky(target));
                }
                link_to::<R>(store, id, target, sources);
            });
            return;
        }
        self.store.batched(|store| {
            for &source in sources {
                let world = World::from_store_mut(store);
                let is_named = has_more
                    && world
                        .modify_component(source, |named: &mut R| named.set_risky(target))
                        .is_ok_and(|named| named.is_some());
                if !is_named && let Ok(mut source) = EntityAt::find(store, source) {
                    source.insert_for_origin(R::from(target));
                }
            }
        });
    }

    /// Carries out steps that change links of `R` as one operation: commands of observers, which may exchange the world for another one, are
    /// applied at its end. If no observer and no hook has to do with the links, each step is an operation of its own, which is faster.
    fn as_one_linking<R: Relationship>(&mut self, steps: impl FnOnce(&mut Self)) {
        self.store.change_links(|store| {
            if store.can_link_component_at_once::<R>() {
                steps(World::from_store_mut(store));
            } else {
                store.batched(|store| steps(World::from_store_mut(store)));
            }
        });
    }

    /// Unlinks those of some entities that are linked to one, as one operation.
    fn unlink_all<R: Relationship>(&mut self, target: Entity, sources: impl IntoIterator<Item = Entity>) {
        self.store.batched(|store| {
            let world = World::from_store_mut(store);
            for source in sources {
                if world.get::<R>(source).is_some_and(|named| named.get() == target)
                    && let Ok(mut source) = world.get_entity_mut(source)
                {
                    source.remove::<R>();
                }
            }
        });
    }

    /// Brings the sources of an entity into an order, which a function makes of the present one.
    fn arrange<R: Relationship>(&mut self, target: Entity, order: impl FnOnce(&[Entity]) -> Vec<Entity>) {
        let Some(mut list) = self.get_mut::<R::RelationshipTarget>(target) else { return };
        let list = list.collection_mut_risky();
        let listed: Vec<Entity> = list.iter().collect();
        let arranged = order(&listed);
        list.clear();
        list.extend_from_iter(arranged.iter());
        if let Some(id) = self.component_id::<R>() {
            self.store.events.links.move_places(id, &arranged);
        }
    }

    /// Does something with an entity and all below it, as one operation: each before those below it.
    fn for_each_recursive<S: RelationshipTarget>(&mut self, root: Entity, mut each: impl FnMut(EntityAt<'_>)) {
        self.store.batched(|store| {
            let world = World::from_store_mut(store);
            let mut waiting = alloc::vec![root];
            // Links that do not end with each other may go round in a circle.
            let mut seen = EntityHashSet::default();
            while let Some(entity) = waiting.pop() {
                if seen.insert(entity) {
                    waiting.extend(world.sources::<S>(entity).into_iter().rev());
                    EntityAt::find(&mut world.store, entity).into_iter().for_each(&mut each);
                }
            }
        });
    }
}

/// Methods of [`EntityWorldMut`] and [`EntityCommands`] that call other methods of these with fewer arguments, or for children. The
/// attributes are those of methods that take living entities.
macro_rules! repeated_methods {
    ($(#[$living:meta])*) => {
        /// Links an entity to this one.
        $(#[$living])*
        pub fn add_one_related<R: Relationship>(&mut self, entity: Entity) -> &mut Self {
            self.add_related::<R>(&[entity])
        }

        /// Unlinks all entities that are linked to this one.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        ///
        /// let mut world = World::new();
        /// let root = world.spawn(children![(), ()]).id();
        /// world.entity_mut(root).detach_all_related::<ChildOf>();
        /// assert!(world.get::<Children>(root).is_none() && world.len() == 3);
        /// ```
        #[cfg_attr(feature = "track_location", track_caller)]
        pub fn detach_all_related<R: Relationship>(&mut self) -> &mut Self {
            self.remove::<R::RelationshipTarget>()
        }

        /// Links entities to this one, in this order, and no others: as [`replace_related`](Self::replace_related), which finds the
        /// difference itself.
        $(#[$living])*
        pub fn replace_related_with_difference<R: Relationship>(
            &mut self,
            _entities_to_unrelate: &[Entity],
            entities_to_relate: &[Entity],
            _newly_related_entities: &[Entity],
        ) -> &mut Self {
            self.replace_related::<R>(entities_to_relate)
        }

        /// Spawns a child.
        #[cfg_attr(feature = "track_location", track_caller)]
        pub fn with_child(&mut self, bundle: impl Bundle) -> &mut Self {
            self.with_related::<ChildOf>(bundle)
        }

        /// Makes an entity the last child.
        $(#[$living])*
        pub fn add_child(&mut self, child: Entity) -> &mut Self {
            self.add_related::<ChildOf>(&[child])
        }

        /// Makes entities the last children.
        $(#[$living])*
        pub fn add_children(&mut self, children: &[Entity]) -> &mut Self {
            self.add_related::<ChildOf>(children)
        }

        /// Makes entities children, at a place among the others; see [`insert_related`](Self::insert_related).
        $(#[$living])*
        pub fn insert_children(&mut self, index: usize, children: &[Entity]) -> &mut Self {
            self.insert_related::<ChildOf>(index, children)
        }

        /// Makes an entity a child, at a place among the others.
        $(#[$living])*
        pub fn insert_child(&mut self, index: usize, child: Entity) -> &mut Self {
            self.insert_related::<ChildOf>(index, &[child])
        }

        /// Unlinks those of some entities that are children of this one.
        #[cfg_attr(feature = "track_location", track_caller)]
        pub fn detach_children(&mut self, children: &[Entity]) -> &mut Self {
            self.remove_related::<ChildOf>(children)
        }

        /// Unlinks an entity if it is a child of this one.
        #[cfg_attr(feature = "track_location", track_caller)]
        pub fn detach_child(&mut self, child: Entity) -> &mut Self {
            self.remove_related::<ChildOf>(&[child])
        }

        /// Unlinks all children.
        #[cfg_attr(feature = "track_location", track_caller)]
        pub fn detach_all_children(&mut self) -> &mut Self {
            self.detach_all_related::<ChildOf>()
        }

        /// Makes these entities the children, in this order, and no others.
        $(#[$living])*
        pub fn replace_children(&mut self, children: &[Entity]) -> &mut Self {
            self.replace_related::<ChildOf>(children)
        }

        /// Makes these entities the children: as [`replace_children`](Self::replace_children), which finds the difference itself.
        $(#[$living])*
        pub fn replace_children_with_difference(
            &mut self,
            _entities_to_unrelate: &[Entity],
            entities_to_relate: &[Entity],
            _newly_related_entities: &[Entity],
        ) -> &mut Self {
            self.replace_related::<ChildOf>(entities_to_relate)
        }

        /// Despawns the children, and all entities below them.
        #[cfg_attr(feature = "track_location", track_caller)]
        pub fn despawn_children(&mut self) -> &mut Self {
            self.despawn_related::<Children>()
        }
    };
}

/// The methods that link entities by a relationship `R`: the entity is the target.
impl EntityWorldMut<'_> {
    /// Spawns an entity that is linked to this one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let root = world.spawn_empty().with_related::<ChildOf>(Health(3)).id();
    /// let child = world.get::<Children>(root).unwrap()[0];
    /// assert_eq!(world.get(child), Some(&Health(3)));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn with_related<R: Relationship>(&mut self, bundle: impl Bundle) -> &mut Self {
        let target = self.expect_target();
        World::from_store_mut(self.store_mut()).spawn((bundle, R::from(target)));
        self
    }

    /// Has a function spawn entities that are linked to this one.
    pub fn with_related_entities<R: Relationship>(
        &mut self,
        func: impl FnOnce(&mut RelatedSpawner<'_, R>),
    ) -> &mut Self {
        let target = self.expect_target();
        self.world_scope(|world| func(&mut RelatedSpawner::new(world, target)));
        self
    }

    /// Links entities to this one, behind those that are. Other fields of a relationship that they have stay as they are.
    ///
    /// # Panics
    ///
    /// If one of them is not alive; then nothing has happened.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    /// let root = world.spawn_empty().add_related::<ChildOf>(&[b, a]).id();
    /// assert_eq!(**world.get::<Children>(root).unwrap(), [b, a]);
    /// ```
    #[track_caller]
    pub fn add_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        let target = self.expect_target();
        World::from_store_mut(self.store_mut().by_caller()).link_all::<R>(target, related);
        self
    }

    /// Links entities to this one, at a place among those that are; those of them that are linked already move there. Afterwards the first
    /// one is at `index` of the list, the next one behind it, and so on: the index counts the others as if these were taken out before.
    /// If there are fewer others, these come last. The others keep their order, and so do other fields of a relationship.
    ///
    /// An entity that comes several times has the place of the last time. One that cannot be linked has none. `O(linked entities)`.
    ///
    /// # Panics
    ///
    /// If one of them is not alive; then nothing has happened.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
    /// let root = world.spawn_empty().add_children(&[a, b]).insert_related::<ChildOf>(1, &[c]).id();
    /// assert_eq!(**world.get::<Children>(root).unwrap(), [a, c, b]);
    /// world.entity_mut(root).insert_related::<ChildOf>(1, &[a, c]);
    /// assert_eq!(**world.get::<Children>(root).unwrap(), [b, a, c]);
    /// ```
    #[track_caller]
    pub fn insert_related<R: Relationship>(&mut self, index: usize, related: &[Entity]) -> &mut Self
    where
        <R::RelationshipTarget as RelationshipTarget>::Collection: OrderedRelationshipSourceCollection,
    {
        let target = self.expect_target();
        let world = World::from_store_mut(self.store_mut().by_caller());
        world.as_one_linking::<R>(|world| {
            world.link_all::<R>(target, related);
            world.store.relink();
            world.arrange::<R>(target, |listed| with_moved(listed, index, related));
        });
        self
    }

    /// Unlinks those of some entities that are linked to this one.
    pub fn remove_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        let target = self.expect_target();
        self.world_scope(|world| world.unlink_all::<R>(target, related.iter().copied()));
        self
    }

    /// Links these entities to this one, in this order, and no others. Other fields of both components stay as they are. Those that are
    /// new are linked before others are unlinked.
    ///
    /// # Panics
    ///
    /// If one of them is not alive; then nothing has happened.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
    /// let root = world.spawn_empty().add_children(&[a, b]).replace_related::<ChildOf>(&[c, a]).id();
    /// assert_eq!(**world.get::<Children>(root).unwrap(), [c, a]);
    /// assert!(world.get::<ChildOf>(b).is_none());
    /// ```
    #[track_caller]
    pub fn replace_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        let target = self.expect_target();
        let world = World::from_store_mut(self.store_mut().by_caller());
        related.iter().for_each(|&source| _ = world.entity(source));
        let kept = EntityHashSet::from_iter(related.iter().copied());
        let before = world.sources::<R::RelationshipTarget>(target);
        let is_new = |source: &Entity| world.get::<R>(*source).is_none_or(|named| named.get() != target);
        let new: Vec<Entity> = related.iter().copied().filter(is_new).collect();
        world.as_one_linking::<R>(|world| {
            // The new ones come first: other fields of the list would go with the last of those that go.
            world.link_all::<R>(target, &new);
            world.store.relink();
            world.unlink_all::<R>(target, before.into_iter().filter(|source| !kept.contains(source)));
            world.store.relink();
            // Those that could not be linked are not listed.
            world.arrange::<R>(target, |listed| {
                let is_listed = EntityHashSet::from_iter(listed.iter().copied());
                let mut seen = EntityHashSet::default();
                let all = related.iter().chain(listed).copied();
                all.filter(|source| is_listed.contains(source) && seen.insert(*source)).collect()
            });
        });
        self
    }

    /// Despawns the entities that are linked to this one by `S`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.spawn(children![(), ()]).despawn_related::<Children>();
    /// assert_eq!(world.len(), 1);
    /// ```
    pub fn despawn_related<S: RelationshipTarget>(&mut self) -> &mut Self {
        let target = self.expect_target();
        self.world_scope(|world| {
            let sources = world.sources::<S>(target);
            world.many(&sources).despawn();
        });
        self
    }

    /// Adds clones of a bundle to this entity and all below it: those that are linked to it by `S`, directly or through others.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)] struct Team(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(children![children![()]]).insert_recursive::<Children>(Team(7));
    /// assert_eq!(world.query::<&Team>().iter(&world).count(), 3);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_recursive<S: RelationshipTarget>(&mut self, bundle: impl Bundle + Clone) -> &mut Self {
        let root = self.expect_target();
        let world = World::from_store_mut(self.store_mut().by_caller());
        world.for_each_recursive::<S>(root, |mut entity| entity.insert_for_origin(bundle.clone()));
        self
    }

    /// Removes the components of a bundle from this entity and all below it: those that are linked to it by `S`, directly or through
    /// others.
    pub fn remove_recursive<S: RelationshipTarget, B: Bundle>(&mut self) -> &mut Self {
        let root = self.expect_target();
        let world = World::from_store_mut(self.store_mut().by_caller());
        world.for_each_recursive::<S>(root, |entity| _ = EntityWorldMut::new(entity).remove::<B>());
        self
    }
}

/// The same for children.
impl EntityWorldMut<'_> {
    /// Has a function spawn children.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut root = world.spawn_empty();
    /// root.with_children(|parent| {
    ///     parent.spawn_empty();
    ///     parent.spawn_empty().with_child(());
    /// });
    /// assert_eq!(root.get::<Children>().unwrap().len(), 2);
    /// ```
    pub fn with_children(&mut self, func: impl FnOnce(&mut ChildSpawner<'_>)) -> &mut Self {
        self.with_related_entities(func)
    }

    repeated_methods! {
        ///
        /// # Panics
        ///
        /// If one of them is not alive; then nothing has happened.
        #[track_caller]
    }
}

/// Commands that link entities by a relationship `R`: the entity is the target.
impl<'a> EntityCommands<'a> {
    /// Records a link of the entities that are alive when the command is applied. The first that is not is the error.
    #[cfg_attr(feature = "track_location", track_caller)]
    fn link_living(
        &mut self,
        sources: &[Entity],
        link: impl FnOnce(&mut EntityWorldMut<'_>, &[Entity]) + Send + 'static,
    ) -> &mut Self {
        let mut living = Vec::from(sources);
        self.queue(move |mut target: EntityWorldMut<'_>| {
            let mut outcome: Result<(), EntityError> = Ok(());
            living.retain(|&source| {
                let found = target.world().get_entity(source).map(drop);
                let is_alive = found.is_ok();
                outcome = outcome.and(found);
                is_alive
            });
            link(&mut target, &living);
            outcome
        })
    }

    /// Spawns an entity that is linked to this one.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn with_related<R: Relationship>(&mut self, bundle: impl Bundle) -> &mut Self {
        let target = self.id();
        self.commands().spawn((bundle, R::from(target)));
        self
    }

    /// Has a function record spawns of entities that are linked to this one.
    pub fn with_related_entities<R: Relationship>(
        &mut self,
        func: impl FnOnce(&mut RelatedSpawnerCommands<'_, R>),
    ) -> &mut Self {
        let target = self.id();
        func(&mut RelatedSpawnerCommands::new(self.commands(), target));
        self
    }

    /// Links entities to this one, behind those that are.
    ///
    /// Those that have ended when the command is applied are an error of the command; the others are linked.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn add_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        self.link_living(related, |target, living| _ = target.add_related::<R>(living))
    }

    /// Links entities to this one, at a place among those that are, as [`EntityWorldMut::insert_related`].
    ///
    /// Those that have ended when the command is applied are an error of the command; the others are linked.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_related<R: Relationship>(&mut self, index: usize, related: &[Entity]) -> &mut Self
    where
        <R::RelationshipTarget as RelationshipTarget>::Collection: OrderedRelationshipSourceCollection,
    {
        self.link_living(related, move |target, living| _ = target.insert_related::<R>(index, living))
    }

    /// Unlinks those of some entities that are linked to this one.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn remove_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        let related = Vec::from(related);
        self.queue(move |mut entity: EntityWorldMut<'_>| _ = entity.remove_related::<R>(&related))
    }

    /// Links these entities to this one, in this order, and no others.
    ///
    /// Those that have ended when the command is applied are an error of the command; the others are linked.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn replace_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        self.link_living(related, |target, living| _ = target.replace_related::<R>(living))
    }

    /// Despawns the entities that are linked to this one by `S`.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn despawn_related<S: RelationshipTarget>(&mut self) -> &mut Self {
        self.queue(|mut entity: EntityWorldMut<'_>| _ = entity.despawn_related::<S>())
    }

    /// Adds clones of a bundle to this entity and all below it.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_recursive<S: RelationshipTarget>(&mut self, bundle: impl Bundle + Clone) -> &mut Self {
        self.queue(move |mut entity: EntityWorldMut<'_>| _ = entity.insert_recursive::<S>(bundle))
    }

    /// Removes the components of a bundle from this entity and all below it.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn remove_recursive<S: RelationshipTarget, B: Bundle>(&mut self) -> &mut Self {
        self.queue(|mut entity: EntityWorldMut<'_>| _ = entity.remove_recursive::<S, B>())
    }

    /// Has a function record spawns of children.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn build(mut commands: Commands) {
    ///     commands.spawn_empty().with_children(|parent| {
    ///         parent.spawn_empty();
    ///         parent.spawn_empty();
    ///     });
    /// }
    ///
    /// let mut world = World::new();
    /// world.run_system_once(build).unwrap();
    /// assert_eq!(world.query::<&Children>().single(&world).unwrap().len(), 2);
    /// ```
    pub fn with_children(&mut self, func: impl FnOnce(&mut ChildSpawnerCommands<'_>)) -> &mut Self {
        self.with_related_entities(func)
    }

    repeated_methods! {
        ///
        /// Entities that have ended when the command is applied are an error of the command; the others are linked.
        #[cfg_attr(feature = "track_location", track_caller)]
    }
}

/// Entities are linked to a target only in its world.
#[track_caller]
pub(super) fn expect_same_world(world: &World, of: WorldId, target: Entity) {
    assert!(
        of == world.id(),
        "entity {target} gets no more sources: its world was exchanged for another one while they were spawned"
    );
}

/// Spawns entities that are linked to one by `R`.
pub struct RelatedSpawner<'w, R: Relationship> {
    target: Entity,
    /// The world of the target. A command of an observer may exchange it for another one.
    of: WorldId,
    world: &'w mut World,
    marker: PhantomData<R>,
}

impl<'w, R: Relationship> RelatedSpawner<'w, R> {
    /// For an entity of a world.
    pub fn new(world: &'w mut World, target: Entity) -> Self {
        Self { target, of: world.id(), world, marker: PhantomData }
    }

    /// Spawns an entity that is linked to the target.
    ///
    /// # Panics
    ///
    /// If the world has been exchanged for another one, by a command of an observer.
    #[track_caller]
    pub fn spawn(&mut self, bundle: impl Bundle) -> EntityWorldMut<'_> {
        expect_same_world(self.world, self.of, self.target);
        self.world.spawn((R::from(self.target), bundle))
    }

    /// Spawns an entity without other components that is linked to the target.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn).
    #[track_caller]
    pub fn spawn_empty(&mut self) -> EntityWorldMut<'_> {
        expect_same_world(self.world, self.of, self.target);
        self.world.spawn(R::from(self.target))
    }

    /// The entity to which those that are spawned are linked.
    #[must_use]
    pub fn target_entity(&self) -> Entity {
        self.target
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        self.world
    }

    /// The world.
    pub fn world_mut(&mut self) -> &mut World {
        self.world
    }
}

impl<R: Relationship> fmt::Debug for RelatedSpawner<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelatedSpawner").field("target", &self.target).finish_non_exhaustive()
    }
}

/// Records spawns of entities that are linked to one by `R`.
pub struct RelatedSpawnerCommands<'w, R: Relationship> {
    target: Entity,
    commands: Commands<'w, 'w>,
    marker: PhantomData<R>,
}

impl<'w, R: Relationship> RelatedSpawnerCommands<'w, R> {
    /// For an entity.
    #[must_use]
    pub fn new(commands: Commands<'w, 'w>, target: Entity) -> Self {
        Self { target, commands, marker: PhantomData }
    }

    /// Spawns an entity that is linked to the target.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn spawn(&mut self, bundle: impl Bundle) -> EntityCommands<'_> {
        self.commands.spawn((R::from(self.target), bundle))
    }

    /// Spawns an entity without other components that is linked to the target.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn spawn_empty(&mut self) -> EntityCommands<'_> {
        self.commands.spawn(R::from(self.target))
    }

    /// The entity to which those that are spawned are linked.
    #[must_use]
    pub fn target_entity(&self) -> Entity {
        self.target
    }

    /// The commands, for others.
    pub fn commands(&mut self) -> Commands<'_, '_> {
        self.commands.reborrow()
    }

    /// The commands, for others.
    pub fn commands_mut(&mut self) -> &mut Commands<'w, 'w> {
        &mut self.commands
    }

    /// The same spawner, for a shorter time: for a function that takes it by value.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::world::ChildSpawnerCommands;
    ///
    /// fn spawn_two(mut children: ChildSpawnerCommands) {
    ///     children.spawn_empty();
    ///     children.spawn_empty();
    /// }
    /// let mut world = World::new();
    /// let parent = world.spawn_empty().id();
    /// world.commands().entity(parent).with_children(|children| {
    ///     spawn_two(children.reborrow());
    ///     spawn_two(children.reborrow());
    /// });
    /// world.flush();
    /// assert_eq!(world.get::<Children>(parent).unwrap().len(), 4);
    /// ```
    pub fn reborrow(&mut self) -> RelatedSpawnerCommands<'_, R> {
        RelatedSpawnerCommands::new(self.commands.short(), self.target)
    }
}

impl<R: Relationship> fmt::Debug for RelatedSpawnerCommands<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelatedSpawnerCommands").field("target", &self.target).finish_non_exhaustive()
    }
}
