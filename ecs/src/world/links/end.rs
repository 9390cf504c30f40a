//! Despawning an entity with its linked sources.
//!
//! Tests: tests/relationships/hierarchy.rs

use alloc::vec::Vec;

use super::functions::{LinkFunctions, id_of, relation};
use crate::component::ComponentId;
use crate::entity::{Entity, SparseMask};
use crate::structure::store::{LeavingSource, Store};

/// Despawns an entity and the sources that are despawned with it. Returns false, with nothing despawned, in these
/// cases:
///
/// - A hook or observer is notified of the despawn of one of these entities.
/// - One of the entities is in a pair.
/// - The entities list sources by several relationships.
/// - The relationship by which they list sources does not despawn them, or allows links of an entity to itself.
/// - The two sides of the relationship disagree.
///
/// Removals are recorded. Links to targets outside of the tree are removed by `Store::flush_events`.
pub(in crate::world) fn end_linked(store: &mut Store, root: Entity) -> bool {
    store.change_links(|store| end_tree(store, root))
}

fn end_tree(store: &mut Store, root: Entity) -> bool {
    let Some(summary) = store.unobserved_storages(root) else { return false };
    if !summary.meets(store.events.observed.lists) && end_leaf(store, root, summary) {
        return true;
    }
    let mut ending = core::mem::take(&mut store.events.links.ending);
    ending.push(root);
    let ended = collect_all(store, &mut ending).map(|tree| {
        store.structure.entities.reserve_free(ending.len()).unwrap_or_else(|error| error.raise());
        note_parting(store, &ending, tree);
        store.despawn_unobserved(&ending)
    });
    ending.clear();
    store.events.links.ending = ending;
    let Some(panicked) = ended else { return false };
    if store.events.has_pending {
        store.events.defer_panic(panicked);
        store.flush_events();
    } else {
        panicked.go_on();
    }
    true
}

/// Despawns an entity that lists no sources and is linked to exactly one target, if despawning it drops no values.
/// Otherwise returns false, with nothing changed.
#[inline]
fn end_leaf(store: &mut Store, entity: Entity, summary: SparseMask) -> bool {
    let sources = summary.common(store.events.observed.sources);
    let Some(number) = sources.only(store.structure.sparse.len()) else { return false };
    let id = store.structure.archetypes.components.sparse()[number];
    let place = store.events.links.place(id, entity);
    let (Some((target, place)), Some((functions, true))) = (place, relation(store, id)) else { return false };
    let ended = store.despawn_if_trivial(entity);
    if ended {
        store.events.links.forget_targets(id, &[entity]);
        (functions.unlist)(store, id, &[LeavingSource { source: entity, target, place }]);
    }
    ended
}

/// Extends `ending`, which contains the root, by the sources that are despawned with it, level by level. Returns `None`
/// in the cases in which [`end_linked`] returns false. Otherwise returns the source-side component of the relationship
/// that was followed; the inner `None` means that no relationship was followed.
fn collect_all(store: &mut Store, ending: &mut Vec<Entity>) -> Option<Option<ComponentId>> {
    let most = store.structure.entities.len();
    let mut tree: Option<(ComponentId, ComponentId, &LinkFunctions)> = None;
    let mut at = 0;
    let mut quiet = None;
    loop {
        at += store.count_leaves(&ending[at..], quiet);
        let Some(&entity) = ending.get(at) else { break };
        at += 1;
        let lists = store.unobserved_storages_in(entity, &mut quiet)?.common(store.events.observed.lists);
        if lists.is_empty() {
            continue;
        }
        for number in lists.storages(store.structure.sparse.len()) {
            let list = store.structure.archetypes.components.sparse()[number];
            let (source, functions) = match tree {
                Some((of, source, functions)) if of == list => (source, functions),
                _ => {
                    let Some((functions, false)) = relation(store, list) else { continue };
                    if !store.structure.sparse[number].contains(entity.index()) {
                        continue;
                    }
                    if !functions.is_linked || functions.allows_self || tree.is_some() {
                        return None;
                    }
                    let source = id_of(store, functions)?;
                    tree = Some((list, source, functions));
                    (source, functions)
                }
            };
            // The two sides of a link may disagree if a program has swapped components that list sources.
            if !(functions.collect)(store, source, entity, ending) || ending.len() > most {
                return None;
            }
        }
    }
    Some(tree.map(|(_, source, _)| source))
}

/// Forgets the links of the relationship `tree` between entities that are about to be despawned. Notes those of the
/// entities whose targets stay, so that `Store::flush_events` unlinks them.
fn note_parting(store: &mut Store, ending: &[Entity], tree: Option<ComponentId>) {
    let (root, linked) = ending.split_at(ending.len().min(1));
    let all = store.events.observed.sources;
    let others = tree.map_or(all, |tree| all.except(store.structure.storage_of(tree)));
    for (entities, noted) in [(root, all), (linked, others)] {
        if noted.is_empty() {
            continue;
        }
        for &entity in entities {
            let sources = store.structure.entities.sparse_summary(entity.index()).common(noted);
            if sources.is_empty() {
                continue;
            }
            for number in sources.storages(store.structure.sparse.len()) {
                let id = store.structure.archetypes.components.sparse()[number];
                if store.events.links.target(id, entity).is_some() {
                    store.events.links.parting.push((id, entity));
                    store.events.has_pending = true;
                }
            }
        }
    }
    if let Some(tree) = tree {
        store.events.links.forget_targets(tree, linked);
    }
}
