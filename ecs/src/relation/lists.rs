//! The pairs of each entity, as lists.
//!
//! A list of one element is in its head. Other lists are blocks in one piece of memory that all lists share. Blocks have sizes that are
//! powers of two; free ones of a size are linked with each other. An element that is removed leaves a hole; when a list has more holes than elements they are closed, so that this takes
//! constant time for each removal, and the order stays. The heads of lists are found by the index of their entity, in pages that are there
//! only where entities have lists.

use alloc::vec::Vec;
use core::{mem, slice};

use crate::alloc_error::{AllocError, try_reserve};
use crate::entity::{Entity, Pages};

/// No row of a pair, and no place in a list.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// An element of a list: a pair, and its other entity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) other: Entity,
    /// The row of the pair; [`NOWHERE`] in a hole.
    pub(crate) row: u32,
}

impl Link {
    const HOLE: Self = Self { other: Entity::PLACEHOLDER, row: NOWHERE };

    /// Whether there is a pair.
    #[inline]
    pub(crate) fn is_pair(&self) -> bool {
        self.row != NOWHERE
    }
}

/// The pairs in a list, which is not looked at before the first of them is asked for: some ask only how many there are.
#[derive(Clone, Default)]
pub(crate) struct Links<'a> {
    /// Those of all lists.
    all: &'a [Link],
    at: u32,
    end: u32,
}

impl<'a> Links<'a> {
    /// Those that are left, for loops that go through all of them.
    #[inline]
    pub(crate) fn all(self) -> impl Iterator<Item = &'a Link> + use<'a> {
        self.all[self.at as usize..self.end as usize].iter().filter(|link| link.is_pair())
    }
}

impl<'a> Iterator for Links<'a> {
    type Item = &'a Link;

    #[inline]
    fn next(&mut self) -> Option<&'a Link> {
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

/// Heads a page.
const PAGE: usize = 64;

/// The list of an entity, or where it is.
#[derive(Clone, Copy)]
struct Head {
    /// That of the entity; zero if there is no list.
    generation: u32,
    /// How many elements and holes it has. The last one is an element.
    used: u32,
    /// How many elements it has.
    live: u32,
    /// The logarithm of the size of its block. Zero if there is none: then its element is `only`.
    class: u32,
    /// The element of a list without a block. Otherwise the row is where the block begins.
    only: Link,
}

impl Head {
    const NONE: Self = Self { generation: 0, used: 0, live: 0, class: 0, only: Link::HOLE };

    /// The entity with this index that has the list, if there is one.
    fn entity(&self, index: u32) -> Option<Entity> {
        Entity::try_from_bits(u64::from(self.generation) << 32 | u64::from(index))
    }

    fn room(&self) -> u32 {
        if self.generation == 0 { 0 } else { 1 << self.class }
    }

    /// Whether its elements are among those of all lists.
    #[inline]
    fn has_block(&self) -> bool {
        self.class != 0
    }

    /// Where its elements are among those of all lists, if they are there.
    fn range(&self) -> core::ops::Range<usize> {
        self.start() as usize..self.start() as usize + self.used as usize
    }

    /// Where its block begins, if it has one.
    #[inline]
    fn start(&self) -> u32 {
        self.only.row
    }

    /// The elements and holes.
    #[inline]
    fn links<'a>(&'a self, all: &'a [Link]) -> &'a [Link] {
        if self.has_block() { &all[self.range()] } else { &slice::from_ref(&self.only)[..self.used as usize] }
    }

    /// An element, or a hole.
    #[inline]
    fn link_mut<'a>(&'a mut self, all: &'a mut [Link], place: u32) -> &'a mut Link {
        if self.has_block() { &mut all[(self.start() + place) as usize] } else { &mut self.only }
    }
}

/// Sizes of blocks.
const CLASSES: usize = 32;

/// Lists, one for each entity that has pairs.
#[derive(Clone)]
pub(crate) struct PairLists {
    heads: Pages<Head, PAGE>,
    links: Vec<Link>,
    /// By class: the first free block. The row of its first link says which is the next one.
    free: [u32; CLASSES],
}

impl_default!([] PairLists => Self { heads: Pages::default(), links: Vec::new(), free: [NOWHERE; CLASSES] });

impl PairLists {
    #[inline]
    fn head(&self, entity: Entity) -> Option<&Head> {
        self.heads.get(entity.index()).filter(|head| head.generation == entity.generation())
    }

    /// The head of the list of an entity, and what is in all blocks.
    #[inline]
    fn head_mut(&mut self, entity: Entity) -> Option<(&mut Head, &mut [Link])> {
        let head = self.heads.get_mut(entity.index()).filter(|head| head.generation == entity.generation())?;
        Some((head, &mut self.links))
    }

    /// The list of an entity, with holes.
    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> &[Link] {
        self.head(entity).map_or(&[], |head| head.links(&self.links))
    }

    /// The pairs of an entity, and how many there are.
    #[inline]
    pub(crate) fn get_counted(&self, entity: Entity) -> (Links<'_>, usize) {
        let Some(head) = self.head(entity) else { return (Links::default(), 0) };
        let (all, at) =
            if head.has_block() { (&self.links[..], head.start()) } else { (slice::from_ref(&head.only), 0) };
        (Links { all, at, end: at + head.used }, head.live as usize)
    }

    /// How many pairs there are in the list of an entity.
    #[inline]
    pub(crate) fn len(&self, entity: Entity) -> usize {
        self.head(entity).map_or(0, |head| head.live as usize)
    }

    /// Makes room for one more element in the list of an entity.
    ///
    /// # Errors
    ///
    /// If there is no memory. The lists stay as they were.
    #[inline]
    pub(crate) fn make_room(&mut self, entity: Entity) -> Result<(), AllocError> {
        match self.head(entity) {
            Some(head) if head.used < head.room() => Ok(()),
            _ => self.make_room_now(entity),
        }
    }

    #[cold]
    fn make_room_now(&mut self, entity: Entity) -> Result<(), AllocError> {
        let entry = self.heads.try_get_or_add(entity.index(), Head::NONE)?;
        let head = *entry;
        // One that was made in vain is taken over.
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
        let moved = Head { class, only: Link { row: start, ..Link::HOLE }, ..head };
        self.heads.try_get_or_add(entity.index(), Head::NONE).map(|entry| *entry = moved)
    }

    /// A block of a class: a free one, or a new one at the end.
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
        self.links.resize(start + size, Link::HOLE);
        Ok(start as u32)
    }

    /// Frees the block of a list that was, if it had one.
    #[inline]
    fn free_block(&mut self, list: &Head) {
        if list.has_block() {
            self.links[list.start() as usize] = Link { row: self.free[list.class as usize], ..Link::HOLE };
            self.free[list.class as usize] = list.start();
        }
    }

    /// Adds an element behind the others, for which there is room, and says where it is.
    #[inline]
    pub(crate) fn push(&mut self, entity: Entity, link: Link) -> u32 {
        let Some((head, all)) = self.head_mut(entity) else { return NOWHERE };
        let place = head.used;
        head.used += 1;
        head.live += 1;
        *head.link_mut(all, place) = link;
        place
    }

    /// Removes an element. `moved` gets the row and the new place of each that is elsewhere afterwards.
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity, place: u32, moved: impl FnMut(u32, u32)) {
        let Some((head, all)) = self.head_mut(entity) else { return };
        head.live -= 1;
        if head.live == 0 {
            let list = mem::replace(head, Head::NONE);
            return self.free_block(&list);
        }
        // Where there is another one, both are in a block.
        let copy = *head;
        let links = &mut all[copy.range()];
        links[place as usize] = Link::HOLE;
        let used = links.iter().rposition(Link::is_pair).map_or(0, |last| last as u32 + 1);
        if used != copy.used || used - copy.live > copy.live + 4 {
            self.tidy(entity, used, moved);
        }
    }

    /// Forgets holes at the end of a list, and closes the others if they are many.
    fn tidy(&mut self, entity: Entity, used: u32, mut moved: impl FnMut(u32, u32)) {
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

    /// Says that a pair has another row.
    #[inline]
    pub(crate) fn set_row(&mut self, entity: Entity, place: u32, row: u32) {
        if let Some((head, all)) = self.head_mut(entity) {
            head.link_mut(all, place).row = row;
        }
    }

    /// Forgets the list of an entity, whatever is in it.
    pub(crate) fn forget(&mut self, entity: Entity) {
        if let Some((head, _)) = self.head_mut(entity) {
            let list = mem::replace(head, Head::NONE);
            self.free_block(&list);
        }
    }

    /// All entities with lists, by index.
    pub(crate) fn entities(&self) -> impl Iterator<Item = Entity> {
        let heads = self.heads.iter().filter(|(_, head)| head.live != 0);
        heads.filter_map(|(index, head)| head.entity(index))
    }

    /// Gives back memory that is not needed: blocks that are too large, and pages without lists. The places of elements stay but in
    /// lists with holes, of which `moved` gets the entity, the row and the new place of each element.
    pub(crate) fn shrink_to_fit(&mut self, mut moved: impl FnMut(Entity, u32, u32)) {
        let size = |head: &Head| if head.live <= 1 { 0 } else { head.live.next_power_of_two() as usize };
        let heads = self.heads.iter().map(|(_, head)| head).filter(|head| head.generation != 0);
        let mut links = Vec::new();
        if try_reserve(&mut links, heads.map(size).sum()).is_err() {
            return;
        }
        for (index, head) in self.heads.iter_mut() {
            let Some(entity) = head.entity(index) else { continue };
            let start = links.len();
            let mut only = Link { row: start as u32, ..Link::HOLE };
            for (place, link) in head.links(&self.links).iter().filter(|link| link.is_pair()).enumerate() {
                moved(entity, link.row, place as u32);
                if size(head) == 0 {
                    only = *link;
                } else {
                    links.push(*link);
                }
            }
            links.resize(start + size(head), Link::HOLE);
            head.class = head.live.next_power_of_two().trailing_zeros();
            (head.only, head.used) = (only, head.live);
        }
        links.shrink_to_fit();
        (self.links, self.free) = (links, [NOWHERE; CLASSES]);
        self.heads.shrink_to_fit(|head| head.generation == 0);
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        self.links.capacity() * size_of::<Link>() + self.heads.allocated_bytes()
    }
}
