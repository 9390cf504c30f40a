//! The list of pairs of each entity.
//!
//! A list with one element is stored in its head. Other lists are blocks of one allocation that all lists share. Block sizes are powers of
//! two. Free blocks of the same size form a linked list. Removing an element leaves a hole. When a list has many more holes than elements,
//! the holes are closed. So each removal takes amortised constant time and keeps the order. Heads are found by entity index, in pages that
//! exist only where entities have lists.
//!
//! Tests: tests/relationships/pairs/histories.rs, tests/relationships/pairs/operations.rs

use alloc::vec::Vec;
use core::{mem, slice};

use crate::entity::{Entity, Pages};
use crate::util::alloc_error::{AllocError, try_reserve};

/// A number that is neither the row of a pair nor a position in a list.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// An element of a list: the row of a pair, and the other entity of the pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairLink {
    pub(crate) other: Entity,
    /// The row of the pair; [`NOWHERE`] in a hole.
    pub(crate) row: u32,
}

impl PairLink {
    const HOLE: Self = Self { other: Entity::PLACEHOLDER, row: NOWHERE };

    /// Returns whether this is a pair, and not a hole.
    #[inline]
    pub(crate) fn is_pair(&self) -> bool {
        self.row != NOWHERE
    }
}

/// An iterator over the pairs in a list. The list is not read before the first pair is requested, since some callers need only the number
/// of pairs.
#[derive(Clone, Default)]
pub(crate) struct PairLinks<'a> {
    /// The elements of all lists.
    all: &'a [PairLink],
    at: u32,
    end: u32,
}

impl<'a> PairLinks<'a> {
    /// Returns a faster iterator over the remaining pairs, for loops that visit all of them.
    #[inline]
    pub(crate) fn all(self) -> impl Iterator<Item = &'a PairLink> + use<'a> {
        self.all[self.at as usize..self.end as usize].iter().filter(|link| link.is_pair())
    }
}

impl<'a> Iterator for PairLinks<'a> {
    type Item = &'a PairLink;

    #[inline]
    fn next(&mut self) -> Option<&'a PairLink> {
        while self.at != self.end {
            let link = &self.all[self.at as usize];
            self.at += 1;
            if link.is_pair() {
                return Some(link);
            }
        }
        None
    }
}

/// The number of heads per page.
const PAGE: usize = 64;

/// The list of an entity if it has one element, and otherwise the location of its block.
#[derive(Clone, Copy)]
struct ListHead {
    /// The generation of the entity; 0 if there is no list.
    generation: u32,
    /// The number of elements and holes. The last of them is an element.
    used: u32,
    /// The number of elements.
    live: u32,
    /// The base-2 logarithm of the block size; 0 if there is no block. Without a block, `only` contains the element.
    class: u32,
    /// The element of a list without a block. For a list with a block, `only.fetch_row` is the start of the block.
    only: PairLink,
}

impl ListHead {
    const NONE: Self = Self { generation: 0, used: 0, live: 0, class: 0, only: PairLink::HOLE };

    /// Returns the entity that has the list; `None` if there is no list. `index` is the index of the head.
    fn entity(&self, index: u32) -> Option<Entity> {
        Entity::try_from_bits(u64::from(self.generation) << 32 | u64::from(index))
    }

    fn room(&self) -> u32 {
        if self.generation == 0 { 0 } else { 1 << self.class }
    }

    /// Returns whether the elements are in a block.
    #[inline]
    fn has_block(&self) -> bool {
        self.class != 0
    }

    /// Returns the range of the elements and holes in the shared allocation. The elements must be in a block.
    fn range(&self) -> core::ops::Range<usize> {
        self.start() as usize..self.start() as usize + self.used as usize
    }

    /// Returns the start of the block. The elements must be in a block.
    #[inline]
    fn start(&self) -> u32 {
        self.only.row
    }

    /// Returns the elements and holes.
    #[inline]
    fn links<'a>(&'a self, all: &'a [PairLink]) -> &'a [PairLink] {
        if self.has_block() { &all[self.range()] } else { &slice::from_ref(&self.only)[..self.used as usize] }
    }

    /// Returns the element or hole at a position.
    #[inline]
    fn link_mut<'a>(&'a mut self, all: &'a mut [PairLink], place: u32) -> &'a mut PairLink {
        if self.has_block() { &mut all[(self.start() + place) as usize] } else { &mut self.only }
    }
}

/// The number of block sizes.
const CLASSES: usize = 32;

/// The lists of all entities that have pairs.
#[derive(Clone)]
pub(crate) struct PairLists {
    heads: Pages<ListHead, PAGE>,
    links: Vec<PairLink>,
    /// The start of the first free block of each class. The row of the first link of a free block is the start of the next free block.
    free: [u32; CLASSES],
}

impl_default!([] PairLists => Self { heads: Pages::default(), links: Vec::new(), free: [NOWHERE; CLASSES] });

impl PairLists {
    #[inline]
    fn head(&self, entity: Entity) -> Option<&ListHead> {
        self.heads.get(entity.index()).filter(|head| head.generation == entity.generation())
    }

    /// Returns the head of the list of an entity, and the elements of all blocks.
    #[inline]
    fn head_mut(&mut self, entity: Entity) -> Option<(&mut ListHead, &mut [PairLink])> {
        let head = self.heads.get_mut(entity.index()).filter(|head| head.generation == entity.generation())?;
        Some((head, &mut self.links))
    }

    /// Returns the list of an entity. It may contain holes.
    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> &[PairLink] {
        self.head(entity).map_or(&[], |head| head.links(&self.links))
    }

    /// Returns the pairs of an entity, and their number.
    #[inline]
    pub(crate) fn get_counted(&self, entity: Entity) -> (PairLinks<'_>, usize) {
        let Some(head) = self.head(entity) else { return (PairLinks::default(), 0) };
        let (all, at) =
            if head.has_block() { (&self.links[..], head.start()) } else { (slice::from_ref(&head.only), 0) };
        (PairLinks { all, at, end: at + head.used }, head.live as usize)
    }

    /// Returns the number of pairs in the list of an entity.
    #[inline]
    pub(crate) fn len(&self, entity: Entity) -> usize {
        self.head(entity).map_or(0, |head| head.live as usize)
    }

    /// Makes room for one more element in the list of an entity.
    ///
    /// # Errors
    ///
    /// If there is no memory. The lists are unchanged.
    #[inline]
    pub(crate) fn make_room(&mut self, entity: Entity) -> Result<(), AllocError> {
        match self.head(entity) {
            Some(head) if head.used < head.room() => Ok(()),
            _ => self.make_room_now(entity),
        }
    }

    #[cold]
    fn make_room_now(&mut self, entity: Entity) -> Result<(), AllocError> {
        let entry = self.heads.try_get_or_add(entity.index(), ListHead::NONE)?;
        let head = *entry;
        // A head that was created but not used may have another generation; the head is reused.
        debug_assert!(head.live == 0 || head.generation == entity.generation(), "a list outlives its entity");
        if head.generation != entity.generation() {
            entry.generation = entity.generation();
            return Ok(());
        }
        let class = (head.class + 1).max(2);
        let start = self.take_block(class)?;
        if head.has_block() {
            self.links.copy_within(head.range(), start as usize);
            self.free_block(&head);
        } else {
            self.links[start as usize] = head.only;
        }
        let moved = ListHead { class, only: PairLink { row: start, ..PairLink::HOLE }, ..head };
        self.heads.try_get_or_add(entity.index(), ListHead::NONE).map(|entry| *entry = moved)
    }

    /// Returns the start of a block of a class: a free block, or a new block at the end if no block of the class is free.
    fn take_block(&mut self, class: u32) -> Result<u32, AllocError> {
        let first = self.free[class as usize];
        if first != NOWHERE {
            self.free[class as usize] = self.links[first as usize].row;
            return Ok(first);
        }
        let (start, size) = (self.links.len(), 1 << class);
        if start + size >= NOWHERE as usize {
            return Err(AllocError::TOO_LARGE);
        }
        try_reserve(&mut self.links, size)?;
        self.links.resize(start + size, PairLink::HOLE);
        Ok(start as u32)
    }

    /// Frees the block of a removed list, if the list had a block.
    #[inline]
    fn free_block(&mut self, list: &ListHead) {
        if list.has_block() {
            self.links[list.start() as usize] = PairLink { row: self.free[list.class as usize], ..PairLink::HOLE };
            self.free[list.class as usize] = list.start();
        }
    }

    /// Appends an element, and returns its position. There must be room for the element.
    #[inline]
    pub(crate) fn push(&mut self, entity: Entity, link: PairLink) -> u32 {
        let Some((head, all)) = self.head_mut(entity) else { return NOWHERE };
        let place = head.used;
        head.used += 1;
        head.live += 1;
        *head.link_mut(all, place) = link;
        place
    }

    /// Removes the element at a position. Calls `moved` with the row and the new position of each element that has moved.
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity, place: u32, moved: impl FnMut(u32, u32)) {
        let Some((head, all)) = self.head_mut(entity) else { return };
        head.live -= 1;
        if head.live == 0 {
            let list = mem::replace(head, ListHead::NONE);
            return self.free_block(&list);
        }
        // The list still has another element, so it was not stored inline but in a block.
        let copy = *head;
        let links = &mut all[copy.range()];
        links[place as usize] = PairLink::HOLE;
        let used = links.iter().rposition(PairLink::is_pair).map_or(0, |last| last as u32 + 1);
        if used != copy.used || used - copy.live > copy.live + 4 {
            self.trim(entity, used, moved);
        }
    }

    /// Removes holes at the end of a list; `used` is the remaining number of elements and holes. If many holes remain, closes them.
    fn trim(&mut self, entity: Entity, used: u32, mut moved: impl FnMut(u32, u32)) {
        let Some((head, all)) = self.head_mut(entity) else { return };
        head.used = used;
        if used - head.live <= head.live + 4 {
            return;
        }
        head.used = head.live;
        let (start, live) = (head.start() as usize, head.live as usize);
        let links = &mut all[start..start + used as usize];
        let mut to = 0;
        for from in 0..links.len() {
            if links[from].is_pair() {
                if from != to {
                    links[to] = links[from];
                    moved(links[to].row, to as u32);
                }
                to += 1;
            }
        }
        debug_assert_eq!(to, live);
    }

    /// Sets the row of the element at a position.
    #[inline]
    pub(crate) fn set_row(&mut self, entity: Entity, place: u32, row: u32) {
        if let Some((head, all)) = self.head_mut(entity) {
            head.link_mut(all, place).row = row;
        }
    }

    /// Removes the list of an entity, with all elements.
    pub(crate) fn forget(&mut self, entity: Entity) {
        if let Some((head, _)) = self.head_mut(entity) {
            let list = mem::replace(head, ListHead::NONE);
            self.free_block(&list);
        }
    }

    /// Iterates over all entities with lists, in the order of their indexes.
    pub(crate) fn entities(&self) -> impl Iterator<Item = Entity> {
        let heads = self.heads.iter().filter(|(_, head)| head.live != 0);
        heads.filter_map(|(index, head)| head.entity(index))
    }

    /// Frees unused memory: blocks that are too large, and pages without lists. Holes are closed. Calls `moved` with the entity, the row
    /// and the new position of each element.
    pub(crate) fn shrink_to_fit(&mut self, mut moved: impl FnMut(Entity, u32, u32)) {
        let size = |head: &ListHead| if head.live <= 1 { 0 } else { head.live.next_power_of_two() as usize };
        let heads = self.heads.iter().map(|(_, head)| head).filter(|head| head.generation != 0);
        let mut links = Vec::new();
        if try_reserve(&mut links, heads.map(size).sum()).is_err() {
            return;
        }
        for (index, head) in self.heads.iter_mut() {
            let Some(entity) = head.entity(index) else { continue };
            let start = links.len();
            let mut only = PairLink { row: start as u32, ..PairLink::HOLE };
            for (place, link) in head.links(&self.links).iter().filter(|link| link.is_pair()).enumerate() {
                moved(entity, link.row, place as u32);
                if size(head) == 0 {
                    only = *link;
                } else {
                    links.push(*link);
                }
            }
            links.resize(start + size(head), PairLink::HOLE);
            head.class = head.live.next_power_of_two().trailing_zeros();
            (head.only, head.used) = (only, head.live);
        }
        links.shrink_to_fit();
        (self.links, self.free) = (links, [NOWHERE; CLASSES]);
        self.heads.shrink_to_fit(|head| head.generation == 0);
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        self.links.capacity() * size_of::<PairLink>() + self.heads.allocated_bytes()
    }
}
