//! Parents and children.
//!
//! The component [`ChildOf`] of a child contains its parent. The component [`Children`] of the parent lists the children. Children are
//! despawned with their parent.
// Tests: tests/relationships/hierarchy.rs

use core::cmp::Ordering;

use strata_ecs_derive::Component;

use crate::entity::Entity;
pub use crate::reexports::hierarchy::*;
use crate::relations::relationship::SourceList;

/// Makes the entity a child of another entity, its parent. This is a [`Relationship`](crate::relationship::Relationship): the parent lists
/// its children in [`Children`].
///
/// To change the parent, insert another `ChildOf`, or use a method such as [`add_child`](crate::world::EntityWorldMut::add_child).
///
/// ```
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let root = world.spawn_empty().id();
/// let [a, b] = [(); 2].map(|()| world.spawn(ChildOf(root)).id());
/// assert_eq!(**world.get::<Children>(root).unwrap(), [a, b]);
/// world.entity_mut(a).insert(ChildOf(b));
/// assert_eq!(**world.get::<Children>(root).unwrap(), [b]);
/// world.despawn(root);
/// assert!(world.is_empty());
/// ```
#[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
#[component(name = "strata_ecs::hierarchy::ChildOf")]
#[relationship(relationship_target = Children)]
#[doc(alias("IsChild", "Parent"))]
pub struct ChildOf(pub Entity);

impl ChildOf {
    /// Returns the parent.
    #[inline]
    #[must_use]
    pub fn parent(&self) -> Entity {
        self.0
    }
}

/// The children of an entity, in order. The children are the entities with a [`ChildOf`] that contains this entity. The component is added
/// with the first child and removed with the last child. The children are despawned with the entity.
///
/// It dereferences to a slice of entities. The order of the children can be changed.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let root = world.spawn_empty().id();
/// let [a, b, c] = [(); 3].map(|()| world.spawn(ChildOf(root)).id());
/// world.get_mut::<Children>(root).unwrap().swap(0, 2);
/// assert_eq!(**world.get::<Children>(root).unwrap(), [c, b, a]);
/// ```
#[derive(Component, Clone, Default, PartialEq, Eq, Hash, Debug)]
#[component(name = "strata_ecs::hierarchy::Children")]
#[relationship_target(relationship = ChildOf, linked_spawn)]
#[doc(alias("IsParent"))]
pub struct Children(SourceList);

impl Children {
    /// Swaps two children.
    ///
    /// # Panics
    ///
    /// If an index is out of bounds.
    pub fn swap(&mut self, a_index: usize, b_index: usize) {
        self.0.swap(a_index, b_index);
    }

    /// Sorts the children by a comparison, stably.
    pub fn sort_by(&mut self, compare: impl FnMut(&Entity, &Entity) -> Ordering) {
        self.0.as_mut_slice().sort_by(compare);
    }

    /// Sorts the children by a key, stably.
    pub fn sort_by_key<K: Ord>(&mut self, key: impl FnMut(&Entity) -> K) {
        self.0.as_mut_slice().sort_by_key(key);
    }

    /// Sorts the children by a key that is computed once for each child, stably.
    pub fn sort_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&Entity) -> K) {
        self.0.as_mut_slice().sort_by_cached_key(key);
    }

    /// Sorts the children by a comparison, in place. The order of equal children may change.
    pub fn sort_unstable_by(&mut self, compare: impl FnMut(&Entity, &Entity) -> Ordering) {
        self.0.as_mut_slice().sort_unstable_by(compare);
    }

    /// Sorts the children by a key, in place. The order of children with equal keys may change.
    pub fn sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&Entity) -> K) {
        self.0.as_mut_slice().sort_unstable_by_key(key);
    }
}

impl_deref!(#[inline] [] Children => [Entity], |this| *this.0);

impl_into_iter!(['a] &'a Children => &'a [Entity], |this| &*this.0);

#[cfg(feature = "serde")]
impl_serde!(ChildOf as Entity, |this| this.0, Self);

#[cfg(feature = "serde")]
impl_serde!(Children as SourceList, |this| this.0, Self);
