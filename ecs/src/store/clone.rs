//! Copies of entities.

use alloc::vec::Vec;
use core::fmt;

use super::{EntityBuilder, Store};
use crate::component::{ComponentId, ComponentInfo, ErasedVec};
use crate::entity::{Entity, EntityError};
use crate::graph::ChangeStep;

/// An entity could not be cloned. Nothing was spawned.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::store::CloneError;
///
/// #[derive(Component, Clone)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Connection;
///
/// let mut world = World::new();
/// let entity = world.spawn((Health(3), Connection)).id();
/// match world.clone_entity(entity) {
///     Err(CloneError::NotClone { components, .. }) => assert!(components[0].ends_with("Connection")),
///     _ => unreachable!(),
/// }
/// assert_eq!(world.len(), 1);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CloneError {
    /// The entity is not alive.
    Entity(EntityError),
    /// Some of its components cannot be cloned.
    NotClone {
        /// The entity.
        entity: Entity,
        /// The full type names of all components that cannot be cloned: those in tables in the order in which the world met
        /// them, and then the sparse ones.
        components: Vec<&'static str>,
    },
}

impl fmt::Display for CloneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entity(error) => error.fmt(f),
            Self::NotClone { entity, components } => {
                write!(f, "entity {entity} cannot be cloned, since these of its components cannot: ")?;
                for (at, component) in components.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}`{component}`")?;
                }
                Ok(())
            }
        }
    }
}

impl core::error::Error for CloneError {}

impl From<EntityError> for CloneError {
    fn from(error: EntityError) -> Self {
        Self::Entity(error)
    }
}

impl Store {
    /// Clones all components of an entity into a builder.
    pub(crate) fn clone_components(&self, entity: Entity) -> Result<EntityBuilder, CloneError> {
        let location = self.entities.locate(entity)?;
        let info = |&id: &ComponentId| self.archetypes.components.info(id);
        let summary = self.entities.sparse_summary(entity.index());
        let sparse = summary.storages(self.sparse.len()).filter_map(|number| {
            let value = self.sparse[number].get(entity.index())?;
            Some((info(self.archetypes.components.sparse().get(number)?)?, value))
        });
        let in_table = self.archetypes.tables.get(location.table).into_iter().flat_map(|table| {
            // SAFETY: the row of a live entity is within the columns of its table.
            let value = move |at| unsafe { table.column(at).get(location.row as usize) };
            table.components().iter().enumerate().filter_map(move |(at, id)| Some((info(id)?, value(at))))
        });
        let all: Vec<(&ComponentInfo, _)> = in_table.chain(sparse).collect();
        let refused = all.iter().filter(|(info, _)| !info.can_clone());
        let components: Vec<&'static str> = refused.map(|(info, _)| info.name()).collect();
        if !components.is_empty() {
            return Err(CloneError::NotClone { entity, components });
        }
        let mut parts = Vec::with_capacity(all.len());
        for (info, value) in all {
            // SAFETY: the address holds the entity's value of this component; the store is borrowed, so it does not change.
            parts.extend(unsafe { ErasedVec::clone_of(info.descriptor(), value) });
        }
        Ok(EntityBuilder { parts })
    }

    /// Makes an entity of clones of all components of another one.
    pub(crate) fn clone_entity(&mut self, entity: Entity) -> Result<Entity, CloneError> {
        self.flush();
        let mut clones = self.clone_components(entity)?;
        // What the other one lacks the clone lacks, even if one of its components requires it.
        Ok(self.spawn_values(&mut clones, ChangeStep::InsertExactly))
    }
}
