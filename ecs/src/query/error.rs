//! Errors of queries for given entities.
//!
//! Tests: tests/queries/access.rs

use crate::entity::{Entity, EntityError};

/// A query yields nothing for an entity.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::query::QueryEntityError;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let entity = world.spawn_empty().id();
/// let error = world.query::<&Health>().get(&world, entity).err().unwrap();
/// assert!(matches!(error, QueryEntityError::QueryDoesNotMatch(it, _) if it == entity));
/// world.despawn(entity);
/// let error = world.query::<&Health>().get(&world, entity).err().unwrap();
/// assert!(matches!(error, QueryEntityError::NotSpawned(_)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryEntityError {
    /// The entity is alive, but lacks something that the query demands, or has something that it excludes.
    QueryDoesNotMatch(Entity, &'static str),
    /// The entity is not alive.
    NotSpawned(EntityError),
    /// The entity was requested twice, and the query borrows mutably.
    AliasedMutability(Entity),
}

impl_display!([] QueryEntityError => |this, f| match this {
    Self::QueryDoesNotMatch(entity, query) => write!(f, "query `{query}` does not match entity {entity}"),
    Self::NotSpawned(error) => error.fmt(f),
    Self::AliasedMutability(entity) => write!(f, "entity {entity} was asked for twice by a query that borrows mutably"),
});

impl core::error::Error for QueryEntityError {}

/// A query matches no entity, or more than one, but exactly one was requested.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::query::QuerySingleError;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let mut query = world.query::<&Health>();
/// assert!(matches!(query.single(&world), Err(QuerySingleError::NoEntities(_))));
/// world.spawn_batch([Health(1), Health(2)]);
/// assert!(matches!(query.single(&world), Err(QuerySingleError::MultipleEntities(_))));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuerySingleError {
    /// No entity matches. Holds the name of the query's data.
    NoEntities(&'static str),
    /// Several entities match. Holds the name of the query's data.
    MultipleEntities(&'static str),
}

impl_display!([] QuerySingleError => |this, f| match this {
    Self::NoEntities(query) => write!(f, "no entity matches query `{query}`, where exactly one should"),
    Self::MultipleEntities(query) => write!(f, "several entities match query `{query}`, where exactly one should"),
});

impl core::error::Error for QuerySingleError {}
