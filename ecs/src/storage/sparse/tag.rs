//! Storage of zero-sized values: a bitmap.
//!
//! Tests: tests/storage/sparse.rs

use alloc::vec::Vec;

use crate::entity::Entity;
use crate::storage::column::Column;
use crate::util::alloc_error::{AllocError, try_reserve};

/// Storage of zero-sized values: one bit per entity index.
pub struct TagSet {
    pub(super) words: Vec<u64>,
    pub(super) len: usize,
    /// A column without memory for values; it only has ticks, by entity index.
    pub(super) column: Column,
    pub(super) retired: bool,
}

impl TagSet {
    #[inline]
    pub(super) fn contains(&self, index: u32) -> bool {
        self.words.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    pub(super) fn reserve(&mut self, index: u32) -> Result<(), AllocError> {
        let word = index as usize / 64;
        if self.words.len() <= word {
            let missing = word + 1 - self.words.len();
            try_reserve(&mut self.words, missing)?;
            self.column.grow_to(self.words.capacity() * 64)?;
            self.words.resize(word + 1, 0);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn next_index(&self, at: usize) -> Option<(u32, usize)> {
        let mut word_at = at / 64;
        let mut word = self.words.get(word_at)? & (u64::MAX << (at % 64));
        while word == 0 {
            word_at += 1;
            word = *self.words.get(word_at)?;
        }
        let index = word_at * 64 + word.trailing_zeros() as usize;
        Some((index as u32, index + 1))
    }

    /// Removes the tag from these entities, without dropping the values. Entities may lack the tag. Returns the number of entities that had
    /// it.
    pub(super) fn remove_all(&mut self, entities: &[Entity]) -> usize {
        let mut count = 0;
        for &entity in entities {
            let (word, bit) = (entity.index() as usize / 64, 1 << (entity.index() % 64));
            if let Some(word) = self.words.get_mut(word).filter(|word| **word & bit != 0) {
                *word &= !bit;
                count += 1;
            }
        }
        self.len -= count;
        count
    }
}
