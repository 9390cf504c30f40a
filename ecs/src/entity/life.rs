//! The origins of spawns and despawns. They are known only with the feature `track_location`.
//!
//! Tests: tests/track_location/origins.rs

use super::Entity;
use crate::util::origin::{Origin, PerIndex};

/// The origins of the last spawn and the last despawn at one index.
#[derive(Debug)]
struct IndexOrigins {
    /// The origin of the last spawn.
    spawned: Origin,
    /// The origin of the last despawn. `generation` is the generation of the despawned entity; 0 if there was no despawn.
    despawned: Origin,
    generation: u32,
}

impl Default for IndexOrigins {
    fn default() -> Self {
        Self { spawned: Origin::UNKNOWN, despawned: Origin::UNKNOWN, generation: 0 }
    }
}

/// The origins of spawns and despawns by index, and the origin of the current operations.
#[derive(Debug, Default)]
pub(super) struct EntityOrigins {
    by: Origin,
    lives: PerIndex<IndexOrigins>,
}

impl EntityOrigins {
    /// Returns the origin of the current operations.
    #[inline]
    pub(super) fn caller(&self) -> Origin {
        self.by
    }

    /// Sets the origin of later operations.
    #[inline]
    pub(super) fn set_caller(&mut self, by: Origin) {
        self.by = by;
    }

    #[inline]
    pub(super) fn note_spawned(&mut self, index: u32) {
        if let Some(life) = self.lives.get_or_grow(index as usize) {
            life.spawned = self.by;
        }
    }

    #[inline]
    pub(super) fn note_despawned(&mut self, entity: Entity) {
        if let Some(life) = self.lives.get_or_grow(entity.index() as usize) {
            (life.despawned, life.generation) = (self.by, entity.generation());
        }
    }

    /// Returns the origin of the last spawn at an index.
    pub(super) fn spawned_by(&self, index: u32) -> Origin {
        self.lives.get(index as usize).map_or(Origin::UNKNOWN, |life| life.spawned)
    }

    /// Returns the origin of the despawn of an entity; unknown if there was a later despawn at its index.
    pub(super) fn despawned_by(&self, entity: Entity) -> Origin {
        let life = self.lives.get(entity.index() as usize).filter(|life| life.generation == entity.generation());
        life.map_or(Origin::UNKNOWN, |life| life.despawned)
    }

    pub(super) fn shrink_to(&mut self, indexes: usize) {
        self.lives.shrink_to(indexes);
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.lives.allocated_bytes()
    }
}
