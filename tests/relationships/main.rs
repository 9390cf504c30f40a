//! Relationships: links between entities that both sides know.

#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

mod bundles;
mod clones;
mod commands;
mod definitions;
mod down;
mod events;
mod hierarchy;
mod histories;
mod links;
mod names;
mod pairs;
mod panics;
mod queries;
mod worlds;

use strata_ecs::entity::EntityHashSet;
use strata_ecs::prelude::*;

/// Any number may like one, in a circle, too.
#[derive(Component, Clone, PartialEq, Eq, Debug)]
#[relationship(relationship_target = LikedBy)]
pub struct Likes(pub Entity);

/// Those who like one.
#[derive(Component, Default, Debug)]
#[relationship_target(relationship = Likes)]
pub struct LikedBy(Vec<Entity>);

/// One has at most one pilot.
#[derive(Component, Clone, PartialEq, Eq, Debug)]
#[relationship(relationship_target = Pilot)]
pub struct Flies(pub Entity);

/// Who flies it.
#[derive(Component, Debug)]
#[relationship_target(relationship = Flies)]
pub struct Pilot(Entity);

/// In no order; one may guard itself.
#[derive(Component, Clone, PartialEq, Eq, Debug)]
#[relationship(relationship_target = GuardedBy, allow_self_referential)]
pub struct Guards(pub Entity);

/// Those who guard one, and end with it.
#[derive(Component)]
#[relationship_target(relationship = Guards, linked_spawn)]
pub struct GuardedBy(EntityHashSet);

/// The children of an entity; none if it has no list.
pub fn children(world: &World, entity: Entity) -> Vec<Entity> {
    world.get::<Children>(entity).map_or_else(Vec::new, |children| children.to_vec())
}

/// So many entities without components.
pub fn entities<const N: usize>(world: &mut World) -> [Entity; N] {
    [(); N].map(|()| world.spawn_empty().id())
}
