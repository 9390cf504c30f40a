//! Copies of sparse storages, and storages that become what their copies are.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::SparseStorage;
use super::set::{NO_ROW, PAGE, Page};
use crate::alloc_error::{AllocError, try_reserve, try_reserve_exact};
use crate::column::{ColumnCopy, ColumnParts, CopiedValues};
use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::tick::Tick;
use crate::tracking::Tracking;

/// The entities of a sparse storage, with values of its own.
pub(crate) struct SparseCopy {
    /// Of a set.
    entities: Vec<Entity>,
    /// Of a set; those that are there may have rows of no entity.
    pages: Vec<Option<Page>>,
    /// Of tags.
    words: Vec<u64>,
    values: ColumnCopy,
}

/// What a storage needs to become what its copy is.
pub(crate) struct SparseClones(Option<CopiedValues>);

/// Ticks for the values of a storage that had none.
pub(crate) struct BegunTicks(Option<Box<Tracking>>);

impl SparseCopy {
    /// No values of a component.
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        let values = ColumnCopy::new(info.descriptor());
        Self { entities: Vec::new(), pages: Vec::new(), words: Vec::new(), values }
    }

    /// Values that were not taken from a storage, one for each of these entities, whose indexes differ. No tick is newer than `now`.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn of(entities: Vec<Entity>, parts: ColumnParts, now: Tick) -> Result<Self, AllocError> {
        assert_eq!(entities.len(), parts.values.len(), "each entity has a value");
        let indexes = entities.iter().map(|entity| entity.index() as usize);
        let bound = indexes.clone().max().map_or(0, |last| last + 1);
        if parts.values.descriptor().layout().size() == 0 {
            let mut words: Vec<u64> = Vec::new();
            try_reserve_exact(&mut words, bound.div_ceil(64))?;
            words.resize(bound.div_ceil(64), 0);
            indexes.for_each(|index| words[index / 64] |= 1 << (index % 64));
            let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
            assert_eq!(count, entities.len(), "each entity has one value");
            let values = ColumnCopy::of(parts, words.len() * 64, |at| entities[at].index() as usize, now)?;
            return Ok(Self { entities: Vec::new(), pages: Vec::new(), words, values });
        }
        let mut pages: Vec<Option<Page>> = Vec::new();
        try_reserve_exact(&mut pages, bound.div_ceil(PAGE))?;
        pages.resize_with(bound.div_ceil(PAGE), || None);
        for (row, index) in indexes.enumerate() {
            let page = &mut pages[index / PAGE];
            if page.is_none() {
                *page = Some(empty_page()?);
            }
            let row_of = page.as_mut().map(|page| &mut page[index % PAGE]);
            let before = row_of.map(|place| core::mem::replace(place, row as u32));
            assert_eq!(before, Some(NO_ROW), "each entity has one value");
        }
        let values = ColumnCopy::of(parts, entities.len(), |at| at, now)?;
        Ok(Self { entities, pages, words: Vec::new(), values })
    }

    /// The entities, or for values without a size a bit for each index.
    pub(crate) fn members(&self) -> Members<'_> {
        (&self.entities, &self.words)
    }

    /// The values, with what is known of their changes.
    pub(crate) fn values(&self) -> &ColumnCopy {
        &self.values
    }

    /// Becomes a copy of a storage. If that panics, or there is no memory, what is here is worth nothing. It panics if there are
    /// values that cannot be copied.
    ///
    /// # Safety
    ///
    /// - The storage is that of the component that this was made for.
    pub(crate) unsafe fn take(&mut self, from: &SparseStorage) -> Result<(), AllocError> {
        match from {
            SparseStorage::Set(set) => {
                let len = set.entities.len();
                self.entities.clear();
                try_reserve(&mut self.entities, len)?;
                self.entities.extend_from_slice(&set.entities);
                grow_pages(&mut self.pages, &set.pages)?;
                copy_pages(&mut self.pages, &set.pages);
                // SAFETY: the set has a value for each of its entities, of the type that this was made for.
                unsafe { self.values.take(&set.column, [0, len], len) }
            }
            SparseStorage::Tag(tag) => {
                self.words.clear();
                try_reserve(&mut self.words, tag.words.len())?;
                self.words.extend_from_slice(&tag.words);
                // SAFETY: values without a size are wherever they are said to be, and there are so many.
                unsafe { self.values.take(&tag.column, [0, tag.len], tag.words.len() * 64) }
            }
        }
    }

    /// The clones that are needed to make a storage what this is.
    pub(crate) fn clones(&self) -> Result<SparseClones, AllocError> {
        self.values.clones().map(SparseClones)
    }

    /// As [`clones`](Self::clones), but the values themselves, as far as they belong to this copy alone. None are left here.
    pub(crate) fn take_clones(&mut self) -> Result<SparseClones, AllocError> {
        self.values.take_clones().map(SparseClones)
    }

    /// The bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.entities.capacity() * size_of::<Entity>()
            + self.words.capacity() * size_of::<u64>()
            + self.pages.iter().flatten().count() * size_of::<[u32; PAGE]>()
            + self.values.allocated_bytes()
    }
}

/// The entities of a storage, or for values without a size a bit for each index.
pub(crate) type Members<'a> = (&'a [Entity], &'a [u64]);

/// The indexes of the entities of a storage, in the order of their values.
pub(crate) fn indexes((entities, words): Members<'_>) -> Vec<u32> {
    let set = entities.iter().map(|entity| entity.index());
    let bits = words
        .iter()
        .enumerate()
        .flat_map(|(at, word)| (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| at as u32 * 64 + bit));
    set.chain(bits).collect()
}

impl SparseStorage {
    /// The indexes of the entities, in the order of their values.
    pub(crate) fn indexes(&self) -> Vec<u32> {
        indexes(self.members())
    }

    /// Makes room for what its copy holds.
    ///
    /// # Errors
    ///
    /// If there is no memory. Values stay as they were.
    pub(crate) fn make_room_for(&mut self, copy: &SparseCopy, now: Tick) -> Result<BegunTicks, AllocError> {
        match self {
            Self::Set(set) => {
                let missing = copy.entities.len().saturating_sub(set.entities.len());
                try_reserve_exact(&mut set.entities, missing)?;
                grow_pages(&mut set.pages, &copy.pages)?;
                copy.values.make_room(&mut set.column)?;
                set.note_room();
                copy.values.begun_ticks(&set.column, None, now).map(BegunTicks)
            }
            Self::Tag(tag) => {
                let missing = copy.words.len().saturating_sub(tag.words.len());
                try_reserve_exact(&mut tag.words, missing)?;
                copy.values.make_room(&mut tag.column)?;
                copy.values.begun_ticks(&tag.column, None, now).map(BegunTicks)
            }
        }
    }

    /// Becomes what its copy is. Its values are what the clones are afterwards, unless dropping them does nothing.
    ///
    /// # Safety
    ///
    /// - The copy is one of this component in this world, the clones are its own, and room has been made for it here since the last
    ///   operation.
    pub(crate) unsafe fn become_copy(&mut self, copy: &SparseCopy, clones: &mut SparseClones, begun: BegunTicks) {
        match self {
            Self::Set(set) => {
                // A value that was to be dropped has been, unless dropping it does nothing.
                debug_assert!(!set.retired || set.column.drop_fn().is_none());
                set.retired = false;
                let before = set.entities.len();
                set.entities.clear();
                // There is room.
                set.entities.extend_from_slice(&copy.entities);
                copy_pages(&mut set.pages, &copy.pages);
                // SAFETY: the set has held a value for each of its entities; the caller's promise.
                unsafe { copy.values.put(&mut set.column, before, clones.0.as_mut(), begun.0) };
                set.note_room();
            }
            Self::Tag(tag) => {
                // A value that was to be dropped has been, unless dropping it does nothing.
                debug_assert!(!tag.retired || tag.column.drop_fn().is_none());
                tag.retired = false;
                tag.words.clear();
                // There is room.
                tag.words.extend_from_slice(&copy.words);
                // The values may have been moved out of the copy.
                let count = copy.words.iter().map(|word| word.count_ones() as usize).sum();
                let before = core::mem::replace(&mut tag.len, count);
                // SAFETY: there were so many values; the caller's promise.
                unsafe { copy.values.put(&mut tag.column, before, clones.0.as_mut(), begun.0) };
            }
        }
    }
}

/// Makes room for all pages that others have.
fn grow_pages(pages: &mut Vec<Option<Page>>, others: &[Option<Page>]) -> Result<(), AllocError> {
    if pages.len() < others.len() {
        let missing = others.len() - pages.len();
        try_reserve(pages, missing)?;
        pages.resize_with(others.len(), || None);
    }
    for (page, _) in pages.iter_mut().zip(others).filter(|(page, other)| page.is_none() && other.is_some()) {
        *page = Some(empty_page()?);
    }
    Ok(())
}

/// A page without rows.
fn empty_page() -> Result<Page, AllocError> {
    let mut rows = Vec::new();
    try_reserve_exact(&mut rows, PAGE)?;
    rows.resize(PAGE, NO_ROW);
    match rows.into_boxed_slice().try_into() {
        Ok(page) => Ok(page),
        Err(_) => unreachable!("a page has so many rows"),
    }
}

/// Makes the pages say what others say. There are all that they have.
fn copy_pages(pages: &mut [Option<Page>], others: &[Option<Page>]) {
    for (at, page) in pages.iter_mut().enumerate() {
        match (page, others.get(at)) {
            (Some(page), Some(Some(other))) => page.copy_from_slice(&**other),
            (Some(page), _) => page.fill(NO_ROW),
            (None, _) => {}
        }
    }
}
