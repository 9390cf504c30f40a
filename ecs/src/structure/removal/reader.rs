//! Positions of readers of removals, and the iterators that advance them.
//!
//! Tests: tests/changes/removed/readers.rs

use alloc::sync::Arc;
use core::any::type_name;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::slice;

use super::log::{ReaderPosition, RemovalLog};
use crate::entity::Entity;

/// The position of a reader in one log.
#[derive(Debug)]
pub(crate) struct LogCursor {
    /// The number of the next entry. It is shared with the log, which keeps the entries from this number on.
    seen: Arc<ReaderPosition>,
    /// The number of entries that were dropped before the reader read them.
    missed: u64,
    /// The number of the log in its world.
    list: usize,
}

impl LogCursor {
    fn new(list: usize, log: &mut RemovalLog) -> Self {
        Self { seen: log.add_reader(), missed: 0, list }
    }

    /// Returns the number of the next entry, and the number of missed entries.
    pub(crate) fn state(&self) -> [u64; 2] {
        [self.seen.get(), self.missed]
    }

    /// Sets the position and the number of missed entries to an earlier [`state`](Self::state).
    pub(crate) fn go_to(&mut self, [next, missed]: [u64; 2]) {
        self.seen.set(next);
        self.missed = missed;
    }

    /// Returns the number of the log in its world.
    pub(crate) fn list(&self) -> usize {
        self.list
    }

    /// Returns whether the cursor was made for this log.
    pub(crate) fn is_of(&self, log: &RemovalLog) -> bool {
        log.is_read_by(&self.seen)
    }

    fn position(&self, log: &RemovalLog) -> u64 {
        self.seen.get().clamp(log.start(), log.end())
    }

    /// If the next entry is not kept any more, advances to the oldest kept entry and counts the skipped entries as missed. Returns the
    /// position.
    fn catch_up(&mut self, log: &RemovalLog) -> u64 {
        let position = self.position(log);
        self.missed = self.missed(log);
        self.seen.set(position);
        position
    }

    pub(crate) fn len(&self, log: &RemovalLog) -> usize {
        (log.end() - self.position(log)) as usize
    }

    pub(crate) fn clear(&mut self, log: &RemovalLog) {
        self.catch_up(log);
        self.seen.set(log.end());
    }

    pub(crate) fn missed(&self, log: &RemovalLog) -> u64 {
        self.missed + log.start().saturating_sub(self.seen.get())
    }

    pub(crate) fn take_missed(&mut self, log: &RemovalLog) -> u64 {
        self.catch_up(log);
        core::mem::take(&mut self.missed)
    }
}

/// The position of a reader of the entities that have lost a component.
///
/// Created by [`World::removed_reader`](crate::world::World::removed_reader), or by a system for its parameter
/// [`RemovedComponents`](crate::system::RemovedComponents). While it exists, removals of the component are recorded.
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
    pub(crate) cursor: LogCursor,
    marker: PhantomData<fn(T) -> T>,
}

impl<T> RemovedComponentReader<T> {
    /// Creates a reader of a log.
    pub(super) fn new(list: usize, log: &mut RemovalLog) -> Self {
        Self { cursor: LogCursor::new(list, log), marker: PhantomData }
    }

    pub(crate) fn read_in<'a>(&'a mut self, log: &'a RemovalLog) -> RemovedIter<'a> {
        let position = self.cursor.catch_up(log);
        RemovedIter { entities: log.entities_since(position).iter(), end: log.end(), seen: &self.cursor.seen }
    }
}

impl_debug!([T] RemovedComponentReader<T> => |_this, f| write!(f, "RemovedComponentReader<{}>", type_name::<T>()));

/// The position of a reader of the last values of a component.
///
/// Created by [`World::removed_value_reader`](crate::world::World::removed_value_reader), or by a system for its parameter
/// [`RemovedValues`](crate::system::RemovedValues). While it exists, removed values of the component are kept for it.
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
    pub(crate) cursor: LogCursor,
    marker: PhantomData<fn(T) -> T>,
}

impl<T> RemovedValueReader<T> {
    /// Creates a reader of a log with values of type `T`.
    pub(super) fn new(list: usize, log: &mut RemovalLog) -> Self {
        Self { cursor: LogCursor::new(list, log), marker: PhantomData }
    }

    /// # Panics
    ///
    /// If the reader was not made for this log.
    pub(crate) fn read_in<'a>(&'a mut self, log: &'a RemovalLog) -> RemovedValueIter<'a, T> {
        assert!(self.cursor.is_of(log), "a reader reads the list that it was made for");
        let position = self.cursor.catch_up(log);
        // SAFETY: a reader of values of `T` is made only for a log with values of this type, and `log` is this log.
        let values = unsafe { log.values_since::<T>(position) }.iter();
        let entities =
            RemovedIter { entities: log.entities_since(position).iter(), end: log.end(), seen: &self.cursor.seen };
        RemovedValueIter { entities, values }
    }
}

impl_debug!([T] RemovedValueReader<T> => |_this, f| write!(f, "RemovedValueReader<{}>", type_name::<T>()));

/// Entities that have lost a component, the earliest first. Entries that the iterator has not yielded stay unread.
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
    /// The number of the next entry to be written.
    end: u64,
    seen: &'a ReaderPosition,
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

/// Entities that have lost a component, each with its last value, the earliest first. Entries that the iterator has not yielded stay
/// unread.
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
