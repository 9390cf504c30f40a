//! Queries that decide whether their system runs: [`Single`] requires exactly one entity, [`Populated`] at least one.
//!
//! Tests: tests/systems/params/singles.rs

use alloc::sync::Arc;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, Ordering};

use super::query::QuerySource;
use crate::access::const_access::ConstAccess;
use crate::query::{DataOf, Fetch, FilterOf, FilterTerms, Query, QueryData, QueryFilter, QuerySingleError, QueryState};
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::meta::SystemMeta;
use crate::system::param::ParamSource;
use crate::system::param_error::ParamError;

/// The only entity that a query matches.
///
/// If no entity matches, or more than one, the system is *skipped*: a schedule goes on with the next system, a condition does not
/// hold, and a caller that runs the system directly gets an error for which [`ParamError::is_skip`] returns true. To run the system
/// in this case, too, take an `Option` of the parameter: it is then `None`.
///
/// Fetching costs the same as [`Query::single`]. A parameter of a row system is fetched again for each row.
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
    /// `None` when the parameter has been reborrowed. Items borrow and need no drop. Without drop glue a `D` that is no query data is
    /// reported once, where the type is written, and not again for each variable.
    item: ManuallyDrop<Option<D::Item<'w, 's>>>,
    /// The query that fetches the item again for a reborrow. `None` in a parameter that is itself a reborrow.
    query: Option<Query<'w, 's, D, F>>,
    /// Whether code outside has had access to the item. That code may have moved the item elsewhere, even through a shared
    /// reference, and put another item in its place. So the query must not yield the item a second time.
    is_out: AtomicBool,
}

impl<'w, 's, D: QueryData, F: QueryFilter> Single<'w, 's, D, F> {
    /// Returns the query item of the entity.
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
    pub fn into_inner(mut self) -> D::Item<'w, 's> {
        self.item.take().unwrap_or_else(|| handed_on())
    }

    fn new(item: D::Item<'w, 's>, query: Option<Query<'w, 's, D, F>>) -> Self {
        Self { item: ManuallyDrop::new(Some(item)), query, is_out: AtomicBool::new(false) }
    }

    /// Reborrows the parameter with a shorter lifetime. Fetches the item again and drops the item of `self`, since the two would
    /// conflict. The result cannot be reborrowed again.
    ///
    /// # Panics
    ///
    /// If the item has been used before, because it may have been moved elsewhere.
    #[inline]
    pub(crate) fn hand_on(&mut self) -> Single<'_, '_, D, F> {
        if *self.is_out.get_mut() {
            handed_on();
        }
        *self.item = None;
        let Some(query) = &mut self.query else { handed_on() };
        let query: Query<'_, '_, D, F> = query.reborrow();
        match query.single_inner() {
            Ok(item) => Single::new(item, None),
            Err(error) => unreachable!("while the system runs the same entity matches: {error}"),
        }
    }
}

/// `#[system]` reborrows a parameter for each row and does not use it otherwise.
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

/// A query that matches at least one entity.
///
/// If no entity matches, the system is *skipped*, as with [`Single`]. To run the system in this case, too, take an `Option` of the
/// parameter: it is then `None`.
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
    /// Returns the query.
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

    /// Reborrows the parameter with a shorter lifetime.
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

/// The query, and the name of the parameter in errors.
#[doc(hidden)]
pub struct NamedQuery<T: Fetch, F: FilterTerms> {
    query: QueryState<DataOf<T>, FilterOf<F>>,
    name: Arc<str>,
}

impl<T: Fetch, F: FilterTerms> NamedQuery<T, F> {
    fn new(param: &str, store: &mut Store, meta: &mut SystemMeta) -> Self {
        let name = alloc::format!("the `{param}` of {}", meta.describe_current()).into();
        Self { query: QuerySource::<T, F>::init(store, meta), name }
    }
}

/// The query of the terms `T` and `F`.
type TermsQuery<'w, 's, T, F> = Query<'w, 's, DataOf<T>, FilterOf<F>>;

/// The value that is fetched for a [`Single`]: the item, and the query that yielded the item and would yield it again. Only used
/// together.
#[doc(hidden)]
pub struct FoundSingle<'w, 's, T: Fetch, F: FilterTerms> {
    item: T::Item<'w>,
    query: TermsQuery<'w, 's, T, F>,
}

/// The source of a [`Single`].
#[doc(hidden)]
pub struct SingleSource<T, F>(PhantomData<fn() -> (T, F)>);

// SAFETY: `QuerySource` adds the access of the query.
unsafe impl<T: Fetch, F: FilterTerms> ParamSource for SingleSource<T, F> {
    type State = NamedQuery<T, F>;
    type Got<'w, 's> = FoundSingle<'w, 's, T, F>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = <QuerySource<T, F> as ParamSource>::ACCESS;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> NamedQuery<T, F> {
        NamedQuery::new("Single", store, meta)
    }

    #[inline]
    unsafe fn get<'w, 's>(
        state: &'s mut NamedQuery<T, F>,
        cell: StoreCell<'w>,
    ) -> Result<Self::Got<'w, 's>, ParamError> {
        state.query.update(cell.store());
        let NamedQuery { query, name } = state;
        // SAFETY: the state is up to date; the access is granted (forwarded). The item and the second query leave this module only
        // inside a `Single`, which runs the query only after it has dropped the item, and never once the item was given out.
        let (query, rest) = unsafe { (Query::new(cell, query), Query::new(cell, query)) };
        match query.single_inner() {
            Ok(item) => Ok(FoundSingle { item, query: rest }),
            Err(QuerySingleError::NoEntities(_)) => Err(ParamError::no_entity(name)),
            Err(QuerySingleError::MultipleEntities(_)) => Err(ParamError::several_entities(name)),
        }
    }

    fn rows(state: &NamedQuery<T, F>, store: &Store) -> Option<usize> {
        Some(state.query.rows(store))
    }
}

params! {
    [D: QueryData, F: QueryFilter] Single<'_, '_, D, F> => Single<'w, 's, D, F>, SingleSource<D::Terms, F::Terms>, |found| {
        let FoundSingle { item, query } = found;
        let item = D::item(item, query.kept());
        Single::new(item, Some(query.with_same_terms()))
    };
}

/// The source of a [`Populated`].
#[doc(hidden)]
pub struct PopulatedSource<T, F>(PhantomData<fn() -> (T, F)>);

// SAFETY: `QuerySource` adds the access of the query.
unsafe impl<T: Fetch, F: FilterTerms> ParamSource for PopulatedSource<T, F> {
    type State = NamedQuery<T, F>;
    type Got<'w, 's> = TermsQuery<'w, 's, T, F>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = <QuerySource<T, F> as ParamSource>::ACCESS;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> NamedQuery<T, F> {
        NamedQuery::new("Populated", store, meta)
    }

    #[inline]
    unsafe fn get<'w, 's>(
        state: &'s mut NamedQuery<T, F>,
        cell: StoreCell<'w>,
    ) -> Result<Self::Got<'w, 's>, ParamError> {
        let NamedQuery { query, name } = state;
        // SAFETY: both clauses are forwarded: the state was made for the cell's store, and the access is granted.
        let query = unsafe { QuerySource::<T, F>::get(query, cell)? };
        if query.is_empty() { Err(ParamError::no_entity(name)) } else { Ok(query) }
    }

    fn rows(state: &NamedQuery<T, F>, store: &Store) -> Option<usize> {
        Some(state.query.rows(store))
    }
}

params! {
    [D: QueryData, F: QueryFilter] Populated<'_, '_, D, F> => Populated<'w, 's, D, F>, PopulatedSource<D::Terms, F::Terms>, |got| Populated(got.with_same_terms());
}
