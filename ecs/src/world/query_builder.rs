//! Queries with terms that are known only at run time: [`QueryBuilder`].
//!
//! Tests: tests/queries/builder.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;

use super::cast::World;
use crate::access::term::{ConstTerm, Group, Term, TermComponent, TermEntry, Usage};
use crate::component::{Component, ComponentId};
use crate::query::{Fetch, FilterTerms, QueryData, QueryFilter, QueryState, is_per_row, registered_terms};
use crate::structure::store::Store;
use crate::system::{MakeQuery, QueryParamBuilder};

/// Builds a query with terms that are not part of its type: for instance, components can be required or excluded by
/// their ids.
///
/// The query yields the items of `D`, for entities that match `D`, `F` and all added terms. Added terms are evaluated
/// per table. So they can neither be about a sparse component nor detect changes, which are evaluated per entity; such
/// terms belong in `D` and `F`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
/// # #[derive(Component)] struct Enemy;
/// # #[derive(Component)] struct Dead;
///
/// let mut world = World::new();
/// let enemy = world.register_component::<Enemy>();
/// world.spawn(Health(1));
/// world.spawn((Health(2), Enemy));
/// world.spawn((Health(3), Enemy, Dead));
/// let mut query = QueryBuilder::<&Health>::new(&mut world).with_id(enemy).without::<Dead>().build();
/// assert_eq!(query.single(&world), Ok(&Health(2)));
/// ```
pub struct QueryBuilder<'w, D: QueryData = (), F: QueryFilter = ()> {
    world: &'w mut World,
    /// The added terms, flattened like a list of terms.
    added: Vec<TermEntry>,
    marker: PhantomData<fn() -> (D, F)>,
}

impl<'w, D: QueryData, F: QueryFilter> QueryBuilder<'w, D, F> {
    /// Creates a builder without added terms.
    #[must_use]
    pub fn new(world: &'w mut World) -> Self {
        Self { world, added: Vec::new(), marker: PhantomData }
    }

    /// Returns the world for which the query is built.
    #[must_use]
    pub fn world(&self) -> &World {
        self.world
    }

    /// Returns the world for which the query is built, borrowed mutably.
    pub fn world_mut(&mut self) -> &mut World {
        self.world
    }

    /// Requires that every matched entity matches `T`, and adds the access of `T`. The query does not yield the items of `T`.
    ///
    /// # Panics
    ///
    /// If `T` accesses a sparse component, or other entities.
    #[track_caller]
    pub fn data<T: QueryData>(&mut self) -> &mut Self {
        self.add_const::<T>(&T::Terms::TERM, &<() as Fetch>::TERM)
    }

    /// Requires that every matched entity matches the filter `T`.
    ///
    /// # Panics
    ///
    /// If `T` is about a sparse component, or detects changes.
    #[track_caller]
    pub fn filter<T: QueryFilter>(&mut self) -> &mut Self {
        self.add_const::<T>(&<() as Fetch>::TERM, &T::Terms::TERM)
    }

    /// Requires that every matched entity has the component.
    ///
    /// # Panics
    ///
    /// If the component is sparse.
    #[track_caller]
    pub fn with<T: Component>(&mut self) -> &mut Self {
        let id = self.world.register_component::<T>();
        self.with_id(id)
    }

    /// Requires that no matched entity has the component.
    ///
    /// # Panics
    ///
    /// If the component is sparse.
    #[track_caller]
    pub fn without<T: Component>(&mut self) -> &mut Self {
        let id = self.world.register_component::<T>();
        self.without_id(id)
    }

    /// Requires that every matched entity has the component with this id.
    ///
    /// # Panics
    ///
    /// If the component is sparse, or not registered in the world.
    #[track_caller]
    pub fn with_id(&mut self, id: ComponentId) -> &mut Self {
        self.add_component(Usage::With, id)
    }

    /// Requires that no matched entity has the component with this id.
    ///
    /// # Panics
    ///
    /// If the component is sparse, or not registered in the world.
    #[track_caller]
    pub fn without_id(&mut self, id: ComponentId) -> &mut Self {
        self.add_component(Usage::Without, id)
    }

    /// Requires that every matched entity has the component with this id, and borrows it.
    ///
    /// # Panics
    ///
    /// If the component is sparse, or not registered in the world.
    #[track_caller]
    pub fn ref_id(&mut self, id: ComponentId) -> &mut Self {
        self.add_component(Usage::Read, id)
    }

    /// Requires that every matched entity has the component with this id, and borrows it mutably.
    ///
    /// # Panics
    ///
    /// If the component is sparse, or not registered in the world.
    #[track_caller]
    pub fn mut_id(&mut self, id: ComponentId) -> &mut Self {
        self.add_component(Usage::Write, id)
    }

    /// Adds terms that entities need not match. If an entity has the components of these terms, the query borrows them.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([(), ()]);
    /// let mut query = QueryBuilder::<Entity>::new(&mut world).optional(|builder| { builder.data::<&Health>(); }).build();
    /// assert_eq!(query.iter(&world).count(), 2);
    /// ```
    pub fn optional(&mut self, add: impl FnOnce(&mut QueryBuilder<'_>)) -> &mut Self {
        // A `Group::Optional` has exactly one member, so the terms are wrapped in one group.
        self.add_group(Group::Optional, |builder| {
            builder.add_group(Group::All, add);
        })
    }

    /// Requires that every matched entity matches all terms that the function adds. Useful in [`or`](Self::or).
    pub fn and(&mut self, add: impl FnOnce(&mut QueryBuilder<'_>)) -> &mut Self {
        self.add_group(Group::All, add)
    }

    /// Requires that every matched entity matches at least one of the terms that the function adds.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Fire;
    /// # #[derive(Component)] struct Ice;
    /// # #[derive(Component)] struct Wet;
    /// # let mut world = World::new();
    /// world.spawn(Fire);
    /// world.spawn(Ice);
    /// world.spawn((Ice, Wet));
    /// let mut query = QueryBuilder::<Entity>::new(&mut world)
    ///     .or(|builder| {
    ///         builder.with::<Fire>();
    ///         builder.and(|builder| {
    ///             builder.with::<Ice>().with::<Wet>();
    ///         });
    ///     })
    ///     .build();
    /// assert_eq!(query.iter(&world).count(), 2);
    /// ```
    pub fn or(&mut self, add: impl FnOnce(&mut QueryBuilder<'_>)) -> &mut Self {
        self.add_group(Group::Or, add)
    }

    /// Builds the query.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, at least once mutably.
    #[must_use]
    #[track_caller]
    pub fn build(&mut self) -> QueryState<D, F> {
        let () = QueryState::<D, F>::BORROWS_AGREE;
        QueryState::with_added(&mut self.world.store, &self.added)
    }

    /// Adds the terms of data and filter types.
    #[track_caller]
    fn add_const<T: ?Sized>(&mut self, data: &ConstTerm, filter: &ConstTerm) -> &mut Self {
        let terms = registered_terms(&mut self.world.store, data, filter, &[], &[]);
        for term in [terms.data(), terms.filter()] {
            assert!(
                term.entries().iter().all(|entry| !matches!(entry, TermEntry::Nested(_))) && !is_per_row(term),
                "`{}` is not decided by tables: let it stand in the type of the query",
                type_name::<T>(),
            );
            // The group is empty if the caller passes `()` as the data or the filter.
            if !matches!(term.node(), TermEntry::Group(Group::All, 0)) {
                self.added.extend_from_slice(term.entries());
            }
        }
        self
    }

    #[track_caller]
    fn add_component(&mut self, usage: Usage, id: ComponentId) -> &mut Self {
        let Some(info) = self.world.components().info(id) else {
            panic!("the world has never met component number {}", id.index())
        };
        let entry = TermEntry::Component(usage, TermComponent::of(info));
        assert!(
            !is_per_row(Term::of(&[entry])),
            "`{}` is a sparse component, about which tables do not decide: let it stand in the type of the query",
            info.name(),
        );
        self.added.push(entry);
        self
    }

    fn add_group(&mut self, group: Group, add: impl FnOnce(&mut QueryBuilder<'_>)) -> &mut Self {
        let mut builder = QueryBuilder::new(&mut *self.world);
        add(&mut builder);
        let members = builder.added;
        self.added.push(TermEntry::Group(group, members.len()));
        self.added.extend(members);
        self
    }
}

impl<D: QueryData, F: QueryFilter, T: FnOnce(&mut QueryBuilder<'_, D, F>)> MakeQuery<D, F> for T {
    fn make(self, store: &mut Store) -> QueryState<D, F> {
        let mut builder = QueryBuilder::new(World::from_store_mut(store));
        self(&mut builder);
        builder.build()
    }
}

impl<T> QueryParamBuilder<T> {
    /// Creates a builder. Its function `add` adds the terms.
    pub fn new<D: QueryData, F: QueryFilter>(add: T) -> Self
    where
        T: FnOnce(&mut QueryBuilder<'_, D, F>),
    {
        Self(add)
    }
}

impl<'a, D: QueryData, F: QueryFilter> QueryParamBuilder<Box<dyn FnOnce(&mut QueryBuilder<'_, D, F>) + 'a>> {
    /// Creates a builder like [`new`](Self::new). All such builders have the same type, so that they can be put into a
    /// list.
    pub fn new_box(add: impl FnOnce(&mut QueryBuilder<'_, D, F>) + 'a) -> Self {
        Self(Box::new(add))
    }
}

impl_debug_as_struct! {
    [D: QueryData, F: QueryFilter] QueryBuilder<'_, D, F>, "QueryBuilder", |_this| {
        data: type_name::<D>(), filter: type_name::<F>()
    } finish_non_exhaustive;
}
