//! Reading several rows at once, as slices.
//!
//! Most terms can be read so. Those whose rows yield one thing or another cannot: a slice would have to be of both.

use core::slice;

use super::any::AnyMatch;
use super::changes::ReadTicks;
use super::fetch::{EntityTerm, Fetch, Read, Rows, Sharing, TickSource, Write, WriteRows, is_sparse};
use super::fetch_more::{HasTerm, Optional};
use crate::change::{Mut, Ref};
use crate::component::{Component, ComponentId};
use crate::entity::Entity;

/// Terms whose rows can be read as slices.
///
/// # Safety
///
/// - A slice gives access to nothing that its rows do not.
#[doc(hidden)]
pub unsafe trait ContiguousFetch: Fetch {
    /// Several rows, one behind the other.
    type Slice<'w>;

    /// Whether slices can have one row only, because values do not lie one behind the other.
    const SINGLE_ROWS: bool;

    /// Calls `each` with every component of which single rows tell when they were changed, or are told that they are.
    fn ticked(state: &Self::State, each: &mut dyn FnMut(ComponentId)) {
        let _ = (state, each);
    }

    /// Notes that rows are given out, before they are: those of which a slice cannot tell later which were changed count as
    /// changed.
    ///
    /// # Safety
    ///
    /// - As for [`slice`](Self::slice), but that values need not be accessible: only their ticks, to write.
    /// - Unless the table is shared, no other query that is alive has rows of it whose values this one may change.
    #[inline(always)]
    unsafe fn mark(ready: Self::Ready<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        let _ = (ready, rows, first, count, sharing);
    }

    /// The rows from `first` on.
    ///
    /// # Safety
    ///
    /// - As for [`Fetch::row`], for each of `count` rows; `count` is 1 if `SINGLE_ROWS`.
    unsafe fn slice<'w>(ready: Self::Ready<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w>;
}

// SAFETY: the values of the rows.
unsafe impl<C: Component> ContiguousFetch for Read<C> {
    type Slice<'w> = &'w [C];

    const SINGLE_ROWS: bool = is_sparse::<C>();

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::Ready<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: as for `row`; values of a column lie one behind the other, and of others there is one.
        unsafe { slice::from_raw_parts(ready.value(rows, first).as_ptr(), count) }
    }
}

// SAFETY: the values of the rows.
unsafe impl<C: Component> ContiguousFetch for Write<C> {
    type Slice<'w> = &'w mut [C];

    const SINGLE_ROWS: bool = is_sparse::<C>();

    #[inline(always)]
    unsafe fn mark(ready: Self::Ready<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        // All rows of a sparse storage are in one column, whatever keeps queries apart.
        let sharing = if is_sparse::<C>() { Sharing::Rows } else { sharing };
        // SAFETY: the caller's promise: only who may change a value writes its ticks, and only who may read it reads them, but
        // for queries that go through other rows of a shared table.
        unsafe { ready.ticks.mark(ready.tick_row(rows, first), count, sharing) }
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::Ready<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: as for `row`; values of a column lie one behind the other, and of others there is one.
        unsafe { slice::from_raw_parts_mut(ready.source.value(rows, first).as_ptr(), count) }
    }
}

/// Several rows of a component that is borrowed as `Mut`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let entity = world.spawn_batch([Health(1), Health(2)]).next().unwrap();
/// let mut query = world.query::<Mut<Health>>();
/// for mut slice in query.contiguous_iter_mut(&mut world) {
///     slice.get_mut(0).unwrap().0 = 9;
/// }
/// assert_eq!(world.get::<Health>(entity).unwrap().0, 9);
/// ```
pub struct MutSlice<'w, C> {
    values: &'w mut [C],
    ticks: TickSource<'w>,
    /// The row of the first value in there.
    first: usize,
}

impl<C> MutSlice<'_, C> {
    /// How many rows there are.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<Mut<Health>>();
    /// let slice = query.contiguous_iter_mut(&mut world).next().unwrap();
    /// assert_eq!(slice.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no rows.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<Mut<Health>>();
    /// assert!(query.contiguous_iter_mut(&mut world).all(|slice| !slice.is_empty()));
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// One row.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, PartialEq)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<Mut<Health>>();
    /// let mut slice = query.contiguous_iter_mut(&mut world).next().unwrap();
    /// assert!(slice.get_mut(1).unwrap().set_if_neq(Health(5)));
    /// assert!(slice.get_mut(2).is_none());
    /// ```
    #[inline]
    pub fn get_mut(&mut self, row: usize) -> Option<Mut<'_, C>> {
        let value = self.values.get_mut(row)?;
        // SAFETY: the values stand in rows of the column from `first` on, and there is this one.
        Some(Mut::new(value, unsafe { self.ticks.at(self.first + row) }))
    }

    /// One row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub(crate) fn at(&mut self, row: usize) -> Mut<'_, C> {
        let value = &mut self.values[row];
        // SAFETY: the values stand in rows of the column from `first` on, and there is this one.
        Mut::new(value, unsafe { self.ticks.at(self.first + row) })
    }

    /// All rows, to read.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<Mut<Health>>();
    /// let slice = query.contiguous_iter_mut(&mut world).next().unwrap();
    /// assert_eq!(slice.as_slice().iter().map(|health| health.0).max(), Some(2));
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> &[C] {
        self.values
    }
}

// SAFETY: the values of the rows.
unsafe impl<C: Component> ContiguousFetch for WriteRows<C> {
    type Slice<'w> = MutSlice<'w, C>;

    const SINGLE_ROWS: bool = is_sparse::<C>();

    fn ticked(state: &Self::State, each: &mut dyn FnMut(ComponentId)) {
        each(state.id());
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::Ready<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: as for `Write`.
        unsafe {
            let values = slice::from_raw_parts_mut(ready.source.value(rows, first).as_ptr(), count);
            MutSlice { values, ticks: ready.ticks, first: ready.tick_row(rows, first) }
        }
    }
}

/// Several rows of a component that is borrowed as `Ref`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// # world.spawn_batch([Health(1), Health(2)]);
/// let mut query = world.query::<Ref<Health>>();
/// for slice in query.contiguous_iter(&world) {
///     assert!((0..slice.as_slice().len()).all(|row| slice.get(row).unwrap().is_added()));
/// }
/// ```
#[derive(Clone, Copy)]
pub struct RefSlice<'w, C> {
    values: &'w [C],
    ticks: TickSource<'w>,
    /// The row of the first value in there.
    first: usize,
}

impl<'w, C> RefSlice<'w, C> {
    /// One row.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<Ref<Health>>();
    /// let slice = query.contiguous_iter(&world).next().unwrap();
    /// assert!(slice.get(1).is_some() && slice.get(2).is_none());
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Ref<'w, C>> {
        let value = self.values.get(row)?;
        // SAFETY: the values stand in rows of the column from `first` on, and there is this one.
        Some(Ref::new(value, unsafe { self.ticks.at(self.first + row) }))
    }

    /// One row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub(crate) fn at(&self, row: usize) -> Ref<'w, C> {
        let value = &self.values[row];
        // SAFETY: the values stand in rows of the column from `first` on, and there is this one.
        Ref::new(value, unsafe { self.ticks.at(self.first + row) })
    }

    /// All rows.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<Ref<Health>>();
    /// let slice = query.contiguous_iter(&world).next().unwrap();
    /// assert_eq!(slice.as_slice().len(), 2);
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> &'w [C] {
        self.values
    }
}

// SAFETY: the values of the rows.
unsafe impl<C: Component> ContiguousFetch for ReadTicks<C> {
    type Slice<'w> = RefSlice<'w, C>;

    const SINGLE_ROWS: bool = is_sparse::<C>();

    fn ticked(state: &Self::State, each: &mut dyn FnMut(ComponentId)) {
        each(state.component());
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::Ready<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: as for `row`; values of a column lie one behind the other, and of others there is one.
        unsafe {
            let values = slice::from_raw_parts(ready.source.value(rows, first).as_ptr(), count);
            RefSlice { values, ticks: ready.ticks, first: ready.tick_row(rows, first) }
        }
    }
}

// SAFETY: the ids of the rows.
unsafe impl ContiguousFetch for EntityTerm {
    type Slice<'w> = &'w [Entity];

    const SINGLE_ROWS: bool = false;

    #[inline(always)]
    unsafe fn slice<'w>((): Self::Ready<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: the caller promises that the rows exist and that the table does not change for 'w.
        unsafe { rows.entities(first, count) }
    }
}

// SAFETY: whether the rows have a component.
unsafe impl<C: Component> ContiguousFetch for HasTerm<C> {
    type Slice<'w> = bool;

    const SINGLE_ROWS: bool = is_sparse::<C>();

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::Ready<'w>, rows: Rows, first: usize, _: usize) -> Self::Slice<'w> {
        // SAFETY: the caller's promise; for a sparse component there is one row, otherwise all are alike.
        unsafe { Self::row(ready, rows, first) }
    }
}

// SAFETY: what the inner terms give of the rows, where they are there.
unsafe impl<T: ContiguousFetch> ContiguousFetch for Optional<T> {
    type Slice<'w> = Option<T::Slice<'w>>;

    const SINGLE_ROWS: bool = T::SINGLE_ROWS || T::PER_ROW;

    fn ticked(state: &Self::State, each: &mut dyn FnMut(ComponentId)) {
        T::ticked(state, each);
    }

    #[inline(always)]
    unsafe fn mark(ready: Self::Ready<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        // SAFETY: the caller's promise; with `PER_ROW` there is one row, which is marked only if it is there.
        unsafe {
            if let Some(ready) = ready.filter(|&ready| !T::PER_ROW || T::contains(ready, rows.entity(first))) {
                T::mark(ready, rows, first, count, sharing);
            }
        }
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::Ready<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: the caller's promise; with `PER_ROW` there is one row, which is read only if it is there.
        unsafe {
            let ready = ready.filter(|&ready| !T::PER_ROW || T::contains(ready, rows.entity(first)))?;
            Some(T::slice(ready, rows, first, count))
        }
    }
}

// SAFETY: gives nothing.
unsafe impl ContiguousFetch for () {
    type Slice<'w> = ();

    const SINGLE_ROWS: bool = false;

    unsafe fn slice<'w>((): Self::Ready<'w>, _: Rows, _: usize, _: usize) -> Self::Slice<'w> {}
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        // SAFETY: what the members give of the rows.
        unsafe impl<$($T: ContiguousFetch),*> ContiguousFetch for ($($T,)*) {
            type Slice<'w> = ($($T::Slice<'w>,)*);

            const SINGLE_ROWS: bool = false $(|| $T::SINGLE_ROWS)*;

            fn ticked(state: &Self::State, each: &mut dyn FnMut(ComponentId)) {
                $($T::ticked(&state.$at, each);)*
            }

            #[inline(always)]
            unsafe fn mark(ready: Self::Ready<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
                // SAFETY: the caller's promise, member by member.
                unsafe { $($T::mark(ready.$at, rows, first, count, sharing);)* }
            }

            #[inline(always)]
            unsafe fn slice<'w>(
                ready: Self::Ready<'w>,
                rows: Rows,
                first: usize,
                count: usize,
            ) -> Self::Slice<'w> {
                // SAFETY: the caller's promise, member by member.
                unsafe { ($($T::slice(ready.$at, rows, first, count),)*) }
            }
        }

        // SAFETY: what the members give of the rows, where they are there.
        unsafe impl<$($T: ContiguousFetch),*> ContiguousFetch for AnyMatch<($($T,)*)> {
            type Slice<'w> = ($(Option<$T::Slice<'w>>,)*);

            const SINGLE_ROWS: bool = false $(|| <Optional<$T>>::SINGLE_ROWS)*;

            fn ticked(state: &Self::State, each: &mut dyn FnMut(ComponentId)) {
                $($T::ticked(&state.$at, each);)*
            }

            #[inline(always)]
            unsafe fn mark(ready: Self::Ready<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
                // SAFETY: the caller's promise, member by member.
                unsafe { $(<Optional<$T>>::mark(ready.$at, rows, first, count, sharing);)* }
            }

            #[inline(always)]
            unsafe fn slice<'w>(
                ready: Self::Ready<'w>,
                rows: Rows,
                first: usize,
                count: usize,
            ) -> Self::Slice<'w> {
                // SAFETY: the caller's promise, member by member.
                unsafe { ($(<Optional<$T>>::slice(ready.$at, rows, first, count),)*) }
            }
        }
    };
}

all_tuples!(tuples);
