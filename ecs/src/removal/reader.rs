//! How far a reader of removals has come, and the iterators that note it.

use alloc::sync::Arc;
use core::any::type_name;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::slice;

use super::log::{Log, Seen};
use crate::entity::Entity;

/// How far a reader has come in one list.
#[derive(Debug)]
pub(crate) struct Cursor {
    /// Shared with the list, which keeps what this has not passed.
    seen: Arc<Seen>,
    /// How many entries were gone before they could be read.
    missed: u64,
    /// Which list of its world it is.
    list: usize,
}

impl Cursor {
    fn new(list: usize, log: &mut Log) -> Self {
        Self { seen: log.add_reader(), missed: 0, list }
    }

    /// The next entry, and how many were gone before the reader came to them.
    pub(crate) fn state(&self) -> [u64; 2] {
        [self.seen.get(), self.missed]
    }

    /// Has come as far as another time.
    pub(crate) fn go_to(&mut self, [next, missed]: [u64; 2]) {
        self.seen.set(next);
        self.missed = missed;
    }

    /// Which list of its world it is.
    pub(crate) fn list(&self) -> usize {
        self.list
    }

    /// Whether it was made for this list.
    pub(crate) fn is_of(&self, log: &Log) -> bool {
        log.is_read_by(&self.seen)
    }

    fn position(&self, log: &Log) -> u64 {
        self.seen.get().clamp(log.start(), log.end())
    }

    /// Goes on to the oldest entry that is there, and counts those that are not.
    fn catch_up(&mut self, log: &Log) -> u64 {
        let position = self.position(log);
        self.missed = self.missed(log);
        self.seen.set(position);
        position
    }

    pub(crate) fn len(&self, log: &Log) -> usize {
        (log.end() - self.position(log)) as usize
    }

    pub(crate) fn clear(&mut self, log: &Log) {
        self.catch_up(log);
        self.seen.set(log.end());
    }

    pub(crate) fn missed(&self, log: &Log) -> u64 {
        self.missed + log.start().saturating_sub(self.seen.get())
    }

    pub(crate) fn take_missed(&mut self, log: &Log) -> u64 {
        self.catch_up(log);
        core::mem::take(&mut self.missed)
    }
}

/// The position of a reader of the entities that have lost a component.
///
/// It is made by [`World::removed_reader`](crate::world::World::removed_reader), or by a system for its parameter
/// [`RemovedComponents`](crate::system::RemovedComponents). As long as it exists, removals of the component are recorded.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// let mut reader = world.removed_reader::<Health>();
/// world.despawn(entity);
/// assert_eq!(reader.read(&world).collect::<Vec<_>>(), [entity]);
/// assert!(reader.is_empty(&world));
/// ```
pub struct RemovedComponentReader<T> {
    pub(crate) cursor: Cursor,
    marker: PhantomData<fn(T) -> T>,
}

impl<T> RemovedComponentReader<T> {
    /// A new reader of a list.
    pub(super) fn new(list: usize, log: &mut Log) -> Self {
        Self { cursor: Cursor::new(list, log), marker: PhantomData }
    }

    pub(crate) fn read_in<'a>(&'a mut self, log: &'a Log) -> RemovedIter<'a> {
        let position = self.cursor.catch_up(log);
        RemovedIter { entities: log.entities_since(position).iter(), end: log.end(), seen: &self.cursor.seen }
    }
}

impl_debug!([T] RemovedComponentReader<T> => |_this, f| write!(f, "RemovedComponentReader<{}>", type_name::<T>()));

/// The position of a reader of the last values of a component.
///
/// It is made by [`World::removed_value_reader`](crate::world::World::removed_value_reader), or by a system for its
/// parameter [`RemovedValues`](crate::system::RemovedValues). As long as it exists, values of the component are kept for
/// it when they are removed.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// let mut reader = world.removed_value_reader::<Health>();
/// world.despawn(entity);
/// assert!(reader.read(&world).map(|(entity, health)| (entity, health.0)).eq([(entity, 3)]));
/// ```
pub struct RemovedValueReader<T> {
    pub(crate) cursor: Cursor,
    marker: PhantomData<fn(T) -> T>,
}

impl<T> RemovedValueReader<T> {
    /// A new reader of a list of values, which are of type `T`.
    pub(super) fn new(list: usize, log: &mut Log) -> Self {
        Self { cursor: Cursor::new(list, log), marker: PhantomData }
    }

    /// # Panics
    ///
    /// If it was not made for this list.
    pub(crate) fn read_in<'a>(&'a mut self, log: &'a Log) -> RemovedValueIter<'a, T> {
        assert!(self.cursor.is_of(log), "a reader reads the list that it was made for");
        let position = self.cursor.catch_up(log);
        // SAFETY: a reader is made only for a list of values of its type, and this is the one.
        let values = unsafe { log.values_since::<T>(position) }.iter();
        let entities =
            RemovedIter { entities: log.entities_since(position).iter(), end: log.end(), seen: &self.cursor.seen };
        RemovedValueIter { entities, values }
    }
}

impl_debug!([T] RemovedValueReader<T> => |_this, f| write!(f, "RemovedValueReader<{}>", type_name::<T>()));

/// Entities that have lost a component, the earliest first. What it has not given stays unread.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let mut reader = world.removed_reader::<Health>();
/// world.spawn_batch((0..3).map(Health));
/// world.clear_entities();
/// assert!(reader.read(&world).next().is_some());
/// assert_eq!(reader.read(&world).len(), 2);
/// ```
pub struct RemovedIter<'a> {
    entities: slice::Iter<'a, Entity>,
    /// The number behind the last entry.
    end: u64,
    seen: &'a Seen,
}

impl Iterator for RemovedIter<'_> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        self.entities.next().copied()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entities.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<Entity> {
        self.entities.nth(n).copied()
    }
}

impl ExactSizeIterator for RemovedIter<'_> {}
impl FusedIterator for RemovedIter<'_> {}

impl Drop for RemovedIter<'_> {
    #[inline]
    fn drop(&mut self) {
        self.seen.set(self.end - self.entities.len() as u64);
    }
}

impl_debug!([] RemovedIter<'_> => |this, f| f.debug_tuple("RemovedIter").field(&this.entities.as_slice()).finish());

/// Entities that have lost a component, each with its last value, the earliest first. What it has not given stays unread.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let mut reader = world.removed_value_reader::<Health>();
/// world.spawn_batch((0..3).map(Health));
/// world.clear_entities();
/// assert_eq!(reader.read(&world).map(|(_, health)| health.0).sum::<u32>(), 3);
/// ```
pub struct RemovedValueIter<'a, T> {
    entities: RemovedIter<'a>,
    values: slice::Iter<'a, T>,
}

impl<'a, T> Iterator for RemovedValueIter<'a, T> {
    type Item = (Entity, &'a T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.entities.next().zip(self.values.next())
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entities.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.entities.nth(n).zip(self.values.nth(n))
    }
}

impl<T> ExactSizeIterator for RemovedValueIter<'_, T> {}
impl<T> FusedIterator for RemovedValueIter<'_, T> {}

impl_debug!([T] RemovedValueIter<'_, T> => |this, f|
    f.debug_tuple("RemovedValueIter").field(&this.entities.entities.as_slice()).finish());
