//! The parts of a world that are compared, in an order that does not depend on the order in which components were
//! registered.
//!
//! Tests: tests/snapshots/checksums.rs

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::state_options::{NotCompared, StateError, StateOptions};
use crate::component::{ComponentDescriptor, ComponentId, ErasedRef};
use crate::storage::resource::ResourceValue;
use crate::structure::store::Store;
use crate::world::keeps_systems;

/// Returns the name that identifies a component, a resource or a relation in every process.
pub(super) fn name_of(descriptor: &ComponentDescriptor) -> String {
    match descriptor.stable_name() {
        Some(name) => name.to_string(),
        None => descriptor.name().to_string(),
    }
}

/// The components of a store, ordered by name.
pub(super) struct ComponentNames {
    /// The components with their names, sorted by name.
    pub(super) sorted: Vec<(String, ComponentId)>,
    /// For each component id: the index in `sorted`.
    places: Vec<usize>,
}

impl ComponentNames {
    pub(super) fn of(store: &Store) -> Self {
        let components = store.structure.archetypes.components.iter();
        let mut sorted: Vec<_> = components.map(|info| (name_of(info.descriptor()), info.id())).collect();
        sorted.sort_unstable();
        let mut places = Vec::from_iter(0..sorted.len());
        sorted.iter().enumerate().for_each(|(place, (_, id))| places[id.index()] = place);
        Self { sorted, places }
    }

    /// Sorts components by name.
    pub(super) fn sort<'a>(
        &'a self,
        ids: &[ComponentId],
    ) -> impl ExactSizeIterator<Item = &'a (String, ComponentId)> + 'a {
        let mut places: Vec<usize> = ids.iter().map(|id| self.places[id.index()]).collect();
        places.sort_unstable();
        places.into_iter().map(|place| &self.sorted[place])
    }
}

/// Collects everything that cannot be compared. If `use_eq` is set, values may also be compared by `PartialEq`, not
/// only by hashes.
pub(super) fn check<'a>(
    stores: impl IntoIterator<Item = &'a Store>,
    options: &StateOptions,
    use_eq: bool,
) -> Result<(), StateError> {
    let mut what = Vec::new();
    for store in stores {
        let components = &store.structure.archetypes.components;
        let tables = store.structure.archetypes.tables.iter().filter(|table| !table.is_empty());
        let storages = store.structure.sparse.iter().zip(components.sparse()).filter(|(storage, _)| storage.len() != 0);
        let ids = tables.flat_map(|table| table.components()).chain(storages.map(|(_, id)| id));
        let infos = ids.filter_map(|id| components.info(*id)).map(|info| info.descriptor());
        let knows = |descriptor: &&ComponentDescriptor| options.way(descriptor, use_eq).is_some();
        let mut names: Vec<_> =
            infos.filter(|info| !knows(info)).map(|info| NotCompared::Component(info.name())).collect();
        let relations = store.relations.places.iter().filter(|place| place.pairs.index().len() != 0);
        let unknown = relations.filter(|place| !knows(&place.pairs.descriptor()));
        names.extend(unknown.map(|place| NotCompared::Relation(place.pairs.descriptor().name())));
        names.extend(resources(store).filter_map(|(descriptor, value)| match value {
            ResourceValue::OnThread(name) if !options.without_unknown => Some(NotCompared::NonSend(name)),
            ResourceValue::Some(_) if !knows(&descriptor) => Some(NotCompared::Resource(descriptor.name())),
            _ => None,
        }));
        names.into_iter().for_each(|name| {
            if !what.contains(&name) {
                what.push(name);
            }
        });
    }
    if what.is_empty() { Ok(()) } else { Err(StateError { what }) }
}

/// Returns the resources of a store, except those that contain systems.
fn resources(store: &Store) -> impl Iterator<Item = (&'static ComponentDescriptor, ResourceValue<'_>)> {
    store.resources.values().filter(|(descriptor, _)| !keeps_systems(descriptor))
}

/// Returns the existing resources, except non-send ones.
pub(super) fn resource_values(store: &Store) -> impl Iterator<Item = ErasedRef<'_>> {
    resources(store).filter_map(|(_, value)| match value {
        ResourceValue::Some(value) => Some(value),
        _ => None,
    })
}
