//! Reading the targets of pairs, in systems over pairs.

use super::query::QuerySource;
use crate::entity::Entity;
use crate::query::{Finder, Query, QueryFilter, ReadOnlyQueryData};
use crate::system::param::{ParamSource, SystemParam};

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

impl<D: ReadOnlyQueryData, F: QueryFilter> SystemParam for Targets<'_, '_, D, F> {
    type Source = QuerySource<D::Terms, F::Terms>;
    type Item<'w, 's> = Targets<'w, 's, D, F>;

    #[inline]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        let query: Query<'w, 's, D, F> = got.with_same_terms();
        Targets { finder: query.into_finder() }
    }
}
