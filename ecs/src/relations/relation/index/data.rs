//! Converts the index of pairs to data, and builds an index from data. The data contain the position of each pair in the lists of its
//! entities.
//!
//! Tests: tests/snapshots/pairs.rs

use alloc::vec::Vec;

use super::{PairIndex, end_of, hash, sorted};
use crate::entity::{Entity, EntityHashMap};
use crate::relations::relation::lists::{NOWHERE, PairLink};
use crate::util::alloc_error::{AllocError, try_reserve};

/// The position of a pair in a list: the number of the group of lists (0 for sources, 1 for targets), the entity of the list, the position,
/// the row of the pair, and the end of the pair.
type ListPosition = (usize, Entity, u32, u32, usize);

impl PairIndex {
    /// Returns the ranks of each pair, by row. They are the numbers of pairs before the pair in the list of its source and in the list of
    /// its target. A despawned target has no list; then the second number is `NOWHERE`.
    pub(in crate::relations::relation) fn ranks(&self) -> Vec<[u32; 2]> {
        let mut ranks = alloc::vec![[NOWHERE; 2]; self.len()];
        for end in 0..if self.is_symmetric { 1 } else { 2 } {
            for entity in self.entities(end) {
                let links = self.list(end, entity).iter().filter(|link| link.is_pair());
                for (rank, link) in links.enumerate() {
                    let row = link.row as usize;
                    ranks[row][end_of(self.is_symmetric, end, self.ends[row], entity)] = rank as u32;
                }
            }
        }
        ranks
    }

    /// Builds an index from the ends and the [ranks](Self::ranks) of pairs, by row. All entities must be alive, except targets for which
    /// `is_no_more` returns true. Such targets get no list.
    ///
    /// # Errors
    ///
    /// The inner error contains the ends of a pair that occurs twice, has an invalid rank, or exceeds the limit of an exclusive relation.
    /// The outer error reports missing memory.
    pub(in crate::relations::relation) fn of(
        [is_exclusive, is_symmetric]: [bool; 2],
        pairs: impl ExactSizeIterator<Item = ([Entity; 2], [u32; 2])>,
        is_no_more: impl Fn(Entity) -> bool,
    ) -> Result<Result<Self, [Entity; 2]>, AllocError> {
        let mut index = Self::new(is_exclusive, is_symmetric);
        let mut listed: Vec<ListPosition> = Vec::new();
        if pairs.len() >= NOWHERE as usize {
            return Err(AllocError::TOO_LARGE);
        }
        try_reserve(&mut listed, pairs.len().saturating_mul(2))?;
        try_reserve(&mut index.ends, pairs.len())?;
        try_reserve(&mut index.places, pairs.len())?;
        for (row, (ends, places)) in pairs.enumerate() {
            let row = row as u32;
            if !is_exclusive {
                if index.find(ends[0], ends[1]).is_some() {
                    return Ok(Err(ends));
                }
                let Self { ends: all, rows, .. } = &mut index;
                let of_row = |&row: &u32| hash(sorted(is_symmetric, all[row as usize]));
                rows.try_reserve(1, of_row).map_err(AllocError::of_map)?;
                rows.insert_unique(hash(sorted(is_symmetric, ends)), row, of_row);
            }
            index.ends.push(ends);
            index.places.push([NOWHERE; 2]);
            for end in 0..2 {
                if end == 0 || !is_no_more(ends[end]) {
                    listed.push((if is_symmetric { 0 } else { end }, ends[end], places[end], row, end));
                }
            }
        }
        listed.sort_unstable();
        let mut before: Option<ListPosition> = None;
        for item @ (list, entity, place, row, end) in listed {
            let follows = before.filter(|before| (before.0, before.1) == (list, entity));
            let is_in_order = place == follows.map_or(0, |before| before.2 + 1);
            let ends = index.ends[row as usize];
            if !is_in_order || (is_exclusive && list == 0 && follows.is_some()) {
                return Ok(Err(ends));
            }
            let lists = if list == 0 { &mut index.from } else { &mut index.to };
            lists.make_room(entity)?;
            index.places[row as usize][end] = lists.push(entity, PairLink { other: ends[1 - end], row });
            before = Some(item);
        }
        Ok(Ok(index))
    }

    /// Returns a pair whose target is in a cycle of pairs, or can be reached from such a cycle. `None` if there is no cycle.
    pub(in crate::relations::relation) fn circle(&self) -> Option<[Entity; 2]> {
        // Topological sort: an entity is done when all pairs that lead to it are done.
        let mut left = EntityHashMap::<u32>::default();
        self.ends.iter().for_each(|ends| *left.entry(ends[1]).or_default() += 1);
        let mut done: Vec<Entity> = self.entities(0).filter(|source| !left.contains_key(source)).collect();
        while let Some(entity) = done.pop() {
            for link in self.list(0, entity).iter().filter(|link| link.is_pair()) {
                if let Some(left) = left.get_mut(&link.other) {
                    *left -= 1;
                    if *left == 0 {
                        done.push(link.other);
                    }
                }
            }
        }
        self.ends.iter().copied().find(|ends| left.get(&ends[1]).is_some_and(|&left| left != 0))
    }
}
