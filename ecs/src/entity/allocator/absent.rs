//! Why an id is that of no live entity.

use super::{Entities, TableId};
use crate::entity::Entity;
use crate::entity::error::{Despawned, EntityError};

impl Entities {
    /// Why an entity is not alive.
    #[cold]
    #[must_use]
    pub fn why_not(&self, entity: Entity) -> EntityError {
        match self.slots.get(entity.index() as usize) {
            Some(slot) if slot.generation == entity.generation() && slot.table == TableId::PENDING => {
                EntityError::Reserved(entity)
            }
            Some(slot) if slot.generation == 0 || entity.generation() < slot.generation => self.despawned(entity),
            Some(slot) if self.is_reserved(entity, slot.generation) => EntityError::Reserved(entity),
            None if self.is_reserved(entity, self.first_generation.get()) => EntityError::Reserved(entity),
            None if self.was_given_back(entity) => self.despawned(entity),
            _ => EntityError::Unknown(entity),
        }
    }

    /// That an entity was despawned.
    pub(in crate::entity) fn despawned(&self, entity: Entity) -> EntityError {
        EntityError::Despawned(Despawned::new(entity, self.lives.despawned_by(entity)))
    }

    /// Whether an id whose index has no slot may have been alive once.
    pub(super) fn was_given_back(&self, entity: Entity) -> bool {
        let is_old = entity.generation() < self.first_generation.get() || self.retired.contains(entity.index());
        entity.index() < self.limit && is_old
    }
}
