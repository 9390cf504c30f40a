//! Errors of spawning entities.
//!
//! Tests: tests/memory/promises.rs, tests/hazards/rows.rs

use crate::entity::{Entity, EntityError, EntityIdsExhausted, ReserveError};
use crate::util::alloc_error::AllocError;

/// An entity could not be spawned. The world is unchanged.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::store::SpawnError;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// match world.try_spawn(Health(3)) {
///     Ok(entity) => assert!(entity.contains::<Health>()),
///     Err(SpawnError::OutOfMemory(error)) => eprintln!("{error}"),
///     Err(SpawnError::IdsExhausted(error)) => eprintln!("{error}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpawnError {
    /// Every index is in use or retired.
    IdsExhausted(EntityIdsExhausted),
    /// There is no memory for another row.
    OutOfMemory(AllocError),
}

impl SpawnError {
    #[cold]
    pub(crate) fn raise(self) -> ! {
        match self {
            Self::IdsExhausted(error) => panic!("{error}"),
            Self::OutOfMemory(error) => error.raise(),
        }
    }
}

impl SpawnError {
    /// Returns the allocation error. The error belongs to a change of an entity that already has an id.
    pub(super) fn into_alloc_error(self) -> AllocError {
        match self {
            Self::OutOfMemory(error) => error,
            Self::IdsExhausted(_) => unreachable!("an entity that has an id needs no other one"),
        }
    }
}

impl From<ReserveError> for SpawnError {
    fn from(error: ReserveError) -> Self {
        match error {
            ReserveError::IdsExhausted => Self::IdsExhausted(EntityIdsExhausted),
            ReserveError::OutOfMemory(error) => Self::OutOfMemory(error),
        }
    }
}

impl_error! {
    [] SpawnError => |this, f| match this {
        Self::IdsExhausted(error) => error.fmt(f),
        Self::OutOfMemory(error) => error.fmt(f),
    },
    IdsExhausted(EntityIdsExhausted), OutOfMemory(AllocError)
}

/// An entity could not be spawned with the requested id. The world is unchanged.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::{entity::EntityError, store::SpawnAtError};
///
/// let mut world = World::new();
/// let id = world.spawn_empty().id();
/// let error = world.spawn_at(id, ()).unwrap_err();
/// assert_eq!(error, SpawnAtError::Entity(EntityError::Alive(id)));
/// let far = Entity::from_raw_u32(1 << 30).unwrap();
/// assert_eq!(world.spawn_at(far, ()).unwrap_err(), SpawnAtError::TooFar(far));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpawnAtError {
    /// The id cannot be used.
    Entity(EntityError),
    /// The index is so far beyond all others that the entity slots for the gap would take too much memory.
    TooFar(Entity),
    /// There is no memory for another row.
    OutOfMemory(AllocError),
}

impl_error! {
    [] SpawnAtError => |this, f| match this {
        Self::Entity(error) => error.fmt(f),
        Self::TooFar(entity) => write!(
            f,
            "entity {entity} cannot be spawned: its index is more than {MAX_GAP} beyond the highest one in use"
        ),
        Self::OutOfMemory(error) => error.fmt(f),
    }
}

/// The maximum number of unused indexes that `spawn_at` leaves below a new one: 16 MiB of entity slots.
pub(super) const MAX_GAP: usize = 1 << 20;
