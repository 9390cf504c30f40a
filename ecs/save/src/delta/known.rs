//! The types of a format in the world of a replica.
//!
//! Tests: tests/snapshots/deltas.rs

use std::collections::{HashMap, HashSet};

use strata_ecs::component::{ComponentDescriptor, ComponentId, ComponentIdentity, StorageType};
use strata_ecs::prelude::World;
use strata_ecs::snapshot::StorageContents;

use super::error::ApplyError;
use crate::format::WorldFormat;

/// The types of a format, in a world.
#[derive(Default)]
pub(super) struct Known {
    pub(super) ids: HashMap<ComponentIdentity, ComponentId>,
    /// The components that are removed from an entity that does not have them in the other world. Lists of sources are excluded, because
    /// they follow from the relationships of the sources.
    pub(super) removable: HashSet<ComponentId>,
    /// Whether all removable components are stored in tables.
    pub(super) are_in_tables: bool,
    /// The source-side components of relationships: each contains a target.
    pub(super) relationships: HashSet<ComponentId>,
    /// The relations, each with whether it is symmetric.
    pub(super) relations: Vec<(&'static ComponentDescriptor, bool)>,
}

impl Known {
    pub(super) fn id(&self, component: &ComponentDescriptor) -> ComponentId {
        self.ids[&component.identity()]
    }

    /// Returns whether many values of a component can be inserted at once.
    pub(super) fn comes_together(&self, component: &ComponentDescriptor) -> bool {
        component.storage() == Some(StorageType::Table) && !self.relationships.contains(&self.id(component))
    }
}

/// Registers the components of a format in a world.
pub(super) fn registered(format: &WorldFormat, world: &mut World) -> Result<Known, ApplyError> {
    let mut known = Known { are_in_tables: true, ..Known::default() };
    let all: HashSet<ComponentIdentity> = format.components.iter().map(|ty| ty.descriptor.identity()).collect();
    for descriptor in format.components.iter().map(|ty| ty.descriptor) {
        let id = world.register_component_with_descriptor(descriptor);
        let id = id.map_err(|error| ApplyError::Register(error.to_string()))?;
        known.ids.insert(descriptor.identity(), id);
        let other = StorageContents::other_side_of(descriptor);
        let has_both_sides = other.is_none_or(|other| all.contains(&other.identity()));
        if format.saves(descriptor) && has_both_sides && !StorageContents::lists_sources(descriptor) {
            known.removable.insert(id);
            known.are_in_tables &= descriptor.storage() == Some(StorageType::Table);
            if other.is_some() {
                known.relationships.insert(id);
            }
        }
    }
    let saved = format.relations.iter().filter(|ty| format.saves(ty.descriptor));
    known.relations.extend(saved.map(|ty| (ty.descriptor, ty.is_symmetric)));
    Ok(known)
}
