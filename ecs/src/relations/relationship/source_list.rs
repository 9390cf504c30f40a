//! A list of sources that removes an entity in constant time and is read as a slice.
//!
//! Removing a source whose position is known leaves a hole, so that no other source moves. The first read closes all holes: until then no
//! reference to the entities exists, since a removal needs `&mut`. Several threads may read at the same time: see [`Settled`].
//!
//! Tests: tests/relationships/histories.rs, tests/relationships/hierarchy.rs

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::iter::Copied;
use core::panic::RefUnwindSafe;
use core::slice;

use super::collection::{
    OrderedRelationshipSourceCollection, RelationshipSourceCollection, Unlisted, forward_to_inner, position,
};
use super::settled::{SETTLED, Settled};
use super::sync::{AtomicU8, UnsafeCell};
use crate::entity::Entity;

/// An ordered list of entities in which a [`RelationshipTarget`](super::RelationshipTarget) such as
/// [`Children`](crate::hierarchy::Children) lists its sources. It dereferences to a slice of entities. A source is removed in constant
/// time, and the others keep their order: the removal leaves a hole, and the first read afterwards closes all holes at once, in
/// `O(entities)`.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::relationship::SourceList;
///
/// #[derive(Component)]
/// #[relationship(relationship_target = Crew)]
/// struct AboardOf(Entity);
///
/// #[derive(Component)]
/// #[relationship_target(relationship = AboardOf)]
/// struct Crew(SourceList);
///
/// let mut world = World::new();
/// let ship = world.spawn_empty().id();
/// let crew = [(); 1000].map(|()| world.spawn(AboardOf(ship)).id());
/// crew[..998].iter().for_each(|&sailor| _ = world.despawn(sailor));
/// assert_eq!(*world.get::<Crew>(ship).unwrap().0, crew[998..]);
/// ```
pub struct SourceList {
    /// [`Entity::PLACEHOLDER`] is a hole. The value is settled if there are no holes.
    entities: Settled<Vec<Entity>>,
    /// The number of holes when the list was last changed through `&mut`.
    holes: usize,
    /// The position of the first hole, if there are holes.
    first_hole: usize,
    /// The entity whose sources these are. It shows whether a program has swapped two lists.
    target: Entity,
    /// The total distance of searches since the positions of the entities were last updated.
    sought: usize,
}

/// Closing holes cannot panic, so a list is never observed in an intermediate state.
impl RefUnwindSafe for SourceList {}

impl SourceList {
    /// Creates an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self::of(Vec::new())
    }

    const fn of(entities: Vec<Entity>) -> Self {
        Self {
            entities: Settled::new(UnsafeCell::new(entities), AtomicU8::new(SETTLED)),
            holes: 0,
            first_hole: 0,
            target: Entity::PLACEHOLDER,
            sought: 0,
        }
    }

    /// The entities, in order.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[Entity] {
        let Self { entities, holes, first_hole, .. } = self;
        entities.get(|entities| close_holes(entities, *holes, *first_hole))
    }

    /// The entities, after closing all holes.
    fn closed(&mut self) -> &mut Vec<Entity> {
        let Self { entities, holes, first_hole, .. } = self;
        let entities = entities.settled_mut(|entities| close_holes(entities, *holes, *first_hole));
        *holes = 0;
        entities
    }

    /// The entities, which may contain holes, and the number of holes.
    #[inline]
    fn open(&mut self) -> (&mut Vec<Entity>, &mut usize) {
        if self.entities.is_settled() {
            self.holes = 0;
        }
        (self.entities.get_mut(), &mut self.holes)
    }

    /// The number of entities.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether the list is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Swaps two entities.
    ///
    /// # Panics
    ///
    /// If an index is out of bounds.
    pub fn swap(&mut self, a_index: usize, b_index: usize) {
        self.closed().swap(a_index, b_index);
    }

    /// The entities, to reorder them.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Entity] {
        self.closed()
    }

    /// Closes the holes when they are most of the list and would take more memory than the entities.
    #[cold]
    #[inline(never)]
    fn close_early(&mut self) -> Unlisted {
        self.sought = 0;
        Unlisted { is_empty: self.closed().is_empty(), are_elsewhere: true }
    }

    /// Removes an entity that is no longer at its recorded position: holes before it have been closed, or the entities were reordered.
    #[cold]
    #[inline(never)]
    fn remove_moved(&mut self, entity: Entity, place: u32) -> Unlisted {
        let (entities, holes) = self.open();
        let from = entities.len().min(place as usize);
        // Usually few entities before this one have been removed or added, so it is near its recorded position.
        let window = from.saturating_sub(NEAR)..entities.len().min(from + NEAR);
        let near = position(&entities[window.clone()], entity).map(|at| window.start + at);
        // Closing holes moves an entity towards the front, so the entities before the position are searched next.
        let before = near.or_else(|| last_position(&entities[..from], entity));
        let at = before.or_else(|| position(&entities[from..], entity).map(|at| from + at));
        let Some(at) = at else {
            return Unlisted { is_empty: entities.len() == *holes, are_elsewhere: false };
        };
        let distance = if before.is_some() { from.abs_diff(at) } else { at };
        let place = at as u32;
        self.sought += distance;
        let mut unlisted = self.remove_near(entity, place);
        if self.sought > self.entities.get_mut().len() {
            self.sought = 0;
            unlisted.are_elsewhere = true;
        }
        unlisted
    }
}

impl_deref!(#[inline] [] SourceList => [Entity], |this| *this.as_slice());

impl_default!([] SourceList => Self::new());

impl Clone for SourceList {
    fn clone(&self) -> Self {
        Self { target: self.target, ..Self::of(self.as_slice().to_vec()) }
    }
}

impl_from!([] Vec<Entity> => SourceList, |entities| Self::of(entities));

#[cfg(feature = "serde")]
impl_serde!(
    /// A list that is not in a world: whether it belongs to its target is checked when it is inserted.
    SourceList as Vec<Entity>, |this| this.as_slice(), Self::of
);

impl Eq for SourceList {}

/// Compares the entities with those of another list.
macro_rules! equal_to {
    ($([$($generics:tt)*] $List:ty;)*) => { $(
        impl<$($generics)*> PartialEq<$List> for SourceList {
            fn eq(&self, other: &$List) -> bool {
                self.as_slice() == &other[..]
            }
        }
    )* };
}

equal_to! {
    [] SourceList;
    [] [Entity];
    [const N: usize] [Entity; N];
    [] Vec<Entity>;
}

impl Hash for SourceList {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl_debug!([] SourceList => |this, f| this.as_slice().fmt(f));

impl FromIterator<Entity> for SourceList {
    fn from_iter<I: IntoIterator<Item = Entity>>(entities: I) -> Self {
        Self::of(entities.into_iter().collect())
    }
}

impl_into_iter!(['a] &'a SourceList => &'a [Entity], |this| this.as_slice());

impl RelationshipSourceCollection for SourceList {
    type SourceIter<'a> = Copied<slice::Iter<'a, Entity>>;

    const KNOWS_PLACES: bool = true;

    forward_to_inner!(|this| this.closed());

    fn new() -> Self {
        Self::new()
    }

    fn with_capacity(capacity: usize) -> Self {
        Self::of(Vec::with_capacity(capacity))
    }

    fn add(&mut self, entity: Entity) -> bool {
        self.open().0.push(entity);
        true
    }

    /// `O(entities)`: the entity has to be searched.
    fn remove(&mut self, entity: Entity) -> bool {
        let entities = self.closed();
        position(entities, entity).is_some_and(|at| entities.remove(at) == entity)
    }

    #[inline]
    fn iter(&self) -> Self::SourceIter<'_> {
        self.as_slice().iter().copied()
    }

    #[inline]
    fn len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn target(&self) -> Option<Entity> {
        Some(self.target)
    }

    #[inline]
    fn set_target(&mut self, target: Entity) {
        self.target = target;
    }

    #[inline]
    fn add_at_end(&mut self, entity: Entity) -> u32 {
        let (entities, _) = self.open();
        let place = entities.len() as u32;
        entities.push(entity);
        place
    }

    #[inline]
    fn remove_near(&mut self, entity: Entity, place: u32) -> Unlisted {
        let (entities, holes) = self.open();
        let last = entities.len().wrapping_sub(1);
        if entities.get(place as usize) == Some(&entity) {
            if place as usize == last {
                entities.pop();
                while *holes != 0 && entities.pop_if(|last| *last == Entity::PLACEHOLDER).is_some() {
                    *holes -= 1;
                }
                return Unlisted { is_empty: entities.len() == *holes, are_elsewhere: false };
            }
            entities[place as usize] = Entity::PLACEHOLDER;
            *holes += 1;
            let (count, holes) = (entities.len(), *holes);
            self.first_hole = if holes == 1 { place as usize } else { self.first_hole.min(place as usize) };
            self.entities.open();
            if holes * 2 > count && count > FEW {
                return self.close_early();
            }
            return Unlisted { is_empty: count == holes, are_elsewhere: false };
        }
        self.remove_moved(entity, place)
    }
}

/// Closes `holes` holes, the first of which is at `first`: the entities between two holes are moved as a block.
fn close_holes(entities: &mut Vec<Entity>, mut holes: usize, first: usize) {
    if holes == 0 {
        return;
    }
    let is_hole = |entity: &Entity| *entity == Entity::PLACEHOLDER;
    let (mut from, mut to) = (first, first);
    while from < entities.len() {
        while holes != 0 && entities.get(from).is_some_and(is_hole) {
            (from, holes) = (from + 1, holes - 1);
        }
        let end = match holes {
            0 => entities.len(),
            _ => entities[from..].iter().position(is_hole).map_or(entities.len(), |count| from + count),
        };
        entities.copy_within(from..end, to);
        (from, to) = (end, to + end - from);
    }
    entities.truncate(to);
}

/// Up to this number of entities, holes are kept until the list is read.
const FEW: usize = 32;

/// An entity is first searched among this number of entities before and after its recorded position.
const NEAR: usize = 64;

impl OrderedRelationshipSourceCollection for SourceList {
    fn insert(&mut self, index: usize, entity: Entity) {
        OrderedRelationshipSourceCollection::insert(self.closed(), index, entity);
    }

    fn remove_at(&mut self, index: usize) -> Option<Entity> {
        self.closed().remove_at(index)
    }

    fn insert_stable(&mut self, index: usize, entity: Entity) {
        self.closed().insert_stable(index, entity);
    }

    fn remove_at_stable(&mut self, index: usize) -> Option<Entity> {
        self.closed().remove_at_stable(index)
    }

    fn sort(&mut self) {
        self.closed().sort_unstable();
    }

    fn insert_sorted(&mut self, entity: Entity) {
        self.closed().insert_sorted(entity);
    }

    fn place(&mut self, entity: Entity, index: usize) {
        self.closed().place(entity, index);
    }
}

/// Like [`position`], from the end.
fn last_position(entities: &[Entity], entity: Entity) -> Option<usize> {
    const BLOCK: usize = 16;
    let is_it = |other: &Entity| other.to_bits() == entity.to_bits();
    let mut end = entities.len();
    for block in entities.rchunks_exact(BLOCK) {
        if block.iter().fold(false, |found, other| found | is_it(other)) {
            break;
        }
        end -= BLOCK;
    }
    entities[..end].iter().rposition(is_it)
}
