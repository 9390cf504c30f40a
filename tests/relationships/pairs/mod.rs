//! Pairs of relations, which have values.

mod changes;
mod events;
mod histories;
mod operations;
mod panics;
mod queries;
mod systems;

use strata_ecs::prelude::*;

/// A relation of which an entity may have any number of pairs.
#[derive(Relation, Clone, Debug, PartialEq)]
pub(crate) struct Likes(pub(crate) u32);

/// A source has one target, and ends with it.
#[derive(Relation, Clone, Debug, PartialEq)]
#[relation(exclusive, on_target_despawn = "cascade")]
pub(crate) struct Owned(pub(crate) u32);

/// It stays when its target ends.
#[derive(Relation, Clone, Debug, PartialEq)]
#[relation(on_target_despawn = "ignore")]
pub(crate) struct Remembers(pub(crate) u32);

/// It has no direction.
#[derive(Relation, Clone, Debug, PartialEq)]
#[relation(symmetric)]
pub(crate) struct Knows(pub(crate) u32);

/// It has no direction, and each entity has one.
#[derive(Relation, Clone, Debug, PartialEq)]
#[relation(symmetric, exclusive, on_target_despawn = "cascade")]
pub(crate) struct Twin(pub(crate) u32);

/// It leads nowhere in a circle, and a source has one target.
#[derive(Relation, Clone, Debug, PartialEq)]
#[relation(acyclic, exclusive)]
pub(crate) struct Below(pub(crate) u32);

/// It leads nowhere in a circle.
#[derive(Relation, Clone, Debug, PartialEq)]
#[relation(acyclic, on_target_despawn = "cascade")]
pub(crate) struct Needs(pub(crate) u32);

/// The targets of an entity, with the values.
pub(crate) fn from<R: Relation + Clone>(world: &World, source: Entity) -> Vec<(Entity, R)> {
    world.pairs_from::<R>(source).map(|(target, value)| (target, value.clone())).collect()
}

/// The sources of an entity, with the values.
pub(crate) fn to<R: Relation + Clone>(world: &World, target: Entity) -> Vec<(Entity, R)> {
    world.pairs_to::<R>(target).map(|(source, value)| (source, value.clone())).collect()
}
