//! Collections in which a target lists its sources.

use alloc::vec::Vec;
use core::iter::Copied;
use core::slice;

use crate::entity::{Entity, EntityHashSet};

/// A collection of entities in which a [`RelationshipTarget`](super::RelationshipTarget) lists its sources: `Vec<Entity>` or
/// [`SourceList`](super::SourceList), which keep their order, [`EntityHashSet`], in which one is found in constant time, or a single [`Entity`], if a target has one source at most.
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
    /// Goes through the entities.
    type SourceIter<'a>: Iterator<Item = Entity>
    where
        Self: 'a;

    /// One without entities.
    fn new() -> Self;

    /// One without entities, with room for so many.
    fn with_capacity(capacity: usize) -> Self;

    /// Makes room for so many more.
    fn reserve(&mut self, additional: usize);

    /// Adds an entity, and says whether that has changed anything.
    fn add(&mut self, entity: Entity) -> bool;

    /// Removes an entity, and says whether it was there.
    fn remove(&mut self, entity: Entity) -> bool;

    /// The entities.
    fn iter(&self) -> Self::SourceIter<'_>;

    /// How many they are.
    fn len(&self) -> usize;

    /// Removes all.
    fn clear(&mut self);

    /// Gives back memory that is not needed.
    fn shrink_to_fit(&mut self);

    /// Whether there are none.
    #[inline]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entity that has to go before another one can be added.
    fn source_to_remove_before_add(&self) -> Option<Entity> {
        None
    }

    /// Adds entities.
    fn extend_from_iter(&mut self, entities: impl IntoIterator<Item = Entity>);

    /// Whether an entity goes in constant time if its place is known.
    #[doc(hidden)]
    const KNOWS_PLACES: bool = false;

    /// The target whose sources it lists, if it knows that: no entity, before it is known.
    #[doc(hidden)]
    #[inline]
    fn target(&self) -> Option<Entity> {
        None
    }

    /// Notes whose sources it lists.
    #[doc(hidden)]
    #[inline]
    fn set_target(&mut self, target: Entity) {
        let _ = target;
    }

    /// Whether it lists the sources of another target, since a program has exchanged the values of components.
    #[doc(hidden)]
    #[inline]
    fn is_of_another(&self, target: Entity) -> bool {
        self.target().is_some_and(|of| of != target)
    }

    /// Adds an entity, and says at which place it is, if that matters.
    #[doc(hidden)]
    #[inline]
    fn add_at_end(&mut self, entity: Entity) -> u32 {
        self.add(entity);
        0
    }

    /// Removes an entity that was at this place. Others may have gone since.
    #[doc(hidden)]
    #[inline]
    fn remove_near(&mut self, entity: Entity, place: u32) -> Unlisted {
        let _ = place;
        self.remove(entity);
        Unlisted { is_empty: self.is_empty(), are_elsewhere: false }
    }
}

/// What is known of a collection behind the removal of an entity.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Unlisted {
    /// Whether there are no others.
    pub is_empty: bool,
    /// Whether it should be noted anew at which places they are.
    pub are_elsewhere: bool,
}

/// A collection of sources that keeps them in an order.
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
    /// Puts an entity at a place, or behind all if there are fewer; the one that was there becomes the last.
    fn insert(&mut self, index: usize, entity: Entity);

    /// Removes the entity at a place, which the last one takes.
    fn remove_at(&mut self, index: usize) -> Option<Entity>;

    /// Puts an entity at a place, or behind all if there are fewer; those from there on come behind it.
    fn insert_stable(&mut self, index: usize, entity: Entity);

    /// Removes the entity at a place; those behind it move up.
    fn remove_at_stable(&mut self, index: usize) -> Option<Entity>;

    /// Sorts the entities.
    fn sort(&mut self);

    /// Puts an entity where it belongs in entities that are sorted.
    fn insert_sorted(&mut self, entity: Entity);

    /// Moves the last entity to a place.
    fn place_most_recent(&mut self, index: usize) {
        if let Some(entity) = self.pop_back() {
            self.insert_stable(index, entity);
        }
    }

    /// Moves an entity to a place, if it is there.
    fn place(&mut self, entity: Entity, index: usize);

    /// Puts an entity before all others.
    fn push_front(&mut self, entity: Entity) {
        self.insert_stable(0, entity);
    }

    /// Puts an entity behind all others.
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

/// Where an entity is among others. Blocks of them are compared at once.
pub(super) fn position(entities: &[Entity], entity: Entity) -> Option<usize> {
    const BLOCK: usize = 16;
    let is_it = |other: &Entity| other.to_bits() == entity.to_bits();
    let mut blocks = entities.chunks_exact(BLOCK);
    let count = blocks.len();
    let with_it = blocks.position(|block| block.iter().fold(false, |found, other| found | is_it(other)));
    let first = with_it.unwrap_or(count) * BLOCK;
    entities[first..].iter().position(is_it).map(|at| first + at)
}

/// Methods of a collection that are those of another one inside of it, or its own ones of the same name.
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

    /// The first and the last one are found at once; `O(entities)` for others.
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

/// One source at most; [`Entity::PLACEHOLDER`] stands for none.
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
