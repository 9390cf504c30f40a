//! Adding and removing pairs of relations, and keeping them consistent with the live entities.
//!
//! The pairs themselves are in [`relation`](crate::relation). Each entity in a pair has a marker component, so every operation that removes
//! components or despawns entities notices that pairs may end: before the operation, [`Links::unpair`](super::links::Links) notes the
//! entity, and after it [`settle_pairs`] checks the entity and its pairs. A note is only a hint where to check.
//!
//! Tests: tests/relationships/pairs/operations.rs, tests/relationships/pairs/histories.rs

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;

use super::failure::CommandFailure;
use super::lifecycle::{apply_listener_commands, notify_of_pairs};
use super::links::UnpairedEntity;
use super::{Store, StoreEntityMut, Structure};
use crate::component::ComponentId;
use crate::entity::{Entity, EntityHashSet, SparseMask};
use crate::relations::relation::{
    OnTargetDespawn, PairFunctions, PairLink, PairSource, PairTarget, Relation, Relations,
};

/// The source and the target of a pair.
pub(crate) type PairEnds = [Entity; 2];

/// Returns the entities at the other ends of some pairs.
fn others(links: &[PairLink]) -> impl Iterator<Item = Entity> {
    links.iter().filter(|link| link.is_pair()).map(|link| link.other)
}

/// Returns the number of a relation. Registers the relation if necessary.
pub(crate) fn register_relation<R: Relation>(store: &mut Store, functions: &'static PairFunctions<Store>) -> usize {
    if let Some(number) = store.relations.number::<R>() {
        return number;
    }
    let components = [store.register_component::<PairSource<R>>(), store.register_component::<PairTarget<R>>()];
    let infos = &store.structure.archetypes.components;
    let storages = components.map(|id| infos.info(id).map_or(usize::MAX, |info| info.sparse_index()));
    store.relations.register::<R>(components, storages, functions)
}

/// Adds a pair, or gives an existing pair another value. Returns whether the pair exists; if it cannot exist, an error has been reported.
pub(crate) fn relate<R: Relation>(
    store: &mut Store,
    functions: &'static PairFunctions<Store>,
    source: Entity,
    value: R,
    target: Entity,
) -> bool {
    store.flush();
    let number = register_relation::<R>(store, functions);
    settle_noted_pairs(store);
    if let Err(reason) = may_relate::<R>(store, number, source, target) {
        let by = store.structure.entities.caller();
        store.commands.errors.report("relate", type_name::<R>(), reason, by);
        return false;
    }
    let now = store.now();
    let index = store.relations.places[number].pairs.index();
    if let Some(row) = index.find(source, target) {
        let replaced = store.relations.get_mut::<R>(number).map(|pairs| pairs.replace(row, value, now));
        drop(replaced);
        return true;
    }
    let is_observed = (functions.is_observed)(store);
    store.change_links(|store| make_pair(store, number, [source, target], value, is_observed));
    true
}

/// Removes pairs of the relation with this number. Returns how many of them existed.
pub(crate) fn unrelate(store: &mut Store, number: usize, pairs: &[PairEnds]) -> usize {
    settle_noted_pairs(store);
    store.change_links(|store| {
        let count = remove_pairs(store, number, pairs);
        let relations = &store.relations;
        let is_alone = |&[source, target]: &PairEnds| {
            relations.count(number, 0, source) == 0 || relations.count(number, 1, target) == 0
        };
        if count != 0 && pairs.iter().any(is_alone) {
            change_marks(store, number, |store| unmark_all(store, number, pairs));
        } else if count != 0 {
            end_of_pairs(store, number);
        }
        count
    })
}

/// Removes all pairs of which an entity is the source (0) or the target (1).
pub(crate) fn unrelate_all(store: &mut Store, number: usize, end: usize, entity: Entity) {
    settle_noted_pairs(store);
    let pairs = pairs_of(&store.relations, number, end, entity);
    unrelate(store, number, &pairs);
}

/// Returns the pairs of which an entity is the source (0) or the target (1), in their order.
pub(crate) fn pairs_of(relations: &Relations<Store>, number: usize, end: usize, entity: Entity) -> Vec<PairEnds> {
    let ends = |other: Entity| if end == 0 { [entity, other] } else { [other, entity] };
    others(relations.places[number].pairs.index().list(end, entity)).map(ends).collect()
}

/// Notes all entities whose pairs and components disagree, for [`settle_pairs`]. `O(pairs + slots in storages)`.
pub(crate) fn compare_pairs(store: &mut Store) {
    let Store { structure: Structure { sparse, entities, .. }, relations, events, .. } = store;
    for place in &relations.places {
        let index = place.pairs.index();
        for ((end, &component), storage) in place.components.iter().enumerate().zip(place.storages) {
            let storage = &sparse[storage];
            let mut note = |entity: Entity| {
                let has_ended = !entities.contains(entity);
                if has_ended || storage.contains(entity.index()) != (index.count(end, entity) != 0) {
                    events.links.unpaired.push(UnpairedEntity { component, entity, has_ended });
                }
            };
            index.entities(end).for_each(&mut note);
            let marked = core::iter::successors(storage.next_index(0), |&(_, next)| storage.next_index(next));
            marked.filter_map(|(at, _)| Some(entities.at_index(at)?.0)).for_each(&mut note);
        }
    }
}

/// Panics if the pairs and the components of their entities disagree: for tests.
pub(super) fn check_pairs(relations: &Relations<Store>, structure: &Structure) {
    for place in &relations.places {
        let (index, name) = (place.pairs.index(), place.pairs.descriptor().name());
        index.check_invariants(name);
        assert!(!place.pairs.has_pending(), "{name}: what has been removed is dropped");
        for (row, &[source, target]) in index.ends().iter().enumerate() {
            assert!(structure.entities.contains(source), "{name}: the source {source} is alive");
            let is_alive = structure.entities.contains(target);
            assert_eq!(is_alive, index.has_target(row), "{name}: whether the target {target} is alive");
            let is_ignored = place.pairs.on_target_despawn() == OnTargetDespawn::Ignore;
            assert!(is_alive || is_ignored, "{name}: the target {target} is alive");
        }
        for end in 0..2 {
            let storage = &structure.sparse[place.storages[end]];
            assert_eq!(index.entities(end).count(), storage.len(), "{name}: entities with pairs");
            for entity in index.entities(end) {
                assert!(storage.contains(entity.index()), "{name}: the component of {entity}");
            }
        }
    }
}

/// Returns the entities of a pair, each with its end: source (0) or target (1). In a symmetric pair, each entity is both source and target.
fn marked_ends(is_symmetric: bool, [source, target]: PairEnds) -> impl Iterator<Item = (usize, Entity)> {
    let ends = [(0, source), (1, target), (1, source), (0, target)];
    ends.into_iter().take(if is_symmetric { 4 } else { 2 })
}

/// Returns whether no hook, observer, removal reader or recorder watches the marker component of an end of a relation.
#[inline]
fn marks_quietly(store: &Store, number: usize, end: usize) -> bool {
    let place = &store.relations.places[number];
    let heard = store.structure.archetypes.components.observed(place.components[end]);
    let is_watched = store.events.removals.watches(SparseMask::default().with(place.storages[end]));
    heard.of_listeners().is_empty() && !is_watched && !store.events.is_recording()
}

/// Changes which entities have the marker components of a relation, and ends the operation on its pairs. If listeners have to be notified,
/// the changes form one operation. The caller must not rely on anything that it has read from the store before.
#[inline]
fn change_marks(store: &mut Store, number: usize, change: impl FnOnce(&mut Store)) {
    if marks_quietly(store, number, 0) && marks_quietly(store, number, 1) {
        change(store);
        end_of_pairs(store, number);
    } else {
        // With `has_pending` set, the observers of pairs run at the end of the operation, after the observers of the components, even if
        // one of those panics.
        store.events.has_pending |= store.relations.places[number].pairs.has_pending();
        store.batched(change);
    }
}

/// Adds the marker component of an end of a relation to an entity.
#[inline]
fn mark(store: &mut Store, number: usize, end: usize, entity: Entity) {
    let storage = store.relations.places[number].storages[end];
    if store.structure.sparse[storage].contains(entity.index()) {
        return;
    }
    if !marks_quietly(store, number, end) {
        return (store.relations.places[number].functions.mark[end])(store, entity);
    }
    let now = store.now();
    let room = store.structure.sparse[storage].reserve(entity.index());
    let room = room.and_then(|()| store.structure.entities.reserve_summary(entity.index()));
    room.unwrap_or_else(|error| error.raise());
    store.structure.sparse[storage].set_bit(entity, true, now);
    let summary = store.structure.entities.sparse_summary(entity.index()).with(storage);
    store.structure.entities.set_sparse_summary(entity.index(), summary);
}

/// Removes the marker component of an end of a relation from an entity that is in no pairs at that end any more.
#[inline]
fn unmark_if_alone(store: &mut Store, number: usize, end: usize, entity: Entity) {
    if store.relations.count(number, end, entity) != 0 || !store.structure.entities.contains(entity) {
        return;
    }
    let place = &store.relations.places[number];
    let (component, storage) = (place.components[end], place.storages[end]);
    if !store.structure.sparse[storage].contains(entity.index()) {
        return;
    }
    if !marks_quietly(store, number, end) {
        return remove_component(store, entity, component);
    }
    let now = store.now();
    store.structure.sparse[storage].set_bit(entity, false, now);
    let summary = store.structure.entities.sparse_summary(entity.index());
    if let Some(without) = summary.without(storage, store.structure.sparse.len()) {
        store.structure.entities.set_sparse_summary(entity.index(), without);
    }
}

/// Checks the noted entities ([`settle_pairs`]) before pairs are read.
#[inline]
fn settle_noted_pairs(store: &mut Store) {
    if !store.events.links.unpaired.is_empty() {
        // Events are deferred, because the operation in progress delivers them.
        store.defer_events(settle_pairs);
    }
}

/// Adds a pair that does not exist yet and is allowed.
#[inline]
fn make_pair<R: Relation>(store: &mut Store, number: usize, [source, target]: PairEnds, value: R, is_observed: bool) {
    let (index, now) = (store.relations.places[number].pairs.index(), store.now());
    let mut displaced = [None; 2];
    if R::EXCLUSIVE {
        displaced[0] = others(index.list(0, source)).next().map(|other| [source, other]);
        if R::SYMMETRIC {
            displaced[1] = others(index.list(0, target)).next().map(|other| [other, target]);
        }
    }
    let has_displaced = displaced != [None; 2];
    displaced.iter().flatten().for_each(|&ends| _ = remove_pairs(store, number, &[ends]));
    let Some(pairs) = store.relations.get_mut::<R>(number) else { return };
    if is_observed {
        // If the pair no longer exists when events are delivered, its event is dropped.
        pairs.note_made([source, target]);
    }
    if let Err((error, _value)) = pairs.insert([source, target], value, now) {
        error.raise();
    }
    store.events.note_pair([source, target], R::SYMMETRIC);
    // Usually both entities are in other pairs as well, so they already have the components of the relation's ends.
    let has_first = store.relations.count(number, 0, source) == 1 || store.relations.count(number, 1, target) == 1;
    if !has_first && !has_displaced {
        return end_of_pairs(store, number);
    }
    change_marks(store, number, |store| {
        marked_ends(R::SYMMETRIC, [source, target]).for_each(|(end, entity)| mark(store, number, end, entity));
        displaced.iter().flatten().for_each(|&ends| unmark_all(store, number, &[ends]));
    });
}

/// Ends an operation on pairs of a relation: notifies the observers of the changed pairs and applies the commands that they have recorded,
/// unless the operation is part of another one.
#[inline]
fn end_of_pairs(store: &mut Store, number: usize) {
    if !store.relations.places[number].pairs.has_pending() {
        return;
    }
    if store.events.scope_depth == 0 && !store.events.has_pending && !store.events.dispatch.is_running() {
        notify_of_pairs(store, number);
        apply_listener_commands(store);
    } else {
        store.events.has_pending = true;
        store.flush_events();
    }
}

/// Removes the marker components from the entities of removed pairs that are in no other pairs.
fn unmark_all(store: &mut Store, number: usize, pairs: &[PairEnds]) {
    let is_symmetric = store.relations.places[number].pairs.is_symmetric();
    for &ends in pairs {
        marked_ends(is_symmetric, ends).for_each(|(end, entity)| unmark_if_alone(store, number, end, entity));
    }
}

/// Checks that two entities may form a pair.
fn may_relate<R: Relation>(store: &Store, number: usize, source: Entity, target: Entity) -> Result<(), CommandFailure> {
    for entity in [source, target] {
        if !store.structure.entities.contains(entity) {
            return Err(store.structure.entities.why_not(entity).into());
        }
    }
    let refuse = |reason: &str| {
        let reason = format!("{source} and {target} cannot be a pair of `{}`: {reason}", type_name::<R>());
        Err(CommandFailure::Other(Arc::from(reason)))
    };
    if source == target && R::SYMMETRIC {
        return refuse("they are one entity, and the relation is symmetric");
    }
    if R::ACYCLIC && leads_to(store, number, target, source) {
        return refuse("it would close a circle, and the relation is acyclic");
    }
    Ok(())
}

/// Returns whether a chain of pairs leads from one entity to another. `O(pairs reachable from the first)`.
fn leads_to(store: &Store, number: usize, from: Entity, to: Entity) -> bool {
    let index = store.relations.places[number].pairs.index();
    if from == to {
        return true;
    }
    // An entity that is the target of no pair cannot be the end of a chain.
    if index.count(1, to) == 0 {
        return false;
    }
    let (mut waiting, mut seen) = (alloc::vec![from], EntityHashSet::default());
    while let Some(entity) = waiting.pop() {
        for other in others(index.list(0, entity)) {
            if other == to {
                return true;
            }
            if seen.insert(other) {
                waiting.push(other);
            }
        }
    }
    false
}

/// Removes pairs from the index and returns how many of them existed. Their entities keep the marker components, and the values of the
/// pairs are dropped later.
#[inline]
fn remove_pairs(store: &mut Store, number: usize, all: &[PairEnds]) -> usize {
    let Store { relations, events, .. } = store;
    let pairs = &mut relations.places[number].pairs;
    let mut count = 0;
    for &ends in all {
        if pairs.remove(ends[0], ends[1]) {
            events.note_pair(ends, pairs.is_symmetric());
            count += 1;
        }
    }
    count
}

/// Removes pairs, and the marker components from entities that are in no other pairs.
fn remove_and_unmark(store: &mut Store, number: usize, pairs: &[PairEnds]) {
    remove_pairs(store, number, pairs);
    unmark_all(store, number, pairs);
}

/// Checks the noted entities that were in pairs. The notes are kept until all entities have been checked, since a destructor may panic.
pub(crate) fn settle_pairs(store: &mut Store) {
    while !store.events.links.unpaired.is_empty() {
        let mut at = 0;
        while let Some(&noted) = store.events.links.unpaired.get(at) {
            settle(store, noted);
            at += 1;
        }
        store.events.links.unpaired.clear();
    }
}

/// Removes a component of an entity if the entity is alive. The caller (origin) stays as the operation in progress has set it.
pub(crate) fn remove_component(store: &mut Store, entity: Entity, component: ComponentId) {
    if let Ok(mut entity) = StoreEntityMut::find(store, entity) {
        entity.remove_components(&[component]);
    }
}

fn settle(store: &mut Store, UnpairedEntity { component, entity, has_ended }: UnpairedEntity) {
    let is_alive = store.structure.entities.contains(entity);
    let Some((number, end)) = store.relations.end_of(component) else {
        // The relation is not registered in this store: the component was moved from another world, or inserted by a builder.
        return remove_component(store, entity, component);
    };
    let place = &store.relations.places[number];
    if is_alive && store.structure.sparse[place.storages[end]].contains(entity.index()) {
        return unmark_if_alone(store, number, end, entity);
    }
    let policy = if is_alive || !has_ended { OnTargetDespawn::Release } else { place.pairs.on_target_despawn() };
    match policy {
        OnTargetDespawn::Ignore if end == 1 && !place.pairs.is_symmetric() => {
            store.relations.places[number].pairs.forget_target(entity);
        }
        OnTargetDespawn::Cascade if end == 1 => {
            let pairs = pairs_of(&store.relations, number, 1, entity);
            remove_and_unmark(store, number, &pairs);
            let sources = pairs.iter().map(|[source, _]| *source);
            let living: Vec<Entity> = sources.filter(|&source| store.structure.entities.contains(source)).collect();
            store.events.pending.mark_stale();
            store.despawn_these(&living);
        }
        // Both entities of a symmetric pair are targets, so the arm above handles the pairs of a symmetric relation.
        OnTargetDespawn::Cascade if place.pairs.is_symmetric() => {}
        _ => {
            let pairs = pairs_of(&store.relations, number, end, entity);
            remove_and_unmark(store, number, &pairs);
        }
    }
}
