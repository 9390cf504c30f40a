//! Linking entities, and operations on linked entities.
//!
//! Tests: tests/relationships/hierarchy.rs, tests/relationships/commands.rs

mod spawner;

use alloc::vec::Vec;
use core::mem::needs_drop;

pub(super) use self::spawner::expect_same_world;
pub use self::spawner::{ChildSpawner, ChildSpawnerCommands, RelatedSpawner, RelatedSpawnerCommands};
use super::cast::World;
use super::entity_mut::EntityWorldMut;
use super::links::{link_to, sources};
use crate::entity::{Entity, EntityError, EntityHashSet};
use crate::relations::hierarchy::{ChildOf, Children};
use crate::relations::relationship::{
    OrderedRelationshipSourceCollection, Relationship, RelationshipSourceCollection, RelationshipTarget,
};
use crate::structure::bundle::Bundle;
use crate::structure::store::StoreEntityMut;
use crate::system::commands::EntityCommands;

/// Returns `all` with the entities of `moved` at a new position: the first one at `index`, and the others after it in
/// order. If an entity occurs several times in `moved`, its last occurrence counts. Entities that are not in `all` are
/// ignored. The entities that are not in `moved` keep their order.
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
    /// Returns the entities that are linked to `target` by `S`.
    fn sources<S: RelationshipTarget>(&mut self, target: Entity) -> Vec<Entity> {
        let id = self.store.register_component::<S::Relationship>();
        sources::<S::Relationship>(&mut self.store, id, target).unwrap_or_default()
    }

    /// Panics if an entity is not alive. Methods call this outside of closures, where a panic reports the line of the caller.
    #[track_caller]
    fn expect_all(&self, entities: &[Entity]) {
        for &entity in entities {
            let _ = self.entity(entity);
        }
    }

    /// Links entities to a target, in this order, as one operation. If an entity already has a relationship component, its other fields
    /// keep their values. The caller of the enclosing operation is recorded as the origin. All entities must be alive.
    fn link_all<R: Relationship>(&mut self, target: Entity, sources: &[Entity]) {
        // A relationship with other fields keeps their values. A relationship without other fields is replaced as by an insertion, and the
        // old value is dropped.
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
                if !is_named && let Ok(mut source) = StoreEntityMut::find(store, source) {
                    source.insert_for_origin(R::from(target));
                }
            }
        });
    }

    /// Calls a function that changes links of `R` in several steps, as one operation. Commands of observers are applied
    /// at the end of it; they may replace the world by another one. If no hook or observer listens to the links, each
    /// step is a separate operation, which is faster.
    fn as_one_linking<R: Relationship>(&mut self, steps: impl FnOnce(&mut Self)) {
        self.store.change_links(|store| {
            if store.can_link_component_at_once::<R>() {
                steps(World::from_store_mut(store));
            } else {
                store.batched(|store| steps(World::from_store_mut(store)));
            }
        });
    }

    /// Unlinks some entities from `target`, as one operation. Entities that are not linked to `target` are skipped.
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

    /// Reorders the sources of a target. `order` gets the present order and returns the new one.
    fn arrange<R: Relationship>(&mut self, target: Entity, order: impl FnOnce(&[Entity]) -> Vec<Entity>) {
        let arranged = order(&self.sources::<R::RelationshipTarget>(target));
        let Some(mut list) = self.get_mut::<R::RelationshipTarget>(target) else { return };
        let list = list.collection_mut_risky();
        list.clear();
        list.extend_from_iter(arranged.iter());
        if let Some(id) = self.component_id::<R>() {
            self.store.events.links.move_places(id, &arranged);
        }
    }

    /// Calls a function for an entity and all its descendants by `S`, as one operation. Each entity is visited before its descendants.
    fn for_each_recursive<S: RelationshipTarget>(&mut self, root: Entity, mut each: impl FnMut(StoreEntityMut<'_>)) {
        self.store.batched(|store| {
            let world = World::from_store_mut(store);
            let mut waiting = alloc::vec![root];
            // Links without `linked_spawn` may form cycles, so visited entities are recorded.
            let mut seen = EntityHashSet::default();
            while let Some(entity) = waiting.pop() {
                if seen.insert(entity) {
                    waiting.extend(world.sources::<S>(entity).into_iter().rev());
                    StoreEntityMut::find(&mut world.store, entity).into_iter().for_each(&mut each);
                }
            }
        });
    }
}

/// Defines methods of [`EntityWorldMut`] and [`EntityCommands`] that call other methods of the same type, with fewer
/// arguments or for children. The attributes `$living` are added to methods whose arguments must be living entities.
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
        $(#[$living])*
        pub fn detach_all_related<R: Relationship>(&mut self) -> &mut Self {
            self.remove::<R::RelationshipTarget>()
        }

        /// Links entities to this one, in this order, and unlinks all others, like
        /// [`replace_related`](Self::replace_related), which computes the difference.
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
        $(#[$living])*
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

        /// Makes entities children of this one, at a position among its other children; see
        /// [`insert_related`](Self::insert_related).
        $(#[$living])*
        pub fn insert_children(&mut self, index: usize, children: &[Entity]) -> &mut Self {
            self.insert_related::<ChildOf>(index, children)
        }

        /// Makes an entity a child of this one, at a position among its other children.
        $(#[$living])*
        pub fn insert_child(&mut self, index: usize, child: Entity) -> &mut Self {
            self.insert_related::<ChildOf>(index, &[child])
        }

        /// Unlinks children from this entity. Entities that are not children of this one are skipped.
        $(#[$living])*
        pub fn detach_children(&mut self, children: &[Entity]) -> &mut Self {
            self.remove_related::<ChildOf>(children)
        }

        /// Unlinks an entity from this one if it is a child.
        $(#[$living])*
        pub fn detach_child(&mut self, child: Entity) -> &mut Self {
            self.remove_related::<ChildOf>(&[child])
        }

        /// Unlinks all children.
        $(#[$living])*
        pub fn detach_all_children(&mut self) -> &mut Self {
            self.detach_all_related::<ChildOf>()
        }

        /// Makes these entities the children, in this order, and unlinks all other children.
        $(#[$living])*
        pub fn replace_children(&mut self, children: &[Entity]) -> &mut Self {
            self.replace_related::<ChildOf>(children)
        }

        /// Makes these entities the children, like [`replace_children`](Self::replace_children), which computes the difference.
        $(#[$living])*
        pub fn replace_children_with_difference(
            &mut self,
            _entities_to_unrelate: &[Entity],
            entities_to_relate: &[Entity],
            _newly_related_entities: &[Entity],
        ) -> &mut Self {
            self.replace_related::<ChildOf>(entities_to_relate)
        }

        /// Despawns the children and all their descendants.
        $(#[$living])*
        pub fn despawn_children(&mut self) -> &mut Self {
            self.despawn_related::<Children>()
        }
    };
}

/// The methods that link entities by a relationship `R`, with this entity as the target.
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
    #[track_caller]
    pub fn with_related<R: Relationship>(&mut self, bundle: impl Bundle) -> &mut Self {
        let target = self.expect_target();
        World::from_store_mut(self.store_mut()).spawn((bundle, R::from(target)));
        self
    }

    /// Calls a function that spawns entities that are linked to this one.
    #[track_caller]
    pub fn with_related_entities<R: Relationship>(
        &mut self,
        func: impl FnOnce(&mut RelatedSpawner<'_, R>),
    ) -> &mut Self {
        let target = self.expect_target();
        self.world_scope(|world| func(&mut RelatedSpawner::new(world, target)));
        self
    }

    /// Links entities to this one, after those that are linked already. If an entity already has a relationship
    /// component, its other fields keep their values.
    ///
    /// # Panics
    ///
    /// If one of the entities is not alive. Then nothing has changed.
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
        let world = World::from_store_mut(self.store_mut().track_caller());
        world.expect_all(related);
        world.link_all::<R>(target, related);
        self
    }

    /// Links entities to this one, at a position among those that are linked already. Given entities that are linked already are moved to
    /// this position. `index` counts the list without the given entities: afterwards, the first given entity is at `index`, and the next
    /// ones follow in order. If the index is past the end of the list, the given entities come last. The other entities keep their order.
    /// Other fields of relationship components keep their values.
    ///
    /// If an entity occurs several times, its last occurrence counts. Entities that cannot be linked are ignored. `O(linked entities)`.
    ///
    /// # Panics
    ///
    /// If one of the entities is not alive. Then nothing has changed.
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
        let world = World::from_store_mut(self.store_mut().track_caller());
        world.expect_all(related);
        world.as_one_linking::<R>(|world| {
            world.link_all::<R>(target, related);
            world.store.relink();
            world.arrange::<R>(target, |listed| with_moved(listed, index, related));
        });
        self
    }

    /// Unlinks entities from this one. Entities that are not linked to this one are skipped.
    #[track_caller]
    pub fn remove_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        let target = self.expect_target();
        self.world_scope(|world| world.unlink_all::<R>(target, related.iter().copied()));
        self
    }

    /// Links these entities to this one, in this order, and unlinks all others. Other fields of the components on both
    /// sides keep their values. New entities are linked before others are unlinked.
    ///
    /// # Panics
    ///
    /// If one of the entities is not alive. Then nothing has changed.
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
        let world = World::from_store_mut(self.store_mut().track_caller());
        world.expect_all(related);
        let kept = EntityHashSet::from_iter(related.iter().copied());
        let before = world.sources::<R::RelationshipTarget>(target);
        let is_new = |source: &Entity| world.get::<R>(*source).is_none_or(|named| named.get() != target);
        let new: Vec<Entity> = related.iter().copied().filter(is_new).collect();
        world.as_one_linking::<R>(|world| {
            // Links are added before others are removed: removing the last source would remove the list component with its other fields.
            world.link_all::<R>(target, &new);
            world.store.relink();
            world.unlink_all::<R>(target, before.into_iter().filter(|source| !kept.contains(source)));
            world.store.relink();
            // Entities that could not be linked are not listed, so they are left out of the order.
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
    #[track_caller]
    pub fn despawn_related<S: RelationshipTarget>(&mut self) -> &mut Self {
        let target = self.expect_target();
        self.world_scope(|world| {
            let sources = world.sources::<S>(target);
            world.many(&sources).despawn();
        });
        self
    }

    /// Adds clones of a bundle to this entity and all its descendants. The descendants are the entities that are linked
    /// to it by `S`, directly or through others.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)] struct Team(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(children![children![()]]).insert_recursive::<Children>(Team(7));
    /// assert_eq!(world.query::<&Team>().iter(&world).count(), 3);
    /// ```
    #[track_caller]
    pub fn insert_recursive<S: RelationshipTarget>(&mut self, bundle: impl Bundle + Clone) -> &mut Self {
        let root = self.expect_target();
        let world = World::from_store_mut(self.store_mut().track_caller());
        world.for_each_recursive::<S>(root, |mut entity| entity.insert_for_origin(bundle.clone()));
        self
    }

    /// Removes the components of a bundle from this entity and all its descendants. The descendants are the entities
    /// that are linked to it by `S`, directly or through others.
    #[track_caller]
    pub fn remove_recursive<S: RelationshipTarget, B: Bundle>(&mut self) -> &mut Self {
        let root = self.expect_target();
        let world = World::from_store_mut(self.store_mut().track_caller());
        world.for_each_recursive::<S>(root, |entity| _ = EntityWorldMut::new(entity).remove::<B>());
        self
    }
}

/// The methods for children.
impl EntityWorldMut<'_> {
    /// Calls a function that spawns children.
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
    #[track_caller]
    pub fn with_children(&mut self, func: impl FnOnce(&mut ChildSpawner<'_>)) -> &mut Self {
        self.with_related_entities(func)
    }

    repeated_methods! {
        ///
        /// # Panics
        ///
        /// If one of the entities is not alive. Then nothing has changed.
        #[track_caller]
    }
}

/// Commands that link entities by a relationship `R`, with this entity as the target.
impl<'a> EntityCommands<'a> {
    /// Records a command that links those of some entities that are alive when the command is applied. If some are not
    /// alive, the command returns an error for the first of them.
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

    /// Calls a function that records commands which spawn entities that are linked to this one.
    pub fn with_related_entities<R: Relationship>(
        &mut self,
        func: impl FnOnce(&mut RelatedSpawnerCommands<'_, R>),
    ) -> &mut Self {
        let target = self.id();
        func(&mut RelatedSpawnerCommands::new(self.commands(), target));
        self
    }

    /// Links entities to this one, after those that are linked already.
    ///
    /// If some entities are not alive when the command is applied, it returns an error. The others are linked.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn add_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        self.link_living(related, |target, living| _ = target.add_related::<R>(living))
    }

    /// Links entities to this one, at a position among those that are linked already, like [`EntityWorldMut::insert_related`].
    ///
    /// If some entities are not alive when the command is applied, it returns an error. The others are linked.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_related<R: Relationship>(&mut self, index: usize, related: &[Entity]) -> &mut Self
    where
        <R::RelationshipTarget as RelationshipTarget>::Collection: OrderedRelationshipSourceCollection,
    {
        self.link_living(related, move |target, living| _ = target.insert_related::<R>(index, living))
    }

    /// Unlinks entities from this one. Entities that are not linked to this one are skipped.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn remove_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        let related = Vec::from(related);
        self.queue(move |mut entity: EntityWorldMut<'_>| _ = entity.remove_related::<R>(&related))
    }

    /// Links these entities to this one, in this order, and unlinks all others.
    ///
    /// If some entities are not alive when the command is applied, it returns an error. The others are linked.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn replace_related<R: Relationship>(&mut self, related: &[Entity]) -> &mut Self {
        self.link_living(related, |target, living| _ = target.replace_related::<R>(living))
    }

    /// Despawns the entities that are linked to this one by `S`.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn despawn_related<S: RelationshipTarget>(&mut self) -> &mut Self {
        self.queue(|mut entity: EntityWorldMut<'_>| _ = entity.despawn_related::<S>())
    }

    /// Adds clones of a bundle to this entity and all its descendants.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_recursive<S: RelationshipTarget>(&mut self, bundle: impl Bundle + Clone) -> &mut Self {
        self.queue(move |mut entity: EntityWorldMut<'_>| _ = entity.insert_recursive::<S>(bundle))
    }

    /// Removes the components of a bundle from this entity and all its descendants.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn remove_recursive<S: RelationshipTarget, B: Bundle>(&mut self) -> &mut Self {
        self.queue(|mut entity: EntityWorldMut<'_>| _ = entity.remove_recursive::<S, B>())
    }

    /// Calls a function that records commands which spawn children.
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
        /// If some entities are not alive when the command is applied, it returns an error. The others are linked.
        #[cfg_attr(feature = "track_location", track_caller)]
    }
}
