//! Queries that decide whether their system runs: for exactly one entity, and for at least one.

use alloc::sync::Arc;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, Ordering};

use super::query::QuerySource;
use crate::cell::StoreCell;
use crate::const_access::ConstAccess;
use crate::query::{DataOf, Fetch, FilterOf, FilterTerms, Query, QueryData, QueryFilter, QuerySingleError, QueryState};
use crate::store::Store;
use crate::system::meta::SystemMeta;
use crate::system::param::ParamSource;
use crate::system::param_error::ParamError;

/// The only entity that a query matches.
///
/// If no entity matches, or more than one, the system is *skipped*: a schedule goes on with the next one, a condition does not
/// hold, and a caller that runs the system by hand gets an error that says so ([`ParamError::is_skip`]). As an `Option` it is
/// `None` then, and the system runs.
///
/// It costs what [`Query::single`] costs. As a parameter of a row system it is looked up once more for each row.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Boss;
///
/// fn enrage(mut boss: Single<&mut Health, With<Boss>>) {
///     boss.0 *= 2;
/// }
///
/// let mut world = World::new();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(enrage);
/// schedule.run(&mut world); // There is no boss, and nothing happens.
/// let boss = world.spawn((Health(3), Boss)).id();
/// schedule.run(&mut world);
/// assert_eq!(world.get::<Health>(boss).unwrap().0, 6);
/// ```
#[doc(alias("GetSingletonEntity"))]
pub struct Single<'w, 's, D: QueryData, F: QueryFilter = ()> {
    /// Gone when the parameter has been handed on.
    item: Option<D::Item<'w, 's>>,
    /// For handing the parameter on: what the item borrows is borrowed anew then. Not there in what was handed on.
    query: Option<Query<'w, 's, D, F>>,
    /// Whether code outside has had the item. It may have put it elsewhere since, even through a shared reference, and another
    /// item in its place, so the query must not yield it once more.
    is_out: AtomicBool,
}

impl<'w, 's, D: QueryData, F: QueryFilter> Single<'w, 's, D, F> {
    /// What the query yields for the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn check(single: Single<(Entity, &Health)>) -> u32 {
    ///     let (_, health) = single.into_inner();
    ///     health.0
    /// }
    /// # let mut world = World::new();
    /// # world.spawn(Health(3));
    /// assert_eq!(world.run_system_once(check).unwrap(), 3);
    /// ```
    #[must_use]
    pub fn into_inner(self) -> D::Item<'w, 's> {
        self.item.unwrap_or_else(|| handed_on())
    }

    /// The same parameter for a shorter time. The item is fetched anew, and this parameter has none any more: two of them
    /// would be in each other's way. What comes of it cannot be handed on once more.
    ///
    /// # Panics
    ///
    /// If the item has been used before: it may be anywhere.
    #[inline]
    pub(crate) fn hand_on(&mut self) -> Single<'_, '_, D, F> {
        if *self.is_out.get_mut() {
            handed_on();
        }
        self.item = None;
        let Some(query) = &mut self.query else { handed_on() };
        let query: Query<'_, '_, D, F> = query.reborrow();
        match query.single_inner() {
            Ok(item) => Single { item: Some(item), query: None, is_out: AtomicBool::new(false) },
            Err(error) => unreachable!("while the system runs the same entity matches: {error}"),
        }
    }
}

/// `#[system]` hands a parameter on to each row and does nothing else with it.
#[cold]
fn handed_on() -> ! {
    panic!("a `Single` is handed on to the rows of a system and used elsewhere, too")
}

impl<'w, 's, D: QueryData, F: QueryFilter> Deref for Single<'w, 's, D, F> {
    type Target = D::Item<'w, 's>;

    #[inline]
    fn deref(&self) -> &D::Item<'w, 's> {
        self.is_out.store(true, Ordering::Relaxed);
        self.item.as_ref().unwrap_or_else(|| handed_on())
    }
}

impl<D: QueryData, F: QueryFilter> DerefMut for Single<'_, '_, D, F> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        *self.is_out.get_mut() = true;
        self.item.as_mut().unwrap_or_else(|| handed_on())
    }
}

impl_debug!(['w, 's, D: QueryData<Item<'w, 's>: fmt::Debug>, F: QueryFilter] Single<'w, 's, D, F> => |this, f|
    f.debug_tuple("Single").field(&**this).finish());

/// A query that matches something.
///
/// If it matches nothing, the system is *skipped*, as with [`Single`]. As an `Option` it is `None` then, and the system runs.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Enemy(u32);
/// # #[derive(Resource, Default)] struct Strongest(u32);
///
/// fn find(enemies: Populated<&Enemy>, mut strongest: ResMut<Strongest>) {
///     strongest.0 = enemies.iter().map(|enemy| enemy.0).max().unwrap();
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Strongest>();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(find);
/// schedule.run(&mut world);
/// world.spawn_batch([Enemy(2), Enemy(7)]);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Strongest>().0, 7);
/// ```
#[derive(Debug)]
#[doc(alias("RequireForUpdate", "RequireAnyForUpdate"))]
pub struct Populated<'w, 's, D: QueryData, F: QueryFilter = ()>(Query<'w, 's, D, F>);

impl<'w, 's, D: QueryData, F: QueryFilter> Populated<'w, 's, D, F> {
    /// The query.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    ///
    /// fn count(enemies: Populated<&Enemy>) -> usize {
    ///     let query: Query<&Enemy> = enemies.into_inner();
    ///     query.count()
    /// }
    /// assert!(World::new().run_system_once(count).is_err());
    /// ```
    #[must_use]
    pub fn into_inner(self) -> Query<'w, 's, D, F> {
        self.0
    }

    /// The same parameter for a shorter time.
    #[inline]
    pub(crate) fn hand_on(&mut self) -> Populated<'_, '_, D, F> {
        Populated(self.0.reborrow())
    }
}

impl_deref_mut!(#[inline] ['w, 's, D: QueryData, F: QueryFilter] Populated<'w, 's, D, F> =>
    Query<'w, 's, D, F>, |this| this.0);

impl_into_iter!(['w, 's, D: QueryData, F: QueryFilter] Populated<'w, 's, D, F> => Query<'w, 's, D, F>, |this| this.0);
impl_into_iter!(['a, 'w, 's, D: QueryData, F: QueryFilter] &'a Populated<'w, 's, D, F> =>
    &'a Query<'w, 's, D, F>, |this| &this.0);
impl_into_iter!(['a, 'w, 's, D: QueryData, F: QueryFilter] &'a mut Populated<'w, 's, D, F> =>
    &'a mut Query<'w, 's, D, F>, |this| &mut this.0);

/// The query, and what the parameter is called in errors.
#[doc(hidden)]
pub struct Named<T: Fetch, F: FilterTerms> {
    query: QueryState<DataOf<T>, FilterOf<F>>,
    name: Arc<str>,
}

impl<T: Fetch, F: FilterTerms> Named<T, F> {
    fn new(param: &str, store: &mut Store, meta: &mut SystemMeta) -> Self {
        let name = alloc::format!("the `{param}` of {}", meta.describe_current()).into();
        Self { query: QuerySource::<T, F>::init(store, meta), name }
    }
}

/// The terms of a query.
type TermsQuery<'w, 's, T, F> = Query<'w, 's, DataOf<T>, FilterOf<F>>;

/// What is fetched for a [`Single`]: the item, and the query that yielded it and would do so again. To be had together only.
#[doc(hidden)]
pub struct FoundSingle<'w, 's, T: Fetch, F: FilterTerms> {
    item: T::Item<'w>,
    query: TermsQuery<'w, 's, T, F>,
}

/// How a [`Single`] is fetched.
#[doc(hidden)]
pub struct SingleSource<T, F>(PhantomData<fn() -> (T, F)>);

// SAFETY: `QuerySource` adds the access of the query.
unsafe impl<T: Fetch, F: FilterTerms> ParamSource for SingleSource<T, F> {
    type State = Named<T, F>;
    type Got<'w, 's> = FoundSingle<'w, 's, T, F>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = <QuerySource<T, F> as ParamSource>::ACCESS;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> Named<T, F> {
        Named::new("Single", store, meta)
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut Named<T, F>, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        state.query.update(cell.store());
        let Named { query, name } = state;
        // SAFETY: the state is up to date; the caller promises the access. The item and the second query leave this module in a
        // `Single` only, which asks the query after the item is dropped, and not at all once the item was given out.
        let (query, rest) = unsafe { (Query::new(cell, query), Query::new(cell, query)) };
        match query.single_inner() {
            Ok(item) => Ok(FoundSingle { item, query: rest }),
            Err(QuerySingleError::NoEntities(_)) => Err(ParamError::no_entity(name)),
            Err(QuerySingleError::MultipleEntities(_)) => Err(ParamError::several_entities(name)),
        }
    }

    fn rows(state: &Named<T, F>, store: &Store) -> Option<usize> {
        Some(state.query.rows(store))
    }
}

params! {
    [D: QueryData, F: QueryFilter] Single<'_, '_, D, F> => Single<'w, 's, D, F>, SingleSource<D::Terms, F::Terms>, |found| {
        let FoundSingle { item, query } = found;
        let item = Some(D::item(item, query.kept()));
        Single { item, query: Some(query.with_same_terms()), is_out: AtomicBool::new(false) }
    };
}

/// How a [`Populated`] is fetched.
#[doc(hidden)]
pub struct PopulatedSource<T, F>(PhantomData<fn() -> (T, F)>);

// SAFETY: `QuerySource` adds the access of the query.
unsafe impl<T: Fetch, F: FilterTerms> ParamSource for PopulatedSource<T, F> {
    type State = Named<T, F>;
    type Got<'w, 's> = TermsQuery<'w, 's, T, F>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = <QuerySource<T, F> as ParamSource>::ACCESS;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> Named<T, F> {
        Named::new("Populated", store, meta)
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut Named<T, F>, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        let Named { query, name } = state;
        // SAFETY: the caller's promise.
        let query = unsafe { QuerySource::<T, F>::get(query, cell)? };
        if query.is_empty() { Err(ParamError::no_entity(name)) } else { Ok(query) }
    }

    fn rows(state: &Named<T, F>, store: &Store) -> Option<usize> {
        Some(state.query.rows(store))
    }
}

params! {
    [D: QueryData, F: QueryFilter] Populated<'_, '_, D, F> => Populated<'w, 's, D, F>, PopulatedSource<D::Terms, F::Terms>, |got| Populated(got.with_same_terms());
}
