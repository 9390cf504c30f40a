//! What can be wrong with an entity id.

use core::fmt;

use super::Entity;
use crate::alloc_error::AllocError;

/// An entity that an operation needs is not alive.
///
/// ```
/// use strata_ecs::entity::EntityError;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let id = world.spawn_empty().id();
/// world.despawn(id);
/// let error = world.get_entity(id).unwrap_err();
/// assert_eq!((error, error.entity()), (EntityError::Despawned(id), id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntityError {
    /// The entity was despawned; its index may have a new tenant.
    Despawned(Entity),
    /// This world never handed out such an id.
    Unknown(Entity),
    /// The id is reserved and has not been flushed yet.
    Reserved(Entity),
    /// An entity with this index is alive already, so it cannot be spawned at.
    Alive(Entity),
}

impl EntityError {
    /// The id that was asked for.
    #[must_use]
    pub const fn entity(&self) -> Entity {
        match *self {
            Self::Despawned(e) | Self::Unknown(e) | Self::Reserved(e) | Self::Alive(e) => e,
        }
    }
}

impl fmt::Display for EntityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Despawned(e) => write!(f, "entity {e} does not exist: it was despawned"),
            Self::Unknown(e) => write!(f, "entity {e} does not exist: this world never handed out such an id"),
            Self::Reserved(e) => write!(f, "entity {e} is reserved but not spawned yet: call `World::flush` first"),
            Self::Alive(e) => write!(f, "entity {e} cannot be spawned: an entity with index {} is alive", e.index()),
        }
    }
}

impl core::error::Error for EntityError {}

/// Every index that an entity can have is in use or retired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntityIdsExhausted;

impl fmt::Display for EntityIdsExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no entity ids are left: every index is in use or retired")
    }
}

impl core::error::Error for EntityIdsExhausted {}

/// There is no room for another entity in the books.
pub(crate) enum ReserveError {
    IdsExhausted,
    OutOfMemory(AllocError),
}
