//! The contents of a delta that has been read, and the state of entities in a replica.
//!
//! Tests: tests/snapshots/deltas.rs

use strata_ecs::component::ComponentDescriptor;
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{NewColumnContents, NewPairsContents, SnapshotBuilder};

use super::parts::DeltaMark;

/// The changes to apply to a replica.
pub(super) struct Update {
    /// The position at which the delta starts; `None` if it contains the whole world.
    pub(super) from: Option<DeltaMark>,
    pub(super) to: DeltaMark,
    pub(super) groups: Vec<Group>,
    pub(super) ended: Vec<Entity>,
    pub(super) blocks: Vec<Block>,
    pub(super) lists: Vec<Lists>,
    pub(super) pairs: Vec<Pairs>,
    /// The removed resources.
    pub(super) absent: Vec<&'static ComponentDescriptor>,
    pub(super) present: Vec<&'static ComponentDescriptor>,
    pub(super) resources: SnapshotBuilder,
}

/// Entities with equal sets of components. Components that the format does not know are not counted.
pub(super) struct Group {
    pub(super) components: Vec<&'static ComponentDescriptor>,
    pub(super) made: Vec<Entity>,
    pub(super) changed: Vec<Entity>,
}

/// Values of some entities, by component.
pub(super) struct Block {
    pub(super) entities: Vec<Found>,
    pub(super) columns: Vec<Column>,
}

/// The values of a component in a block.
pub(super) struct Column {
    pub(super) descriptor: &'static ComponentDescriptor,
    /// The entities of the block that have a value, as ascending indexes; `None` if all entities of the block have one.
    pub(super) some: Option<Vec<u32>>,
    pub(super) values: NewColumnContents,
}

/// An entity that is alive in the other world after the delta.
#[derive(Clone, Copy)]
pub(super) enum Found {
    In(Place),
    /// The entity is in no group. Contains the corresponding entity of this world.
    Known(Entity),
}

/// The position of an entity: its group, and its index in the group, where new entities come first.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) group: u32,
    pub(super) nth: u32,
}

/// The targets of a relationship whose lists of sources have changed, each with its sources.
pub(super) struct Lists {
    pub(super) descriptor: &'static ComponentDescriptor,
    pub(super) lists: Vec<(Entity, Vec<Entity>)>,
}

/// The pairs of a relation: all pairs of each of the sources.
pub(super) struct Pairs {
    pub(super) descriptor: &'static ComponentDescriptor,
    pub(super) sources: Vec<Entity>,
    pub(super) ends: Vec<[Entity; 2]>,
    pub(super) new: Vec<bool>,
    pub(super) values: NewPairsContents,
}

/// The state that an entity of the other world has in a replica.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Standing {
    Unknown,
    /// The corresponding entity is alive.
    Alive(Entity),
    /// A delta has named the entity, and the corresponding entity of this world is not alive.
    Ended(Entity),
}
