//! Queries as parameters.

use core::marker::PhantomData;

use crate::access::ParamAccess;
use crate::cell::Cell;
use crate::const_access::ConstAccess;
use crate::query::{Fetch, FilterTerms, Query, QueryData, QueryFilter, QueryState};
use crate::store::Store;
use crate::system::base::{ParamError, SystemMeta};
use crate::system::param::{ParamSource, SystemParam};

/// How a [`Query`] is fetched.
#[doc(hidden)]
pub struct QuerySource<D, F>(PhantomData<fn() -> (D, F)>);

// SAFETY: adds the access of the query.
unsafe impl<D: QueryData + 'static, F: QueryFilter + 'static> ParamSource for QuerySource<D, F> {
    type State = QueryState<D, F>;
    type Got<'w, 's> = Query<'w, 's, D, F>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = ConstAccess::Terms(&[D::Terms::ACCESS, F::Terms::ACCESS]);

    fn init(store: &mut Store, meta: &mut SystemMeta) -> QueryState<D, F> {
        let state = QueryState::try_new(store).unwrap_or_else(|twice| {
            let name = store.components.name(twice);
            let param = meta.describe(0);
            panic!("system `{}`: {param}: component `{name}` is borrowed twice, once mutably", meta.name())
        });
        meta.add_access(ParamAccess::Query(state.access().clone()), store);
        meta.next_param();
        state
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut QueryState<D, F>, cell: Cell<'w>) -> Result<Query<'w, 's, D, F>, ParamError> {
        state.update(cell.store());
        // SAFETY: the state is up to date; the caller promises the access.
        Ok(unsafe { Query::new(cell, state) })
    }
}

impl<D: QueryData + 'static, F: QueryFilter + 'static> SystemParam for Query<'_, '_, D, F> {
    type Source = QuerySource<D, F>;
    type Item<'w, 's> = Query<'w, 's, D, F>;

    #[inline]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        got
    }
}
