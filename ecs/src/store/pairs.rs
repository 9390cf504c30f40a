//! Making and removing pairs of relations, and keeping them equal to the entities that there are.
//!
//! The pairs themselves are in [`relation`](crate::relation). An entity that is in pairs has a component for that, so that whatever takes
//! its components away, or ends it, is told of it: before an operation that does, [`Links::unpair`](super::links::Links) notes the entity,
//! and behind it [`settle_pairs`] looks at what has become of it. What is noted says only where to look.

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;

use super::failure::CommandFailure;
use super::lifecycle::apply_recorded;
use super::links::Unpaired;
use super::{CloneError, EntityAt, Store, Structure};
use crate::component::{ComponentDescriptor, ComponentId};
use crate::entity::{Entity, EntityHashMap, EntityHashSet, EntityMapper, SparseSummary};
use crate::guard::Waiting;
use crate::relation::{Link, OnTargetDespawn, PairClones, PairFunctions, PairSource, PairTarget, Relation};

/// The source and the target of a pair.
type Ends = [Entity; 2];

/// The entities at the other ends of some pairs.
fn others(links: &[Link]) -> impl Iterator<Item = Entity> {
    links.iter().filter(|link| link.is_pair()).map(|link| link.other)
}

impl Store {
    /// The number of a relation, which is registered now if need be.
    pub(crate) fn register_relation<R: Relation>(&mut self, functions: &'static PairFunctions<Self>) -> usize {
        if let Some(number) = self.relations.number::<R>() {
            return number;
        }
        let components = [self.register_component::<PairSource<R>>(), self.register_component::<PairTarget<R>>()];
        let infos = &self.structure.archetypes.components;
        let storages = components.map(|id| infos.info(id).map_or(usize::MAX, |info| info.sparse_index()));
        self.relations.register::<R>(components, storages, functions)
    }

    /// Makes a pair, or gives one that is there another value. Says whether there is one; if there cannot be, it has been reported.
    pub(crate) fn relate<R: Relation>(
        &mut self,
        functions: &'static PairFunctions<Self>,
        source: Entity,
        value: R,
        target: Entity,
    ) -> bool {
        self.flush();
        let number = self.register_relation::<R>(functions);
        settle_noted_pairs(self);
        if let Err(reason) = may_relate::<R>(self, number, source, target) {
            let by = self.structure.entities.acting();
            self.commands.errors.report("relate", type_name::<R>(), reason, by);
            return false;
        }
        let now = self.now();
        let index = self.relations.places[number].pairs.index();
        if let Some(row) = index.find(source, target) {
            let replaced = self.relations.get_mut::<R>(number).map(|pairs| pairs.replace(row, value, now));
            drop(replaced);
            return true;
        }
        let is_told = (functions.is_told)(self);
        self.change_links(|store| make_pair(store, number, [source, target], value, is_told));
        true
    }

    /// Tells what has become of pairs, of all relations.
    #[inline]
    pub(super) fn tell_of_all_pairs(&mut self) {
        if self.relations.have_news() {
            // A panic waits until all values are dropped: one while another one unwinds would end the program.
            let mut panicked = Waiting::default();
            for number in 0..self.relations.places.len() {
                panicked = panicked.or(Waiting::catch(|| tell_of_pairs(self, number)));
            }
            panicked.go_on();
        }
    }

    /// Removes a pair. Says whether it was there.
    pub(crate) fn unrelate<R: Relation>(&mut self, source: Entity, target: Entity) -> bool {
        self.relations.number::<R>().is_some_and(|number| self.unrelate_at(number, [source, target]))
    }

    /// Removes a pair of the relation with this number. Says whether it was there.
    pub(crate) fn unrelate_at(&mut self, number: usize, [source, target]: Ends) -> bool {
        settle_noted_pairs(self);
        self.change_links(|store| {
            let is_there = remove_pair(store, number, [source, target]);
            if is_there {
                let count = |end, entity| store.relations.count(number, end, entity);
                if count(0, source) == 0 || count(1, target) == 0 {
                    change_marks(store, number, |store| unmark_both(store, number, source, target));
                } else {
                    end_of_pairs(store, number);
                }
            }
            is_there
        })
    }

    /// The number of a relation of which something is known, if the store has met it.
    pub(crate) fn relation_of(&self, relation: &ComponentDescriptor) -> Option<usize> {
        self.relations.places.iter().position(|place| place.pairs.descriptor().identity() == relation.identity())
    }

    /// The entities at the other ends of the pairs of a source.
    pub(crate) fn targets_at(&self, number: usize, source: Entity) -> Vec<Entity> {
        others(self.relations.places[number].pairs.index().list(0, source)).collect()
    }

    /// Removes all pairs of which an entity is the source (0) or the target (1).
    pub(crate) fn unrelate_all<R: Relation>(&mut self, end: usize, entity: Entity) {
        let Some(number) = self.relations.number::<R>() else { return };
        settle_noted_pairs(self);
        self.change_links(|store| change_marks(store, number, |store| remove_pairs_of(store, number, end, entity)));
    }

    /// [`clone_pairs`](clone_pairs) of those of which a function says so that looks at the store.
    pub(crate) fn clone_meant_pairs(
        &mut self,
        source: Entity,
        is_meant: impl Fn(&Self, ComponentId) -> bool,
        is_cloned: &dyn Fn(Entity) -> bool,
    ) -> Result<ClonedPairs, CloneError> {
        let meant: Vec<ComponentId> = pair_sources(self).filter(|&id| is_meant(self, id)).collect();
        clone_pairs(self, source, |id| meant.contains(&id), is_cloned)
    }

    /// Makes an entity the source of pairs that have been cloned.
    pub(crate) fn relate_clones(&mut self, source: Entity, cloned: ClonedPairs) {
        for (number, clones) in cloned.0 {
            (self.relations.places[number].functions.relate_clones)(self, source, clones);
        }
    }

    /// Takes the pairs of entities that have moved to another store, of which these are the old and the new ids, along with them: as far
    /// as both have moved. The others are removed when the operation ends.
    pub(super) fn move_pairs(&mut self, to: &mut Self, ids: &[(Entity, Entity)]) {
        if self.relations.places.iter().all(|place| place.pairs.index().len() == 0) {
            return;
        }
        let new = EntityHashMap::from_iter(ids.iter().copied());
        let now = to.now();
        for place in &mut self.relations.places {
            let index = place.pairs.index();
            let of_entity = |&(source, new_source): &(Entity, Entity)| {
                let new = &new;
                let moved = move |target: Entity| Some([source, target, new_source, *new.get(&target)?]);
                others(index.list(0, source)).filter_map(moved)
            };
            let rows: Vec<[Entity; 4]> = ids.iter().flat_map(of_entity).collect();
            let number = (place.functions.register)(to);
            let there = &mut to.relations.places[number];
            place.pairs.move_to(&mut *there.pairs, &rows, now);
            // Those of whose pairs none has come have the component all the same.
            for (&component, &storage) in there.components.iter().zip(&there.storages) {
                let has_come = ids.iter().filter(|(_, new)| to.structure.sparse[storage].contains(new.index()));
                has_come.for_each(|&(_, new)| to.events.links.unpair(component, new, false));
            }
            to.events.has_pending = true;
        }
    }

    /// Notes all entities whose pairs and components do not agree, for [`settle_pairs`]. `O(pairs, and places in storages)`
    pub(crate) fn compare_pairs(&mut self) {
        let Self { structure: Structure { sparse, entities, .. }, relations, events, .. } = self;
        for place in &relations.places {
            let index = place.pairs.index();
            for ((end, &component), storage) in place.components.iter().enumerate().zip(place.storages) {
                let storage = &sparse[storage];
                let mut note = |entity: Entity| {
                    let has_ended = !entities.contains(entity);
                    if has_ended || storage.contains(entity.index()) != (index.count(end, entity) != 0) {
                        events.links.unpaired.push(Unpaired { component, entity, has_ended });
                    }
                };
                index.entities(end).for_each(&mut note);
                let marked = core::iter::successors(storage.next_index(0), |&(_, next)| storage.next_index(next));
                marked.filter_map(|(at, _)| Some(entities.at_index(at)?.0)).for_each(&mut note);
            }
        }
    }

    /// Whether the pairs and the components of their entities agree.
    pub(super) fn check_pairs(&self) {
        for place in &self.relations.places {
            let (index, name) = (place.pairs.index(), place.pairs.name());
            index.check_invariants(name);
            assert!(!place.pairs.has_pending(), "{name}: what has been removed is dropped");
            for (row, &[source, target]) in index.ends().iter().enumerate() {
                assert!(self.structure.entities.contains(source), "{name}: the source {source} is alive");
                let is_alive = self.structure.entities.contains(target);
                assert_eq!(is_alive, index.has_target(row), "{name}: whether the target {target} is alive");
                let is_ignored = place.pairs.on_target_despawn() == OnTargetDespawn::Ignore;
                assert!(is_alive || is_ignored, "{name}: the target {target} is alive");
            }
            for end in 0..2 {
                let storage = &self.structure.sparse[place.storages[end]];
                assert_eq!(index.entities(end).count(), storage.len(), "{name}: entities with pairs");
                for entity in index.entities(end) {
                    assert!(storage.contains(entity.index()), "{name}: the component of {entity}");
                }
            }
        }
    }
}

/// Whether nothing but the pairs themselves has to do with the component of an end of a relation.
#[inline]
fn marks_quietly(store: &Store, number: usize, end: usize) -> bool {
    let place = &store.relations.places[number];
    let heard = store.structure.archetypes.components.observed(place.components[end]);
    let is_watched = store.events.removals.watches(SparseSummary::default().with(place.storages[end]));
    heard.of_listeners().is_empty() && !is_watched && !store.events.is_recording()
}

/// The end of an operation on pairs of a relation that changes which entities have its components: as one operation, if something is
/// told of them. Nothing is known of the store afterwards.
#[inline]
fn change_marks(store: &mut Store, number: usize, change: impl FnOnce(&mut Store)) {
    if marks_quietly(store, number, 0) && marks_quietly(store, number, 1) {
        change(store);
        end_of_pairs(store, number);
    } else {
        // The observers of pairs are run at the end of the operation, after those of the components; also if one of these panics.
        store.events.has_pending |= store.relations.places[number].pairs.has_pending();
        store.batched(change);
    }
}

/// Gives an entity the component of an end of a relation.
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

/// Takes the component of an end of a relation from an entity that is in no pairs there any more.
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
        if let Ok(mut entity) = EntityAt::find(store, entity) {
            entity.remove_components(&[component]);
        }
        return;
    }
    let now = store.now();
    store.structure.sparse[storage].set_bit(entity, false, now);
    let summary = store.structure.entities.sparse_summary(entity.index());
    if let Some(without) = summary.without(storage, store.structure.sparse.len()) {
        store.structure.entities.set_sparse_summary(entity.index(), without);
    }
}

/// Makes what is noted of pairs true, before pairs are looked for.
#[inline]
fn settle_noted_pairs(store: &mut Store) {
    if !store.events.links.unpaired.is_empty() {
        // What is told of it comes with the operation that goes on.
        store.defer_events(settle_pairs);
    }
}

/// Makes a pair that is not there, and that there can be.
#[inline]
fn make_pair<R: Relation>(store: &mut Store, number: usize, [source, target]: Ends, value: R, is_told: bool) {
    let (index, now) = (store.relations.places[number].pairs.index(), store.now());
    let mut displaced = [None; 2];
    if R::EXCLUSIVE {
        displaced[0] = others(index.list(0, source)).next().map(|other| [source, other]);
        if R::SYMMETRIC {
            displaced[1] = others(index.list(0, target)).next().map(|other| [other, target]);
        }
    }
    let has_displaced = displaced != [None; 2];
    displaced.into_iter().flatten().for_each(|ends| _ = remove_pair(store, number, ends));
    let Some(pairs) = store.relations.get_mut::<R>(number) else { return };
    if is_told {
        // Nothing is told if the pair is not there then.
        pairs.note_made([source, target]);
    }
    if let Err((error, _value)) = pairs.insert([source, target], value, now) {
        error.raise();
    }
    store.events.note_pair([source, target], R::SYMMETRIC);
    // Mostly both are in other pairs as well.
    let has_first = store.relations.count(number, 0, source) == 1 || store.relations.count(number, 1, target) == 1;
    if !has_first && !has_displaced {
        return end_of_pairs(store, number);
    }
    let marks = |store: &mut Store| {
        mark(store, number, 0, source);
        mark(store, number, 1, target);
        if R::SYMMETRIC {
            mark(store, number, 1, source);
            mark(store, number, 0, target);
        }
        if has_displaced {
            unmark_displaced(store, number, displaced);
        }
    };
    change_marks(store, number, marks);
}

/// The end of an operation on pairs of a relation: runs the observers of what has become of them, and applies what these have recorded,
/// unless the operation is part of another one.
#[inline]
fn end_of_pairs(store: &mut Store, number: usize) {
    if !store.relations.places[number].pairs.has_pending() {
        return;
    }
    if store.events.held == 0 && !store.events.has_pending && !store.events.dispatch.is_running() {
        tell_of_pairs(store, number);
        apply_recorded(store);
    } else {
        store.events.has_pending = true;
        store.flush_events();
    }
}

/// Runs the observers of what has become of pairs of a relation. What they record waits.
#[inline]
fn tell_of_pairs(store: &mut Store, number: usize) {
    let place = &store.relations.places[number];
    if place.pairs.has_pending() {
        (place.functions.tell)(store);
    }
}

#[cold]
fn unmark_displaced(store: &mut Store, number: usize, displaced: [Option<Ends>; 2]) {
    for [source, target] in displaced.into_iter().flatten() {
        unmark_both(store, number, source, target);
    }
}

/// Takes the components of pairs from two entities as far as they are in none.
fn unmark_both(store: &mut Store, number: usize, source: Entity, target: Entity) {
    unmark_if_alone(store, number, 0, source);
    unmark_if_alone(store, number, 1, target);
    if store.relations.places[number].pairs.is_symmetric() {
        unmark_if_alone(store, number, 1, source);
        unmark_if_alone(store, number, 0, target);
    }
}

/// Why two entities cannot be a pair.
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

/// Whether pairs lead from an entity to another one. `O(pairs that lead on)`.
fn leads_to(store: &Store, number: usize, from: Entity, to: Entity) -> bool {
    let index = store.relations.places[number].pairs.index();
    if from == to {
        return true;
    }
    // An entity to which nothing leads cannot be the end of a chain.
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

/// Removes a pair, if it is there, from the books alone: its entities keep the components, and its value waits to be dropped.
fn remove_pair(store: &mut Store, number: usize, [source, target]: Ends) -> bool {
    let pairs = &mut store.relations.places[number].pairs;
    let was_there = pairs.remove(source, target);
    if was_there {
        store.events.note_pair([source, target], pairs.is_symmetric());
    }
    was_there
}

/// Removes all pairs of which an entity is the source (0) or the target (1), in their order. Their values wait to be dropped.
fn remove_pairs_of(store: &mut Store, number: usize, end: usize, entity: Entity) {
    let others: Vec<Entity> = others(store.relations.places[number].pairs.index().list(end, entity)).collect();
    let ends = |other: Entity| if end == 0 { [entity, other] } else { [other, entity] };
    others.iter().for_each(|&other| _ = remove_pair(store, number, ends(other)));
    for &other in &others {
        let [source, target] = ends(other);
        unmark_both(store, number, source, target);
    }
}

/// Clones the pairs of which an entity is the source, as far as a function means their component. Another one says which entities are
/// cloned beside it.
///
/// # Errors
///
/// If the values of a relation cannot be cloned.
fn clone_pairs(
    store: &mut Store,
    source: Entity,
    is_meant: impl Fn(ComponentId) -> bool,
    is_cloned: &dyn Fn(Entity) -> bool,
) -> Result<ClonedPairs, CloneError> {
    let mut cloned = Vec::new();
    for (number, place) in store.relations.places.iter_mut().enumerate() {
        let pairs = &mut place.pairs;
        if pairs.index().count(0, source) == 0 || !is_meant(place.components[0]) {
            continue;
        }
        match pairs.clone_from(source, is_cloned) {
            Some(clones) => cloned.push((number, clones)),
            None => return Err(CloneError::NotClone { entity: source, components: alloc::vec![pairs.name()] }),
        }
    }
    Ok(ClonedPairs(cloned))
}

/// The components of the sources of all relations.
fn pair_sources(store: &Store) -> impl Iterator<Item = ComponentId> {
    store.relations.places.iter().map(|place| place.components[0])
}

/// Clones of the pairs of an entity, by relation.
#[derive(Default)]
pub(crate) struct ClonedPairs(Vec<(usize, Box<dyn PairClones>)>);

impl ClonedPairs {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces the targets, and the entities inside of values, by those that stand for them.
    pub(super) fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        self.0.iter_mut().for_each(|(_, clones)| clones.map_entities(mapper));
    }
}

/// Looks at what has become of entities that were in pairs. What has been looked at stays noted until all of them have been, since a
/// destructor may panic.
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

fn settle(store: &mut Store, Unpaired { component, entity, has_ended }: Unpaired) {
    let is_alive = store.structure.entities.contains(entity);
    let Some((number, end)) = store.relations.end_of(component) else {
        // The component has come from another world, or from a builder.
        if let Ok(mut entity) = EntityAt::find(store, entity) {
            entity.remove_components(&[component]);
        }
        return;
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
            let sources: Vec<Entity> = others(place.pairs.index().list(1, entity)).collect();
            remove_pairs_of(store, number, 1, entity);
            let living: Vec<Entity> =
                sources.into_iter().filter(|&source| store.structure.entities.contains(source)).collect();
            store.events.pending.mark_stale();
            store.despawn_these(&living);
        }
        // All ends of a symmetric relation are targets.
        OnTargetDespawn::Cascade if place.pairs.is_symmetric() => {}
        _ => remove_pairs_of(store, number, end, entity),
    }
}
