//! The values of one component with sparse storage, a set or a tag.

use alloc::vec::Vec;
use core::mem::replace;
use core::ptr::NonNull;

use super::set::{RowPages, SparseSet};
use super::tag::TagSet;
use crate::alloc_error::{AllocError, try_shrink};
use crate::column::{Column, copy_item};
use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::tick::{Tick, WriteStamp};
use crate::tracking::Renewal;

/// The values of one component with sparse storage.
pub enum SparseStorage {
    /// Values in a dense column.
    Set(SparseSet),
    /// Zero-sized values: a bit an entity.
    Tag(TagSet),
}

impl SparseStorage {
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        let column = Column::new(info);
        match info.layout().size() {
            0 => Self::Tag(TagSet { words: Vec::new(), len: 0, column, retired: false }),
            _ => Self::Set(SparseSet {
                pages: RowPages::default(),
                entities: Vec::new(),
                column,
                room: 0,
                retired: false,
            }),
        }
    }

    /// How many entities have a value.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Set(set) => set.entities.len(),
            Self::Tag(tag) => tag.len,
        }
    }

    /// Whether the entity with this index has a value.
    #[inline]
    pub(crate) fn contains(&self, index: u32) -> bool {
        match self {
            Self::Set(set) => set.row(index).is_some(),
            Self::Tag(tag) => tag.contains(index),
        }
    }

    /// The value of the entity with this index.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<NonNull<u8>> {
        match self {
            // SAFETY: rows of the set are within the column's capacity.
            Self::Set(set) => set.row(index).map(|row| unsafe { set.column.get(row) }),
            Self::Tag(tag) => tag.contains(index).then(|| tag.column.data()),
        }
    }

    /// The column of the values, with the ticks.
    #[inline]
    pub(crate) fn column(&self) -> &Column {
        match self {
            Self::Set(set) => &set.column,
            Self::Tag(tag) => &tag.column,
        }
    }

    /// The row past the last value. Values without a size are all at one address.
    #[inline]
    fn end(&self) -> usize {
        match self {
            Self::Set(set) => set.entities.len(),
            Self::Tag(_) => 0,
        }
    }

    /// The column, and whether a removed value is in the row past the end.
    #[inline]
    fn column_mut(&mut self) -> (&mut Column, &mut bool) {
        match self {
            Self::Set(set) => (&mut set.column, &mut set.retired),
            Self::Tag(tag) => (&mut tag.column, &mut tag.retired),
        }
    }

    /// Where the ticks of an entity's value are in the column. For entities that have a value.
    #[inline]
    pub(crate) fn tick_row(&self, index: u32) -> Option<usize> {
        match self {
            Self::Set(set) => set.row(index),
            Self::Tag(_) => Some(index as usize),
        }
    }

    /// The index of the entity whose ticks are in this row, if it has a value.
    pub(crate) fn entity_of_ticks(&self, row: usize) -> Option<u32> {
        match self {
            Self::Set(set) => set.entities.get(row).map(|entity| entity.index()),
            Self::Tag(tag) => Some(row as u32).filter(|&index| tag.contains(index)),
        }
    }

    /// Begins to keep ticks.
    ///
    /// # Errors
    ///
    /// If there is no memory; then nothing has happened.
    pub(crate) fn track(&mut self, now: Tick) -> Result<(), AllocError> {
        let (rows, visited) = (self.places(), self.column().visited());
        self.column_mut().0.track(rows, visited, now)
    }

    /// Forgets the ticks.
    pub(crate) fn forget_ticks(&mut self) {
        self.column_mut().0.forget_ticks();
    }

    /// Adds an entity if it has no value, and returns the address of its value and whether it had one. Stamps the column and its ticks.
    ///
    /// # Safety
    ///
    /// - If the entity has no value here, room has been reserved for its index.
    /// - The caller writes the value before anything else happens to the storage.
    #[inline]
    pub(crate) unsafe fn place(&mut self, entity: Entity, now: WriteStamp) -> (NonNull<u8>, bool) {
        match self.get(entity.index()) {
            Some(address) => {
                let column = self.column();
                column.stamp(now.tick);
                if column.tracking().is_some() {
                    self.note_replaced(entity, now);
                }
                (address, true)
            }
            // SAFETY: there is no value; the rest is the caller's promise.
            None => (unsafe { self.insert(entity, now) }, false),
        }
    }

    /// [`SparseStorage::place`] for an entity that has no value, if there is room and no ticks are kept. Otherwise nothing happens.
    ///
    /// # Safety
    ///
    /// - The values are of type `C`. The caller writes the value before anything else happens to the storage.
    #[inline(always)]
    pub(crate) unsafe fn try_add_untracked<C>(&mut self, entity: Entity, now: Tick) -> Option<NonNull<C>> {
        match self {
            // SAFETY: forwarded.
            Self::Set(set) if size_of::<C>() != 0 => unsafe { set.try_add_untracked(entity, now) },
            Self::Tag(tag) if size_of::<C>() == 0 => {
                let (word, bit) = (entity.index() as usize / 64, 1 << (entity.index() % 64));
                let word = tag.words.get_mut(word).filter(|word| **word & bit == 0)?;
                if tag.column.tracking().is_some() {
                    return None;
                }
                *word |= bit;
                tag.len += 1;
                tag.column.stamp(now);
                Some(tag.column.data().cast())
            }
            _ => None,
        }
    }

    /// Removes the value of an entity, if it has one and no ticks are kept, and says whether that was so. Otherwise nothing happens.
    ///
    /// # Safety
    ///
    /// - The values are of type `C`, and dropping one does nothing.
    #[inline(always)]
    pub(crate) unsafe fn try_remove_untracked<C>(&mut self, entity: Entity) -> bool {
        match self {
            // SAFETY: forwarded.
            Self::Set(set) if size_of::<C>() != 0 => unsafe { set.try_remove_untracked::<C>(entity) },
            Self::Tag(tag) if size_of::<C>() == 0 => {
                let (word, bit) = (entity.index() as usize / 64, 1 << (entity.index() % 64));
                let Some(word) = tag.words.get_mut(word).filter(|word| **word & bit != 0) else { return false };
                if tag.column.tracking().is_some() {
                    return false;
                }
                *word &= !bit;
                tag.len -= 1;
                true
            }
            _ => false,
        }
    }

    /// Gives an entity, or takes from it, a value that is a bit: one of a component without size and destructor. There is room. What has
    /// other values stays as it is.
    #[inline]
    pub(crate) fn set_bit(&mut self, entity: Entity, is_there: bool, now: WriteStamp) {
        match self {
            Self::Tag(tag) if tag.column.drop_fn().is_none() => {
                if tag.contains(entity.index()) == is_there {
                    return;
                }
                if is_there {
                    tag.column.stamp(now.tick);
                    if let Some(tracking) = tag.column.tracking() {
                        tracking.add_range(entity.index() as usize, 1, now);
                    }
                }
                tag.words[entity.index() as usize / 64] ^= 1 << (entity.index() % 64);
                tag.len = tag.len.wrapping_add_signed(if is_there { 1 } else { -1 });
            }
            _ => {}
        }
    }

    /// Notes that the value of an entity is replaced.
    #[cold]
    #[inline(never)]
    pub(super) fn note_replaced(&self, entity: Entity, now: WriteStamp) {
        if let Some((tracking, row)) = self.column().tracking().zip(self.tick_row(entity.index())) {
            tracking.mark_range(row, 1, now);
        }
    }

    /// Notes that an entity is about to get a value.
    #[cold]
    #[inline(never)]
    pub(super) fn note_new(&self, entity: Entity, now: WriteStamp) {
        let row = match self {
            Self::Set(set) => set.entities.len(),
            Self::Tag(_) => entity.index() as usize,
        };
        if let Some(tracking) = self.column().tracking() {
            tracking.add_range(row, 1, now);
        }
    }

    /// Notes that the value of an entity is another one than before, although there was one all the time.
    pub(crate) fn note_added(&self, entity: Entity, now: WriteStamp) {
        if let Some((tracking, row)) = self.column().tracking().zip(self.tick_row(entity.index())) {
            tracking.add_range(row, 1, now);
        }
    }

    /// Has changes of the value of an entity, if it has one, count as made now.
    pub(crate) fn renew(&self, index: u32, renewal: Renewal, now: Tick) {
        if let Some(tracking) = self.column().tracking()
            && let Some(row) = self.tick_row(index).filter(|_| self.contains(index))
        {
            tracking.renew(row, renewal, tracking.last_look(), now);
        }
    }

    /// Makes room for one more value.
    ///
    /// # Errors
    ///
    /// If there is no memory. Values stay as they were.
    #[inline]
    pub(crate) fn reserve(&mut self, index: u32) -> Result<(), AllocError> {
        match self {
            Self::Set(set) => set.reserve(index),
            Self::Tag(tag) => tag.reserve(index),
        }
    }

    /// Whether [`SparseStorage::reserve`] has nothing to do. The values are of type `C`.
    #[inline(always)]
    pub(crate) fn has_room<C>(&self, index: u32) -> bool {
        match self {
            Self::Set(set) => size_of::<C>() != 0 && set.has_room(index),
            Self::Tag(tag) => size_of::<C>() == 0 && (index as usize / 64) < tag.words.len(),
        }
    }

    /// Makes room for several more values, of the entities with these indexes.
    ///
    /// # Errors
    ///
    /// If there is no memory. Values stay as they were.
    pub(crate) fn reserve_many(
        &mut self,
        additional: usize,
        mut indexes: impl Iterator<Item = u32> + Clone,
    ) -> Result<(), AllocError> {
        match self {
            Self::Set(set) => set.reserve_many(additional, indexes),
            Self::Tag(tag) => indexes.try_for_each(|index| tag.reserve(index)),
        }
    }

    /// Adds an entity that has no value yet and says where its value belongs.
    ///
    /// # Safety
    ///
    /// - The entity has no value here, and room has been reserved for its index.
    /// - The caller writes the value before anything else happens to the storage.
    #[inline]
    pub(crate) unsafe fn insert(&mut self, entity: Entity, now: WriteStamp) -> NonNull<u8> {
        debug_assert!(!self.contains(entity.index()));
        let column = self.column();
        column.stamp(now.tick);
        if column.tracking().is_some() {
            self.note_new(entity, now);
        }
        match self {
            Self::Set(set) => {
                let row = set.entities.len();
                set.entities.push(entity);
                if let Some(spot) = set.pages.get_mut(entity.index()) {
                    *spot = row as u32;
                }
                debug_assert!(row < set.column.capacity());
                // SAFETY: room has been reserved, so the row is within the capacity.
                unsafe { set.column.get(row) }
            }
            Self::Tag(tag) => {
                tag.words[entity.index() as usize / 64] |= 1 << (entity.index() % 64);
                tag.len += 1;
                tag.column.data()
            }
        }
    }

    /// Where the next values belong, one behind the other, before [`add_written`](Self::add_written) adds them.
    pub(crate) fn behind(&self) -> NonNull<u8> {
        // SAFETY: there are no more values than there is room for.
        unsafe { self.column().get(self.end()) }
    }

    /// Drops the first of the values that have been written, and not been added.
    ///
    /// # Safety
    ///
    /// - So many values have been written where [`behind`](Self::behind) says.
    pub(crate) unsafe fn drop_past_end(&mut self, count: usize) {
        let end = self.end();
        // SAFETY: forwarded.
        unsafe { self.column_mut().0.drop_rows(end, count) }
    }

    /// Adds entities, whose values have been written already.
    ///
    /// # Safety
    ///
    /// - Each entity comes once, and has no value here. Room has been reserved for their indexes.
    /// - Their values have been written where [`behind`](Self::behind) says, in this order.
    pub(crate) unsafe fn add_written(&mut self, entities: &[Entity], now: WriteStamp) {
        self.column().stamp(now.tick);
        match self {
            Self::Set(set) => {
                if let Some(tracking) = set.column.tracking() {
                    tracking.add_range(set.entities.len(), entities.len(), now);
                }
                set.add_all(entities);
            }
            Self::Tag(tag) => {
                for entity in entities {
                    if let Some(tracking) = tag.column.tracking() {
                        tracking.add_range(entity.index() as usize, 1, now);
                    }
                    tag.words[entity.index() as usize / 64] |= 1 << (entity.index() % 64);
                }
                tag.len += entities.len();
            }
        }
    }

    /// Removes and drops the values of entities, as far as they have one.
    ///
    /// If a `Drop` panics, the others have had their turn, and all values are gone.
    pub(crate) fn remove_all(&mut self, entities: &[Entity]) {
        match self {
            Self::Set(set) => set.remove_all(entities),
            Self::Tag(tag) => {
                let count = tag.remove_all(entities);
                // SAFETY: so many values are gone.
                unsafe { tag.column.drop_rows(0, count) }
            }
        }
    }

    /// Removes the value of an entity, if it has one, and says where it lies: behind the last value, until the next
    /// change. The caller moves it out, and then calls [`SparseStorage::forget_retired`], or else
    /// [`SparseStorage::drop_retired`].
    pub(crate) fn retire(&mut self, entity: Entity) -> Option<NonNull<u8>> {
        match self {
            Self::Set(set) => set.retire(entity.index()),
            Self::Tag(tag) => {
                let index = entity.index();
                if !tag.contains(index) {
                    return None;
                }
                tag.words[index as usize / 64] &= !(1 << (index % 64));
                tag.len -= 1;
                tag.retired = true;
                Some(tag.column.data())
            }
        }
    }

    /// Where a value that has to be dropped goes, past the end, until the next change. The caller writes it there, and then calls
    /// [`SparseStorage::drop_retired`].
    ///
    /// # Safety
    ///
    /// - There is room for one more value.
    pub(crate) unsafe fn retire_place(&mut self) -> NonNull<u8> {
        let end = self.end();
        let (column, retired) = self.column_mut();
        *retired = true;
        // SAFETY: forwarded.
        unsafe { column.get(end) }
    }

    /// Moves the value at an address past the end, as [`SparseStorage::retire`] does. The caller writes another value to the address.
    ///
    /// # Safety
    ///
    /// - The address is that of a value of this storage, and there is room for one more.
    pub(crate) unsafe fn retire_copy(&mut self, value: NonNull<u8>) {
        let size = self.column().item_size();
        // SAFETY: the caller's promise. The place is past the end, so it is another one, or values have no size.
        unsafe { copy_item(value.as_ptr(), self.retire_place().as_ptr(), size) }
    }

    /// Where the value lies that was retired last, if it still does.
    pub(crate) fn retired(&self) -> Option<NonNull<u8>> {
        let (Self::Set(SparseSet { retired, .. }) | Self::Tag(TagSet { retired, .. })) = self;
        retired.then(|| self.behind())
    }

    /// Removes the value of an entity, if it has one. The caller goes on with [`SparseStorage::drop_retired`], unless
    /// dropping values does nothing.
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity) {
        match self {
            Self::Set(set) if set.column.drop_fn().is_none() => set.remove(entity.index()),
            _ => drop(self.retire(entity)),
        }
    }

    /// Removes the value of an entity, if it has one, and drops it.
    pub(crate) fn discard(&mut self, entity: Entity) {
        self.remove(entity);
        self.drop_retired();
    }

    /// Removes the values of entities, as far as they have one. Dropping values does nothing.
    #[inline]
    pub(crate) fn remove_these(&mut self, entities: &[Entity]) {
        match self {
            Self::Set(set) if set.column.drop_fn().is_none() && set.column.tracking().is_none() => {
                // SAFETY: it has just been asked for both.
                unsafe { set.remove_these(entities) }
            }
            _ => entities.iter().for_each(|&entity| self.remove(entity)),
        }
    }

    /// Leaves the retired value to the caller, who has moved it out.
    pub(crate) fn forget_retired(&mut self) {
        *self.column_mut().1 = false;
    }

    /// Drops the retired value, if there is one.
    #[inline]
    pub(crate) fn drop_retired(&mut self) {
        let end = self.end();
        let (column, retired) = self.column_mut();
        if replace(retired, false) {
            // SAFETY: `retire` left a value here that has no owner.
            unsafe { column.drop_rows(end, 1) }
        }
    }

    /// Removes and drops all values.
    pub(crate) fn clear(&mut self) {
        let count = self.len();
        self.forget_all();
        // SAFETY: there were so many values, which nothing shows any more.
        unsafe { self.column_mut().0.drop_rows(0, count) }
    }

    /// Removes all values without dropping them: they have been moved out.
    pub(crate) fn forget_all(&mut self) {
        match self {
            Self::Set(set) => {
                set.pages.clear();
                set.entities.clear();
            }
            Self::Tag(tag) => {
                tag.words.clear();
                tag.len = 0;
            }
        }
    }

    /// Gives back the memory that the values do not need. `O(pages + words)`, and at most a copy of the values.
    pub(crate) fn shrink_to_fit(&mut self) {
        match self {
            Self::Set(set) => set.shrink_to_fit(),
            Self::Tag(tag) => {
                let used = tag.words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
                tag.words.truncate(used);
                try_shrink(&mut tag.words);
                // SAFETY: values without a size need no memory; this gives back ticks.
                unsafe { tag.column.shrink_to(used * 64) }
            }
        }
    }

    /// The indexes of the entities that have a value: number `at` of a walk, or the next one.
    ///
    /// Start at 0 and go on with the number returned: `O(values)` for sets, `O(words + values)` for tags.
    #[inline]
    pub(crate) fn next_index(&self, at: usize) -> Option<(u32, usize)> {
        match self {
            Self::Set(set) => set.entities.get(at).map(|entity| (entity.index(), at + 1)),
            Self::Tag(tag) => tag.next_index(at),
        }
    }

    /// The entities of a set in the order of their values, or a bit for each index of those that have a tag.
    pub(crate) fn members(&self) -> (&[Entity], &[u64]) {
        match self {
            Self::Set(set) => (&set.entities, &[]),
            Self::Tag(tag) => (&[], &tag.words),
        }
    }

    /// Puts the indexes of the next entities from a place on to the beginning of `some`, in the order of [`next_index`](Self::next_index),
    /// goes on to the place behind them, and says how many there are: none at the end.
    pub(crate) fn next_indexes(&self, at: &mut usize, some: &mut [u32; 64]) -> usize {
        let (entities, words) = self.members();
        let left = entities.get(*at..).unwrap_or(&[]);
        let mut count = left.len().min(some.len());
        some.iter_mut().zip(left).for_each(|(index, entity)| *index = entity.index());
        *at += count;
        while let Some(word) = words.get(*at / 64) {
            let mut left = word & (u64::MAX << (*at % 64));
            if left == u64::MAX && count == 0 {
                (*at as u32..).zip(some.iter_mut()).for_each(|(at, index)| *index = at);
                *at += 64;
                return 64;
            }
            if count + left.count_ones() as usize > some.len() {
                break;
            }
            while left != 0 {
                some[count] = (*at / 64 * 64) as u32 + left.trailing_zeros();
                count += 1;
                left &= left - 1;
            }
            *at = (*at / 64 + 1) * 64;
        }
        count
    }

    /// All numbers at which a walk finds an entity are below this.
    pub(crate) fn places(&self) -> usize {
        let (entities, words) = self.members();
        entities.len() + words.len() * 64
    }

    /// The bytes that the storage has allocated, without what its values own.
    pub(crate) fn allocated_bytes(&self) -> usize {
        match self {
            Self::Set(set) => {
                set.pages.allocated_bytes()
                    + set.entities.capacity() * size_of::<Entity>()
                    + set.column.allocated_bytes()
            }
            Self::Tag(tag) => tag.words.capacity() * size_of::<u64>() + tag.column.allocated_bytes(),
        }
    }
}

impl Drop for SparseStorage {
    fn drop(&mut self) {
        self.clear();
    }
}
