//! Links between sources and the lists of their targets. One function links sources, and one unlinks them. Both take
//! slices, which may contain a single source.
//!
//! Tests: tests/relationships/links.rs, tests/relationships/histories.rs

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;

use crate::component::ComponentId;
use crate::entity::{Entity, EntityHashSet};
use crate::query::change::{ReadEntity, WriteEntity};
use crate::relations::relationship::{Relationship, RelationshipSourceCollection, RelationshipTarget, Unlisted};
use crate::structure::store::pairs::remove_component;
use crate::structure::store::{CommandFailure, LeavingSource, ListUpdate, Store, StoreEntityMut};
use crate::util::guard::DeferredPanic;
use crate::world::cast::World;

/// The collection in which a target lists its sources.
pub(super) type ListOf<R> = <<R as Relationship>::RelationshipTarget as RelationshipTarget>::Collection;

/// Returns the target of an entity.
#[inline(always)]
fn named<R: Relationship>(store: &mut Store, source: Entity) -> Option<Entity> {
    match store.structure.newest::<R>(source).map(R::get) {
        None => named_in_world::<R>(World::from_store(store), source),
        newest => newest,
    }
}

/// Like [`named`], for components in any storage.
#[inline(never)]
pub(super) fn named_in_world<R: Relationship>(world: &World, source: Entity) -> Option<Entity> {
    ReadEntity::find::<R>(world.read(), source).map(R::get)
}

/// Returns the sources in the list of an entity, without repairing the list; `None` if the entity has no list.
pub(super) fn listed<R: Relationship>(world: &World, target: Entity) -> Option<Vec<Entity>> {
    Some(ReadEntity::find::<R::RelationshipTarget>(world.read(), target)?.iter().collect())
}

/// Returns the sources that an entity lists; `None` if the entity has no list. If a program has swapped the list with
/// another one, it is repaired first.
pub(in crate::world) fn sources<R: Relationship>(
    store: &mut Store,
    id: ComponentId,
    target: Entity,
) -> Option<Vec<Entity>> {
    let list = ReadEntity::find::<R::RelationshipTarget>(World::from_store(store).read(), target)?;
    if list.collection().is_of_another(target) {
        mend_lists::<R>(store, id, target);
    }
    listed::<R>(World::from_store(store), target)
}

/// Appends the sources that an entity lists. Returns false if one of them is not linked to the entity.
pub(super) fn collect<R: Relationship>(
    store: &mut Store,
    id: ComponentId,
    target: Entity,
    sources: &mut Vec<Entity>,
) -> bool {
    let first = sources.len();
    let list = match store.structure.sole::<R::RelationshipTarget>(target) {
        Some(list) => Some(list),
        None => ReadEntity::find::<R::RelationshipTarget>(World::from_store(store).read(), target),
    };
    let Some(list) = list else { return true };
    if list.collection().is_of_another(target) {
        return false;
    }
    sources.extend(list.iter());
    store.events.links.are_listed_on(id, &sources[first..], target)
}

/// Calls a function with the list of an entity, if it has a list.
#[inline]
fn with_list<R: Relationship, T>(
    store: &mut Store,
    target: Entity,
    change: impl FnOnce(&mut ListOf<R>) -> T,
) -> Option<T> {
    if let Some(list) = store.sole_mut::<R::RelationshipTarget>(target) {
        return Some(change(list.collection_mut_risky()));
    }
    if store.structure.lacks::<R::RelationshipTarget>(target) {
        return None;
    }
    let mut list = WriteEntity::new(store, target).into_mut::<R::RelationshipTarget>()?;
    Some(change(list.collection_mut_risky()))
}

/// Links sources to their targets, and unlinks them from other targets. If a link is not allowed, it is reported, and
/// its component is removed after listeners have been notified of its insertion.
pub(super) fn link<R: Relationship>(store: &mut Store, id: ComponentId, sources: &[Entity]) {
    for &source in sources {
        match named::<R>(store, source) {
            Some(target) => link_to::<R>(store, id, target, &[source]),
            None => unlink::<R>(store, id, &[source]),
        }
    }
}

/// Like [`link`], for sources that all have the same target.
#[inline(always)]
pub(in crate::world) fn link_to<R: Relationship>(
    store: &mut Store,
    id: ComponentId,
    target: Entity,
    sources: &[Entity],
) {
    let (mut linked, mut last) = (0, None);
    // A target that has a list is alive, so this is not checked.
    if let Some(listing) = store.listing::<R::RelationshipTarget>(target) {
        let ListUpdate { list, links, entities, lists, visit } = listing;
        let list = list.collection_mut_risky();
        for &source in sources {
            // An entity that lists nothing is above no other entity, so it cannot close a cycle.
            let may_be_above = R::RelationshipTarget::LINKED_SPAWN
                && entities.sparse_summary(source.index()).meets(lists)
                || source == target;
            if may_be_above || list.source_to_remove_before_add().is_some() || list.is_of_another(target) {
                break;
            }
            linked += 1;
            let note = links.note_of(id, source);
            let before = note.place();
            if before.is_some_and(|(listed, _)| listed == target) {
                continue;
            }
            visit.note();
            note.set(target, list.add_at_end(source));
            if let Some((target, place)) = before {
                links.leaving.extend(last.replace(LeavingSource { source, target, place }));
            }
        }
    }
    if let Some(last) = last {
        unlist_leaving::<R>(store, id, last);
    }
    if linked < sources.len() {
        store.defer_events(|store| link_checked::<R>(store, id, &sources[linked..]));
    }
}

/// Links sources whose link may not be allowed, or whose target has no list with room: the slow path of [`link_to`].
#[cold]
#[inline(never)]
fn link_checked<R: Relationship>(store: &mut Store, id: ComponentId, sources: &[Entity]) {
    unlink::<R>(store, id, sources);
    for &source in sources {
        // A source that was removed from a full list has lost the component.
        let Some(target) = named::<R>(store, source) else { continue };
        if store.events.links.target(id, source) == Some(target) || store.events.links.refused.contains(&(id, source)) {
            continue;
        }
        if let Err(reason) = check::<R>(store, id, source, target) {
            refuse::<R>(store, id, (source, target), reason);
            continue;
        }
        if with_list::<R, _>(store, target, |list| list.is_of_another(target)) == Some(true) {
            repair_list::<R>(store, id, target);
        }
        let add = |list: &mut ListOf<R>| {
            let displaced = list.source_to_remove_before_add();
            displaced.into_iter().for_each(|displaced| _ = list.remove(displaced));
            (list.add_at_end(source), displaced)
        };
        let added = with_list::<R, _>(store, target, add);
        let (place, displaced) = added.unwrap_or_else(|| (list_first::<R>(store, target, source), None));
        store.events.links.set_place(id, source, target, place);
        if let Some(displaced) = displaced {
            store.events.pending.mark_stale();
            store.events.links.forget_targets(id, &[displaced]);
            remove_component(store, displaced, id);
        }
    }
}

/// Inserts a list with one source into a target, and returns the index of the source in the list.
fn list_first<R: Relationship>(store: &mut Store, target: Entity, source: Entity) -> u32 {
    let mut sources = <ListOf<R> as RelationshipSourceCollection>::new();
    sources.set_target(target);
    let place = sources.add_at_end(source);
    if let Some(list) = store.put_untold(target, R::RelationshipTarget::from_collection_risky(sources)) {
        store.events.links.is_listing = true;
        let listing = ListInsertion(store);
        if let Ok(mut target) = StoreEntityMut::find(listing.0, target) {
            target.insert_for_origin(list);
        }
    }
    place
}

/// A store during the insertion of a list that agrees with its sources, so that the list need not be validated.
struct ListInsertion<'s>(&'s mut Store);

impl Drop for ListInsertion<'_> {
    fn drop(&mut self) {
        self.0.events.links.is_listing = false;
    }
}

/// Removes sources from the lists of entities that are no longer their targets. The sources may have been despawned.
pub(super) fn unlink<R: Relationship>(store: &mut Store, id: ComponentId, sources: &[Entity]) {
    let mut last = None;
    for &source in sources {
        let Some((target, place)) = store.events.links.place(id, source) else { continue };
        // The component of a despawned entity must not be looked up.
        let is_named = store.structure.entities.contains(source) && named::<R>(store, source) == Some(target);
        if !is_named {
            store.events.links.forget_targets(id, &[source]);
            store.events.links.leaving.extend(last.replace(LeavingSource { source, target, place }));
        }
    }
    if let Some(last) = last {
        unlist_leaving::<R>(store, id, last);
    }
}

/// Removes sources from the lists of their targets: `last`, and the sources noted in `links.leaving`.
#[inline(always)]
fn unlist_leaving<R: Relationship>(store: &mut Store, id: ComponentId, last: LeavingSource) {
    if store.events.links.leaving.is_empty() {
        return unlist::<R>(store, id, &[last]);
    }
    let mut leaving = core::mem::take(&mut store.events.links.leaving);
    leaving.push(last);
    for group in leaving.chunk_by(|a, b| a.target == b.target) {
        unlist::<R>(store, id, group);
    }
    leaving.clear();
    store.events.links.leaving = leaving;
}

/// Removes sources from the list of one target, which all of them leave. If the list is empty afterwards, the list
/// component is removed.
#[inline]
pub(super) fn unlist<R: Relationship>(store: &mut Store, id: ComponentId, leaving: &[LeavingSource]) {
    let Some(&LeavingSource { target, .. }) = leaving.first() else { return };
    let remove = |list: &mut ListOf<R>| (!list.is_of_another(target)).then(|| remove_from(list, leaving));
    match with_list::<R, _>(store, target, remove) {
        None => {}
        Some(None) => repair_list::<R>(store, id, target),
        Some(Some(Unlisted { is_empty: true, .. })) => remove_list::<R>(store, target),
        Some(Some(Unlisted { are_elsewhere: true, .. })) => {
            let sources = listed::<R>(World::from_store(store), target).unwrap_or_default();
            store.events.links.move_places(id, &sources);
        }
        Some(Some(_)) => {}
    }
}

#[inline]
fn remove_from<L: RelationshipSourceCollection>(list: &mut L, leaving: &[LeavingSource]) -> Unlisted {
    /// From this number of sources on, one pass over the list is cheaper than a search for each source.
    const MANY: usize = 4;
    let mut all = Unlisted { is_empty: false, are_elsewhere: false };
    if !L::KNOWS_PLACES && leaving.len() >= MANY {
        let leaving: EntityHashSet = leaving.iter().map(|leaving| leaving.source).collect();
        let kept: Vec<Entity> = list.iter().filter(|source| !leaving.contains(source)).collect();
        list.clear();
        list.extend_from_iter(kept);
        all.is_empty = list.is_empty();
        return all;
    }
    for &LeavingSource { source, place, .. } in leaving {
        let Unlisted { is_empty, are_elsewhere } = list.remove_near(source, place);
        all = Unlisted { is_empty, are_elsewhere: all.are_elsewhere | are_elsewhere };
    }
    all
}

/// Removes the component of a target that lists no sources.
fn remove_list<R: Relationship>(store: &mut Store, target: Entity) {
    if !store.remove_untold::<R::RelationshipTarget>(target) {
        let id = store.register_component::<R::RelationshipTarget>();
        remove_component(store, target, id);
    }
}

/// Replaces the sources in the list of a target, if it has a list.
pub(super) fn list_these<R: Relationship>(store: &mut Store, target: Entity, sources: &[Entity]) {
    with_list::<R, _>(store, target, |list| {
        list.clear();
        list.extend_from_iter(sources.iter().copied());
        list.set_target(target);
    });
}

/// Repairs the list of a target if a program has swapped it with the list of another target. The other list is
/// repaired, too. List components that are empty afterwards are removed.
#[cold]
#[inline(never)]
fn repair_list<R: Relationship>(store: &mut Store, id: ComponentId, target: Entity) {
    for emptied in mend_lists::<R>(store, id, target) {
        remove_list::<R>(store, emptied);
    }
}

/// Repairs the list of a target if a program has swapped it with the list of another target. The other list is
/// repaired, too. Returns the targets whose lists are empty. Their list components stay, so this is not a structural
/// change, and can be called during one.
#[cold]
#[inline(never)]
fn mend_lists<R: Relationship>(store: &mut Store, id: ComponentId, mut target: Entity) -> Vec<Entity> {
    let mut emptied = Vec::new();
    // A target that has got another list is skipped: the list is adopted after all ended links have been removed.
    if store.events.links.adopting.iter().any(|(_, adopting)| *adopting == target) {
        return emptied;
    }
    while let Some(Some(of)) = with_list::<R, _>(store, target, |list| list.target()) {
        if of == target {
            break;
        }
        let sources = store.events.links.sources_of(id, target);
        store.events.links.move_places(id, &sources);
        list_these::<R>(store, target, &sources);
        if sources.is_empty() {
            emptied.push(target);
        }
        target = of;
    }
    emptied
}

/// Validates a list that was inserted into a target, and makes the links agree with it. Sources that have this target
/// stay in the list, each once.
pub(super) fn adopt<R: Relationship>(store: &mut Store, id: ComponentId, target: Entity) {
    let Some(sources) = listed::<R>(World::from_store(store), target) else { return };
    let (mut kept, mut seen) = (Vec::with_capacity(sources.len()), EntityHashSet::default());
    for &source in &sources {
        if named::<R>(store, source) == Some(target)
            && store.events.links.target(id, source).is_none_or(|listed| listed == target)
            && check::<R>(store, id, source, target).is_ok()
            && seen.insert(source)
        {
            kept.push(source);
        }
    }
    list_these::<R>(store, target, &kept);
    if kept.is_empty() && !sources.is_empty() {
        store.events.pending.mark_stale();
        remove_list::<R>(store, target);
    }
    for (place, source) in kept.into_iter().enumerate() {
        store.events.links.set_place(id, source, target, place as u32);
    }
    // Sources that were listed before and no longer are have been noted as orphans.
}

/// Checks whether `source` can be linked to `target`. The cost is constant, except in one case: if sources are
/// despawned with their target and `source` lists sources itself, it is `O(depth)`.
///
/// # Errors
///
/// If the link is not allowed. The error writes the reason.
#[inline]
fn check<R: Relationship>(
    store: &Store,
    id: ComponentId,
    source: Entity,
    target: Entity,
) -> Result<(), fn(Entity, Entity) -> String> {
    if source == target {
        return match R::ALLOW_SELF_REFERENTIAL {
            true => Ok(()),
            false => Err(|source, _| {
                format!(
                    "entity {source} cannot be linked to itself; where that is meant: \
                     `#[relationship(relationship_target = .., allow_self_referential)]`"
                )
            }),
        };
    }
    if !store.structure.entities.contains(target) {
        return Err(|source, target| format!("entity {source} cannot be linked to {target}, which is not alive"));
    }
    // An entity that lists nothing is above no other entity, so it cannot close a cycle.
    if R::RelationshipTarget::LINKED_SPAWN
        && store.structure.entities.sparse_summary(source.index()).meets(store.events.observed.lists)
        && ReadEntity::find::<R::RelationshipTarget>(World::from_store(store).read(), source).is_some()
    {
        let up = |&entity: &Entity| store.events.links.target(id, entity).filter(|&above| above != entity);
        if core::iter::successors(Some(target), up).any(|above| above == source) {
            return Err(|source, target| {
                format!(
                    "entity {source} cannot be linked to {target}, which is linked to it already, directly or through others: they \
                     would end with each other"
                )
            });
        }
    }
    Ok(())
}

/// Reports a link that is not allowed, and schedules the removal of its component, after listeners have been notified
/// of its insertion. If the report panics, the panic is deferred until the operation has ended.
#[cold]
fn refuse<R: Relationship>(
    store: &mut Store,
    id: ComponentId,
    (source, target): (Entity, Entity),
    reason: fn(Entity, Entity) -> String,
) {
    store.events.links.refused.push_back((id, source));
    store.events.has_pending = true;
    store.events.dispatch.push_observer_commands(|store: &mut Store| store.batched(Store::relink));
    // The placeholder is the target of a source that has come from another world without its target, which is no error.
    if target != Entity::PLACEHOLDER {
        let (reason, by) =
            (CommandFailure::Other(Arc::from(reason(source, target))), store.structure.entities.caller());
        let report = || store.commands.errors.report("insert", type_name::<R>(), reason, by);
        let panicked = DeferredPanic::catch(report);
        store.events.defer_panic(panicked);
    }
}
