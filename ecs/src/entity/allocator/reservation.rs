//! Reservation of ids through a shared reference, from any thread.
//!
//! The next ids form a sequence: first the free indexes, from the last to the first, then the indexes without slots. A *position* is an
//! index into this sequence. A reservation only increases the number of taken positions, so it is one atomic operation. This requires that
//! after a reservation the next use of `&mut Entities` is the flush.
//!
//! Tests: ecs/src/entity/allocator/tests.rs, tests/storage/entities.rs

use core::num::NonZeroU32;
use core::sync::atomic::Ordering;

use super::{Entities, TableId};
use crate::entity::Entity;
use crate::entity::error::{Despawned, EntityError, EntityIdsExhausted};
use crate::util::alloc_error::{AllocError, try_reserve};

/// The maximum number of ids that one call can reserve. A reservation needs no memory, but each reserved id needs about 20 bytes at the
/// next flush.
pub(crate) const MOST_AT_ONCE: u32 = 1 << 26;

impl Entities {
    /// Reserves an id from any thread. The entity is alive after the next flush.
    ///
    /// # Errors
    ///
    /// If no index is left.
    pub fn reserve(&self) -> Result<Entity, EntityIdsExhausted> {
        if let Some(stream) = self.streams.last() {
            return self.reserve_in(stream);
        }
        let cursor = self.cursor.fetch_sub(1, Ordering::Relaxed);
        let found = self.at_position((self.free.len() as i64 - cursor) as u64);
        found.ok_or_else(|| {
            self.cursor.fetch_add(1, Ordering::Relaxed);
            EntityIdsExhausted
        })
    }

    /// Reserves several ids from any thread, with one atomic operation. The ids are reserved even if the iterator is not used. The entities
    /// are alive after the next flush.
    ///
    /// # Errors
    ///
    /// If there are not enough indexes left, or if the number exceeds [`MOST_AT_ONCE`]. Nothing is reserved.
    pub(crate) fn reserve_many(
        &self,
        count: usize,
    ) -> Result<impl ExactSizeIterator<Item = Entity>, EntityIdsExhausted> {
        let count = u32::try_from(count).ok().filter(|&count| count <= MOST_AT_ONCE).ok_or(EntityIdsExhausted)?;
        let stream = self.streams.last();
        let bound = self.positions();
        // A compare-exchange, not a subtraction that is reverted if it took too many ids: other threads may reserve in between, and would
        // get the reverted ids.
        let first = match stream {
            Some(stream) => stream.take(count, |nth| nth < bound),
            None => {
                let taken = |cursor: i64| (self.free.len() as i64 - cursor) as u64;
                let next = |cursor| (taken(cursor) + u64::from(count) <= bound).then(|| cursor - i64::from(count));
                self.cursor.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok().map(taken)
            }
        };
        let first = first.ok_or(EntityIdsExhausted)?;
        Ok((0..count).map(move |nth| {
            let nth = first + u64::from(nth);
            let position = stream.map_or(nth, |stream| stream.position(nth));
            // Every position below the bound has an id, so the fallback is not used.
            self.at_position(position).unwrap_or(Entity::PLACEHOLDER)
        }))
    }

    /// Returns the number of positions. Each position below this number has an id.
    #[inline]
    pub(in crate::entity) fn positions(&self) -> u64 {
        let indexes = self.free.len() as u64 + u64::from(self.limit);
        indexes.saturating_sub((self.slots.len() + self.retired.len()) as u64)
    }

    /// Returns the id at a position; `None` past the last position.
    #[inline]
    pub(crate) fn at_position(&self, position: u64) -> Option<Entity> {
        if position >= self.positions() {
            return None;
        }
        let (index, generation) = match (self.free.len() as u64).checked_sub(position + 1) {
            Some(at) => {
                let index = self.free[at as usize];
                (index, self.slots[index as usize].generation)
            }
            None => {
                let fresh = position - self.free.len() as u64;
                (self.retired.pass_over(self.slots.len(), fresh) as u32, self.first_generation.get())
            }
        };
        // The generation of a free index is never zero, so the result is not `None`.
        NonZeroU32::new(generation).map(|generation| Entity::new(index, generation))
    }

    /// Returns whether an id whose index is dead is reserved and not flushed. `generation` is the next generation of the index. `O(1)`,
    /// except for a search among the retired indexes without slots, which are few.
    fn is_reserved(&self, entity: Entity, generation: u32) -> bool {
        if entity.generation() != generation {
            return false;
        }
        let position = match self.slots.get(entity.index() as usize) {
            None if self.retired.contains(entity.index()) => return false,
            None => self.free.len() + self.retired.rank(self.slots.len(), entity.index()),
            Some(slot) if slot.is_free() => self.free.len() - 1 - slot.row as usize,
            Some(_) => return false,
        };
        let position = position as u64;
        if !self.streams.is_empty() {
            return position < self.positions() && self.streams.is_taken(position);
        }
        position < (self.free.len() as i64 - self.cursor.load(Ordering::Relaxed)) as u64
    }

    /// Returns whether ids have been reserved since the last flush.
    #[inline]
    pub(crate) fn needs_flush(&mut self) -> bool {
        debug_assert!(self.streams.is_empty(), "close the streams before anything else");
        *self.cursor.get_mut() != self.free.len() as i64
    }

    /// Returns the number of ids that have been reserved since the last flush.
    pub(crate) fn reserved(&mut self) -> usize {
        (self.free.len() as i64 - *self.cursor.get_mut()) as usize
    }

    /// Makes room for all reserved ids to become pending.
    ///
    /// # Errors
    ///
    /// If there is no memory. The ids stay reserved.
    pub(crate) fn reserve_pending(&mut self) -> Result<(), AllocError> {
        let fresh = usize::try_from(-*self.cursor.get_mut()).unwrap_or(0);
        // Retired indexes that new ids skip get slots, too.
        try_reserve(&mut self.slots, fresh + if fresh == 0 { 0 } else { self.retired.len() })
    }

    /// Makes the next reserved id pending, in the order of reservation; `None` if no id is reserved.
    pub(crate) fn next_reserved(&mut self) -> Option<Entity> {
        let cursor = *self.cursor.get_mut();
        let keep = usize::try_from(cursor).unwrap_or(0);
        if self.free.len() > keep {
            let index = self.free.pop()?;
            let slot = &mut self.slots[index as usize];
            slot.table = TableId::PENDING;
            return NonZeroU32::new(slot.generation).map(|generation| Entity::new(index, generation));
        }
        if cursor >= 0 {
            return None;
        }
        *self.cursor.get_mut() = cursor + 1;
        Some(self.push_pending())
    }

    /// Returns the reason why an entity is not alive.
    #[cold]
    #[must_use]
    pub fn why_not(&self, entity: Entity) -> EntityError {
        match self.slots.get(entity.index() as usize) {
            Some(slot) if slot.generation == entity.generation() && slot.table == TableId::PENDING => {
                EntityError::Reserved(entity)
            }
            Some(slot) if slot.generation == 0 || entity.generation() < slot.generation => self.despawned(entity),
            Some(slot) if self.is_reserved(entity, slot.generation) => EntityError::Reserved(entity),
            None if self.is_reserved(entity, self.first_generation.get()) => EntityError::Reserved(entity),
            None if self.was_given_back(entity) => self.despawned(entity),
            _ => EntityError::Unknown(entity),
        }
    }

    /// Returns the error for a despawned entity.
    pub(super) fn despawned(&self, entity: Entity) -> EntityError {
        EntityError::Despawned(Despawned::new(entity, self.lives.despawned_by(entity)))
    }

    /// Returns whether an id may have been alive before. Its index must have no slot.
    pub(super) fn was_given_back(&self, entity: Entity) -> bool {
        let is_old = entity.generation() < self.first_generation.get() || self.retired.contains(entity.index());
        entity.index() < self.limit && is_old
    }
}
