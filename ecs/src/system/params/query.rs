//! Queries as parameters.

use core::marker::PhantomData;

use crate::access::ParamAccess;
use crate::cell::StoreCell;
use crate::const_access::ConstAccess;
use crate::query::{DataOf, Fetch, FilterOf, FilterTerms, Query, QueryData, QueryFilter, QueryState};
use crate::store::Store;
use crate::system::base::{ParamError, SystemMeta};
use crate::system::param::{ParamSource, SystemParam};
use crate::term::{ConstTerm, Group};

/// How a [`Query`] is fetched: by its terms. Its data may have a lifetime, which a source cannot have.
#[doc(hidden)]
pub struct QuerySource<T, F>(PhantomData<fn() -> (T, F)>);

// SAFETY: adds the access of the query.
unsafe impl<T: Fetch, F: FilterTerms> ParamSource for QuerySource<T, F> {
    type State = QueryState<DataOf<T>, FilterOf<F>>;
    type Got<'w, 's> = Query<'w, 's, DataOf<T>, FilterOf<F>>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = ConstAccess::Query(ConstTerm::Group(Group::All, &[T::TERM, F::TERM]));

    fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
        let state = QueryState::try_new(store).unwrap_or_else(|twice| {
            let what = twice.text(&store.archetypes.components);
            let param = meta.describe_current();
            panic!("system `{}`: {param}: {what} is borrowed twice, once mutably", meta.name())
        });
        meta.add_access(ParamAccess::Query(state.access().clone()), store);
        meta.next_param();
        state
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        state.update_known(cell.store());
        // SAFETY: the state is up to date; the caller promises the access.
        Ok(unsafe { Query::new(cell, state) })
    }

    fn rows(state: &Self::State, store: &Store) -> Option<usize> {
        Some(state.rows(store))
    }
}

impl<D: QueryData, F: QueryFilter> SystemParam for Query<'_, '_, D, F> {
    type Source = QuerySource<D::Terms, F::Terms>;
    type Item<'w, 's> = Query<'w, 's, D, F>;

    #[inline]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        got.with_same_terms()
    }
}
