//! Collections in which a target lists its sources.
//!
//! Tests: tests/relationships/histories.rs, tests/relationships/panics.rs

use alloc::vec::Vec;
use core::iter::Copied;
use core::slice;

use crate::entity::{Entity, EntityHashSet};

/// A collection of entities in which a [`RelationshipTarget`](super::RelationshipTarget) lists its sources. `Vec<Entity>` and
/// [`SourceList`](super::SourceList) keep the order of the sources. [`EntityHashSet`] finds a source in constant time. A single [`Entity`]
/// is for targets with at most one source.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::relationship::RelationshipSourceCollection;
///
/// let mut world = World::new();
/// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
/// let mut sources = Vec::new();
/// assert!(RelationshipSourceCollection::add(&mut sources, a));
/// sources.extend_from_iter([b]);
/// assert!(RelationshipSourceCollection::remove(&mut sources, a));
/// assert_eq!(sources, [b]);
/// ```
#[diagnostic::on_unimplemented(
    message = "sources cannot be listed in a `{Self}`",
    label = "not a collection of sources",
    note = "a target lists its sources in a `Vec<Entity>`, a `SourceList`, an `EntityHashSet` or, if it has one at most, an `Entity`"
)]
pub trait RelationshipSourceCollection {
    /// An iterator over the entities.
    type SourceIter<'a>: Iterator<Item = Entity>
    where
        Self: 'a;

    /// Creates an empty collection.
    fn new() -> Self;

    /// Creates an empty collection with room for `capacity` entities.
    fn with_capacity(capacity: usize) -> Self;

    /// Makes room for `additional` more entities.
    fn reserve(&mut self, additional: usize);

    /// Adds an entity. Returns whether the collection has changed.
    fn add(&mut self, entity: Entity) -> bool;

    /// Removes an entity. Returns whether the collection contained it.
    fn remove(&mut self, entity: Entity) -> bool;

    /// Returns the entities.
    fn iter(&self) -> Self::SourceIter<'_>;

    /// Returns the number of entities.
    fn len(&self) -> usize;

    /// Removes all entities.
    fn clear(&mut self);

    /// Frees unused memory.
    fn shrink_to_fit(&mut self);

    /// Returns whether the collection is empty.
    #[inline]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the entity that has to be removed before another entity can be added, if there is one.
    fn source_to_remove_before_add(&self) -> Option<Entity> {
        None
    }

    /// Adds entities.
    fn extend_from_iter(&mut self, entities: impl IntoIterator<Item = Entity>);

    /// Whether the collection removes an entity at a known position in constant time.
    #[doc(hidden)]
    const KNOWS_PLACES: bool = false;

    /// Returns the target whose sources the collection lists; a placeholder if it is not known yet. `None` if the collection does not store
    /// its target.
    #[doc(hidden)]
    #[inline]
    fn target(&self) -> Option<Entity> {
        None
    }

    /// Sets the target whose sources the collection lists.
    #[doc(hidden)]
    #[inline]
    fn set_target(&mut self, target: Entity) {
        let _ = target;
    }

    /// Returns whether the collection lists the sources of another target than `target`. This happens if a program swaps the values of two
    /// components.
    #[doc(hidden)]
    #[inline]
    fn is_of_another(&self, target: Entity) -> bool {
        self.target().is_some_and(|of| of != target)
    }

    /// Adds an entity at the end. Returns its position, or 0 if the collection does not use positions.
    #[doc(hidden)]
    #[inline]
    fn add_at_end(&mut self, entity: Entity) -> u32 {
        self.add(entity);
        0
    }

    /// Removes an entity that was added at this position. Other entities may have been removed since then.
    #[doc(hidden)]
    #[inline]
    fn remove_near(&mut self, entity: Entity, place: u32) -> Unlisted {
        let _ = place;
        self.remove(entity);
        Unlisted { is_empty: self.is_empty(), are_elsewhere: false }
    }
}

/// The state of a collection after the removal of an entity.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Unlisted {
    /// Whether the collection is empty.
    pub is_empty: bool,
    /// Whether entities have moved, so that their stored positions should be updated.
    pub are_elsewhere: bool,
}

/// A collection that keeps its sources in an order.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::relationship::OrderedRelationshipSourceCollection as _;
///
/// let mut world = World::new();
/// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
/// let mut sources = vec![a, b];
/// sources.insert_stable(1, c);
/// sources.place(b, 0);
/// assert_eq!(sources, [b, a, c]);
/// ```
pub trait OrderedRelationshipSourceCollection: RelationshipSourceCollection {
    /// Puts an entity at an index; if the index is too large, at the end. The entity that was at the index moves to the end.
    fn insert(&mut self, index: usize, entity: Entity);

    /// Removes the entity at an index. The last entity moves to this index.
    fn remove_at(&mut self, index: usize) -> Option<Entity>;

    /// Inserts an entity at an index; if the index is too large, at the end. Later entities move up by one.
    fn insert_stable(&mut self, index: usize, entity: Entity);

    /// Removes the entity at an index. Later entities move down by one.
    fn remove_at_stable(&mut self, index: usize) -> Option<Entity>;

    /// Sorts the entities.
    fn sort(&mut self);

    /// Inserts an entity at its sorted position. The entities must be sorted.
    fn insert_sorted(&mut self, entity: Entity);

    /// Moves the last entity to an index.
    fn place_most_recent(&mut self, index: usize) {
        if let Some(entity) = self.pop_back() {
            self.insert_stable(index, entity);
        }
    }

    /// Moves an entity to an index, if it is in the collection.
    fn place(&mut self, entity: Entity, index: usize);

    /// Inserts an entity at the beginning.
    fn push_front(&mut self, entity: Entity) {
        self.insert_stable(0, entity);
    }

    /// Adds an entity at the end.
    fn push_back(&mut self, entity: Entity) {
        self.insert_stable(self.len(), entity);
    }

    /// Removes the first entity.
    fn pop_front(&mut self) -> Option<Entity> {
        self.remove_at_stable(0)
    }

    /// Removes the last entity.
    fn pop_back(&mut self) -> Option<Entity> {
        let last = self.len().checked_sub(1)?;
        self.remove_at_stable(last)
    }
}

/// Returns the index of an entity. Blocks of entities are compared at once.
pub(super) fn position(entities: &[Entity], entity: Entity) -> Option<usize> {
    const BLOCK: usize = 16;
    let is_it = |other: &Entity| other.to_bits() == entity.to_bits();
    let mut blocks = entities.chunks_exact(BLOCK);
    let count = blocks.len();
    let with_it = blocks.position(|block| block.iter().fold(false, |found, other| found | is_it(other)));
    let first = with_it.unwrap_or(count) * BLOCK;
    entities[first..].iter().position(is_it).map(|at| first + at)
}

/// Forwards methods of a collection to its inner collection, except the methods that the collection defines itself.
macro_rules! forward_to_inner {
    (|$this:ident| $inner:expr) => {
        fn reserve(&mut self, additional: usize) {
            let $this = self;
            $inner.reserve(additional);
        }

        fn clear(&mut self) {
            let $this = self;
            $inner.clear();
        }

        fn shrink_to_fit(&mut self) {
            let $this = self;
            $inner.shrink_to_fit();
        }

        fn extend_from_iter(&mut self, entities: impl IntoIterator<Item = Entity>) {
            let $this = self;
            $inner.extend(entities);
        }
    };
}

pub(super) use forward_to_inner;

impl RelationshipSourceCollection for Vec<Entity> {
    forward_to_inner!(|this| this);

    type SourceIter<'a> = Copied<slice::Iter<'a, Entity>>;

    fn new() -> Self {
        Self::new()
    }

    fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }

    fn add(&mut self, entity: Entity) -> bool {
        self.push(entity);
        true
    }

    /// `O(1)` for the first and the last entity, `O(entities)` for others.
    fn remove(&mut self, entity: Entity) -> bool {
        if self.last() == Some(&entity) {
            self.pop();
            return true;
        }
        position(self, entity).is_some_and(|at| self.remove(at) == entity)
    }

    #[inline]
    fn iter(&self) -> Self::SourceIter<'_> {
        <[Entity]>::iter(self).copied()
    }

    #[inline]
    fn len(&self) -> usize {
        self.len()
    }
}

impl OrderedRelationshipSourceCollection for Vec<Entity> {
    fn insert(&mut self, index: usize, entity: Entity) {
        self.push(entity);
        let last = self.len() - 1;
        self.swap(index.min(last), last);
    }

    fn remove_at(&mut self, index: usize) -> Option<Entity> {
        (index < self.len()).then(|| self.swap_remove(index))
    }

    fn insert_stable(&mut self, index: usize, entity: Entity) {
        let index = index.min(self.len());
        self.insert(index, entity);
    }

    fn remove_at_stable(&mut self, index: usize) -> Option<Entity> {
        (index < self.len()).then(|| self.remove(index))
    }

    fn sort(&mut self) {
        self.sort_unstable();
    }

    fn insert_sorted(&mut self, entity: Entity) {
        let at = self.partition_point(|&other| other <= entity);
        self.insert_stable(at, entity);
    }

    fn place(&mut self, entity: Entity, index: usize) {
        if let Some(at) = position(self, entity) {
            self.remove_at_stable(at);
            self.insert_stable(index, entity);
        }
    }
}

impl RelationshipSourceCollection for EntityHashSet {
    forward_to_inner!(|this| (**this));

    type SourceIter<'a> = Copied<hashbrown::hash_set::Iter<'a, Entity>>;

    fn new() -> Self {
        Self::default()
    }

    fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }

    fn add(&mut self, entity: Entity) -> bool {
        self.insert(entity)
    }

    fn remove(&mut self, entity: Entity) -> bool {
        (**self).remove(&entity)
    }

    fn iter(&self) -> Self::SourceIter<'_> {
        (**self).iter().copied()
    }

    fn len(&self) -> usize {
        (**self).len()
    }
}

/// A collection of at most one source. [`Entity::PLACEHOLDER`] means that there is no source.
impl RelationshipSourceCollection for Entity {
    type SourceIter<'a> = core::option::IntoIter<Entity>;

    fn new() -> Self {
        Self::PLACEHOLDER
    }

    fn with_capacity(_: usize) -> Self {
        Self::PLACEHOLDER
    }

    fn reserve(&mut self, _: usize) {}

    fn add(&mut self, entity: Entity) -> bool {
        *self = entity;
        true
    }

    fn remove(&mut self, entity: Entity) -> bool {
        let is_there = *self == entity;
        if is_there {
            *self = Self::PLACEHOLDER;
        }
        is_there
    }

    fn iter(&self) -> Self::SourceIter<'_> {
        Some(*self).filter(|&entity| entity != Self::PLACEHOLDER).into_iter()
    }

    fn len(&self) -> usize {
        usize::from(*self != Self::PLACEHOLDER)
    }

    fn clear(&mut self) {
        *self = Self::PLACEHOLDER;
    }

    fn shrink_to_fit(&mut self) {}

    fn source_to_remove_before_add(&self) -> Option<Entity> {
        Some(*self).filter(|&entity| entity != Self::PLACEHOLDER)
    }

    fn extend_from_iter(&mut self, entities: impl IntoIterator<Item = Entity>) {
        if let Some(last) = entities.into_iter().last() {
            *self = last;
        }
    }
}
