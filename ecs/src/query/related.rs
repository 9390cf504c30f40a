//! Traversal of relationships with a query.
//!
//! Tests: tests/relationships/queries.rs

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;

use super::data::QueryData;
use super::filter::QueryFilter;
use super::handle::Query;
use crate::entity::Entity;
use crate::relations::relationship::{Relationship, RelationshipTarget};

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Returns the target of an entity: its parent, for [`ChildOf`](crate::hierarchy::ChildOf). `O(1)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let root = world.spawn_empty().id();
    /// let child = world.spawn(ChildOf(root)).id();
    /// let mut parents = world.query::<&ChildOf>();
    /// assert_eq!(parents.query(&world).related::<ChildOf>(child), Some(root));
    /// ```
    #[must_use]
    pub fn related<R: Relationship>(&'w self, entity: Entity) -> Option<Entity>
    where
        D::ReadOnly: QueryData<Item<'w, 's> = &'w R>,
    {
        self.get(entity).ok().map(R::get)
    }

    /// Iterates over the sources of an entity: its children, for [`Children`](crate::hierarchy::Children). `O(1)`, plus one step
    /// per source.
    pub fn relationship_sources<S: RelationshipTarget>(&'w self, entity: Entity) -> impl Iterator<Item = Entity> + 'w
    where
        D::ReadOnly: QueryData<Item<'w, 's> = &'w S>,
    {
        self.get(entity).into_iter().flat_map(S::iter)
    }

    /// Follows the targets from an entity up to an entity without a target, and returns that entity. This may be the first entity
    /// itself. `O(depth)`. Does not return if the links form a cycle.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let root = world.spawn_empty().id();
    /// let child = world.spawn(ChildOf(root)).id();
    /// let leaf = world.spawn(ChildOf(child)).id();
    /// let mut parents = world.query::<&ChildOf>();
    /// assert_eq!(parents.query(&world).root_ancestor::<ChildOf>(leaf), root);
    /// ```
    #[must_use]
    pub fn root_ancestor<R: Relationship>(&'w self, entity: Entity) -> Entity
    where
        D::ReadOnly: QueryData<Item<'w, 's> = &'w R>,
    {
        self.iter_ancestors::<R>(entity).last().unwrap_or(entity)
    }

    /// Iterates over the entities below an entity that have no sources themselves, depth first. Does not end if the links form a
    /// cycle.
    pub fn iter_leaves<S: RelationshipTarget>(
        &'w self,
        entity: Entity,
    ) -> impl Iterator<Item = Entity> + use<'w, 's, S, D, F>
    where
        D::ReadOnly: QueryData<Item<'w, 's> = &'w S>,
    {
        let is_leaf = |entity: &Entity| self.get(*entity).map_or(true, S::is_empty);
        self.iter_descendants_depth_first::<S>(entity).filter(is_leaf)
    }

    /// Iterates over the siblings of an entity: the other sources of its target, in their order.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let root = world.spawn_empty().id();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn(ChildOf(root)).id());
    /// let mut family = world.query::<(Option<&ChildOf>, Option<&Children>)>();
    /// assert!(family.query(&world).iter_siblings::<ChildOf>(b).eq([a, c]));
    /// ```
    pub fn iter_siblings<R: Relationship>(&'w self, entity: Entity) -> impl Iterator<Item = Entity> + 'w
    where
        D::ReadOnly: QueryData<Item<'w, 's> = (Option<&'w R>, Option<&'w R::RelationshipTarget>)>,
    {
        let target = self.get(entity).ok().and_then(|(named, _)| named.map(R::get));
        let sources = target.and_then(|target| self.get(target).ok()).and_then(|(_, sources)| sources);
        sources.into_iter().flat_map(RelationshipTarget::iter).filter(move |&other| other != entity)
    }

    /// Iterates over all entities below an entity, level by level. Does not end if the links form a cycle.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let root = world.spawn_empty().id();
    /// let [a, b] = [(); 2].map(|()| world.spawn(ChildOf(root)).id());
    /// let leaf = world.spawn(ChildOf(a)).id();
    /// let mut children = world.query::<&Children>();
    /// let children = children.query(&world);
    /// assert!(children.iter_descendants::<Children>(root).eq([a, b, leaf]));
    /// assert!(children.iter_descendants_depth_first::<Children>(root).eq([a, leaf, b]));
    /// ```
    pub fn iter_descendants<S: RelationshipTarget>(&'w self, entity: Entity) -> DescendantIter<'w, 's, D, F, S>
    where
        D::ReadOnly: QueryData<Item<'w, 's> = &'w S>,
    {
        DescendantIter::new(self, entity)
    }

    /// Iterates over all entities below an entity, depth first: each entity comes before those below it. Does not end if the links
    /// form a cycle.
    pub fn iter_descendants_depth_first<S: RelationshipTarget>(
        &'w self,
        entity: Entity,
    ) -> DescendantDepthFirstIter<'w, 's, D, F, S>
    where
        D::ReadOnly: QueryData<Item<'w, 's> = &'w S>,
    {
        DescendantDepthFirstIter::new(self, entity)
    }

    /// Iterates over all entities above an entity, beginning with its target. Does not end if the links form a cycle.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let root = world.spawn_empty().id();
    /// let child = world.spawn(ChildOf(root)).id();
    /// let leaf = world.spawn(ChildOf(child)).id();
    /// let mut parents = world.query::<&ChildOf>();
    /// assert!(parents.query(&world).iter_ancestors::<ChildOf>(leaf).eq([child, root]));
    /// ```
    pub fn iter_ancestors<R: Relationship>(&'w self, entity: Entity) -> AncestorIter<'w, 's, D, F, R>
    where
        D::ReadOnly: QueryData<Item<'w, 's> = &'w R>,
    {
        AncestorIter::new(self, entity)
    }
}

/// Defines iterators that follow a relationship with a query: the initial state, and the step to the next entity.
macro_rules! iterators {
    ($($(#[$doc:meta])* $Name:ident<$P:ident: $Trait:ident> {
        $field:ident: $Type:ty,
        $(#[$new:meta])*
        new($query:ident, $entity:ident) => $first:expr,
        next($iter:ident) => $next:expr,
    })*) => { $(
        $(#[$doc])*
        pub struct $Name<'w, 's, D: QueryData, F: QueryFilter, $P: $Trait>
        where
            D::ReadOnly: QueryData<Item<'w, 's> = &'w $P>,
        {
            query: &'w Query<'w, 's, D, F>,
            $field: $Type,
        }

        impl<'w, 's, D: QueryData, F: QueryFilter, $P: $Trait> $Name<'w, 's, D, F, $P>
        where
            D::ReadOnly: QueryData<Item<'w, 's> = &'w $P>,
        {
            $(#[$new])*
            #[must_use]
            pub fn new($query: &'w Query<'w, 's, D, F>, $entity: Entity) -> Self {
                Self { query: $query, $field: $first }
            }
        }

        impl<'w, 's, D: QueryData, F: QueryFilter, $P: $Trait> Iterator for $Name<'w, 's, D, F, $P>
        where
            D::ReadOnly: QueryData<Item<'w, 's> = &'w $P>,
        {
            type Item = Entity;

            fn next(&mut self) -> Option<Entity> {
                let $iter = self;
                $next
            }
        }

        impl<'w, 's, D: QueryData, F: QueryFilter, $P: $Trait> fmt::Debug for $Name<'w, 's, D, F, $P>
        where
            D::ReadOnly: QueryData<Item<'w, 's> = &'w $P>,
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Name)).field(stringify!($field), &self.$field).finish_non_exhaustive()
            }
        }
    )* };
}

iterators! {
    /// Iterates over the entities below an entity, level by level. Returned by [`Query::iter_descendants`].
    DescendantIter<S: RelationshipTarget> {
        waiting: VecDeque<Entity>,
        /// Iterates over the entities below `entity`.
        new(children_query, entity) => children_query.relationship_sources::<S>(entity).collect(),
        next(iter) => {
            let entity = iter.waiting.pop_front()?;
            iter.waiting.extend(iter.query.relationship_sources::<S>(entity));
            Some(entity)
        },
    }

    /// Iterates over the entities below an entity, depth first: each entity comes before those below it. Returned by
    /// [`Query::iter_descendants_depth_first`].
    DescendantDepthFirstIter<S: RelationshipTarget> {
        waiting: Vec<Entity>,
        /// Iterates over the entities below `entity`.
        new(children_query, entity) => {
            let mut waiting: Vec<Entity> = children_query.relationship_sources::<S>(entity).collect();
            waiting.reverse();
            waiting
        },
        next(iter) => {
            let entity = iter.waiting.pop()?;
            let first = iter.waiting.len();
            iter.waiting.extend(iter.query.relationship_sources::<S>(entity));
            iter.waiting[first..].reverse();
            Some(entity)
        },
    }

    /// Iterates over the entities above an entity. Returned by [`Query::iter_ancestors`].
    AncestorIter<R: Relationship> {
        next: Option<Entity>,
        /// Iterates over the entities above `entity`.
        new(parent_query, entity) => Some(entity),
        next(iter) => {
            iter.next = iter.query.related::<R>(iter.next?);
            iter.next
        },
    }
}
