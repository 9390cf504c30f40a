//! The index of the pairs of a relation, without their values.
//!
//! Tests: tests/relationships/pairs/histories.rs, tests/relationships/pairs/operations.rs

mod data;

use alloc::vec::Vec;

use hashbrown::HashTable;

use super::lists::{NOWHERE, PairLink, PairLists};
use crate::entity::Entity;
use crate::util::alloc_error::{AllocError, try_reserve, try_shrink};

/// Finds the rows of the pairs of one relation by their entities.
#[derive(Clone)]
pub(crate) struct PairIndex {
    is_exclusive: bool,
    is_symmetric: bool,
    /// The source and the target of each pair, by row.
    ends: Vec<[Entity; 2]>,
    /// The positions of each pair in the list of its source and in the list of its target, by row.
    places: Vec<[u32; 2]>,
    /// For each entity, the pairs of which it is the source. If the relation is symmetric, all pairs of the entity.
    from: PairLists,
    /// For each entity, the pairs of which it is the target. Empty if the relation is symmetric.
    to: PairLists,
    /// The row of each pair, by its source and target. Empty if the relation is exclusive, because the list of a source then has at most
    /// one pair.
    rows: HashTable<u32>,
}

/// Returns a hash of both entities: a product whose halves are folded.
#[inline]
fn hash([source, target]: [Entity; 2]) -> u64 {
    let mixed = source.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32) ^ target.to_bits();
    let product = u128::from(mixed) * 0xe703_7ed1_a0b4_28db_u128;
    (product >> 64) as u64 ^ product as u64
}

/// Returns the ends of a pair. If the relation is symmetric, the lower entity comes first.
#[inline]
fn sorted(is_symmetric: bool, ends: [Entity; 2]) -> [Entity; 2] {
    if is_symmetric && ends[0] > ends[1] { [ends[1], ends[0]] } else { ends }
}

impl PairIndex {
    pub(crate) fn new(is_exclusive: bool, is_symmetric: bool) -> Self {
        Self {
            is_exclusive,
            is_symmetric,
            ends: Vec::new(),
            places: Vec::new(),
            from: PairLists::default(),
            to: PairLists::default(),
            rows: HashTable::new(),
        }
    }

    /// Returns the number of pairs.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the source and the target of each pair, by row.
    #[inline]
    pub(crate) fn ends(&self) -> &[[Entity; 2]] {
        &self.ends
    }

    #[inline]
    pub(crate) fn lists(&self, end: usize) -> &PairLists {
        if end == 0 || self.is_symmetric { &self.from } else { &self.to }
    }

    #[inline]
    fn lists_mut(&mut self, end: usize) -> &mut PairLists {
        if end == 0 || self.is_symmetric { &mut self.from } else { &mut self.to }
    }

    /// Returns the list of the pairs of which an entity is the source (`end` is 0) or the target (`end` is 1). The list may contain holes.
    #[inline]
    pub(crate) fn list(&self, end: usize, entity: Entity) -> &[PairLink] {
        self.lists(end).get(entity)
    }

    /// Returns the number of pairs of which an entity is the source (`end` is 0) or the target (`end` is 1).
    #[inline]
    pub(crate) fn count(&self, end: usize, entity: Entity) -> usize {
        self.lists(end).len(entity)
    }

    /// Returns the ends in the order in which they are hashed.
    #[inline]
    fn key(&self, ends: [Entity; 2]) -> [Entity; 2] {
        sorted(self.is_symmetric, ends)
    }

    /// Returns the row of a pair; `None` if the pair does not exist.
    #[inline]
    pub(crate) fn find(&self, source: Entity, target: Entity) -> Option<usize> {
        if self.is_exclusive {
            let link = self.from.get(source).iter().find(|link| link.is_pair())?;
            return (link.other == target).then_some(link.row as usize);
        }
        let key = self.key([source, target]);
        let found = self.rows.find(hash(key), |&row| self.key(self.ends[row as usize]) == key);
        found.map(|&row| row as usize)
    }

    /// Makes room for a new pair.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    #[inline]
    pub(crate) fn make_room(&mut self, source: Entity, target: Entity) -> Result<(), AllocError> {
        try_reserve(&mut self.ends, 1)?;
        try_reserve(&mut self.places, 1)?;
        if self.ends.len() >= NOWHERE as usize {
            return Err(AllocError::TOO_LARGE);
        }
        if !self.is_exclusive {
            let Self { ends, rows, is_symmetric, .. } = self;
            let sorts = *is_symmetric;
            let of_row = |&row: &u32| hash(sorted(sorts, ends[row as usize]));
            rows.try_reserve(1, of_row).map_err(AllocError::of_map)?;
        }
        self.from.make_room(source)?;
        self.lists_mut(1).make_room(target)
    }

    /// Adds a new pair in a new last row. There must be room for it.
    #[inline]
    pub(crate) fn insert(&mut self, source: Entity, target: Entity) {
        let row = self.ends.len() as u32;
        let at_source = self.from.push(source, PairLink { other: target, row });
        let at_target = self.lists_mut(1).push(target, PairLink { other: source, row });
        self.ends.push([source, target]);
        self.places.push([at_source, at_target]);
        if !self.is_exclusive {
            let key = self.key([source, target]);
            let Self { ends, rows, is_symmetric, .. } = self;
            let sorts = *is_symmetric;
            rows.insert_unique(hash(key), row, |&row| hash(sorted(sorts, ends[row as usize])));
        }
    }

    /// Removes a pair, if it exists, and returns its ends and its former row. The last pair moves into this row.
    pub(crate) fn remove(&mut self, source: Entity, target: Entity) -> Option<([Entity; 2], usize)> {
        let row = if self.is_exclusive {
            self.find(source, target)?
        } else {
            let key = self.key([source, target]);
            let Self { ends, rows, is_symmetric, .. } = self;
            let is_it = |&row: &u32| sorted(*is_symmetric, ends[row as usize]) == key;
            rows.find_entry(hash(key), is_it).ok()?.remove().0 as usize
        };
        let ends = self.ends[row];
        self.remove_unhashed(row);
        Some((ends, row))
    }

    /// Removes a pair that has already been removed from the hash table. The last pair moves into its row.
    fn remove_unhashed(&mut self, row: usize) {
        let (ends, places) = (self.ends[row], self.places[row]);
        for end in 0..2 {
            if places[end] != NOWHERE {
                self.unlist(end, ends[end], places[end]);
            }
        }
        let last = self.ends.len() - 1;
        if row != last {
            let (ends, places) = (self.ends[last], self.places[last]);
            if !self.is_exclusive {
                let key = hash(self.key(ends));
                if let Some(moved) = self.rows.find_mut(key, |&other| other as usize == last) {
                    *moved = row as u32;
                }
            }
            for end in 0..2 {
                if places[end] != NOWHERE {
                    self.lists_mut(end).set_row(ends[end], places[end], row as u32);
                }
            }
        }
        self.ends.swap_remove(row);
        self.places.swap_remove(row);
    }

    /// Removes a pair from the list of one of its entities.
    fn unlist(&mut self, end: usize, entity: Entity, place: u32) {
        let Self { ends, places, from, to, is_symmetric, .. } = self;
        let lists = if end == 0 || *is_symmetric { from } else { to };
        lists.remove(entity, place, |row, place| {
            let row = row as usize;
            places[row][end_of(*is_symmetric, end, ends[row], entity)] = place;
        });
    }

    /// Removes the list of a despawned target, but keeps its pairs.
    pub(crate) fn forget_target(&mut self, target: Entity) {
        for link in self.to.get(target).iter().filter(|link| link.is_pair()) {
            self.places[link.row as usize][1] = NOWHERE;
        }
        self.to.forget(target);
    }

    /// Returns whether the target of a pair has a list. Returns false after [`forget_target`](Self::forget_target).
    #[inline]
    pub(crate) fn has_target(&self, row: usize) -> bool {
        self.places[row][1] != NOWHERE
    }

    /// Iterates over all entities that are the source (`end` is 0) or the target (`end` is 1) of pairs.
    pub(crate) fn entities(&self, end: usize) -> impl Iterator<Item = Entity> {
        self.lists(end).entities()
    }

    /// Frees unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        let Self { ends, places, from, to, is_symmetric, rows, .. } = self;
        try_shrink(ends);
        try_shrink(places);
        let sorts = *is_symmetric;
        for (end, lists) in [from, to].into_iter().enumerate() {
            lists.shrink_to_fit(|entity, row, place| {
                let row = row as usize;
                places[row][end_of(sorts, end, ends[row], entity)] = place;
            });
        }
        rows.shrink_to_fit(|&row| {
            let ends = ends[row as usize];
            hash(sorted(sorts, ends))
        });
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        self.ends.capacity() * size_of::<[Entity; 2]>()
            + self.places.capacity() * size_of::<[u32; 2]>()
            + self.from.allocated_bytes()
            + self.to.allocated_bytes()
            + self.rows.allocation_size()
    }

    /// Panics if the parts of the index contradict each other. `name` is the name of the relation, for the message.
    pub(crate) fn check_invariants(&self, name: &str) {
        let ends = if self.is_symmetric { 1 } else { 2 };
        for (row, &[source, target]) in self.ends.iter().enumerate() {
            assert_eq!(self.find(source, target), Some(row), "{name}: the row of {source} and {target}");
            for end in 0..2 {
                let place = self.places[row][end];
                if place == NOWHERE {
                    assert_eq!(end, 1, "{name}: the source {source} is forgotten");
                    continue;
                }
                let (entity, other) = if end == 0 { (source, target) } else { (target, source) };
                let link = self.lists(end).get(entity).get(place as usize).copied();
                let found = link.map(|link| (link.other, link.row as usize));
                assert_eq!(found, Some((other, row)), "{name}: the place in the list of {entity}");
            }
        }
        let listed: usize =
            (0..ends).flat_map(|end| self.entities(end).map(move |entity| self.count(end, entity))).sum();
        let placed = self.places.iter().flatten().filter(|&&place| place != NOWHERE).count();
        assert_eq!(listed, placed, "{name}: each pair is listed once by each entity");
        for end in 0..ends {
            for entity in self.entities(end) {
                let links = self.list(end, entity);
                let count = links.iter().filter(|link| link.is_pair()).count();
                assert_eq!(count, self.count(end, entity), "{name}: the pairs in the list of {entity}");
                assert!(!self.is_exclusive || end == 1 || count <= 1, "{name}: {entity} has one pair");
            }
        }
        if !self.is_exclusive {
            assert_eq!(self.rows.len(), self.ends.len(), "{name}: each pair is found once");
        }
    }
}

/// Returns whether the owner of a list is the source (0) or the target (1) of a pair in the list. `end` is the end of the pair for which
/// the list is made. In a symmetric relation, a list contains pairs with the entity at either end.
#[inline]
fn end_of(is_symmetric: bool, end: usize, ends: [Entity; 2], entity: Entity) -> usize {
    if is_symmetric { usize::from(ends[0] != entity) } else { end }
}
