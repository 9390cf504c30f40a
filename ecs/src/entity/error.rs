//! Errors about entity ids.
//!
//! Tests: ecs/src/entity/allocator/tests.rs, tests/storage/entities.rs

use super::Entity;
use crate::util::alloc_error::AllocError;
use crate::util::origin::{ByOrigin, Origin};

/// The reason why an entity cannot be used by an operation.
///
/// ```
/// use strata_ecs::entity::EntityError;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let id = world.spawn_empty().id();
/// world.despawn(id);
/// let error = world.get_entity(id).unwrap_err();
/// assert_eq!((error, error.entity()), (EntityError::Despawned(id.into()), id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[doc(alias("NoSuchEntity", "EntityValidButNotSpawnedError", "EntityDoesNotExistError"))]
pub enum EntityError {
    /// The entity was despawned. Another entity may have its index now.
    Despawned(Despawned),
    /// This world never handed out this id.
    Unknown(Entity),
    /// The id is reserved and has not been flushed yet.
    Reserved(Entity),
    /// An entity with this index is already alive, so no other entity can be spawned at the index.
    Alive(Entity),
}

impl EntityError {
    /// Returns the id that was passed to the operation.
    #[must_use]
    pub const fn entity(&self) -> Entity {
        match *self {
            Self::Despawned(despawned) => despawned.entity,
            Self::Unknown(e) | Self::Reserved(e) | Self::Alive(e) => e,
        }
    }
}

/// An entity that was despawned, and the origin of the despawn.
///
/// Two values are equal if their entities are equal, regardless of the origin. A value can be created from an id, without an origin.
///
/// ```
/// use strata_ecs::entity::{Despawned, EntityError};
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let id = world.spawn_empty().id();
/// world.despawn(id);
/// match world.get_entity(id) {
///     Err(EntityError::Despawned(despawned)) => {
///         assert_eq!(despawned, Despawned::from(id));
///         println!("{} was despawned at {}", despawned.entity(), despawned.by());
///     }
///     _ => unreachable!(),
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Despawned {
    entity: Entity,
    by: Origin,
}

impl Despawned {
    pub(super) const fn new(entity: Entity, by: Origin) -> Self {
        Self { entity, by }
    }

    /// Returns the entity that was despawned.
    #[must_use]
    pub const fn entity(&self) -> Entity {
        self.entity
    }

    /// Returns the origin of the despawn. It is known only with the feature `track_location`, and only until the next entity with the same
    /// index is despawned.
    #[must_use]
    pub const fn by(&self) -> Origin {
        self.by
    }
}

impl From<Entity> for Despawned {
    fn from(entity: Entity) -> Self {
        Self::new(entity, Origin::UNKNOWN)
    }
}

impl PartialEq for Despawned {
    fn eq(&self, other: &Self) -> bool {
        self.entity == other.entity
    }
}

impl Eq for Despawned {}

impl_debug!([] Despawned => |this, f| write!(f, "{}{}", this.entity, ByOrigin(this.by)));

impl_error! {
    [] EntityError => |this, f| match this {
        Self::Despawned(Despawned { entity, by }) => {
            write!(f, "entity {entity} does not exist: it was despawned{}", ByOrigin(*by))
        }
        Self::Unknown(e) => write!(f, "entity {e} does not exist: this world never handed out such an id"),
        Self::Reserved(e) => write!(f, "entity {e} is reserved but not spawned yet: call `World::flush` first"),
        Self::Alive(e) => write!(f, "entity {e} cannot be spawned: an entity with index {} is alive", e.index()),
    }
}

/// No id is left for another entity: every index is in use, or has had its last generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntityIdsExhausted;

impl_error!([] EntityIdsExhausted => |_this, f| f.write_str("no entity ids are left: every index is in use or retired"));

/// There is no room for another entity in the allocator.
pub(crate) enum ReserveError {
    IdsExhausted,
    OutOfMemory(AllocError),
}
