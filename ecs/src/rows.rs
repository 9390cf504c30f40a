//! What the loops of row systems are made of.

use crate::change::Mut;
use crate::entity::Entity;
use crate::query::{ContiguousFetch, MutSlice, Query, QueryContiguousIter, QueryData, QueryFilter};

/// Several rows of a term, one behind the other.
pub type SliceOf<'w, D> = <<D as QueryData>::Terms as ContiguousFetch>::Slice<'w>;

/// The rows that a query matches, as runs: the number of rows, and a slice per term.
pub fn chunks<'a, 's, D: QueryData<Terms: ContiguousFetch>, F: QueryFilter>(
    query: &'a mut Query<'_, 's, D, F>,
) -> Chunks<'a, 's, D, F> {
    Chunks(query.contiguous_iter_mut())
}

/// See [`chunks`].
pub struct Chunks<'w, 's, D: QueryData, F: QueryFilter>(QueryContiguousIter<'w, 's, D, F>);

impl<'w, D: QueryData<Terms: ContiguousFetch>, F: QueryFilter> Iterator for Chunks<'w, '_, D, F> {
    type Item = (usize, SliceOf<'w, D>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next_run()
    }
}

/// A slice whose rows are not plain references.
pub trait Rows {
    /// One row.
    type Row<'a>
    where
        Self: 'a;

    /// The row with this number.
    fn row(&mut self, row: usize) -> Self::Row<'_>;
}

impl Rows for &[Entity] {
    type Row<'a>
        = Entity
    where
        Self: 'a;

    #[inline(always)]
    fn row(&mut self, row: usize) -> Entity {
        self[row]
    }
}

impl Rows for bool {
    type Row<'a> = Self;

    #[inline(always)]
    fn row(&mut self, _: usize) -> Self {
        *self
    }
}

impl<T> Rows for Option<&[T]> {
    type Row<'a>
        = Option<&'a T>
    where
        Self: 'a;

    #[inline(always)]
    fn row(&mut self, row: usize) -> Option<&T> {
        self.map(|rows| &rows[row])
    }
}

impl<T> Rows for Option<&mut [T]> {
    type Row<'a>
        = Option<&'a mut T>
    where
        Self: 'a;

    #[inline(always)]
    fn row(&mut self, row: usize) -> Option<&mut T> {
        self.as_mut().map(|rows| &mut rows[row])
    }
}

impl<T> Rows for MutSlice<'_, T> {
    type Row<'a>
        = Mut<'a, T>
    where
        Self: 'a;

    #[inline(always)]
    fn row(&mut self, row: usize) -> Mut<'_, T> {
        self.at(row)
    }
}
