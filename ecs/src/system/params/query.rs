//! Queries as parameters.
//!
//! Tests: tests/systems/params/builders.rs, tests/queries/filtered.rs

use core::marker::PhantomData;

use crate::access::ParamAccess;
use crate::access::const_access::ConstAccess;
use crate::access::term::{ConstTerm, Group};
use crate::query::{DataOf, Fetch, FilterOf, FilterTerms, Query, QueryData, QueryFilter, QueryState};
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::meta::SystemMeta;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource};
use crate::system::param_error::ParamError;

/// Adds the access of a query to the access of a system. If the query conflicts with another parameter, the system is refused.
///
/// # Panics
///
/// If the query was made for another world.
fn declare<D: QueryData, F: QueryFilter>(
    state: QueryState<D, F>,
    store: &Store,
    meta: &mut SystemMeta,
) -> QueryState<D, F> {
    state.expect_world(store);
    meta.add_access(ParamAccess::Query(state.access().clone()), store);
    meta.next_param();
    state
}

/// Makes a query for a store. Implemented for functions of a [`QueryBuilder`](crate::query::QueryBuilder).
#[doc(hidden)]
pub trait MakeQuery<D: QueryData, F: QueryFilter> {
    fn make(self, store: &mut Store) -> QueryState<D, F>;
}

/// A builder of a [`Query`]. A function adds terms to a [`QueryBuilder`](crate::query::QueryBuilder). See
/// [`SystemParamBuilder`](crate::system::SystemParamBuilder).
///
/// The added terms take effect when the system is prepared. The check at compile time only sees the types of the queries. If the
/// types of two queries conflict, and only their builders make them disjoint, put the queries into a
/// [`ParamSet`](crate::system::ParamSet).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{QueryParamBuilder, SystemParamBuilder};
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// world.spawn((Health(3), Enemy));
/// world.spawn(Health(9));
/// let state = (QueryParamBuilder::new(|builder| {
///     builder.with::<Enemy>();
/// }),);
/// let system = state.build_state(&mut world).build_system(|enemies: Query<&Health>| enemies.single().unwrap().0);
/// assert_eq!(world.run_system_once(system).unwrap(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct QueryParamBuilder<T>(pub(crate) T);

/// The source of a [`Query`], identified by its terms: the data may have a lifetime, which a source cannot have.
#[doc(hidden)]
pub struct QuerySource<T, F>(PhantomData<fn() -> (T, F)>);

// SAFETY: adds the access of the query.
unsafe impl<T: Fetch, F: FilterTerms> ParamSource for QuerySource<T, F> {
    type State = QueryState<DataOf<T>, FilterOf<F>>;
    type Got<'w, 's> = Query<'w, 's, DataOf<T>, FilterOf<F>>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = ConstAccess::Query(ConstTerm::Group(Group::All, &[T::TERM, F::TERM]));

    fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
        let state = QueryState::new_or_refused(store, |store, twice| {
            let what = twice.text(&store.structure.archetypes.components);
            let param = meta.describe_current();
            meta.refuse(&alloc::format!("{param}: {what} is borrowed twice, once mutably"));
        });
        declare(state, store, meta)
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        state.update_known(cell.store());
        // SAFETY: the state is up to date; the access is granted (forwarded).
        Ok(unsafe { Query::new(cell, state) })
    }

    fn rows(state: &Self::State, store: &Store) -> Option<usize> {
        Some(state.rows(store))
    }
}

params! {
    [D: QueryData, F: QueryFilter] Query<'_, '_, D, F> => Query<'w, 's, D, F>, QuerySource<D::Terms, F::Terms>, |got| got.with_same_terms();
}

impl<D: QueryData, F: QueryFilter, T: MakeQuery<D, F>> BuildParam<Query<'_, '_, D, F>> for QueryParamBuilder<T> {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, QuerySource<D::Terms, F::Terms>> {
        let world = site.store.id();
        let state = self.0.make(site.store);
        // The builder is user code with access to the whole world, and may replace it; see `Local`.
        assert!(
            world == site.store.id(),
            "system `{}`: the builder of a query has replaced the world",
            site.meta.name()
        );
        state.build(site)
    }
}

impl<D: QueryData, F: QueryFilter> BuildParam<Query<'_, '_, D, F>> for QueryState<D, F> {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, QuerySource<D::Terms, F::Terms>> {
        let state = declare(self.with_same_terms(), site.store, site.meta);
        // SAFETY: `declare` has added the access of the query, which was made for this store.
        unsafe { Built::new(state) }
    }
}
