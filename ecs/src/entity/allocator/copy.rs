//! Copies of the books of entities: all that decides which ids come next.
//!
//! The origins of spawns and despawns stay as they are.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::{Entities, Slot};
use crate::alloc_error::{AllocError, try_reserve, try_reserve_exact};
use crate::entity::SparseSummary;

/// What the books say at a time when nothing is reserved.
pub(crate) struct EntitiesCopy {
    slots: Vec<Slot>,
    sparse: Vec<SparseSummary>,
    free: Vec<u32>,
    retired: Vec<u32>,
    first_generation: NonZeroU32,
    live: u32,
}

impl Default for EntitiesCopy {
    fn default() -> Self {
        let (slots, sparse, free, retired) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { slots, sparse, free, retired, first_generation: NonZeroU32::MIN, live: 0 }
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
fn make_room<T>(to: &mut Vec<T>, from: &[T]) -> Result<(), AllocError> {
    let missing = from.len().saturating_sub(to.len());
    try_reserve_exact(to, missing)
}

impl EntitiesCopy {
    /// Becomes a copy of the books. Nothing may be reserved at this time.
    ///
    /// # Errors
    ///
    /// If there is no memory. What is here then is worth nothing.
    pub(crate) fn take(&mut self, from: &mut Entities) -> Result<(), AllocError> {
        debug_assert!(!from.needs_flush(), "flush before copying");
        copy(&mut self.slots, &from.slots)?;
        copy(&mut self.sparse, &from.sparse)?;
        copy(&mut self.free, &from.free)?;
        copy(&mut self.retired, &from.retired.0)?;
        (self.first_generation, self.live) = (from.first_generation, from.live);
        Ok(())
    }

    /// The bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
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
        make_room(&mut self.slots, &copy.slots)?;
        make_room(&mut self.sparse, &copy.sparse)?;
        make_room(&mut self.free, &copy.free)?;
        make_room(&mut self.retired.0, &copy.retired)
    }

    /// Says what a copy says, for which [there is room](Self::make_room_for). What is reserved is forgotten.
    pub(crate) fn become_copy(&mut self, copy: &EntitiesCopy) {
        fn put<T: Copy>(to: &mut Vec<T>, from: &[T]) {
            to.clear();
            to.extend_from_slice(from);
        }
        put(&mut self.slots, &copy.slots);
        put(&mut self.sparse, &copy.sparse);
        put(&mut self.free, &copy.free);
        put(&mut self.retired.0, &copy.retired);
        (self.first_generation, self.live) = (copy.first_generation, copy.live);
        *self.cursor.get_mut() = self.free.len() as i64;
    }
}
