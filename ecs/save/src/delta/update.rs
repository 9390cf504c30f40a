//! The contents of a delta, and the state of entities in a replica.
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

/// Entities with the same components, among those that the format knows.
pub(super) struct Group {
    pub(super) components: Vec<&'static ComponentDescriptor>,
    pub(super) made: Vec<Entity>,
    pub(super) changed: Vec<Entity>,
}

/// Values of some entities.
pub(super) struct Block {
    pub(super) entities: Vec<Found>,
    pub(super) columns: Vec<Column>,
}

/// Values of a component.
pub(super) struct Column {
    pub(super) descriptor: &'static ComponentDescriptor,
    /// The entities of the block that have a value, by index in ascending order; `None` if all have one.
    pub(super) some: Option<Vec<u32>>,
    pub(super) values: NewColumnContents,
}

/// An entity that is alive after the delta.
#[derive(Clone, Copy)]
pub(super) enum Found {
    In(Place),
    /// It is in no group; contains the corresponding entity.
    Known(Entity),
}

/// A group, and the index of an entity in it, new ones first.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) group: u32,
    pub(super) nth: u32,
}

/// The lists of sources of targets.
pub(super) struct Lists {
    pub(super) descriptor: &'static ComponentDescriptor,
    pub(super) lists: Vec<(Entity, Vec<Entity>)>,
}

/// All pairs of some sources.
pub(super) struct Pairs {
    pub(super) descriptor: &'static ComponentDescriptor,
    pub(super) sources: Vec<Entity>,
    pub(super) ends: Vec<[Entity; 2]>,
    pub(super) new: Vec<bool>,
    pub(super) values: NewPairsContents,
}

/// The state of an entity of the other world in a replica.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Standing {
    Unknown,
    /// The corresponding entity is alive.
    Alive(Entity),
    /// The entity has been named, and the corresponding one is not alive.
    Ended(Entity),
}
