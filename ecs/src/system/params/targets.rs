//! Reading the targets of pairs, in systems over pairs.

use super::query::QuerySource;
use crate::entity::Entity;
use crate::query::{Finder, Query, QueryFilter, ReadOnlyQueryData};

/// Finds what the targets of pairs have. A macro writes it.
#[doc(hidden)]
pub struct Targets<'w, 's, D: ReadOnlyQueryData, F: QueryFilter> {
    finder: Finder<'w, 's, D, F>,
}

impl<'w, 's, D: ReadOnlyQueryData, F: QueryFilter> Targets<'w, 's, D, F> {
    /// What the entity has, if it is alive and has all of it.
    #[inline(always)]
    pub fn get(&mut self, entity: Entity) -> Option<D::Item<'w, 's>> {
        self.finder.get(entity)
    }
}

params! {
    [D: ReadOnlyQueryData, F: QueryFilter] Targets<'_, '_, D, F> => Targets<'w, 's, D, F>, QuerySource<D::Terms, F::Terms>, |got|
        Targets { finder: Query::<D, F>::into_finder(got.with_same_terms()) };
}
