//! Copies of sparse storages, and restoring storages from them.
//!
//! Tests: tests/snapshots/histories.rs, tests/snapshots/ring.rs

use alloc::vec::Vec;

use super::SparseStorage;
use super::set::{NO_ROW, RowPages};
use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::storage::column::{BegunTicks, ColumnClones, ColumnCopy, ColumnParts};
use crate::storage::tick::Tick;
use crate::util::alloc_error::{AllocError, try_reserve, try_reserve_exact};

/// The entities of a sparse storage, with values owned by the copy.
pub(crate) struct SparseCopy {
    /// The entities of a set.
    entities: Vec<Entity>,
    /// The pages of a set; they may contain rows of entities without a value.
    pages: RowPages,
    /// The bits of tags.
    words: Vec<u64>,
    values: ColumnCopy,
}

impl SparseCopy {
    /// A copy without values.
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        let values = ColumnCopy::new(info.descriptor());
        Self { entities: Vec::new(), pages: RowPages::default(), words: Vec::new(), values }
    }

    /// A copy with values that were not taken from a storage, one for each of `entities`, whose indexes differ. No tick is newer
    /// than `now`.
    ///
    /// # Errors
    ///
    /// If the allocation fails.
    pub(crate) fn of(entities: Vec<Entity>, parts: ColumnParts, now: Tick) -> Result<Self, AllocError> {
        assert_eq!(entities.len(), parts.values.len(), "each entity has a value");
        if parts.values.descriptor().layout().size() == 0 {
            let indexes = entities.iter().map(|entity| entity.index() as usize);
            let bound = indexes.clone().max().map_or(0, |last| last + 1);
            let mut words: Vec<u64> = Vec::new();
            try_reserve_exact(&mut words, bound.div_ceil(64))?;
            words.resize(bound.div_ceil(64), 0);
            indexes.for_each(|index| words[index / 64] |= 1 << (index % 64));
            let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
            assert_eq!(count, entities.len(), "each entity has one value");
            let values = ColumnCopy::of(parts, words.len() * 64, |at| entities[at].index() as usize, now)?;
            return Ok(Self { entities: Vec::new(), pages: RowPages::default(), words, values });
        }
        let mut pages = RowPages::default();
        for (row, entity) in entities.iter().enumerate() {
            pages.reserve(entity.index(), NO_ROW)?;
            let before = pages.get_mut(entity.index()).map(|place| core::mem::replace(place, row as u32));
            assert_eq!(before, Some(NO_ROW), "each entity has one value");
        }
        let values = ColumnCopy::of(parts, entities.len(), |at| at, now)?;
        Ok(Self { entities, pages, words: Vec::new(), values })
    }

    /// The entities, or a bit per entity index for zero-sized values.
    pub(crate) fn members(&self) -> StorageMembers<'_> {
        (&self.entities, &self.words)
    }

    /// The values and their ticks.
    pub(crate) fn values(&self) -> &ColumnCopy {
        &self.values
    }

    /// Becomes a copy of a storage. After a panic or a failed allocation, the copy must not be used. Panics if there are values
    /// that cannot be copied.
    ///
    /// # Safety
    ///
    /// - The storage belongs to the component for which this was made.
    pub(crate) unsafe fn take(&mut self, from: &SparseStorage) -> Result<(), AllocError> {
        match from {
            SparseStorage::Set(set) => {
                let len = set.entities.len();
                self.entities.clear();
                try_reserve(&mut self.entities, len)?;
                self.entities.extend_from_slice(&set.entities);
                self.pages.reserve_as(&set.pages, NO_ROW)?;
                self.pages.copy_from(&set.pages, NO_ROW);
                // SAFETY: the set has a value for each of its entities, of the type for which this was made.
                unsafe { self.values.take(&set.column, [0, len], len) }
            }
            SparseStorage::Tag(tag) => {
                self.words.clear();
                try_reserve(&mut self.words, tag.words.len())?;
                self.words.extend_from_slice(&tag.words);
                // SAFETY: zero-sized values need no memory, so they exist at any address, and there are `tag.len` of them.
                unsafe { self.values.take(&tag.column, [0, tag.len], tag.words.len() * 64) }
            }
        }
    }

    /// The clones that are needed to restore a storage from this copy.
    pub(crate) fn clones(&self) -> Result<ColumnClones, AllocError> {
        self.values.clones()
    }

    /// As [`clones`](Self::clones), but moves the values out if no other copy shares them.
    pub(crate) fn take_clones(&mut self) -> Result<ColumnClones, AllocError> {
        self.values.take_clones()
    }

    /// Number of bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.entities.capacity() * size_of::<Entity>()
            + self.words.capacity() * size_of::<u64>()
            + self.pages.allocated_bytes()
            + self.values.allocated_bytes()
    }
}

/// The entities of a storage, or a bit per entity index for zero-sized values.
pub(crate) type StorageMembers<'a> = (&'a [Entity], &'a [u64]);

/// The entity indexes of a storage, in the order of their values.
pub(crate) fn indexes((entities, words): StorageMembers<'_>) -> Vec<u32> {
    let set = entities.iter().map(|entity| entity.index());
    let bits = words
        .iter()
        .enumerate()
        .flat_map(|(at, word)| (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| at as u32 * 64 + bit));
    set.chain(bits).collect()
}

impl SparseStorage {
    /// The entity indexes, in the order of their values.
    pub(crate) fn indexes(&self) -> Vec<u32> {
        indexes(self.members())
    }

    /// Makes room for the content of a copy.
    ///
    /// # Errors
    ///
    /// If the allocation fails. Values are unchanged.
    pub(crate) fn make_room_for(&mut self, copy: &SparseCopy, now: Tick) -> Result<BegunTicks, AllocError> {
        match self {
            Self::Set(set) => {
                let missing = copy.entities.len().saturating_sub(set.entities.len());
                try_reserve_exact(&mut set.entities, missing)?;
                set.pages.reserve_as(&copy.pages, NO_ROW)?;
                copy.values.make_room(&mut set.column)?;
                set.note_room();
                copy.values.begun_ticks(&set.column, None, now)
            }
            Self::Tag(tag) => {
                let missing = copy.words.len().saturating_sub(tag.words.len());
                try_reserve_exact(&mut tag.words, missing)?;
                copy.values.make_room(&mut tag.column)?;
                copy.values.begun_ticks(&tag.column, None, now)
            }
        }
    }

    /// Restores the storage from its copy. Afterwards `clones` holds the old values, unless they need no drop.
    ///
    /// # Safety
    ///
    /// - `copy` belongs to this component in this world, `clones` and `begun` were made from it, and room has been made for it here
    ///   since the last operation.
    pub(crate) unsafe fn restore_from(&mut self, copy: &SparseCopy, clones: &mut ColumnClones, begun: BegunTicks) {
        match self {
            Self::Set(set) => {
                // A retired value has been dropped, unless it needs no drop.
                debug_assert!(!set.retired || set.column.drop_fn().is_none());
                set.retired = false;
                let before = set.entities.len();
                set.entities.clear();
                // `make_room_for` has reserved room.
                set.entities.extend_from_slice(&copy.entities);
                set.pages.copy_from(&copy.pages, NO_ROW);
                // SAFETY: the set has had a value for each of its entities; the rest is forwarded: room has been made, and `clones`
                // and `begun` belong to the copy.
                unsafe { copy.values.put(&mut set.column, before, clones.as_mut(), begun) };
                set.note_room();
            }
            Self::Tag(tag) => {
                // A retired value has been dropped, unless it needs no drop.
                debug_assert!(!tag.retired || tag.column.drop_fn().is_none());
                tag.retired = false;
                tag.words.clear();
                // `make_room_for` has reserved room.
                tag.words.extend_from_slice(&copy.words);
                // The values are counted by the bits, because they may have been moved out of the copy.
                let count = copy.words.iter().map(|word| word.count_ones() as usize).sum();
                let before = core::mem::replace(&mut tag.len, count);
                // SAFETY: the tag set has had `before` values; the rest is forwarded: room has been made, and `clones` and `begun`
                // belong to the copy.
                unsafe { copy.values.put(&mut tag.column, before, clones.as_mut(), begun) };
            }
        }
    }
}
