//! Collections of distinct entities.
//!
//! When queries return the items of several entities mutably, they rely on the entities being distinct. So [`EntitySetIterator`] is
//! implemented only in this module, for iterators that cannot yield an entity twice.
//!
//! Tests: tests/queries/sorting.rs, tests/queries/lists.rs

use alloc::collections::{BTreeSet, btree_set};
use alloc::vec::{self, Vec};
use core::borrow::Borrow;
use core::iter::{Filter, Fuse, FusedIterator, Rev, Skip, SkipWhile, StepBy, Take, TakeWhile};
use core::{array, option, slice};

use super::Entity;

/// A supertrait that other crates cannot implement.
pub trait Distinct {}

/// An iterator over distinct entities.
///
/// The trait cannot be implemented outside of this library, because queries rely on it. It is implemented by [`UniqueEntityIter`], by the
/// iterators of [`UniqueEntityVec`], [`UniqueEntityArray`], [`EntityHashSet`](super::EntityHashSet) and `BTreeSet<Entity>`, by the
/// iterators of spawned entities, and by adapters of these such as `filter`, `skip`, `take` and `rev`.
///
/// ```
/// use strata_ecs::entity::{EntitySetIterator, UniqueEntityVec};
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let set: UniqueEntityVec = world.spawn_batch((0..3).map(Health)).collect_set();
/// let some: UniqueEntityVec = set.iter().skip(1).collect_set();
/// assert_eq!((set.len(), &some[..]), (3, &set[1..]));
/// ```
pub trait EntitySetIterator: Iterator<Item: Borrow<Entity>> + Distinct {
    /// Collects the entities into a collection of distinct entities.
    fn collect_set<B: FromEntitySetIterator<Self::Item>>(self) -> B
    where
        Self: Sized,
    {
        B::from_entity_set_iter(self)
    }
}

#[diagnostic::do_not_recommend]
impl<I: Iterator<Item: Borrow<Entity>> + Distinct> EntitySetIterator for I {}

/// A collection of distinct entities. Implemented for every type whose iterator is an [`EntitySetIterator`].
///
/// ```
/// use strata_ecs::entity::{EntityHashSet, EntitySet, EntitySetIterator, UniqueEntityVec};
/// use strata_ecs::prelude::*;
///
/// fn in_order(entities: impl EntitySet<Item = Entity>) -> UniqueEntityVec {
///     let mut entities: UniqueEntityVec = entities.into_iter().collect_set();
///     entities.sort();
///     entities
/// }
///
/// let mut world = World::new();
/// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
/// assert_eq!(in_order(EntityHashSet::from([b, a]))[..], [a, b]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` may yield an entity twice",
    label = "not a set of entities",
    note = "collect the entities into an `EntityHashSet` or a `BTreeSet`, or check them with `UniqueEntityVec::try_new`"
)]
pub trait EntitySet: IntoIterator<Item: Borrow<Entity>, IntoIter: EntitySetIterator> {}

#[diagnostic::do_not_recommend]
impl<T: IntoIterator<Item: Borrow<Entity>, IntoIter: EntitySetIterator>> EntitySet for T {}

/// A collection that [`EntitySetIterator::collect_set`] can create.
pub trait FromEntitySetIterator<T>: Sized {
    /// Collects distinct entities.
    fn from_entity_set_iter<I: EntitySet<Item = T>>(entities: I) -> Self;
}

impl<T: Borrow<Entity>> FromEntitySetIterator<T> for UniqueEntityVec {
    fn from_entity_set_iter<I: EntitySet<Item = T>>(entities: I) -> Self {
        Self(entities.into_iter().map(|entity| *entity.borrow()).collect())
    }
}

/// An iterator that is known to yield distinct entities.
///
/// ```
/// use strata_ecs::entity::UniqueEntityVec;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let entities = [(); 3].map(|()| world.spawn_empty().id());
/// let set = UniqueEntityVec::try_new(entities).unwrap();
/// assert!(set.iter().eq(&entities));
/// ```
#[derive(Clone, Debug)]
pub struct UniqueEntityIter<I>(I);

impl<I> UniqueEntityIter<I> {
    /// Returns the wrapped iterator.
    #[inline]
    pub(crate) fn inner(&self) -> &I {
        &self.0
    }
}

impl<I: Iterator<Item: Borrow<Entity>>> UniqueEntityIter<I> {
    /// Wraps an iterator. The caller ensures that it yields distinct entities.
    pub(super) fn of(entities: I) -> Self {
        Self(entities)
    }

    /// Wraps an iterator.
    ///
    /// # Safety
    ///
    /// - The iterator yields distinct entities, and each item always borrows as the same entity.
    ///
    /// ```
    /// use strata_ecs::entity::UniqueEntityIter;
    /// use strata_ecs::prelude::*;
    ///
    /// /// A list that takes no entity twice.
    /// #[derive(Default)]
    /// struct Friends(Vec<Entity>);
    ///
    /// impl Friends {
    ///     fn add(&mut self, entity: Entity) {
    ///         if !self.0.contains(&entity) {
    ///             self.0.push(entity);
    ///         }
    ///     }
    ///
    ///     fn iter(&self) -> UniqueEntityIter<std::slice::Iter<'_, Entity>> {
    ///         // SAFETY: `add` takes no entity twice, and nothing else changes the list.
    ///         unsafe { UniqueEntityIter::from_iter_unchecked(self.0.iter()) }
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// let mut friends = Friends::default();
    /// friends.add(entity);
    /// friends.add(entity);
    /// assert_eq!(friends.iter().count(), 1);
    /// ```
    pub unsafe fn from_iter_unchecked<T: IntoIterator<IntoIter = I>>(entities: T) -> Self {
        Self(entities.into_iter())
    }
}

impl<I: Iterator> Iterator for UniqueEntityIter<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn fold<B, F: FnMut(B, I::Item) -> B>(self, init: B, each: F) -> B {
        self.0.fold(init, each)
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for UniqueEntityIter<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        self.0.next_back()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for UniqueEntityIter<I> {}

impl<I: FusedIterator> FusedIterator for UniqueEntityIter<I> {}

impl<I> Distinct for UniqueEntityIter<I> {}

// Iterators over at most one entity, or over the entities of an ordered set.
impl Distinct for option::IntoIter<Entity> {}
impl Distinct for option::IntoIter<&Entity> {}
impl Distinct for btree_set::IntoIter<Entity> {}
impl Distinct for btree_set::Iter<'_, Entity> {}

// Iterator adapters that yield all or some of the items of another iterator, each once.
impl<I: Distinct, P> Distinct for Filter<I, P> {}
impl<I: Distinct> Distinct for Fuse<I> {}
impl<I: Distinct> Distinct for Rev<I> {}
impl<I: Distinct> Distinct for Skip<I> {}
impl<I: Distinct, P> Distinct for SkipWhile<I, P> {}
impl<I: Distinct> Distinct for StepBy<I> {}
impl<I: Distinct> Distinct for Take<I> {}
impl<I: Distinct, P> Distinct for TakeWhile<I, P> {}
impl<I: Distinct + ?Sized> Distinct for &mut I {}

/// Returns the first entity that occurs again after an earlier occurrence.
fn twice(entities: &[Entity]) -> Option<Entity> {
    if entities.len() <= 8 {
        return entities
            .iter()
            .enumerate()
            .find(|&(at, entity)| entities[..at].contains(entity))
            .map(|(_, &entity)| entity);
    }
    let mut seen = BTreeSet::new();
    entities.iter().copied().find(|&entity| !seen.insert(entity))
}

/// A list of distinct entities. It dereferences to a slice.
///
/// ```
/// use strata_ecs::entity::UniqueEntityVec;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
/// let mut set = UniqueEntityVec::try_new([a]).unwrap();
/// assert!(set.insert(b) && !set.insert(a));
/// assert_eq!(set[..], [a, b]);
/// assert_eq!(UniqueEntityVec::try_new([a, b, a]), Err(a));
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct UniqueEntityVec(Vec<Entity>);

impl UniqueEntityVec {
    /// Creates an empty list without allocating.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Creates the list after checking that the entities are distinct. `O(n log n)`.
    ///
    /// # Errors
    ///
    /// The first entity that occurs again after an earlier occurrence.
    pub fn try_new(entities: impl Into<Vec<Entity>>) -> Result<Self, Entity> {
        let entities = entities.into();
        twice(&entities).map_or(Ok(Self(entities)), Err)
    }

    /// Adds an entity at the end, unless the list already contains it. `O(n)`.
    ///
    /// Returns whether the entity was added.
    pub fn insert(&mut self, entity: Entity) -> bool {
        let is_new = !self.0.contains(&entity);
        if is_new {
            self.0.push(entity);
        }
        is_new
    }

    /// Removes the last entity.
    pub fn pop(&mut self) -> Option<Entity> {
        self.0.pop()
    }

    /// Removes the entity at an index, and moves the last entity to this index.
    ///
    /// # Panics
    ///
    /// If the index is out of bounds.
    pub fn swap_remove(&mut self, at: usize) -> Entity {
        self.0.swap_remove(at)
    }

    /// Keeps the entities for which a function returns true.
    pub fn retain(&mut self, stays: impl FnMut(&Entity) -> bool) {
        self.0.retain(stays);
    }

    /// Removes all entities.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Sorts the entities by their ids.
    pub fn sort(&mut self) {
        self.0.sort_unstable();
    }

    /// Returns the entities.
    #[must_use]
    pub fn iter(&self) -> UniqueEntityIter<slice::Iter<'_, Entity>> {
        UniqueEntityIter(self.0.iter())
    }

    /// Returns the list as a `Vec`.
    #[must_use]
    pub fn into_inner(self) -> Vec<Entity> {
        self.0
    }

    /// Creates the list without a check. The caller ensures that the entities are distinct.
    pub(crate) fn of(entities: Vec<Entity>) -> Self {
        debug_assert!(twice(&entities).is_none());
        Self(entities)
    }
}

impl<const N: usize> From<UniqueEntityArray<N>> for UniqueEntityVec {
    fn from(entities: UniqueEntityArray<N>) -> Self {
        Self(entities.0.into())
    }
}

/// An array of distinct entities. It dereferences to a slice.
///
/// ```
/// use strata_ecs::entity::UniqueEntityArray;
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let ids = [1, 2].map(|n| world.spawn(Health(n)).id());
/// let pair = UniqueEntityArray::try_new(ids).unwrap();
/// let mut query = world.query::<&mut Health>();
/// let [mut a, mut b] = query.get_many_unique_mut(&mut world, pair).unwrap();
/// std::mem::swap(&mut *a, &mut *b);
/// assert_eq!(world.get(ids[0]), Some(&Health(2)));
/// assert_eq!(UniqueEntityArray::try_new([ids[0], ids[0]]), Err(ids[0]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct UniqueEntityArray<const N: usize>([Entity; N]);

impl<const N: usize> UniqueEntityArray<N> {
    /// Creates the array after checking that the entities are distinct.
    ///
    /// # Errors
    ///
    /// The first entity that occurs again after an earlier occurrence.
    pub fn try_new(entities: [Entity; N]) -> Result<Self, Entity> {
        twice(&entities).map_or(Ok(Self(entities)), Err)
    }

    /// Returns the array of entities.
    #[must_use]
    pub fn into_inner(self) -> [Entity; N] {
        self.0
    }
}

impl From<[Entity; 1]> for UniqueEntityArray<1> {
    fn from(entity: [Entity; 1]) -> Self {
        Self(entity)
    }
}

impl<const N: usize> TryFrom<UniqueEntityVec> for UniqueEntityArray<N> {
    type Error = UniqueEntityVec;

    /// # Errors
    ///
    /// If the length differs, with the list.
    fn try_from(entities: UniqueEntityVec) -> Result<Self, UniqueEntityVec> {
        <[Entity; N]>::try_from(entities.0).map(Self).map_err(UniqueEntityVec)
    }
}

/// Implements the common traits of the lists. They dereference to slices, and their iterators implement [`EntitySetIterator`].
macro_rules! lists {
    ($([$($generics:tt)*] $List:ty, $IntoIter:ty;)*) => { $(
        impl_deref!([$($generics)*] $List => [Entity], |this| this.0);

        impl_debug!([$($generics)*] $List => |this, f| this.0.fmt(f));

        impl_into_iter!([$($generics)*] $List => UniqueEntityIter<$IntoIter>, |this| UniqueEntityIter(this.0.into_iter()));

        impl_into_iter!(['a, $($generics)*] &'a $List => UniqueEntityIter<slice::Iter<'a, Entity>>, |this|
            UniqueEntityIter(this.0.iter()));
    )* };
}

lists! {
    [] UniqueEntityVec, vec::IntoIter<Entity>;
    [const N: usize] UniqueEntityArray<N>, array::IntoIter<Entity, N>;
}
