//! The entity allocator: which ids are alive, and the locations of their rows.
//!
//! Each index has a slot of 12 bytes, and 2 more bytes in worlds that use sparse components. The slot of a dead index holds the generation
//! of the next entity that gets it.
//!
//! Ids can be reserved through a shared reference from any thread, by one atomic addition. Such an id is first *reserved*: only the cursor
//! records it. `make_reserved_pending` makes it *pending*: it has a slot without a table. It becomes *alive* when a spawn or
//! `place_pending` gives it a row. A command queue makes reserved ids pending before it runs, since its commands name them, and afterwards
//! places those that no command has placed. A flush does both.
//!
//! An id is alive if the slot of its index has the same generation and a table. A despawned id never becomes valid again: the next entity
//! with the index has a higher generation, and an index is retired after its last generation. The slot of a free index holds its position
//! in the free list, so a free index, and whether it is reserved, is found without a search.
//!
//! Reserved ids become entities at the next flush. Every operation that spawns or despawns entities begins with a flush.

mod chosen;
mod bulk;
mod reservation;
mod shrink;
mod summaries;
mod copy;

pub(crate) use self::chosen::{ClaimError, ClaimedIds};
pub(crate) use self::copy::{EntitiesCopy, KnownEntities};
pub use self::copy::{EntityIds, EntityIdsError};
pub(crate) use self::reservation::MOST_AT_ONCE;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::sync::atomic::{AtomicI64, Ordering};

use super::Entity;
use super::error::{EntityError, EntityIdsExhausted, ReserveError};
use super::id_stream::IdStreams;
use super::life::EntityOrigins;
use super::retired::RetiredIndexes;
use super::slot::{FreeableSlot, Location, Slot, TableId};
use super::summary::SparseMask;
use crate::util::alloc_error::{AllocError, try_reserve};
use crate::util::origin::Origin;

/// The entity ids of a world.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let entity = world.spawn_empty().id();
/// let entities = world.entities();
/// assert_eq!((entities.len(), entities.index_bound()), (1, 1));
/// assert_eq!(entities.at_index(0).unwrap().0, entity);
/// let reserved = entities.reserve().unwrap();
/// assert!(!entities.contains(reserved));
/// ```
pub struct Entities {
    pub(super) slots: Vec<Slot>,
    /// By index: the sparse sets that may contain the entity. Only as long as needed so far.
    sparse: Vec<SparseMask>,
    /// The free list of dead indexes; the last one is used next. If `cursor` is less than its length, the indexes from `cursor` on are
    /// reserved.
    pub(super) free: Vec<u32>,
    /// `free.len()` if nothing is reserved; each reservation subtracts one. If negative, the absolute value is the number of reserved new
    /// indexes. It is boxed so that a `World` has no interior mutability of its own, and the compiler can reuse values that it has
    /// read from one.
    pub(super) cursor: Box<AtomicI64>,
    /// One stream per task and one for all other callers, while several tasks reserve ids at the same time. Otherwise empty.
    pub(super) streams: IdStreams,
    /// The exclusive upper bound of indexes.
    pub(super) limit: u32,
    /// Retired indexes without a slot, which are skipped.
    pub(super) retired: RetiredIndexes,
    /// The generation with which an index without a slot starts. No id whose slot was given back has reached it, so no old id becomes valid
    /// again.
    pub(super) first_generation: NonZeroU32,
    pub(super) live: u32,
    /// The origins of spawns and despawns.
    pub(super) lives: EntityOrigins,
}

impl Entities {
    /// The state that determines the next ids, as numbers: two worlds hand out the same ids if these are equal.
    pub(crate) fn next_ids(&self) -> impl Iterator<Item = u64> {
        // Reservations lower the cursor but leave the free list unchanged, so the cursor is part of the state.
        let cursor = self.cursor.load(Ordering::Relaxed) as u64;
        let heads = [self.slots.len() as u64, self.free.len() as u64, cursor, self.first_generation.get().into()];
        // The slot of a free index holds the generation of the next entity with that index.
        let generation = |index: u32| self.slots.get(index as usize).map_or(0, |slot| slot.generation);
        let free = self.free.iter().map(move |&index| (u64::from(generation(index)) << 32) | u64::from(index));
        heads.into_iter().chain(free).chain(self.retired.0.iter().map(|&index| index.into()))
    }
}

impl Default for Entities {
    fn default() -> Self {
        Self::with_limit(u32::MAX)
    }
}

impl Entities {
    /// The exclusive upper bound of indexes.
    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// Creates an allocator that only uses indexes below `limit`.
    pub(crate) fn with_limit(limit: u32) -> Self {
        Self {
            slots: Vec::new(),
            sparse: Vec::new(),
            free: Vec::new(),
            cursor: Box::new(AtomicI64::new(0)),
            streams: IdStreams::default(),
            limit,
            retired: RetiredIndexes::default(),
            first_generation: NonZeroU32::MIN,
            live: 0,
            lives: EntityOrigins::default(),
        }
    }

    /// The number of live entities. Reserved ids count after they are flushed.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.live as usize
    }

    /// Whether no entity is alive.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The number of slots: the index of every live entity is less.
    #[must_use]
    pub const fn index_bound(&self) -> usize {
        self.slots.len()
    }

    /// Whether the entity with this id, including its generation, is alive.
    #[inline]
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_some()
    }

    /// The location of a live entity. `O(1)`: one indexed load.
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<Location> {
        let slot = self.slots.get(entity.index() as usize)?;
        if slot.generation != entity.generation() || slot.table.0 >= TableId::LIMIT {
            return None;
        }
        Some(Location { table: slot.table, row: slot.row })
    }

    /// The location of a live entity.
    ///
    /// # Errors
    ///
    /// If the entity is not alive. The error gives the reason.
    ///
    /// ```
    /// # let mut world = strata_ecs::World::new();
    /// let entity = world.spawn_empty().id();
    /// assert_eq!(world.entities().locate(entity).unwrap().row, 0);
    /// world.despawn(entity);
    /// assert!(world.entities().locate(entity).is_err());
    /// ```
    #[inline]
    pub fn locate(&self, entity: Entity) -> Result<Location, EntityError> {
        self.get(entity).ok_or_else(|| self.why_not(entity))
    }

    /// The slots, by index.
    #[inline]
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The origin of the spawn of a live entity, or of the despawn of a dead one, unless another entity with its index has been despawned
    /// since. Only known with the feature `track_location`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let id = world.spawn_empty().id();
    /// println!("spawned at {}", world.entities().entity_get_spawned_or_despawned_by(id));
    /// world.despawn(id);
    /// println!("despawned at {}", world.entities().entity_get_spawned_or_despawned_by(id));
    /// ```
    #[must_use]
    pub fn entity_get_spawned_or_despawned_by(&self, entity: Entity) -> Origin {
        match self.contains(entity) {
            true => self.lives.spawned_by(entity.index()),
            false => self.lives.despawned_by(entity),
        }
    }

    /// The origin of the current operations.
    #[inline]
    pub(crate) fn caller(&self) -> Origin {
        self.lives.caller()
    }

    /// Sets the origin of later operations.
    #[inline]
    pub(crate) fn set_caller(&mut self, by: Origin) {
        self.lives.set_caller(by);
    }

    /// The live entity with this index.
    #[inline]
    #[must_use]
    #[doc(alias("find_entity_from_id"))]
    pub fn at_index(&self, index: u32) -> Option<(Entity, Location)> {
        let slot = self.slots.get(index as usize)?;
        if slot.table.0 >= TableId::LIMIT {
            return None;
        }
        let generation = NonZeroU32::new(slot.generation)?;
        Some((Entity::new(index, generation), Location { table: slot.table, row: slot.row }))
    }

    /// The location of the live entity with this index.
    #[inline]
    pub(crate) fn location_at(&self, index: u32) -> Option<Location> {
        let slot = self.slots.get(index as usize)?;
        (slot.table.0 < TableId::LIMIT && slot.generation != 0).then_some(Location { table: slot.table, row: slot.row })
    }

    /// Makes room in the allocator for one more entity, and returns the index that it would get. No id may be reserved at this time.
    #[inline]
    pub(crate) fn reserve_next(&mut self) -> Result<u32, ReserveError> {
        if let Some(&index) = self.free.last() {
            return Ok(index);
        }
        if !self.retired.is_empty() {
            self.retired.give_slots(&mut self.slots, 1).map_err(ReserveError::OutOfMemory)?;
        }
        let index = self.slots.len();
        if index >= self.limit as usize {
            return Err(ReserveError::IdsExhausted);
        }
        if index == self.slots.capacity() {
            try_reserve(&mut self.slots, 1).map_err(ReserveError::OutOfMemory)?;
        }
        Ok(index as u32)
    }

    /// The index of the next new entity, unless ids are reserved or retired.
    #[inline]
    pub(crate) fn next_index(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.slots.len() as u32)
    }

    /// Returns a new pending id. No id may be reserved at this time.
    #[inline(always)]
    pub(crate) fn allocate(&mut self) -> Result<Entity, EntityIdsExhausted> {
        debug_assert!(!self.needs_flush(), "flush before allocating");
        if let Some(index) = self.free.pop() {
            *self.cursor.get_mut() = self.free.len() as i64;
            let slot = &mut self.slots[index as usize];
            slot.table = TableId::PENDING;
            let generation = NonZeroU32::new(slot.generation).ok_or(EntityIdsExhausted)?;
            return Ok(Entity::new(index, generation));
        }
        if self.retired.is_empty() && self.slots.len() < self.limit as usize {
            return Ok(self.push_slot());
        }
        self.allocate_new_index()
    }

    /// Allocates an id that is alive at once, in a row that the caller creates. `None`, without any change, if ids are reserved, the next
    /// index is retired, memory is missing, or no id is left: [`Entities::reserve_next`] returns the reason or makes room.
    #[inline(always)]
    pub(crate) fn allocate_at_row(&mut self, location: Location) -> Option<Entity> {
        let Location { table, row } = location;
        if *self.cursor.get_mut() != self.free.len() as i64 {
            return None;
        }
        let entity = if let Some((&index, rest)) = self.free.split_last() {
            let slot = self.slots.get_mut(index as usize)?;
            let entity = Entity::new(index, NonZeroU32::new(slot.generation)?);
            (slot.table, slot.row) = (table, row);
            let left = rest.len();
            *self.cursor.get_mut() = left as i64;
            self.free.truncate(left);
            entity
        } else {
            let index = self.slots.len();
            if self.retired.comes_next(index) || index >= self.limit as usize || index == self.slots.capacity() {
                return None;
            }
            let generation = self.first_generation;
            self.slots.push(Slot { generation: generation.get(), table, row });
            Entity::new(index as u32, generation)
        };
        self.live += 1;
        self.lives.note_spawned(entity.index());
        Some(entity)
    }

    /// Whether [`Entities::allocate_at_row`] will return an id.
    #[inline]
    pub(crate) fn can_allocate_at_row(&mut self) -> bool {
        if *self.cursor.get_mut() != self.free.len() as i64 {
            return false;
        }
        match self.free.last() {
            Some(&index) => self.slots.get(index as usize).is_some_and(|slot| slot.generation != 0),
            None => {
                let index = self.slots.len();
                !self.retired.comes_next(index) && index < self.limit as usize && index != self.slots.capacity()
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate_new_index(&mut self) -> Result<Entity, EntityIdsExhausted> {
        if self.positions() == 0 { Err(EntityIdsExhausted) } else { Ok(self.push_pending()) }
    }

    /// Makes the first index that has no slot and is not retired pending. The index is below the limit.
    #[inline]
    fn push_pending(&mut self) -> Entity {
        if !self.retired.is_empty()
            && let Err(error) = self.retired.give_slots(&mut self.slots, 1)
        {
            error.raise();
        }
        self.push_slot()
    }

    /// Makes the first index without a slot pending. The index is below the limit and not retired.
    #[inline]
    fn push_slot(&mut self) -> Entity {
        let entity = Entity::new(self.slots.len() as u32, self.first_generation);
        self.slots.push(Slot { generation: entity.generation(), table: TableId::PENDING, row: 0 });
        entity
    }

    /// Reserves room for `additional` more entities.
    pub(crate) fn reserve_capacity(&mut self, additional: usize) {
        let fresh = additional.saturating_sub(self.free.len());
        self.slots.reserve(fresh);
    }

    /// Whether the id is pending: allocated, but not placed.
    pub(crate) fn is_pending(&self, entity: Entity) -> bool {
        self.slots
            .get(entity.index() as usize)
            .is_some_and(|slot| slot.generation == entity.generation() && slot.table == TableId::PENDING)
    }

    /// Gives a pending id its first row.
    #[inline]
    pub(crate) fn place(&mut self, entity: Entity, location: Location) {
        debug_assert!(self.is_pending(entity), "only a pending id is placed");
        let slot = &mut self.slots[entity.index() as usize];
        slot.table = location.table;
        slot.row = location.row;
        self.live += 1;
        self.lives.note_spawned(entity.index());
    }

    /// Updates the slots after an entity has left a row and the entity of the last row of its table, which may be the same entity, has
    /// moved there.
    #[inline(always)]
    pub(crate) fn relocate_row(&mut self, entity: Entity, here: Location, last: Entity, row: u32) {
        self.set_row(last, row);
        self.relocate(entity, here);
    }

    /// Sets the location of a live entity.
    #[inline]
    pub(crate) fn relocate(&mut self, entity: Entity, location: Location) {
        let slot = &mut self.slots[entity.index() as usize];
        debug_assert!(slot.generation == entity.generation() && slot.table.0 < TableId::LIMIT);
        slot.table = location.table;
        slot.row = location.row;
    }

    /// Sets the row of a live entity within its table.
    #[inline]
    pub(crate) fn set_row(&mut self, entity: Entity, row: u32) {
        self.slots[entity.index() as usize].row = row;
    }

    /// Makes room in the free list for the indexes of `count` despawned entities.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has changed.
    #[inline]
    pub(crate) fn reserve_free(&mut self, count: usize) -> Result<(), AllocError> {
        if self.free.capacity() - self.free.len() >= count { Ok(()) } else { try_reserve(&mut self.free, count) }
    }

    /// Frees the id of a live or pending entity: the id is invalid from now on. Needs no memory after [`Entities::reserve_free`].
    #[inline]
    pub(crate) fn free(&mut self, entity: Entity) {
        debug_assert!(!self.needs_flush(), "flush before freeing");
        let slot = &mut self.slots[entity.index() as usize];
        debug_assert!(slot.generation == entity.generation() && slot.table != TableId::NONE);
        if slot.table != TableId::PENDING {
            self.live -= 1;
        }
        slot.table = TableId::NONE;
        self.lives.note_despawned(entity);
        if let Some(summary) = self.sparse.get_mut(entity.index() as usize) {
            *summary = SparseMask::default();
        }
        slot.generation = slot.generation.wrapping_add(1);
        if slot.generation != 0 {
            slot.row = self.free.len() as u32;
            self.free.push(entity.index());
            *self.cursor.get_mut() = self.free.len() as i64;
        }
    }

    /// Returns a live entity without sparse components whose id can be freed without a flush and without memory.
    #[inline(always)]
    pub(crate) fn begin_end(&mut self, entity: Entity) -> Option<FreeableSlot<'_>> {
        let Self { slots, sparse, free, cursor, live, lives, .. } = self;
        let cursor = cursor.get_mut();
        if *cursor != free.len() as i64 || free.len() == free.capacity() {
            return None;
        }
        let index = entity.index() as usize;
        let slots = slots.as_mut_slice();
        let Slot { generation, table, row } = *slots.get(index)?;
        if generation != entity.generation() || table.0 >= TableId::LIMIT {
            return None;
        }
        if let Some(summary) = sparse.get(index)
            && !summary.is_empty()
        {
            return None;
        }
        Some(FreeableSlot { slots, free, cursor, live, lives, entity, location: Location { table, row } })
    }

    /// The bytes that the allocator has allocated.
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.free.capacity() * size_of::<u32>()
            + self.sparse.capacity() * size_of::<SparseMask>()
            + self.retired.allocated_bytes()
            + self.streams.allocated_bytes()
            + self.lives.allocated_bytes()
    }

    /// Panics if the state of the allocator is inconsistent.
    pub(crate) fn check_invariants(&mut self) {
        assert!(!self.needs_flush(), "entities: reserved ids were not flushed");
        let live = self.slots.iter().filter(|slot| slot.table.0 < TableId::LIMIT).count();
        assert_eq!(live, self.len(), "entities: live count");
        let mut free = self.free.clone();
        free.sort_unstable();
        free.dedup();
        assert_eq!(free.len(), self.free.len(), "entities: an index is free twice");
        for (at, &index) in (0..).zip(&self.free) {
            let slot = &self.slots[index as usize];
            assert!(slot.is_free(), "entities: index {index} is not free");
            assert_eq!(slot.row, at, "entities: index {index} does not know its place among the free ones");
        }
        let dead = self.slots.iter().filter(|slot| slot.is_free()).count();
        self.retired.check(self.slots.len());
        assert_eq!(dead, free.len(), "entities: a dead index is lost");
        assert!(self.sparse.len() <= self.slots.len(), "entities: a summary of no index");
        assert!(self.slots.iter().all(|slot| slot.table != TableId::PENDING), "entities: an id stayed pending");
    }
}

#[cfg(test)]
mod tests;
