//! Copies sparse storages, and restores storages from copies.
//!
//! Tests: tests/snapshots/histories.rs, tests/snapshots/ring.rs

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::SparseStorage;
use super::set::{NO_ROW, RowPages};
use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::storage::column::{BegunTicks, ColumnClones, ColumnCopy, ColumnParts};
use crate::storage::tick::Tick;
use crate::util::alloc_error::{AllocError, copy_list, try_reserve_exact};

/// A copy of a sparse storage: its entities and its values, which the copy owns.
pub(crate) struct SparseCopy {
    places: Arc<Places>,
    values: ColumnCopy,
}

/// The entities that have values, and the rows of the values.
#[derive(Default)]
struct Places {
    /// The entities of a set.
    entities: Vec<Entity>,
    /// The pages of a set. They may also contain rows for entities that no longer have a value.
    pages: RowPages,
    /// The bits of tags.
    words: Vec<u64>,
    /// Number of values.
    len: usize,
}

impl SparseCopy {
    /// Returns a copy without values.
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        let values = ColumnCopy::new(info.descriptor());
        Self { places: Arc::default(), values }
    }

    /// Makes a copy from values that were not taken from a storage. There must be one value for each of `entities`, and the indexes of the
    /// entities must differ. No tick may be newer than `now`.
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
            return Ok(Self { places: Arc::new(Places { words, len: count, ..Places::default() }), values });
        }
        let mut pages = RowPages::default();
        for (row, entity) in entities.iter().enumerate() {
            pages.reserve(entity.index(), NO_ROW)?;
            let before = pages.get_mut(entity.index()).map(|place| core::mem::replace(place, row as u32));
            assert_eq!(before, Some(NO_ROW), "each entity has one value");
        }
        let values = ColumnCopy::of(parts, entities.len(), |at| at, now)?;
        let len = entities.len();
        Ok(Self { places: Arc::new(Places { entities, pages, len, ..Places::default() }), values })
    }

    /// Returns the entities; for zero-sized values, a bit per entity index instead.
    pub(crate) fn members(&self) -> StorageMembers<'_> {
        (&self.places.entities, &self.places.words)
    }

    /// Returns the values and their ticks.
    pub(crate) fn values(&self) -> &ColumnCopy {
        &self.values
    }

    /// Returns whether a storage has the same entities, in the same order, as when this copy was taken or restored. The world's tick must
    /// have advanced since then. Comparing the numbers of entities is enough if the column was not visited since then: when an entity gets
    /// a value, the column is visited, so entities can only have lost values.
    pub(crate) fn has_same_places(&self, storage: &SparseStorage) -> bool {
        let (entities, words) = storage.members();
        self.values.is_unvisited(storage.column())
            && self.places.len == storage.len()
            && (self.places.entities.len(), self.places.words.len()) == (entities.len(), words.len())
    }

    /// Makes this a copy of a storage. `known` may be an earlier copy of the storage: its unchanged parts are shared. After a panic or a
    /// failed allocation, the copy must not be used. Panics if there are values that cannot be copied.
    ///
    /// # Safety
    ///
    /// - The storage belongs to the component for which this copy was made.
    pub(crate) unsafe fn take(&mut self, from: &SparseStorage, known: Option<&Self>) -> Result<(), AllocError> {
        let known = known.filter(|known| known.has_same_places(from));
        match known {
            Some(known) => self.places = Arc::clone(&known.places),
            None => {
                if Arc::get_mut(&mut self.places).is_none() {
                    self.places = Arc::default();
                }
                if let Some(places) = Arc::get_mut(&mut self.places) {
                    places.take(from)?;
                }
            }
        }
        debug_assert!(self.members() == from.members());
        let known = known.map(|known| &known.values);
        match from {
            SparseStorage::Set(set) => {
                let len = set.entities.len();
                // SAFETY: the set has a value for each of its entities, of the type for which this was made.
                unsafe { self.values.take(&set.column, [0, len], len, known) }
            }
            SparseStorage::Tag(tag) => {
                // SAFETY: zero-sized values need no memory, so they exist at any address, and there are `tag.len` of them.
                unsafe { self.values.take(&tag.column, [0, tag.len], tag.words.len() * 64, known) }
            }
        }
    }

    /// Makes the clones that are needed to restore a storage from this copy.
    pub(crate) fn clones(&self) -> Result<ColumnClones, AllocError> {
        self.values.clones()
    }

    /// Like [`clones`](Self::clones), but moves the values out if no other copy shares them.
    pub(crate) fn take_clones(&mut self) -> Result<ColumnClones, AllocError> {
        self.values.take_clones()
    }

    /// Returns the number of bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let Places { entities, pages, words, .. } = &*self.places;
        entities.capacity() * size_of::<Entity>()
            + words.capacity() * size_of::<u64>()
            + pages.allocated_bytes()
            + self.values.allocated_bytes()
    }
}

impl Places {
    /// Makes this a copy of the entities and rows of a storage.
    fn take(&mut self, from: &SparseStorage) -> Result<(), AllocError> {
        let (entities, words) = from.members();
        copy_list(&mut self.entities, entities)?;
        copy_list(&mut self.words, words)?;
        self.len = from.len();
        match from {
            SparseStorage::Set(set) => {
                self.pages.reserve_as(&set.pages, NO_ROW)?;
                self.pages.copy_from(&set.pages, NO_ROW);
            }
            SparseStorage::Tag(_) => {}
        }
        Ok(())
    }
}

/// The entities of a storage, and a bit per entity index for zero-sized values. One of the two is empty.
pub(crate) type StorageMembers<'a> = (&'a [Entity], &'a [u64]);

/// Returns the entity indexes of a storage, in the order of their values.
pub(crate) fn indexes((entities, words): StorageMembers<'_>) -> Vec<u32> {
    let set = entities.iter().map(|entity| entity.index());
    let bits = words
        .iter()
        .enumerate()
        .flat_map(|(at, word)| (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| at as u32 * 64 + bit));
    set.chain(bits).collect()
}

impl SparseStorage {
    /// Returns the entity indexes, in the order of their values.
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
                let missing = copy.places.entities.len().saturating_sub(set.entities.len());
                try_reserve_exact(&mut set.entities, missing)?;
                set.pages.reserve_as(&copy.places.pages, NO_ROW)?;
                copy.values.make_room(&mut set.column)?;
                set.note_room();
                copy.values.begun_ticks(&set.column, None, now)
            }
            Self::Tag(tag) => {
                let missing = copy.places.words.len().saturating_sub(tag.words.len());
                try_reserve_exact(&mut tag.words, missing)?;
                copy.values.make_room(&mut tag.column)?;
                copy.values.begun_ticks(&tag.column, None, now)
            }
        }
    }

    /// Restores the storage from its copy. Afterwards `clones` holds the old values if they need to be dropped.
    ///
    /// # Safety
    ///
    /// - `copy` belongs to this component in this world. `clones` and `begun` were made from it. `make_room_for` has been called with it
    ///   since the last operation on this storage.
    pub(crate) unsafe fn restore_from(&mut self, copy: &SparseCopy, clones: &mut ColumnClones, begun: BegunTicks) {
        match self {
            Self::Set(set) => {
                // A retired value has been dropped, unless it needs no drop.
                debug_assert!(!set.retired || set.column.drop_fn().is_none());
                set.retired = false;
                let before = set.entities.len();
                set.entities.clear();
                // `make_room_for` has reserved room.
                set.entities.extend_from_slice(&copy.places.entities);
                set.pages.copy_from(&copy.places.pages, NO_ROW);
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
                tag.words.extend_from_slice(&copy.places.words);
                // Not the number of values in the copy, because they may have been moved out of it.
                let before = core::mem::replace(&mut tag.len, copy.places.len);
                // SAFETY: the tag set has had `before` values; the rest is forwarded: room has been made, and `clones` and `begun`
                // belong to the copy.
                unsafe { copy.values.put(&mut tag.column, before, clones.as_mut(), begun) };
            }
        }
    }
}
