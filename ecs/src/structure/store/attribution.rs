//! The callers (origins) of the components that a sequence of commands adds to an entity.
//!
//! Tests: tests/track_location/origins.rs

use alloc::vec::Vec;

use super::Store;
use crate::component::{ComponentId, StorageType};
use crate::entity::Entity;
use crate::structure::queue::{StepKind, StepPattern};
use crate::util::origin::Origin;

/// Returns the origin of each component that an entity is about to get from steps with different origins. If a component occurs twice, its
/// last origin comes last.
pub(super) fn attributions(
    store: &mut Store,
    entity: Entity,
    pattern: &StepPattern<Store>,
) -> Vec<(ComponentId, Origin)> {
    // An origin of `None` means that the component is removed.
    let mut attributions: Vec<(ComponentId, Option<Origin>)> = Vec::new();
    // The components in the bundles of `retain` steps.
    let mut kept = Vec::new();
    for (step, by) in pattern.steps().zip(pattern.origins()) {
        let number = (step.register)(store);
        let contents = store.structure.archetypes.contents(number);
        if step.kind == StepKind::Retain {
            kept.push(number);
            let gone = attributions.iter_mut().filter(|(id, _)| !contents.keeps(*id));
            gone.for_each(|(_, by)| *by = None);
            continue;
        }
        if step.kind == StepKind::Remove {
            attributions.extend(contents.explicit.iter().map(|&id| (id, None)));
            continue;
        }
        let is_there = |attributions: &[(ComponentId, Option<Origin>)], id| {
            let earlier = attributions.iter().rev().find(|(other, _)| *other == id);
            let stays = || kept.iter().all(|number| store.structure.archetypes.contents(*number).keeps(id));
            earlier.map_or_else(|| store.structure.has(entity, id) && stays(), |(_, by)| by.is_some())
        };
        let mut written = contents.explicit.to_vec();
        if step.kind == StepKind::InsertIfNew {
            written.retain(|&id| !is_there(&attributions, id));
        }
        attributions.extend(written.iter().map(|&id| (id, Some(by))));
        for required in &store.structure.archetypes.components.required_by(&written) {
            if !is_there(&attributions, required.id) {
                attributions.push((required.id, Some(by)));
            }
        }
    }
    attributions.into_iter().filter_map(|(id, by)| Some((id, by?))).collect()
}

/// Sets the origins of an entity's components.
pub(super) fn attribute(store: &mut Store, entity: Entity, attributions: &[(ComponentId, Origin)]) {
    let Some(location) = store.structure.entities.get(entity) else { return };
    for &(id, by) in attributions {
        let Some(info) = store.structure.archetypes.components.info(id) else { continue };
        let place = if info.storage() == StorageType::Sparse {
            let storage =
                store.structure.sparse.get(info.sparse_index()).filter(|storage| storage.contains(entity.index()));
            storage.and_then(|storage| Some((storage.column(), storage.tick_row(entity.index())?)))
        } else {
            let table = store.structure.archetypes.tables.get(location.table);
            table.and_then(|table| Some((table.column(table.column_index(id)?), location.row as usize)))
        };
        if let Some((column, row)) = place
            && let Some(tracking) = column.tracking()
        {
            tracking.set_changed_by(row, by);
        }
    }
}
