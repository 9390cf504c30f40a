//! Components outside the tables: sparse sets, and tags of one bit an entity.
//!
//! A sparse set keeps its values densely in one [`Column`] and finds them by entity index through pages of rows, which
//! exist only where there is something. A zero-sized component needs no values: its set is a bit map. Adding and removing
//! touches no table.
//!
//! As in tables, a removed value is first brought behind the last one and dropped when everything else is done.

mod copy;

pub(crate) use self::copy::{SparseClones, SparseCopy};

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::replace;
use core::ptr::NonNull;

use crate::alloc_error::{AllocError, try_reserve, try_reserve_exact, try_shrink};
use crate::column::{Column, copy_item};
use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::tick::{Tick, WriteStamp};
use crate::tracking::Renewal;

/// Entity indexes a page.
const PAGE: usize = 1024;
/// In a page: this entity has no value here.
const NO_ROW: u32 = u32::MAX;

type Page = Box<[u32; PAGE]>;

/// The values of one component with sparse storage.
pub enum SparseStorage {
    /// Values in a dense column.
    Set(SparseSet),
    /// Zero-sized values: a bit an entity.
    Tag(TagSet),
}

impl SparseStorage {
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        if info.layout().size() == 0 {
            Self::Tag(TagSet { words: Vec::new(), len: 0, column: Column::new(info), retired: false })
        } else {
            Self::Set(SparseSet {
                pages: Vec::new(),
                entities: Vec::new(),
                column: Column::new(info),
                room: 0,
                retired: false,
            })
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
        let rows = self.places();
        match self {
            Self::Set(set) => set.column.track(rows, set.column.visited(), now),
            Self::Tag(tag) => tag.column.track(rows, tag.column.visited(), now),
        }
    }

    /// Forgets the ticks.
    pub(crate) fn forget_ticks(&mut self) {
        match self {
            Self::Set(set) => set.column.forget_ticks(),
            Self::Tag(tag) => tag.column.forget_ticks(),
        }
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
            Self::Set(set) if size_of::<C>() != 0 => {
                let row = set.entities.len();
                if row >= set.room || set.column.tracking().is_some() {
                    return None;
                }
                debug_assert!(row < set.entities.capacity() && row < set.column.capacity());
                let spot = set.spot(entity.index()).filter(|spot| **spot == NO_ROW)?;
                *spot = row as u32;
                set.column.stamp(now);
                // SAFETY: there is room for the entity in the list, and for the value in the column.
                unsafe {
                    set.entities.as_mut_ptr().add(row).write(entity);
                    set.entities.set_len(row + 1);
                    Some(set.column.data().cast::<C>().add(row))
                }
            }
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
            Self::Set(set) if size_of::<C>() != 0 => {
                if set.column.tracking().is_some() {
                    return false;
                }
                let Some(spot) = set.spot(entity.index()) else { return false };
                let row = replace(spot, NO_ROW) as usize;
                if row == NO_ROW as usize {
                    return false;
                }
                let last = set.entities.len() - 1;
                // SAFETY: a row that a page names is one of the set, so there is one, and entities may be forgotten.
                let moved = unsafe {
                    set.entities.set_len(last);
                    *set.entities.as_ptr().add(last)
                };
                if row != last {
                    // SAFETY: both are rows of the set, and differ. The values have this type, and the one that is overwritten needs
                    // no drop.
                    unsafe {
                        *set.entities.as_mut_ptr().add(row) = moved;
                        let values = set.column.data().cast::<C>();
                        values.add(last).copy_to_nonoverlapping(values.add(row), 1);
                    }
                    if let Some(spot) = set.spot(moved.index()) {
                        *spot = row as u32;
                    }
                }
                true
            }
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
    fn note_replaced(&self, entity: Entity, now: WriteStamp) {
        if let Some((tracking, row)) = self.column().tracking().zip(self.tick_row(entity.index())) {
            tracking.mark_range(row, 1, now);
        }
    }

    /// Notes that an entity is about to get a value.
    #[cold]
    #[inline(never)]
    fn note_new(&self, entity: Entity, now: WriteStamp) {
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
            && self.contains(index)
            && let Some(row) = self.tick_row(index)
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
            Self::Set(set) => {
                set.reserve_values(additional)?;
                let bounds = |(least, most): (u32, u32), index: u32| (least.min(index), most.max(index));
                let (least, most) = indexes.clone().fold((u32::MAX, 0), bounds);
                // If most indexes between them are among these, hardly a page is made for nothing.
                if least <= most && ((most - least) as usize) / 2 < additional {
                    let mut pages = least / PAGE as u32..=most / PAGE as u32;
                    return pages.try_for_each(|page| set.reserve_page(page * PAGE as u32));
                }
                // Neighbours are often in one page.
                let mut last = None;
                indexes.try_for_each(|index| {
                    if last.replace(index as usize / PAGE) == Some(index as usize / PAGE) {
                        return Ok(());
                    }
                    set.reserve_page(index)
                })
            }
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
                if let Some(Some(page)) = set.pages.get_mut(entity.index() as usize / PAGE) {
                    page[entity.index() as usize % PAGE] = row as u32;
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
        match self {
            // SAFETY: there are no more values than there is room for.
            Self::Set(set) => unsafe { set.column.get(set.entities.len()) },
            Self::Tag(tag) => tag.column.data(),
        }
    }

    /// Drops the first of the values that have been written, and not been added.
    ///
    /// # Safety
    ///
    /// - So many values have been written where [`behind`](Self::behind) says.
    pub(crate) unsafe fn drop_behind(&mut self, count: usize) {
        match self {
            // SAFETY: the caller's promise.
            Self::Set(set) => unsafe { set.column.drop_rows(set.entities.len(), count) },
            // SAFETY: as above; without a size, values are wherever they were said to be.
            Self::Tag(tag) => unsafe { tag.drop_values(count) },
        }
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
            Self::Tag(tag) => tag.remove_all(entities),
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
        match self {
            Self::Set(set) => {
                debug_assert!(set.entities.len() < set.column.capacity());
                set.retired = true;
                // SAFETY: the caller's promise.
                unsafe { set.column.get(set.entities.len()) }
            }
            Self::Tag(tag) => {
                tag.retired = true;
                tag.column.data()
            }
        }
    }

    /// Moves the value at an address past the end, as [`SparseStorage::retire`] does. The caller writes another value to the address.
    ///
    /// # Safety
    ///
    /// - The address is that of a value of this storage, and there is room for one more.
    pub(crate) unsafe fn retire_copy(&mut self, value: NonNull<u8>) {
        let size = self.column().item().size();
        // SAFETY: the caller's promise. The place is past the end, so it is another one, or values have no size.
        unsafe { copy_item(value.as_ptr(), self.retire_place().as_ptr(), size) }
    }

    /// Where the value lies that was retired last, if it still does.
    pub(crate) fn retired(&self) -> Option<NonNull<u8>> {
        match self {
            // SAFETY: `retire` left a value behind the last one, so that row is within the capacity.
            Self::Set(set) => set.retired.then(|| unsafe { set.column.get(set.entities.len()) }),
            Self::Tag(tag) => tag.retired.then(|| tag.column.data()),
        }
    }

    /// Removes the value of an entity, if it has one. The caller goes on with [`SparseStorage::drop_retired`], unless
    /// dropping values does nothing.
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity) {
        match self {
            Self::Set(set) if set.column.drop_fn().is_none() => set.remove(entity.index()),
            _ => {
                self.retire(entity);
            }
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

    /// Says that the retired value has been moved out.
    pub(crate) fn forget_retired(&mut self) {
        match self {
            Self::Set(set) => set.retired = false,
            Self::Tag(tag) => tag.retired = false,
        }
    }

    /// Drops the retired value, if there is one.
    #[inline]
    pub(crate) fn drop_retired(&mut self) {
        match self {
            Self::Set(set) if set.retired => {
                set.retired = false;
                let row = set.entities.len();
                // SAFETY: `retire` left a value here that has no owner.
                unsafe { set.column.drop_rows(row, 1) }
            }
            Self::Tag(tag) if tag.retired => {
                tag.retired = false;
                // SAFETY: a value was retired and has not been dropped; zero-sized, it needs only an aligned address.
                unsafe { tag.drop_values(1) }
            }
            _ => {}
        }
    }

    /// Removes and drops all values.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Set(set) => {
                set.pages.clear();
                let count = set.entities.len();
                set.entities.clear();
                // SAFETY: the column held `count` values, which nothing shows any more.
                unsafe { set.column.drop_rows(0, count) }
            }
            Self::Tag(tag) => {
                tag.words.clear();
                let count = core::mem::take(&mut tag.len);
                // SAFETY: `count` values existed and nothing shows them any more.
                unsafe { tag.drop_values(count) }
            }
        }
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
        match self {
            Self::Set(set) => set.entities.len(),
            Self::Tag(tag) => tag.words.len() * 64,
        }
    }

    /// The bytes that the storage has allocated, without what its values own.
    pub(crate) fn allocated_bytes(&self) -> usize {
        match self {
            Self::Set(set) => {
                set.pages.iter().flatten().count() * size_of::<[u32; PAGE]>()
                    + set.pages.capacity() * size_of::<Option<Page>>()
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

/// Values in a dense column, found by entity index.
pub struct SparseSet {
    pages: Vec<Option<Page>>,
    entities: Vec<Entity>,
    column: Column,
    /// How many values the list and the column have room for.
    room: usize,
    /// A removed value lies behind the last one.
    retired: bool,
}

impl SparseSet {
    /// To be called when memory has been allocated or given back.
    fn note_room(&mut self) {
        self.room = self.entities.capacity().min(self.column.capacity());
    }

    /// The entities that have a value, in the order of the values.
    #[inline]
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// The values.
    #[inline]
    pub(crate) fn column(&self) -> &Column {
        &self.column
    }

    /// Where the row of the entity with this index is noted, if its page exists.
    #[inline(always)]
    fn spot(&mut self, index: u32) -> Option<&mut u32> {
        let page = self.pages.get_mut(index as usize / PAGE)?.as_deref_mut()?;
        Some(&mut page[index as usize % PAGE])
    }

    /// The row of this very entity.
    #[inline]
    pub(crate) fn row_of(&self, entity: Entity) -> Option<usize> {
        self.row(entity.index()).filter(|&row| self.entities.get(row) == Some(&entity))
    }

    /// The value of this very entity.
    #[inline]
    pub(crate) fn find(&self, entity: Entity) -> Option<NonNull<u8>> {
        let row = self.row_of(entity)?;
        // SAFETY: rows of the set are within the column's capacity.
        Some(unsafe { self.column.get(row) })
    }

    /// As [`find`](Self::find), where it is likely that the entity has got its value last of all.
    #[inline]
    pub(crate) fn find_newest(&self, entity: Entity) -> Option<NonNull<u8>> {
        match self.entities.split_last() {
            // SAFETY: rows of the set are within the column's capacity.
            Some((&last, others)) if last == entity => Some(unsafe { self.column.get(others.len()) }),
            _ => self.find(entity),
        }
    }

    #[inline]
    fn row(&self, index: u32) -> Option<usize> {
        let page = self.pages.get(index as usize / PAGE)?.as_ref()?;
        let row = page[index as usize % PAGE];
        (row != NO_ROW).then_some(row as usize)
    }

    #[inline]
    fn has_room(&self, index: u32) -> bool {
        self.entities.len() < self.room && matches!(self.pages.get(index as usize / PAGE), Some(Some(_)))
    }

    #[inline]
    fn reserve(&mut self, index: u32) -> Result<(), AllocError> {
        if self.has_room(index) { Ok(()) } else { self.make_room(index) }
    }

    #[cold]
    fn make_room(&mut self, index: u32) -> Result<(), AllocError> {
        self.reserve_values(1)?;
        self.reserve_page(index)
    }

    fn reserve_values(&mut self, additional: usize) -> Result<(), AllocError> {
        let needed = self.entities.len().saturating_add(additional);
        if self.column.capacity() < needed {
            let capacity = needed.max(self.column.capacity().saturating_mul(2)).max(4);
            self.column.grow_to(capacity)?;
        }
        let room = try_reserve(&mut self.entities, additional);
        self.note_room();
        room
    }

    fn reserve_page(&mut self, index: u32) -> Result<(), AllocError> {
        let page = index as usize / PAGE;
        if self.pages.len() <= page {
            let missing = page + 1 - self.pages.len();
            try_reserve(&mut self.pages, missing)?;
            self.pages.resize_with(page + 1, || None);
        }
        if self.pages[page].is_none() {
            let mut rows = Vec::new();
            try_reserve_exact(&mut rows, PAGE)?;
            rows.resize(PAGE, NO_ROW);
            self.pages[page] = rows.into_boxed_slice().try_into().ok();
        }
        Ok(())
    }

    fn shrink_to_fit(&mut self) {
        for page in &mut self.pages {
            if page.as_ref().is_some_and(|rows| rows.iter().all(|&row| row == NO_ROW)) {
                *page = None;
            }
        }
        let used = self.pages.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        self.pages.truncate(used);
        try_shrink(&mut self.pages);
        try_shrink(&mut self.entities);
        let rows = self.entities.len() + usize::from(self.retired);
        // SAFETY: these are all rows that hold a value.
        unsafe { self.column.shrink_to(rows) }
        self.note_room();
    }

    /// Calls `each` with the places of entities in their pages, in order. Those whose page does not exist are passed over.
    #[inline]
    fn for_each_place(pages: &mut [Option<Page>], entities: &[Entity], mut each: impl FnMut(&mut u32)) {
        let page_of = |entity: &Entity| entity.index() as usize / PAGE;
        // Neighbours are often in one page, which is found once then.
        for some in entities.chunks(64) {
            let at = page_of(&some[0]);
            if some.iter().fold(true, |same, entity| same & (page_of(entity) == at)) {
                if let Some(page) = pages.get_mut(at).and_then(|page| page.as_deref_mut()) {
                    some.iter().for_each(|entity| each(&mut page[entity.index() as usize % PAGE]));
                }
                continue;
            }
            for entity in some {
                if let Some(Some(page)) = pages.get_mut(page_of(entity)) {
                    each(&mut page[entity.index() as usize % PAGE]);
                }
            }
        }
    }

    /// Overwrites the value of an entity, if it has one, by the last one.
    #[inline]
    fn remove(&mut self, index: u32) {
        let Some(row) = self.row(index) else { return };
        let last = self.entities.len() - 1;
        if row != last {
            // SAFETY: both are rows of the set and differ.
            unsafe { self.column.put_behind(row, last) }
        }
        self.forget_row(index, row);
    }

    /// See [`SparseStorage::remove_these`]. Those that follow each other here, too, go together.
    ///
    /// # Safety
    ///
    /// - Dropping values does nothing, and no ticks are kept.
    unsafe fn remove_these(&mut self, entities: &[Entity]) {
        let mut rest = entities;
        while let Some((&first, others)) = rest.split_first() {
            let Some(row) = self.row_of(first) else {
                rest = others;
                continue;
            };
            let count = self.entities[row..].iter().zip(rest).take_while(|(here, there)| here == there).count();
            let (gone, others) = rest.split_at(count);
            rest = others;
            let behind = self.entities.len() - row - count;
            let moved = count.min(behind);
            let from = self.entities.len() - moved;
            // SAFETY: these are rows of the set, and those from `from` on are behind the others. The rest is the caller's promise.
            unsafe { self.column.overwrite_rows(row, from, moved) }
            self.entities.copy_within(from.., row);
            self.entities.truncate(row + behind);
            Self::for_each_place(&mut self.pages, gone, |place| *place = NO_ROW);
            let mut rows = row as u32..;
            Self::for_each_place(&mut self.pages, &self.entities[row..row + moved], |place| {
                *place = rows.next().unwrap_or(NO_ROW);
            });
        }
    }

    /// Notes that the entity with this index has no value any more, and that the last one is in its row.
    #[inline]
    fn forget_row(&mut self, index: u32, row: usize) {
        self.entities.swap_remove(row);
        if let Some(moved) = self.entities.get(row).map(|entity| entity.index() as usize)
            && let Some(Some(page)) = self.pages.get_mut(moved / PAGE)
        {
            page[moved % PAGE] = row as u32;
        }
        if let Some(Some(page)) = self.pages.get_mut(index as usize / PAGE) {
            page[index as usize % PAGE] = NO_ROW;
        }
    }

    fn add_all(&mut self, entities: &[Entity]) {
        let mut rows = self.entities.len() as u32..;
        Self::for_each_place(&mut self.pages, entities, |place| *place = rows.next().unwrap_or(NO_ROW));
        self.entities.extend_from_slice(entities);
    }

    /// See [`SparseStorage::remove_all`].
    fn remove_all(&mut self, entities: &[Entity]) {
        if entities == self.entities.as_slice() {
            Self::for_each_place(&mut self.pages, entities, |place| *place = NO_ROW);
            self.entities.clear();
            // SAFETY: these are all values, and nothing shows them any more.
            return unsafe { self.column.drop_rows(0, entities.len()) };
        }
        let mut rows = alloc::vec![NO_ROW; entities.len()];
        let mut count = 0;
        Self::for_each_place(&mut self.pages, entities, |place| {
            let row = replace(place, NO_ROW);
            rows[count] = row;
            count += usize::from(row != NO_ROW);
        });
        rows.truncate(count);
        let left = self.entities.len() - rows.len();
        if left != 0 {
            // Those that stay take the places of others, from behind.
            let mut holes = alloc::vec![0u64; self.entities.len().div_ceil(64)];
            rows.iter().for_each(|&row| holes[row as usize / 64] |= 1 << (row % 64));
            let is_hole = |row: usize| holes[row / 64] >> (row % 64) & 1 != 0;
            let mut stays = left..self.entities.len();
            for row in (0..left).filter(|&row| is_hole(row)) {
                let Some(last) = stays.by_ref().find(|&row| !is_hole(row)) else { break };
                // SAFETY: both are rows of the set, and one is before `left`, the other is not.
                unsafe { self.column.swap_rows(row, last) }
                self.entities[row] = self.entities[last];
                let moved = self.entities[row].index() as usize;
                if let Some(Some(page)) = self.pages.get_mut(moved / PAGE) {
                    page[moved % PAGE] = row as u32;
                }
            }
        }
        self.entities.truncate(left);
        // SAFETY: the values of those that are gone are behind the others now, and nothing shows them any more.
        unsafe { self.column.drop_rows(left, rows.len()) }
    }

    fn retire(&mut self, index: u32) -> Option<NonNull<u8>> {
        let row = self.row(index)?;
        let last = self.entities.len() - 1;
        if row != last {
            // SAFETY: both are rows of the set and differ.
            unsafe { self.column.swap_rows(row, last) }
        }
        self.forget_row(index, row);
        self.retired = true;
        // SAFETY: the row was in use, so it is within the capacity.
        Some(unsafe { self.column.get(last) })
    }
}

/// Zero-sized values: one bit an entity index.
pub struct TagSet {
    words: Vec<u64>,
    len: usize,
    /// Has no memory for values, only ticks: by entity index.
    column: Column,
    retired: bool,
}

impl TagSet {
    #[inline]
    fn contains(&self, index: u32) -> bool {
        self.words.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    fn reserve(&mut self, index: u32) -> Result<(), AllocError> {
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
    fn next_index(&self, at: usize) -> Option<(u32, usize)> {
        let mut word_at = at / 64;
        let mut word = self.words.get(word_at)? & (u64::MAX << (at % 64));
        while word == 0 {
            word_at += 1;
            word = *self.words.get(word_at)?;
        }
        let index = word_at * 64 + word.trailing_zeros() as usize;
        Some((index as u32, index + 1))
    }

    /// See [`SparseStorage::remove_all`].
    fn remove_all(&mut self, entities: &[Entity]) {
        let mut count = 0;
        for &entity in entities {
            let (word, bit) = (entity.index() as usize / 64, 1 << (entity.index() % 64));
            if let Some(word) = self.words.get_mut(word).filter(|word| **word & bit != 0) {
                *word &= !bit;
                count += 1;
            }
        }
        self.len -= count;
        // SAFETY: so many values are gone.
        unsafe { self.drop_values(count) }
    }

    /// # Safety
    ///
    /// - `count` values exist, which are not used afterwards.
    unsafe fn drop_values(&mut self, count: usize) {
        // SAFETY: values of size zero lie at any aligned address; the caller promises that they exist.
        unsafe { self.column.drop_rows(0, count) }
    }
}
