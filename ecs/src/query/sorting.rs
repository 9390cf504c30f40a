//! Iterators in sorted order.
//!
//! Sorting makes a list of the entities. A second query reads an item of each entity, and the list is sorted by these items. Then
//! the items of the first query are fetched one by one.
//!
//! Tests: tests/queries/sorting.rs

use core::borrow::Borrow;
use core::cmp::Ordering;

use super::data::{QueryData, ReadOnlyQueryData};
use super::fetch::ReadOnlyFetch;
use super::filter::QueryFilter;
use super::iter::QueryIter;
use super::many::{
    QueryManyIter, QueryManyUniqueIter, QuerySortedIter, QuerySortedManyIter, QuerySortedManyUniqueIter,
};
use crate::entity::{Entity, EntitySetIterator};

/// Defines the sort methods. The documentation of `sort` is a parameter.
macro_rules! sort_methods {
    ($(#[$sort:meta])* $Sorted:ident) => {
        $(#[$sort])*
        #[track_caller]
        pub fn sort<L: ReadOnlyQueryData>(self) -> $Sorted<'w, 's, D, F>
        where
            for<'a, 'b> L::Item<'a, 'b>: Ord,
        {
            self.sorted::<L>(|found| found.sort_by(|(a, _), (b, _)| a.cmp(b)))
        }

        /// Like [`sort`](Self::sort), but the order of equal entities is unspecified.
        ///
        /// # Panics
        ///
        /// See [`sort`](Self::sort).
        #[track_caller]
        pub fn sort_unstable<L: ReadOnlyQueryData>(self) -> $Sorted<'w, 's, D, F>
        where
            for<'a, 'b> L::Item<'a, 'b>: Ord,
        {
            self.sorted::<L>(|found| found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b)))
        }

        /// Like [`sort`](Self::sort), but sorts by a function that compares the items of `L` of two entities.
        ///
        /// # Panics
        ///
        /// See [`sort`](Self::sort).
        #[track_caller]
        pub fn sort_by<L: ReadOnlyQueryData>(
            self,
            mut compare: impl FnMut(&L::Item<'_, '_>, &L::Item<'_, '_>) -> Ordering,
        ) -> $Sorted<'w, 's, D, F> {
            self.sorted::<L>(|found| found.sort_by(|(a, _), (b, _)| compare(a, b)))
        }

        /// Like [`sort_by`](Self::sort_by), but the order of equal entities is unspecified.
        ///
        /// # Panics
        ///
        /// See [`sort`](Self::sort).
        #[track_caller]
        pub fn sort_unstable_by<L: ReadOnlyQueryData>(
            self,
            mut compare: impl FnMut(&L::Item<'_, '_>, &L::Item<'_, '_>) -> Ordering,
        ) -> $Sorted<'w, 's, D, F> {
            self.sorted::<L>(|found| found.sort_unstable_by(|(a, _), (b, _)| compare(a, b)))
        }

        /// Like [`sort`](Self::sort), but sorts by a key that a function computes from the item of `L`. The function is called
        /// several times per entity; see [`sort_by_cached_key`](Self::sort_by_cached_key).
        ///
        /// # Panics
        ///
        /// See [`sort`](Self::sort).
        #[track_caller]
        pub fn sort_by_key<L: ReadOnlyQueryData, K: Ord>(
            self,
            mut key: impl FnMut(&L::Item<'_, '_>) -> K,
        ) -> $Sorted<'w, 's, D, F> {
            self.sorted::<L>(|found| found.sort_by_key(|(read, _)| key(read)))
        }

        /// Like [`sort_by_key`](Self::sort_by_key), but the order of entities with equal keys is unspecified.
        ///
        /// # Panics
        ///
        /// See [`sort`](Self::sort).
        #[track_caller]
        pub fn sort_unstable_by_key<L: ReadOnlyQueryData, K: Ord>(
            self,
            mut key: impl FnMut(&L::Item<'_, '_>) -> K,
        ) -> $Sorted<'w, 's, D, F> {
            self.sorted::<L>(|found| found.sort_unstable_by_key(|(read, _)| key(read)))
        }

        /// Like [`sort_by_key`](Self::sort_by_key), but calls the function once for each entity.
        ///
        /// # Panics
        ///
        /// See [`sort`](Self::sort).
        #[track_caller]
        pub fn sort_by_cached_key<L: ReadOnlyQueryData, K: Ord>(
            self,
            mut key: impl FnMut(&L::Item<'_, '_>) -> K,
        ) -> $Sorted<'w, 's, D, F> {
            self.sorted::<L>(|found| found.sort_by_cached_key(|(read, _)| key(read)))
        }
    };
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryIter<'w, 's, D, F> {
    #[track_caller]
    fn sorted<L: ReadOnlyQueryData>(
        self,
        sort: impl FnOnce(&mut [(L::Item<'_, '_>, Entity)]),
    ) -> QuerySortedIter<'w, 's, D, F> {
        self.into_unique().sorted::<L>(sort).matched()
    }

    sort_methods! {
        /// Iterates over the remaining items, sorted by the item of `L`. Equal items keep their order. Costs `O(n log n)`, and
        /// makes a list of the entities.
        ///
        /// `L` may read [`Entity`], and components that the query borrows as well. Entities that `L` does not match are left out.
        ///
        /// # Panics
        ///
        /// If `L` reads a component that the query does not borrow.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        ///
        /// #[derive(Component, PartialEq, Eq, PartialOrd, Ord)]
        /// struct Rank(u32);
        /// #[derive(Component)]
        /// struct Name(&'static str);
        ///
        /// let mut world = World::new();
        /// world.spawn_batch([(Rank(2), Name("b")), (Rank(3), Name("c")), (Rank(1), Name("a"))]);
        /// let mut query = world.query::<(&mut Name, &Rank)>();
        /// let names: Vec<&str> = query.iter_mut(&mut world).sort::<&Rank>().map(|(name, _)| name.0).collect();
        /// assert_eq!(names, ["a", "b", "c"]);
        /// let longest = query.iter(&world).sort_by_key::<&Name, _>(|name| name.0.len()).last();
        /// assert_eq!(longest.unwrap().0.0, "a");
        /// ```
        QuerySortedIter
    }

    /// Returns the next item. Equivalent to [`next`](Iterator::next).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<&mut Health>();
    /// let mut iter = query.iter_mut(&mut world);
    /// while let Some(mut health) = iter.fetch_next() {
    ///     health.0 += 1;
    /// }
    /// ```
    #[inline]
    pub fn fetch_next(&mut self) -> Option<D::Item<'w, 's>> {
        self.next()
    }

    /// Returns the number of remaining items. `O(tables)`, or `O(entities)` with filters that check each row.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2), Health(3)]);
    /// let mut query = world.query::<&Health>();
    /// let mut iter = query.iter(&world);
    /// iter.next();
    /// assert_eq!(iter.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        let mut count = 0;
        self.for_each_left(|some| count += some.len());
        count
    }

    /// Returns whether no item is left.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mut query = world.query::<&Health>();
    /// assert!(query.iter(&world).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter> QueryIter<'_, '_, D, F> {
    /// Returns the remaining items in another iterator. This iterator is not advanced.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2), Health(4)]);
    /// let mut query = world.query::<&Health>();
    /// let mut iter = query.iter(&world);
    /// let mut pairs = Vec::new();
    /// while let Some(a) = iter.next() {
    ///     pairs.extend(iter.remaining().map(|b| a.0 + b.0));
    /// }
    /// assert_eq!(pairs, [3, 5, 6]);
    /// ```
    #[must_use]
    pub fn remaining(&self) -> Self {
        self.clone()
    }
}

impl<'w, 's, D, F, I> QueryManyIter<'w, 's, D, F, I>
where
    D: QueryData,
    F: QueryFilter,
    I: Iterator<Item: Borrow<Entity>>,
{
    sort_methods! {
        /// Iterates over the items, sorted by the item of `L`. Equal items keep their order. Costs `O(n log n)`, and makes a list
        /// of the entities.
        ///
        /// `L` may read [`Entity`], and components that the query borrows as well. Entities that `L` does not match are left out.
        ///
        /// # Panics
        ///
        /// If `L` reads a component that the query does not borrow.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component, PartialEq, Eq, PartialOrd, Ord)] struct Health(u32);
        /// # let mut world = World::new();
        /// let ids = [3, 1, 2].map(|n| world.spawn(Health(n)).id());
        /// let mut query = world.query::<&Health>();
        /// let healths: Vec<u32> = query.iter_many(&world, ids).sort::<&Health>().matched().map(|health| health.0).collect();
        /// assert_eq!(healths, [1, 2, 3]);
        /// ```
        QuerySortedManyIter
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter, I: EntitySetIterator> QueryManyUniqueIter<'w, 's, D, F, I> {
    sort_methods! {
        /// Iterates over the items, sorted by the item of `L`. Equal items keep their order; see [`QueryIter::sort`].
        ///
        /// # Panics
        ///
        /// If `L` reads a component that the query does not borrow.
        ///
        /// ```
        /// use strata_ecs::entity::EntityHashSet;
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component, PartialEq, Eq, PartialOrd, Ord)] struct Health(u32);
        /// # let mut world = World::new();
        /// let ids: EntityHashSet = world.spawn_batch([Health(3), Health(1)]).collect();
        /// let mut state = world.query::<&Health>();
        /// let query = state.query(&world);
        /// let healths: Vec<u32> = query.iter_many_unique(&ids).sort::<&Health>().matched().map(|health| health.0).collect();
        /// assert_eq!(healths, [1, 3]);
        /// ```
        QuerySortedManyUniqueIter
    }
}
