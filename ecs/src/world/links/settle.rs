//! Updates links after an operation: both sides of relationships are made to agree, before listeners are notified of
//! the operation.
//!
//! The notes of an operation only contain the entities to visit; the components are authoritative. So an operation that
//! was aborted leaves no wrong links: both sides of all links are then compared, and the differences are noted.
//!
//! Tests: tests/relationships/histories.rs, tests/relationships/panics.rs

use alloc::vec::Vec;

use super::compare::compare;
use super::functions::{LinkFunctions, id_of, relation};
use crate::component::{ComponentId, LifecycleMask};
use crate::entity::{Entity, EntityHashSet};
use crate::structure::store::pairs::remove_component;
use crate::structure::store::{LifecycleEvents, LinkFn, OrphanSource, Store, StoreLinks, settle_pairs};
use crate::util::guard::DeferredPanic;
use crate::world::cast::World;

/// Notes the relationships that are about to end.
pub(in crate::world) fn note_ending(store: &mut Store, events: &LifecycleEvents) {
    store.change_links(|store| note_ends(store, events));
}

fn note_ends(store: &mut Store, events: &LifecycleEvents) {
    let kinds = LifecycleMask::DISCARD.union(LifecycleMask::DESPAWN).of_links();
    for batch in events.batches(kinds) {
        for id in batch.components() {
            let ends = batch.kinds_of(id).intersects(LifecycleMask::DESPAWN.of_links());
            let is_of_pairs = store.structure.archetypes.components.is_of_pairs(id);
            let side = relation(store, id);
            let source_id = match side {
                Some((functions, false)) => id_of(store, functions),
                _ => Some(id),
            };
            for nth in 0..batch.affected.len() {
                let Some(entity) = batch.affected.get(nth, &store.structure.archetypes.tables) else { continue };
                match (side, source_id) {
                    _ if is_of_pairs => store.events.links.unpair(id, entity, ends),
                    (Some((_, true)), _) => store.events.links.parting.push((id, entity)),
                    (Some((functions, false)), Some(source_id)) => {
                        let sources = (functions.sources)(store, source_id, entity).unwrap_or_default();
                        let links = &mut store.events.links;
                        sources.into_iter().for_each(|source| links.orphan(source_id, source, entity, ends));
                    }
                    _ => {}
                }
            }
        }
    }
    store.events.links.unlinked();
}

/// The number of destructors that may panic in one operation. After that, the remaining links wait for the next
/// operation.
const PANICS: usize = 10_000;

/// Makes both sides of relationships agree, after an operation. If a destructor panics, the panic continues when all
/// links are done. This ends, because a destructor that panics has removed its value.
pub(in crate::world) fn relink(store: &mut Store) {
    store.events.pending.resolve_all_rows(&store.structure.archetypes.tables);
    while !store.events.links.refused.is_empty() {
        let panicked = DeferredPanic::catch(|| store.defer_events(drop_refused));
        store.events.defer_panic(panicked);
    }
    for _ in 0..PANICS {
        let panicked = DeferredPanic::catch(|| store.defer_events(|store| store.change_links(settle)));
        store.events.defer_panic(panicked);
        if store.events.links.are_settled() && !store.events.links.may_disagree {
            return;
        }
    }
}

/// Visits the noted entities. Ended links are removed before the first new one is made.
///
/// An entity stays noted until all notes of the same kind have been visited, since a destructor may panic. Visits may
/// add notes.
fn settle(store: &mut Store) {
    // An operation that was aborted by a panic may have left entries.
    store.events.links.leaving.clear();
    loop {
        settle_pairs(store);
        visit_sources(store, |links| &mut links.parting, |functions| functions.unlink);
        let mut at = 0;
        while let Some(&(list, target)) = store.events.links.adopting.get(at) {
            if let Some((functions, _)) = relation(store, list)
                && let Some(id) = id_of(store, functions)
            {
                (functions.adopt)(store, id, target);
            }
            at += 1;
        }
        store.events.links.adopting.clear();
        part_with_orphans(store);
        if !store.events.links.have_parted() {
            continue;
        }
        visit_sources(store, |links| &mut links.coming, |functions| functions.link);
        if !store.events.links.are_settled() {
            continue;
        }
        if !store.events.links.may_disagree {
            return;
        }
        compare(store);
        store.events.links.may_disagree = false;
    }
}

/// Calls a function of the relationship with the noted sources. Consecutive sources of the same relationship are passed
/// as one slice.
fn visit_sources(
    store: &mut Store,
    notes: fn(&mut StoreLinks) -> &mut Vec<(ComponentId, Entity)>,
    function: fn(&LinkFunctions) -> LinkFn<Store>,
) {
    let mut batch = core::mem::take(&mut store.events.links.batch);
    let mut at = 0;
    while let Some(rest @ &[(id, _), ..]) = notes(&mut store.events.links).get(at..) {
        batch.clear();
        batch.extend(rest.iter().take_while(|(of, _)| *of == id).map(|(_, source)| *source));
        at += batch.len();
        if let Some((functions, _)) = relation(store, id) {
            function(functions)(store, id, &batch);
        }
    }
    notes(&mut store.events.links).clear();
    store.events.links.batch = batch;
}

/// Removes the relationship components of links that are not allowed. If a destructor panics, the panic continues when
/// all components are removed.
fn drop_refused(store: &mut Store) {
    let mut panicked = DeferredPanic::default();
    while let Some((id, source)) = store.events.links.refused.pop_front() {
        let Some((functions, _)) = relation(store, id) else { continue };
        let named = (functions.target)(World::from_store(store), source);
        if named.is_some() && named != store.events.links.target(id, source) {
            let release = |store: &mut Store| remove_component(store, source, id);
            panicked = panicked.or(DeferredPanic::catch(|| store.change_links(release)));
        }
    }
    panicked.go_on();
}

/// Visits sources that are no longer in the list of their target. If the target has been despawned and the relationship
/// requires it, they are despawned. Otherwise their relationship component is removed.
fn part_with_orphans(store: &mut Store) {
    let count = store.events.links.orphans.len();
    let mut ending = Vec::new();
    let mut lists: Option<(Entity, ComponentId, EntityHashSet)> = None;
    // All orphans stay noted until the last one is visited, since a destructor may panic.
    for at in 0..count {
        let OrphanSource { relation: id, source, target, has_ended } = store.events.links.orphans[at];
        let Some((functions, _)) = relation(store, id) else { continue };
        let world = World::from_store(store);
        if (functions.target)(world, source) != Some(target) {
            continue;
        }
        let is_alive = store.structure.entities.contains(target);
        if is_alive && lists.as_ref().is_none_or(|(of, by, _)| (*of, *by) != (target, id)) {
            let listed = (functions.listed)(world, target).unwrap_or_default();
            lists = Some((target, id, EntityHashSet::from_iter(listed)));
        }
        if is_alive && lists.as_ref().is_some_and(|(_, _, listed)| listed.contains(&source)) {
            continue;
        }
        store.events.pending.mark_stale();
        if !is_alive && functions.is_linked && has_ended {
            ending.push(source);
            continue;
        }
        if is_alive {
            store.events.links.forget_targets(id, &[source]);
        }
        remove_component(store, source, id);
    }
    if !ending.is_empty() {
        store.despawn_these(&ending);
    }
    store.events.links.orphans.drain(..count);
}
