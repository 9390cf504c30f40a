//! Copies of the entity allocator: the state that determines the next ids.
//!
//! Slots are copied by pages, and a copy shares equal pages with another copy. The origins of spawns and despawns are not part of a copy.
//!
//! Tests: tests/snapshots/contents.rs, tests/snapshots/histories.rs

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::{Entities, Slot, TableId};
use crate::entity::{Entity, SparseMask};
use crate::util::alloc_error::{AllocError, try_reserve, try_reserve_exact};

/// The number of slots of a page; the last page may have fewer.
const PAGE: usize = 1024;

/// The state of the allocator while no id is reserved. Ids that are pending, because commands are being applied that will place them, are
/// free in a copy: these commands are not part of it.
pub(crate) struct EntitiesCopy {
    pages: Vec<Arc<Vec<Slot>>>,
    /// The number of slots.
    slots: usize,
    sparse: Vec<SparseMask>,
    free: Vec<u32>,
    retired: Vec<u32>,
    first_generation: NonZeroU32,
    live: u32,
}

impl Default for EntitiesCopy {
    fn default() -> Self {
        let (pages, sparse, free, retired) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { pages, slots: 0, sparse, free, retired, first_generation: NonZeroU32::MIN, live: 0 }
    }
}

/// The state that determines the next ids, as numbers.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let [ann, _] = [(); 2].map(|()| world.spawn_empty().id());
/// world.despawn(ann);
/// let snapshot = world.snapshot()?;
/// let ids = snapshot.contents().ids();
/// assert_eq!((ids.generations, ids.free), (vec![2, 1], vec![0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityIds {
    /// By index: the generation of the entity that has it, or of the next one that gets it. 0 for a retired index.
    pub generations: Vec<u32>,
    /// The free indexes; the last one is used next.
    pub free: Vec<u32>,
    /// Retired indexes past the end of `generations`, in ascending order.
    pub retired: Vec<u32>,
    /// The first generation of indexes past the end of `generations`.
    pub first_generation: u32,
}

/// [Ids](EntityIds) and rows contradict each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EntityIdsError {
    /// An entity has a row, but its index does not exist or has another generation.
    Unknown(Entity),
    /// An entity has two rows.
    Twice(Entity),
    /// A free index belongs to an entity, is retired, is listed twice, or does not exist.
    NotFree(u32),
    /// An index belongs to no entity, and is neither free nor retired.
    Lost(u32),
    /// The list of retired indexes is not ascending, or contains an index that has a generation.
    Retired(u32),
    /// The first generation is 0.
    FirstGeneration,
    /// There are more indexes or rows than a world can have.
    TooMany,
}

impl_error! {
    [] EntityIdsError => |this, f| match this {
        Self::Unknown(entity) => write!(f, "entity {entity} has a row, but its index does not have its generation"),
        Self::Twice(entity) => write!(f, "entity {entity} has two rows"),
        Self::NotFree(index) => write!(f, "index {index} is listed as free and is not, or is listed twice"),
        Self::Lost(index) => write!(f, "index {index} has no entity, and is neither free nor retired"),
        Self::Retired(index) => write!(f, "index {index} is at a wrong place in the list of retired ones"),
        Self::FirstGeneration => f.write_str("generations begin at 1, not at 0"),
        Self::TooMany => f.write_str("there are more indexes or rows than a world can have"),
    }
}

/// A copy that the allocator was equal to when it was last copied or restored.
#[derive(Clone, Copy)]
pub(crate) struct KnownEntities<'a> {
    pub(crate) copy: &'a EntitiesCopy,
    /// Whether no entity has been spawned, despawned or moved since.
    pub(crate) same_rows: bool,
}

impl KnownEntities<'_> {
    /// Whether all slots are unchanged: those of live entities, and those of free indexes, which the free list determines.
    fn has_same_slots(&self, books: &Entities) -> bool {
        let Self { copy, same_rows } = *self;
        let same = same_rows && books.slots.len() == copy.slots && books.live == copy.live;
        same && books.free == copy.free && books.retired.0 == copy.retired && {
            let was = |index: u32| copy.pages[index as usize / PAGE][index as usize % PAGE].generation;
            books.free.iter().all(|&index| books.slots[index as usize].generation == was(index))
        }
    }
}

/// Makes one list equal to another one.
fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) -> Result<(), AllocError> {
    to.clear();
    try_reserve(to, from.len())?;
    put(to, from);
    Ok(())
}

/// Replaces the items of a list, which has room for the new ones.
fn put<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}

/// Makes room for another list.
fn make_room<T>(to: &mut Vec<T>, len: usize) -> Result<(), AllocError> {
    let missing = len.saturating_sub(to.len());
    try_reserve_exact(to, missing)
}

/// In a slot: its state is not yet known.
const UNSEEN: u32 = u32::MAX;

fn slot_at(pages: &mut [Vec<Slot>], index: u32) -> Option<&mut Slot> {
    pages.get_mut(index as usize / PAGE)?.get_mut(index as usize % PAGE)
}

/// Places the entities of tables in their rows, and returns their number.
fn place_rows<'a>(pages: &mut [Vec<Slot>], tables: impl Iterator<Item = &'a [Entity]>) -> Result<u32, EntityIdsError> {
    let mut live = 0;
    for (number, entities) in tables.enumerate() {
        if number >= TableId::LIMIT as usize || entities.len() >= UNSEEN as usize {
            return Err(EntityIdsError::TooMany);
        }
        for (row, entity) in entities.iter().enumerate() {
            let slot = slot_at(pages, entity.index()).filter(|slot| slot.generation == entity.generation());
            let slot = slot.ok_or(EntityIdsError::Unknown(*entity))?;
            if slot.table != TableId::NONE {
                return Err(EntityIdsError::Twice(*entity));
            }
            (slot.table, slot.row) = (TableId(number as u32), row as u32);
            live += 1;
        }
    }
    Ok(live)
}

impl EntitiesCopy {
    /// Makes this a copy of the allocator. It shares unchanged pages with another copy. No id may be reserved at this time.
    ///
    /// # Errors
    ///
    /// If there is no memory. The copy is then unusable.
    pub(crate) fn take(&mut self, from: &mut Entities, known: Option<KnownEntities<'_>>) -> Result<(), AllocError> {
        debug_assert!(!from.needs_flush(), "flush before copying");
        let known_pages: &[_] = known.as_ref().map_or(&[], |known| &known.copy.pages);
        if known.is_some_and(|known| known.has_same_slots(from)) {
            self.pages.clear();
            try_reserve(&mut self.pages, known_pages.len())?;
            self.pages.extend(known_pages.iter().map(Arc::clone));
        } else {
            let pages = from.slots.chunks(PAGE);
            let missing = pages.len().saturating_sub(self.pages.len());
            try_reserve(&mut self.pages, missing)?;
            self.pages.resize_with(pages.len(), Arc::default);
            for (at, (own, slots)) in self.pages.iter_mut().zip(pages).enumerate() {
                if let Some(page) = known_pages.get(at).filter(|page| ***page == slots) {
                    *own = Arc::clone(page);
                    continue;
                }
                if Arc::get_mut(own).is_none() {
                    *own = Arc::default();
                }
                if let Some(own) = Arc::get_mut(own) {
                    copy(own, slots)?;
                }
            }
        }
        self.slots = from.slots.len();
        copy(&mut self.sparse, &from.sparse)?;
        copy(&mut self.free, &from.free)?;
        copy(&mut self.retired, &from.retired.0)?;
        (self.first_generation, self.live) = (from.first_generation, from.live);
        let missing = from.pending_indexes().count();
        try_reserve(&mut self.free, missing)?;
        for index in from.pending_indexes() {
            // A page that is shared with a known copy contains no pending ids, so `make_mut` does not clone this page.
            let slot = &mut Arc::make_mut(&mut self.pages[index as usize / PAGE])[index as usize % PAGE];
            (slot.table, slot.row) = (TableId::NONE, self.free.len() as u32);
            self.free.push(index);
        }
        Ok(())
    }

    /// Creates the copy from ids instead of from a world. The entities in tables have rows, and those in sparse sets have values. Indexes
    /// are below `limit`.
    ///
    /// # Errors
    ///
    /// If the parts contradict each other.
    pub(crate) fn of<'a>(
        ids: &EntityIds,
        limit: u32,
        tables: impl Iterator<Item = &'a [Entity]>,
    ) -> Result<Self, EntityIdsError> {
        let EntityIds { generations, free, retired, first_generation } = ids;
        let first_generation = NonZeroU32::new(*first_generation).ok_or(EntityIdsError::FirstGeneration)?;
        if generations.len() > limit as usize {
            return Err(EntityIdsError::TooMany);
        }
        let unseen = |&generation: &u32| Slot { generation, table: TableId::NONE, row: UNSEEN };
        let page = |generations: &[u32]| generations.iter().map(unseen).collect();
        let mut pages: Vec<Vec<Slot>> = generations.chunks(PAGE).map(page).collect();
        let live = place_rows(&mut pages, tables)?;
        for (place, &index) in free.iter().enumerate() {
            let slot = slot_at(&mut pages, index).filter(|slot| slot.is_free() && slot.row == UNSEEN);
            slot.ok_or(EntityIdsError::NotFree(index))?.row = place as u32;
        }
        for (index, slot) in pages.iter_mut().flatten().enumerate().filter(|(_, slot)| slot.row == UNSEEN) {
            if slot.generation != 0 {
                return Err(EntityIdsError::Lost(index as u32));
            }
            slot.row = 0;
        }
        let mut bound = generations.len();
        for &index in retired {
            if (index as usize) < bound || index >= limit {
                return Err(EntityIdsError::Retired(index));
            }
            bound = index as usize + 1;
        }
        Ok(Self {
            pages: pages.into_iter().map(Arc::new).collect(),
            slots: generations.len(),
            sparse: Vec::new(),
            free: free.clone(),
            retired: retired.clone(),
            first_generation,
            live,
        })
    }

    /// The live entity with this index.
    pub(crate) fn at_index(&self, index: u32) -> Option<Entity> {
        let slot = self.pages.get(index as usize / PAGE)?.get(index as usize % PAGE)?;
        let generation = NonZeroU32::new(slot.generation).filter(|_| slot.table != TableId::NONE)?;
        Some(Entity::new(index, generation))
    }

    /// Records that a sparse set contains entities.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn note_sparse(&mut self, storage: usize, entities: &[Entity]) -> Result<(), AllocError> {
        let bound = entities.iter().map(|entity| entity.index() as usize + 1).max().unwrap_or(0);
        if bound > self.sparse.len() {
            let missing = bound - self.sparse.len();
            try_reserve_exact(&mut self.sparse, missing)?;
            self.sparse.resize(bound, SparseMask::default());
        }
        for entity in entities {
            let summary = &mut self.sparse[entity.index() as usize];
            *summary = summary.with(storage);
        }
        Ok(())
    }

    /// The state that determines the next ids.
    pub(crate) fn ids(&self) -> EntityIds {
        EntityIds {
            generations: self.pages.iter().flat_map(|page| page.iter().map(|slot| slot.generation)).collect(),
            free: self.free.clone(),
            retired: self.retired.clone(),
            first_generation: self.first_generation.get(),
        }
    }

    /// The bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.pages.iter().map(|page| page.capacity() * size_of::<Slot>()).sum::<usize>()
            + self.sparse.capacity() * size_of::<SparseMask>()
            + (self.free.capacity() + self.retired.capacity()) * size_of::<u32>()
    }
}

impl Entities {
    /// The indexes of pending ids, the lowest last. There are only some while commands are applied.
    fn pending_indexes(&self) -> impl Iterator<Item = u32> + '_ {
        // Each slot is live, free, pending or retired. If all slots are live or free, the search is skipped: pending and retired slots are
        // rare.
        let are_there = self.slots.len() != self.live as usize + self.free.len();
        let slots = if are_there { &self.slots[..] } else { &[] };
        let pending = slots.iter().enumerate().rev().filter(|(_, slot)| slot.table == TableId::PENDING);
        pending.map(|(index, _)| index as u32)
    }

    /// The state that determines the next ids. No id may be reserved at this time. Pending ids count as free.
    pub(crate) fn ids(&self) -> EntityIds {
        EntityIds {
            generations: self.slots.iter().map(|slot| slot.generation).collect(),
            free: self.free.iter().copied().chain(self.pending_indexes()).collect(),
            retired: self.retired.0.clone(),
            first_generation: self.first_generation.get(),
        }
    }

    /// Makes room for the contents of a copy.
    ///
    /// # Errors
    ///
    /// If there is no memory. The allocator is unchanged.
    pub(crate) fn make_room_for(&mut self, copy: &EntitiesCopy) -> Result<(), AllocError> {
        make_room(&mut self.slots, copy.slots)?;
        make_room(&mut self.sparse, copy.sparse.len())?;
        make_room(&mut self.free, copy.free.len())?;
        make_room(&mut self.retired.0, copy.retired.len())
    }

    /// Restores the state of a copy, for which [there is room](Self::make_room_for). Slots that are known to be equal are not written.
    /// Reservations are discarded.
    pub(crate) fn restore_from(&mut self, copy: &EntitiesCopy, known: Option<KnownEntities<'_>>) {
        let known = known.filter(|known| known.has_same_slots(self) && known.copy.slots == copy.slots);
        match known {
            Some(known) => {
                for ((slots, page), known) in self.slots.chunks_mut(PAGE).zip(&copy.pages).zip(&known.copy.pages) {
                    if !Arc::ptr_eq(page, known) {
                        slots.copy_from_slice(page);
                    }
                }
            }
            None => {
                self.slots.clear();
                // `make_room_for` has reserved room.
                copy.pages.iter().for_each(|page| self.slots.extend_from_slice(page));
            }
        }
        put(&mut self.sparse, &copy.sparse);
        put(&mut self.free, &copy.free);
        put(&mut self.retired.0, &copy.retired);
        (self.first_generation, self.live) = (copy.first_generation, copy.live);
        *self.cursor.get_mut() = self.free.len() as i64;
    }
}
