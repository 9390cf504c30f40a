//! Establishes links in the order of given data: the order of a list, or of changes that are made one after the other.
//!
//! Tests: tests/snapshots/deltas.rs

use alloc::vec::Vec;

use super::functions::{id_of, side_of};
use crate::component::{ComponentDescriptor, ErasedValue};
use crate::entity::{Entity, EntityHashMap, EntityHashSet};
use crate::structure::store::Store;
use crate::structure::store::pairs::remove_component;

/// Reorders the list of a target to match `sources`. Returns false, without changes, if the list does not consist of
/// exactly these sources.
pub(crate) fn arrange_sources(
    store: &mut Store,
    list: &ComponentDescriptor,
    target: Entity,
    sources: &[Entity],
) -> bool {
    let Some((functions, false)) = side_of(list) else { return false };
    // Links of operations whose events are deferred are not in the lists until `relink`.
    store.relink();
    let Some(id) = id_of(store, functions) else { return false };
    let Some(listed) = (functions.sources)(store, id, target) else { return false };
    if listed == sources {
        return true;
    }
    let all: EntityHashSet = listed.iter().copied().collect();
    let wanted: EntityHashSet = sources.iter().copied().collect();
    let are_these =
        listed.len() == sources.len() && wanted.len() == sources.len() && wanted.iter().all(|one| all.contains(one));
    if !are_these {
        return false;
    }
    store.change_links(|store| (functions.list_these)(store, target, sources));
    store.events.links.move_places(id, sources);
    true
}

/// Removes the relationship component from entities that will get another target, if linking the entities one after the
/// other would create a temporary cycle.
pub(crate) fn part_circles(store: &mut Store, links: &[(Entity, &ErasedValue)]) {
    let Some((_, first)) = links.first() else { return };
    let Some((functions, true)) = side_of(first.descriptor()) else { return };
    let Some(id) = id_of(store, functions).filter(|_| functions.is_linked) else { return };
    let named = |value: &ErasedValue| (functions.named_by)(value.values().as_slice())?.first().copied();
    let changing: Vec<(Entity, Entity)> =
        links.iter().filter_map(|(source, value)| Some((*source, named(value)?))).collect();
    // The new targets of the entities visited so far. These targets may be above later entities in the hierarchy.
    let mut above: EntityHashMap<Entity> = EntityHashMap::default();
    let mut is_blocked = false;
    for &(source, target) in &changing {
        let up = |entity: &Entity| {
            let next = above.get(entity).copied().or_else(|| store.events.links.target(id, *entity));
            next.filter(|next| next != entity)
        };
        is_blocked |= source != target
            && core::iter::successors(Some(target), up)
                .take(store.structure.entities.len() + 1)
                .any(|one| one == source);
        above.insert(source, target);
    }
    if is_blocked {
        for (source, target) in changing {
            if store.events.links.target(id, source).is_some_and(|listed| listed != target) {
                remove_component(store, source, id);
            }
        }
    }
}
