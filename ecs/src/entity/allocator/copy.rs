//! Copies of the books of entities: all that decides which ids come next.
//!
//! Slots are copied by pages, and a copy shares those with another one that are equal there. The origins of spawns and despawns stay
//! as they are.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::{Entities, Slot};
use crate::alloc_error::{AllocError, try_reserve, try_reserve_exact};
use crate::entity::SparseSummary;

/// How many slots a page has; the last one may have fewer.
const PAGE: usize = 1024;

/// What the books say at a time when nothing is reserved.
pub(crate) struct EntitiesCopy {
    pages: Vec<Arc<Vec<Slot>>>,
    /// How many slots there are.
    slots: usize,
    sparse: Vec<SparseSummary>,
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

/// A copy that the books were equal to, as the last that was done with it.
#[derive(Clone, Copy)]
pub(crate) struct KnownEntities<'a> {
    pub(crate) copy: &'a EntitiesCopy,
    /// Whether no entity has come, gone or moved since.
    pub(crate) same_rows: bool,
}

impl KnownEntities<'_> {
    /// Whether all slots are as they were: those of entities that are alive, and those of free indexes, of which the list tells.
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
    to.extend_from_slice(from);
    Ok(())
}

/// Makes room for another list.
fn make_room<T>(to: &mut Vec<T>, len: usize) -> Result<(), AllocError> {
    let missing = len.saturating_sub(to.len());
    try_reserve_exact(to, missing)
}

impl EntitiesCopy {
    /// Becomes a copy of the books, which shares with another one what is as it was. Nothing may be reserved at this time.
    ///
    /// # Errors
    ///
    /// If there is no memory. What is here then is worth nothing.
    pub(crate) fn take(&mut self, from: &mut Entities, known: Option<KnownEntities<'_>>) -> Result<(), AllocError> {
        debug_assert!(!from.needs_flush(), "flush before copying");
        let known_pages: &[_] = known.as_ref().map_or(&[], |known| &known.copy.pages);
        if known.is_some_and(|known| known.has_same_slots(from)) {
            self.pages.clear();
            try_reserve(&mut self.pages, known_pages.len())?;
            self.pages.extend(known_pages.iter().map(Arc::clone));
        } else {
            let pages = from.slots.chunks(PAGE);
            self.pages.truncate(pages.len());
            let missing = pages.len() - self.pages.len();
            try_reserve(&mut self.pages, missing)?;
            for (at, slots) in pages.enumerate() {
                if let Some(page) = known_pages.get(at).filter(|page| ***page == slots) {
                    match self.pages.get_mut(at) {
                        Some(own) => *own = Arc::clone(page),
                        None => self.pages.push(Arc::clone(page)),
                    }
                    continue;
                }
                match self.pages.get_mut(at).and_then(Arc::get_mut) {
                    Some(own) => copy(own, slots)?,
                    None => {
                        let mut own = Vec::new();
                        copy(&mut own, slots)?;
                        match self.pages.get_mut(at) {
                            Some(page) => *page = Arc::new(own),
                            None => self.pages.push(Arc::new(own)),
                        }
                    }
                }
            }
        }
        self.slots = from.slots.len();
        copy(&mut self.sparse, &from.sparse)?;
        copy(&mut self.free, &from.free)?;
        copy(&mut self.retired, &from.retired.0)?;
        (self.first_generation, self.live) = (from.first_generation, from.live);
        Ok(())
    }

    /// The bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.pages.iter().map(|page| page.capacity() * size_of::<Slot>()).sum::<usize>()
            + self.sparse.capacity() * size_of::<SparseSummary>()
            + (self.free.capacity() + self.retired.capacity()) * size_of::<u32>()
    }
}

impl Entities {
    /// Makes room for what a copy says.
    ///
    /// # Errors
    ///
    /// If there is no memory. What the books say stays.
    pub(crate) fn make_room_for(&mut self, copy: &EntitiesCopy) -> Result<(), AllocError> {
        make_room(&mut self.slots, copy.slots)?;
        make_room(&mut self.sparse, copy.sparse.len())?;
        make_room(&mut self.free, copy.free.len())?;
        make_room(&mut self.retired.0, copy.retired.len())
    }

    /// Says what a copy says, for which [there is room](Self::make_room_for). What is known to be so stays. What is reserved is
    /// forgotten.
    pub(crate) fn become_copy(&mut self, copy: &EntitiesCopy, known: Option<KnownEntities<'_>>) {
        fn put<T: Copy>(to: &mut Vec<T>, from: &[T]) {
            to.clear();
            to.extend_from_slice(from);
        }
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
                // There is room.
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
