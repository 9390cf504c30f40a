//! Methods of [`QueryState`] that return the query items of single entities.
//!
//! Tests: tests/queries/access.rs

use crate::entity::{Entity, UniqueEntityArray};
use crate::query::{QueryData, QueryEntityError, QueryFilter, QuerySingleError, QueryState};
use crate::world::cast::World;

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// Returns the read-only query item of one entity. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.get(&world, entity).unwrap(), &Health(3));
    /// assert!(world.query::<&Mana>().get(&world, entity).is_err());
    /// ```
    #[inline]
    #[doc(alias("query_one"))]
    pub fn get<'w>(
        &mut self,
        world: &'w World,
        entity: Entity,
    ) -> Result<<D::ReadOnly as QueryData>::Item<'w, '_>, QueryEntityError> {
        self.query(world).get_inner(entity)
    }

    /// Returns the query item of one entity. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut query = world.query::<&mut Health>();
    /// query.get_mut(&mut world, entity).unwrap().0 += 1;
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    #[inline]
    pub fn get_mut<'w>(&mut self, world: &'w mut World, entity: Entity) -> Result<D::Item<'w, '_>, QueryEntityError> {
        self.query_mut(world).get_inner(entity)
    }

    /// Returns the read-only query items of several entities.
    ///
    /// # Errors
    ///
    /// If an entity is not alive or does not match. The error is about the first such entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids = [3, 4].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.get_many(&world, ids).unwrap(), [&Health(3), &Health(4)]);
    /// ```
    pub fn get_many<'w, const N: usize>(
        &mut self,
        world: &'w World,
        entities: [Entity; N],
    ) -> Result<[<D::ReadOnly as QueryData>::Item<'w, '_>; N], QueryEntityError> {
        self.query(world).get_many_readonly(entities)
    }

    /// Returns the query items of several different entities.
    ///
    /// # Errors
    ///
    /// If an entity is not alive, does not match, or occurs twice. The error is about the first such entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [from, to] = [3, 4].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&mut Health>();
    /// let [mut a, mut b] = query.get_many_mut(&mut world, [from, to]).unwrap();
    /// b.0 += std::mem::take(&mut a.0);
    /// assert_eq!(world.get(to), Some(&Health(7)));
    /// assert!(query.get_many_mut(&mut world, [to, to]).is_err());
    /// ```
    pub fn get_many_mut<'w, const N: usize>(
        &mut self,
        world: &'w mut World,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w, '_>; N], QueryEntityError> {
        self.query_mut(world).get_many_inner(entities)
    }

    /// Returns the read-only query items of several different entities. See
    /// [`Query::get_many_unique`](crate::query::Query::get_many_unique).
    ///
    /// # Errors
    ///
    /// If an entity is not alive or does not match. The error is about the first such entity.
    pub fn get_many_unique<'w, const N: usize>(
        &mut self,
        world: &'w World,
        entities: UniqueEntityArray<N>,
    ) -> Result<[<D::ReadOnly as QueryData>::Item<'w, '_>; N], QueryEntityError> {
        self.get_many(world, entities.into_inner())
    }

    /// Returns the query items of several different entities. See
    /// [`Query::get_many_unique_mut`](crate::query::Query::get_many_unique_mut).
    ///
    /// # Errors
    ///
    /// If an entity is not alive or does not match. The error is about the first such entity.
    pub fn get_many_unique_mut<'w, const N: usize>(
        &mut self,
        world: &'w mut World,
        entities: UniqueEntityArray<N>,
    ) -> Result<[D::Item<'w, '_>; N], QueryEntityError> {
        self.get_many_mut(world, entities.into_inner())
    }

    /// Returns the read-only query item of the only matched entity.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.single(&world).unwrap(), &Health(3));
    /// world.spawn(Health(4));
    /// assert!(query.single(&world).is_err());
    /// ```
    #[doc(alias("GetSingletonEntity"))]
    pub fn single<'w>(
        &mut self,
        world: &'w World,
    ) -> Result<<D::ReadOnly as QueryData>::Item<'w, '_>, QuerySingleError> {
        self.query(world).single_inner()
    }

    /// Returns the query item of the only matched entity.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut query = world.query::<&mut Health>();
    /// query.single_mut(&mut world).unwrap().0 += 1;
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    pub fn single_mut<'w>(&mut self, world: &'w mut World) -> Result<D::Item<'w, '_>, QuerySingleError> {
        self.query_mut(world).single_inner()
    }
}
