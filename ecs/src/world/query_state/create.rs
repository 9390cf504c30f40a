//! Making queries: of a world, and of other queries.

use crate::query::{QueryData, QueryFilter, QueryState};
use crate::world::cast::World;

impl World {
    /// A query, to be used with this world any number of times.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably, and the compiler could not tell: it can unless the component
    /// has type parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.iter(&world).map(|health| health.0).sum::<u32>(), 7);
    /// ```
    #[must_use]
    #[doc(alias("each", "for_each", "ForEach", "iter", "IntoQuery", "query_mut"))]
    #[track_caller]
    pub fn query<D: QueryData>(&mut self) -> QueryState<D> {
        let () = QueryState::<D>::BORROWS_AGREE;
        self.query_filtered()
    }

    /// A query with a filter, to be used with this world any number of times.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably, and the compiler could not tell: it can unless the component
    /// has type parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(3), Mana(7)));
    /// world.spawn(Health(4));
    /// let mut query = world.query_filtered::<&Health, Without<Mana>>();
    /// assert_eq!(query.single(&world).unwrap(), &Health(4));
    /// ```
    #[must_use]
    #[doc(alias("each", "ForEach"))]
    #[track_caller]
    pub fn query_filtered<D: QueryData, F: QueryFilter>(&mut self) -> QueryState<D, F> {
        let () = QueryState::<D, F>::BORROWS_AGREE;
        QueryState::in_store(&mut self.store)
    }

    /// A query, made from a shared world; `None` if the world has not met one of its components.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably, and the compiler could not tell: it can unless the component
    /// has type parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// assert!(world.try_query::<&Mana>().is_none());
    /// let mut query = world.try_query::<&Health>().unwrap();
    /// assert_eq!(query.count(&world), 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn try_query<D: QueryData>(&self) -> Option<QueryState<D>> {
        let () = QueryState::<D>::BORROWS_AGREE;
        QueryState::find(&self.store)
    }

    /// A query with a filter, made from a shared world; `None` if the world has not met one of its components.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably, and the compiler could not tell: it can unless the component
    /// has type parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// assert!(world.try_query_filtered::<&Health, With<Mana>>().is_none());
    /// world.register_component::<Mana>();
    /// let mut query = world.try_query_filtered::<&Health, With<Mana>>().unwrap();
    /// assert!(query.is_empty(&world));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn try_query_filtered<D: QueryData, F: QueryFilter>(&self) -> Option<QueryState<D, F>> {
        let () = QueryState::<D, F>::BORROWS_AGREE;
        QueryState::find(&self.store)
    }
}

/// Queries made of this one, to be kept. What they may borrow is said at [`Query::transmute_lens`], and so is when these panic. They match
/// no entities that this query would not match, also in tables that come to be later.
impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// The same entities, with other data.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Mana(u32);
    /// # let mut world = World::new();
    /// world.spawn((Health(1), Mana(2)));
    /// world.spawn(Health(3));
    /// let mages = world.query::<(&mut Health, &Mana)>();
    /// let mut healths = mages.transmute::<&Health>(&world);
    /// assert_eq!(healths.single(&world).unwrap().0, 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn transmute<NewD: QueryData>(&self, world: &World) -> QueryState<NewD> {
        self.transmuted(&world.store)
    }

    /// The same entities, or some of them, with other data and another filter.
    #[must_use]
    #[track_caller]
    pub fn transmute_filtered<NewD: QueryData, NewF: QueryFilter>(&self, world: &World) -> QueryState<NewD, NewF> {
        self.transmuted(&world.store)
    }

    /// The entities that this query matches and another one, too, with data of both.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Mana(u32);
    /// # let mut world = World::new();
    /// world.spawn((Health(1), Mana(2)));
    /// world.spawn(Health(3));
    /// let (healths, manas) = (world.query::<&Health>(), world.query::<&Mana>());
    /// let mut both = healths.join::<&Mana, (&Health, &Mana)>(&world, &manas);
    /// let (health, mana) = both.single(&world).unwrap();
    /// assert_eq!((health.0, mana.0), (1, 2));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn join<OtherD: QueryData, NewD: QueryData>(
        &self,
        world: &World,
        other: &QueryState<OtherD>,
    ) -> QueryState<NewD> {
        self.joined(&world.store, other)
    }

    /// As [`join`](Self::join), with another filter.
    #[must_use]
    #[track_caller]
    pub fn join_filtered<OtherD: QueryData, OtherF: QueryFilter, NewD: QueryData, NewF: QueryFilter>(
        &self,
        world: &World,
        other: &QueryState<OtherD, OtherF>,
    ) -> QueryState<NewD, NewF> {
        self.joined(&world.store, other)
    }
}
