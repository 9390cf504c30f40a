//! Iteration over combinations of matched entities.
//!
//! Tests: tests/queries/combinations.rs

use alloc::vec::Vec;
use core::array;

use super::cursor::RowCursor;
use super::data::QueryData;
use super::fetch::ReadOnlyFetch;
use super::filter::QueryFilter;
use super::handle::Query;
use crate::entity::Entity;

/// Iterates over all ways to choose `K` of the entities that a query matches, ignoring order.
///
/// The iterator stores a list of the matched entities: `O(entities)` memory, 8 bytes each.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// world.spawn_batch([Health(1), Health(2), Health(4)]);
/// let mut query = world.query::<&Health>();
/// let pairs: Vec<u32> = query.iter_combinations(&world).map(|[a, b]| a.0 + b.0).collect();
/// assert_eq!(pairs, [3, 5, 6]);
/// ```
pub struct QueryCombinationIter<'w, 's, D: QueryData, F: QueryFilter, const K: usize> {
    query: Query<'w, 's, D, F>,
    entities: Vec<Entity>,
    /// The next combination, as positions in `entities`; `None` when there are no more.
    next: Option<[usize; K]>,
}

impl<'w, 's, D: QueryData, F: QueryFilter, const K: usize> QueryCombinationIter<'w, 's, D, F, K> {
    /// Creates an iterator over all combinations of matching entities.
    pub(super) fn new(query: Query<'w, 's, D, F>) -> Self {
        let mut entities = Vec::new();
        RowCursor::<D::Terms, F::Terms>::new(query.matched())
            .for_each_entities(|some| entities.extend_from_slice(some));
        let next = (K != 0 && K <= entities.len()).then(|| array::from_fn(|position| position));
        Self { query, entities, next }
    }

    /// Returns the number of combinations left, including the next one, or `None` if it overflows a `usize`.
    fn remaining(&self) -> Option<usize> {
        let Some(next) = self.next else { return Some(0) };
        // The sum starts with 1 for the next combination. The combinations after it are grouped by the first position that advances.
        (0..K).try_fold(1_usize, |sum, position| {
            sum.checked_add(ways_to_choose(self.entities.len() - 1 - next[position], K - position)?)
        })
    }

    /// Returns the positions of the next combination and advances to the one after it.
    fn step(&mut self) -> Option<[usize; K]> {
        let current = self.next?;
        let count = self.entities.len();
        // The last position that can still advance; the positions after it are reset to follow it directly.
        let up = (0..K).rev().find(|&position| current[position] < count - (K - position));
        self.next = up.map(|up| {
            array::from_fn(|position| if position < up { current[position] } else { current[up] + 1 + (position - up) })
        });
        Some(current)
    }

    /// Returns the items of the next combination of entities that all match. An entity may no longer match because an item of an
    /// earlier combination was changed; its combinations are skipped.
    ///
    /// # Safety
    ///
    /// - No item that this iterator has returned before and that gives mutable access is still alive.
    unsafe fn next_items<'a>(&mut self) -> Option<[D::Item<'a, 's>; K]>
    where
        'w: 'a,
    {
        loop {
            let positions = self.step()?;
            // SAFETY: the access is allowed, as promised to `Query::new`; the positions differ, so the entities differ.
            let items = positions.map(|position| unsafe { self.query.fetch(self.entities[position]) });
            if items.iter().all(Option::is_some) {
                return Some(items.map(|item| item.expect("checked above")));
            }
        }
    }

    /// Returns the next combination. Its items must be dropped before the next call.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&mut Health>();
    /// let mut pairs = query.iter_combinations_mut(&mut world);
    /// while let Some([mut first, mut second]) = pairs.fetch_next() {
    ///     core::mem::swap(&mut first.0, &mut second.0);
    /// }
    /// assert_eq!(world.get::<Health>(a).unwrap().0, 2);
    /// ```
    pub fn fetch_next(&mut self) -> Option<[D::Item<'_, 's>; K]> {
        // SAFETY: the items borrow `self`, so there is one combination at a time.
        unsafe { self.next_items() }
    }
}

/// Returns the binomial coefficient, or `None` if it or an intermediate product overflows.
fn ways_to_choose(chosen_from: usize, count: usize) -> Option<usize> {
    if count > chosen_from {
        return Some(0);
    }
    (0..count.min(chosen_from - count)).try_fold(1, |ways: usize, done| {
        // The product so far is a binomial coefficient itself, so the division is exact.
        Some(ways.checked_mul(chosen_from - done)? / (done + 1))
    })
}

impl<'w, 's, D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter, const K: usize> Iterator
    for QueryCombinationIter<'w, 's, D, F, K>
{
    type Item = [D::Item<'w, 's>; K];

    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: the items are read-only, so any number of them may be alive.
        unsafe { self.next_items() }
    }

    /// Returns the number of combinations left, if it fits a `usize`. The number is exact, because no entity begins or ceases to
    /// match while the world is borrowed.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = self.remaining();
        (remaining.unwrap_or(usize::MAX), remaining)
    }
}
