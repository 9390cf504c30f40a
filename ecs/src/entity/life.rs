//! Who made entities, and who ended them. Known with the feature `track_location` only.

use super::Entity;
use crate::origin::{Origin, PerIndex};

/// What is known of an index.
#[derive(Debug)]
struct Life {
    /// Who made the tenant that came last.
    spawned: Origin,
    /// Who ended the tenant that went last, and its generation; 0 if none has.
    despawned: Origin,
    generation: u32,
}

impl Default for Life {
    fn default() -> Self {
        Self { spawned: Origin::UNKNOWN, despawned: Origin::UNKNOWN, generation: 0 }
    }
}

/// Who made entities and who ended them, by index, and who is doing such things now.
#[derive(Debug, Default)]
pub(super) struct Lives {
    by: Origin,
    lives: PerIndex<Life>,
}

impl Lives {
    /// The origin of the operations.
    #[inline]
    pub(super) fn acting(&self) -> Origin {
        self.by
    }

    /// Says who is at work from now on.
    #[inline]
    pub(super) fn act(&mut self, by: Origin) {
        self.by = by;
    }

    #[inline]
    pub(super) fn note_spawned(&mut self, index: u32) {
        if let Some(life) = self.lives.place(index as usize) {
            life.spawned = self.by;
        }
    }

    #[inline]
    pub(super) fn note_despawned(&mut self, entity: Entity) {
        if let Some(life) = self.lives.place(entity.index() as usize) {
            (life.despawned, life.generation) = (self.by, entity.generation());
        }
    }

    /// Who made the tenant of an index that came last.
    pub(super) fn spawned_by(&self, index: u32) -> Origin {
        self.lives.get(index as usize).map_or(Origin::UNKNOWN, |life| life.spawned)
    }

    /// Who ended an entity, if it is the last one that its index has lost.
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
