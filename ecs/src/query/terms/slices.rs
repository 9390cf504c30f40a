//! Slices of rows of a component that record or read changes of single rows.
//!
//! Tests: tests/queries/iteration.rs, tests/queries/parallel_lists.rs

use core::fmt;
use core::ops::Index;

use super::source::TickSource;
use crate::query::change::{DetectChanges as _, Mut, Ref};

/// Several rows of a component, from a query of `Mut`.
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
    /// The row of the first value in the column.
    first: usize,
}

impl<'w, C> MutSlice<'w, C> {
    /// # Safety
    ///
    /// - `values` are the values of the column that the ticks belong to, from row `first` on.
    #[inline(always)]
    pub(super) unsafe fn new(values: &'w mut [C], ticks: TickSource<'w>, first: usize) -> Self {
        Self { values, ticks, first }
    }

    /// Returns a row, for writing.
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
        // SAFETY: as promised to `new`, the values are in the column from row `first` on, and `row` is in bounds.
        Some(Mut::new(value, unsafe { self.ticks.at::<false>(self.first + row) }))
    }

    /// Returns a row, for writing.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub(crate) fn at(&mut self, row: usize) -> Mut<'_, C> {
        self.get_mut(row).expect("a row of the slice")
    }

    /// Iterates over all rows, for writing. A row counts as changed when it is dereferenced mutably.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, PartialEq)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<Mut<Health>>();
    /// for mut slice in query.contiguous_iter_mut(&mut world) {
    ///     for mut health in slice.iter_mut() {
    ///         health.set_if_neq(Health(2));
    ///     }
    ///     assert_eq!(slice[0].0, 2);
    /// }
    /// ```
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = Mut<'_, C>> {
        let Self { values, ticks, first } = self;
        values.iter_mut().enumerate().map(|(row, value)| {
            // SAFETY: as promised to `new`, the values are in the column from row `first` on, and `row` is in bounds.
            Mut::new(value, unsafe { ticks.at::<false>(*first + row) })
        })
    }

    /// Returns all values, for reading.
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

/// Several rows of a component, from a query of `Ref`.
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
    /// The row of the first value in the column.
    first: usize,
}

impl<'w, C> RefSlice<'w, C> {
    /// # Safety
    ///
    /// - `values` are the values of the column that the ticks belong to, from row `first` on.
    #[inline(always)]
    pub(super) unsafe fn new(values: &'w [C], ticks: TickSource<'w>, first: usize) -> Self {
        Self { values, ticks, first }
    }

    /// Returns a row with its ticks.
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
        // SAFETY: as promised to `new`, the values are in the column from row `first` on, and `row` is in bounds.
        Some(Ref::new(value, unsafe { self.ticks.at::<false>(self.first + row) }))
    }

    /// Returns a row with its ticks.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub(crate) fn at(&self, row: usize) -> Ref<'w, C> {
        self.get(row).expect("a row of the slice")
    }

    /// Iterates over all rows, each with its ticks.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<Ref<Health>>();
    /// for slice in query.contiguous_iter(&world) {
    ///     assert!(slice.iter().all(|health| health.is_added()));
    ///     assert_eq!(slice[1].0, 2);
    /// }
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Ref<'w, C>> + use<'w, C> {
        let (values, ticks, first) = (self.values, self.ticks, self.first);
        values.iter().enumerate().map(move |(row, value)| {
            // SAFETY: as promised to `new`, the values are in the column from row `first` on, and `row` is in bounds.
            Ref::new(value, unsafe { ticks.at::<false>(first + row) })
        })
    }

    /// Returns all values.
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

    /// Returns the values, and this slice to read their ticks: see [`is_changed_iter`](Self::is_changed_iter) and
    /// [`is_added_iter`](Self::is_added_iter).
    ///
    /// ```
    /// use strata_ecs::change_detection::ContiguousRef;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn total_of_changed(all: Query<Ref<Health>>) -> u32 {
    ///     let slices = all.contiguous_iter().map(ContiguousRef::split);
    ///     let rows = slices.flat_map(|(healths, ticks)| healths.iter().zip(ticks.is_changed_iter()));
    ///     rows.filter(|(_, is_changed)| *is_changed).map(|(health, _)| health.0).sum()
    /// }
    /// # let mut world = World::new();
    /// # let ids: Vec<Entity> = world.spawn_batch([Health(1), Health(2)]).collect();
    /// # let system = world.register_system(total_of_changed);
    /// # assert_eq!(world.run_system(system).unwrap(), 3);
    /// # world.get_mut::<Health>(ids[1]).unwrap().0 = 9;
    /// # assert_eq!(world.run_system(system).unwrap(), 9);
    /// ```
    #[must_use]
    pub fn split(self) -> (&'w [C], Self) {
        (self.values, self)
    }

    /// Returns for each row whether it was changed since the last run.
    pub fn is_changed_iter(&self) -> impl ExactSizeIterator<Item = bool> + use<'w, C> {
        self.iter().map(|value| value.is_changed())
    }

    /// Returns for each row whether it was added since the last run.
    pub fn is_added_iter(&self) -> impl ExactSizeIterator<Item = bool> + use<'w, C> {
        self.iter().map(|value| value.is_added())
    }
}

/// The common methods of both kinds of slices.
macro_rules! to_read {
    ($($Type:ident),*) => {
        $(
            impl<C> $Type<'_, C> {
                /// Returns the number of rows.
                #[must_use]
                pub fn len(&self) -> usize {
                    self.values.len()
                }

                /// Returns whether there are no rows.
                #[must_use]
                pub fn is_empty(&self) -> bool {
                    self.values.is_empty()
                }
            }

            /// The value of a row.
            ///
            /// # Panics
            ///
            /// If there is no such row.
            impl<C> Index<usize> for $Type<'_, C> {
                type Output = C;

                #[inline]
                fn index(&self, row: usize) -> &C {
                    &self.values[row]
                }
            }

            impl_debug!(#[doc = " The values, without their ticks."] [C: fmt::Debug] $Type<'_, C> => |this, f|
                f.debug_tuple(stringify!($Type)).field(&this.values).finish());
        )*
    };
}

to_read!(MutSlice, RefSlice);
