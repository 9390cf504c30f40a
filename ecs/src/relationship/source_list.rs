//! A list of sources from which one goes in constant time, and which is read as a slice.
//!
//! A source that goes leaves a hole, if its place is known, so that no other one moves. The first read closes all holes: until then
//! no reference to the entities exists, since a hole comes by way of `&mut`. Several threads may read at once: see [`Settled`].

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

/// A list of entities in order, in which a [`RelationshipTarget`](super::RelationshipTarget) lists its sources: that of
/// [`Children`](crate::hierarchy::Children). It is a slice of entities. A source goes in constant time, and the others keep their order:
/// it leaves a hole, and the first read afterwards closes all holes at once, in `O(entities)`.
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
    /// [`Entity::PLACEHOLDER`] is a hole. They are settled if there are none.
    entities: Settled<Vec<Entity>>,
    /// How many holes there were when the list was last changed by way of `&mut`.
    holes: usize,
    /// Where the first of these is, if there are any.
    first_hole: usize,
    /// The entity whose sources these are, by which it is noticed if a program has exchanged two lists.
    target: Entity,
    /// How far entities have been looked for since it was last noted anew where each of them is.
    sought: usize,
}

/// Closing holes cannot panic, so a list is never seen in the middle of that.
impl RefUnwindSafe for SourceList {}

impl SourceList {
    /// A list without entities.
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

    /// The entities, among which there are no holes.
    fn closed(&mut self) -> &mut Vec<Entity> {
        let Self { entities, holes, first_hole, .. } = self;
        let entities = entities.settled_mut(|entities| close_holes(entities, *holes, *first_hole));
        *holes = 0;
        entities
    }

    /// The entities, among which there may be holes, and how many.
    #[inline]
    fn open(&mut self) -> (&mut Vec<Entity>, &mut usize) {
        if self.entities.is_settled() {
            self.holes = 0;
        }
        (self.entities.get_mut(), &mut self.holes)
    }

    /// How many entities there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Exchanges two entities.
    ///
    /// # Panics
    ///
    /// If there is none at one of the places.
    pub fn swap(&mut self, a_index: usize, b_index: usize) {
        self.closed().swap(a_index, b_index);
    }

    /// The entities, to bring them into another order.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Entity] {
        self.closed()
    }

    /// Most of the list is holes: they would take more memory than the entities.
    #[cold]
    #[inline(never)]
    fn close_early(&mut self) -> Unlisted {
        self.sought = 0;
        Unlisted { is_empty: self.closed().is_empty(), are_elsewhere: true }
    }

    /// An entity goes that is not at the place where it was: holes before it have been closed, or someone has sorted the entities.
    #[cold]
    #[inline(never)]
    fn remove_moved(&mut self, entity: Entity, place: u32) -> Unlisted {
        let (entities, holes) = self.open();
        let from = entities.len().min(place as usize);
        // Few have gone or come before it, mostly.
        let window = from.saturating_sub(NEAR)..entities.len().min(from + NEAR);
        let near = position(&entities[window.clone()], entity).map(|at| window.start + at);
        // Holes before it make it move towards the front.
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
    /// A list that is in no world: whether the entities name its target is seen when it comes to one.
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

    /// `O(entities)`: it has to be found.
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

/// Closes so many holes, the first of which is known: what stands between two of them is moved as a whole.
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

/// Up to so many entities holes stay until the list is read.
const FEW: usize = 32;

/// An entity is looked for among so many before and behind its place first.
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

/// As [`position`], from the end on.
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
