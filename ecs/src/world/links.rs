//! Keeping both sides of relationships: each source that names a target is listed on it, once, and no other is.
//!
//! Before an operation [`unlink`] notes what it takes away. Behind it, before observers and hooks are told of it, [`relink`] looks at what
//! has come, and makes both sides agree by operations of its own, which belong to the operation: what they do is told with it. All links
//! that have ended go before the first one comes. A link that cannot be is left until the operation has been told; then the component is
//! removed.
//!
//! What is noted is only where to look. What holds is read from the components, so that nothing goes wrong if an operation was broken off
//! in between: then both sides of all links are compared (`links/compare.rs`), and what disagrees is noted.

mod compare;

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;
use core::mem::{needs_drop, swap};

use self::compare::{Sides, compare};
use super::cast::World;
use crate::alloc_error::try_reserve_exact;
use crate::change::{ReadEntity, WriteEntity};
use crate::component::{
    Component, ComponentDescriptor, ComponentId, Description, ErasedRefMut, ErasedSlice, ErasedValue, ErasedVec, Kinds,
    RelationSide,
};
use crate::entity::{Entity, EntityHashMap, EntityHashSet, EntityMapper, SparseSummary};
use crate::guard::Waiting;
use crate::relationship::{Relationship, RelationshipSourceCollection, RelationshipTarget, Unlisted};
use crate::store::{CommandFailure, EntityAt, EntityBuilder, LifecycleEvents, Link, Orphan, Store, settle_pairs};

/// What is done with the components of one relationship.
pub(super) struct LinkFunctions {
    /// The component of the sources.
    pub(super) source: fn() -> &'static ComponentDescriptor,
    /// The component of the targets.
    pub(super) target_list: fn() -> &'static ComponentDescriptor,
    pub(super) source_name: fn() -> &'static str,
    pub(super) is_linked: bool,
    pub(super) allows_self: bool,
    /// The target that an entity names.
    target: fn(&World, Entity) -> Option<Entity>,
    /// Whether an entity has the component that lists sources.
    has_list: fn(&World, Entity) -> bool,
    /// The sources that an entity lists; none if it lacks the component.
    lists: fn(&World, Entity) -> Option<Vec<Entity>>,
    /// Whether a source leaves its list in constant time.
    knows_places: bool,
    /// Adds the sources that an entity lists, if they are linked to it. Says false if one of them is not.
    collect: fn(&mut Store, ComponentId, Entity, &mut Vec<Entity>) -> bool,
    /// Lists a source that has come, if nothing else has to be done.
    link: Link<Store>,
    /// Lists a source, in place of another one if there has to be one less. Returns its place, and that.
    list: fn(&mut Store, ComponentId, Entity, Entity) -> (u32, Option<Entity>),
    /// Lists a source no more that was at this place, and removes the component if it was the last one.
    unlist: fn(&mut Store, ComponentId, Entity, (Entity, u32)),
    /// Brings the list of a target up to date if a program has exchanged it for another one.
    mend: fn(&mut Store, ComponentId, Entity),
    /// Notes whose list it is, if there is one.
    note_target: fn(&mut Store, Entity),
    /// Lists these sources and no others, if there is a list.
    list_these: fn(&mut Store, Entity, &[Entity]),
    /// Removes the component of a source.
    release: fn(&mut Store, Entity),
    /// Makes a source name another target, before anyone has been told of the one that it names.
    retarget: fn(&mut Store, Entity, Entity),
    /// The target that a component names, and another one for it, if there is one.
    rename: fn(ErasedRefMut<'_>, Option<Entity>) -> Option<Entity>,
    /// The targets that components name, which are in no world.
    pub(super) named_by: fn(ErasedSlice<'_>) -> Option<Vec<Entity>>,
    /// Makes a component that is in no world list no sources.
    empty: fn(ErasedRefMut<'_>),
    /// Has a source name another target, as an operation. Its other fields stay.
    rename_target: fn(&mut Store, Entity, Entity),
    /// Whether the component that lists sources has other fields beside them.
    list_has_more: bool,
    /// Moves the other fields of the component that lists sources out of a target, into one without sources.
    take_others: fn(&mut Store, Entity, &mut EntityBuilder),
    /// Calls a function with each source that components list which are in no world: with the number of the component, the place on its
    /// list, and the source. Says false if they are of another type.
    pub(super) listed_by: fn(ErasedSlice<'_>, &mut dyn FnMut(usize, usize, Entity)) -> bool,
    /// Notes whose lists components are that are in no world.
    pub(super) note_targets: fn(&mut ErasedVec, &[Entity]),
}

impl LinkFunctions {
    const fn of<R: Relationship>() -> Self {
        Self {
            source: || ComponentDescriptor::of::<R>(),
            target_list: || ComponentDescriptor::of::<R::RelationshipTarget>(),
            source_name: type_name::<R>,
            is_linked: <R::RelationshipTarget as RelationshipTarget>::LINKED_SPAWN,
            allows_self: R::ALLOW_SELF_REFERENTIAL,
            target: |world, source| ReadEntity::find::<R>(world.read(), source).map(R::get),
            has_list: |world, target| ReadEntity::find::<R::RelationshipTarget>(world.read(), target).is_some(),
            lists: |world, target| {
                Some(ReadEntity::find::<R::RelationshipTarget>(world.read(), target)?.iter().collect())
            },
            knows_places: <ListOf<R> as RelationshipSourceCollection>::KNOWS_PLACES,
            collect: collect::<R>,
            link: link_simply::<R>,
            list: list::<R>,
            unlist: unlist::<R>,
            mend: mend::<R>,
            note_target: |store, target| _ = with_list::<R, _>(store, target, |list| list.set_target(target)),
            list_these: list_these::<R>,
            release: remove::<R>,
            retarget: |store, source, target| {
                if let Some(mut named) = WriteEntity::new(store, source).into_mut_told::<R>() {
                    named.set_risky(target);
                }
            },
            rename: |component, target| {
                let component = component.into_mut::<R>()?;
                target.into_iter().for_each(|target| component.set_risky(target));
                Some(component.get())
            },
            named_by: |components| Some(components.downcast_ref::<R>()?.iter().map(R::get).collect()),
            empty: |component| {
                let list = component.into_mut::<R::RelationshipTarget>();
                list.into_iter().for_each(|list| list.collection_mut_risky().clear());
            },
            rename_target: |store, source, target| {
                let source = World::from_store_mut(store).get_entity_mut(source);
                _ = source.map(|mut source| source.modify_component(|named: &mut R| named.set_risky(target)));
            },
            list_has_more: size_of::<R::RelationshipTarget>() > size_of::<ListOf<R>>(),
            take_others: |store, target, others| {
                if let Some(mut list) = WriteEntity::new(store, target).into_mut::<R::RelationshipTarget>() {
                    let empty = <ListOf<R> as RelationshipSourceCollection>::new();
                    let mut taken = <R::RelationshipTarget as RelationshipTarget>::from_collection_risky(empty);
                    swap(&mut *list, &mut taken);
                    swap(list.collection_mut_risky(), taken.collection_mut_risky());
                    others.add(taken);
                }
            },
            listed_by: |components, see| {
                let Some(lists) = components.downcast_ref::<R::RelationshipTarget>() else { return false };
                for (row, list) in lists.iter().enumerate() {
                    list.iter().enumerate().for_each(|(place, source)| see(row, place, source));
                }
                true
            },
            note_targets: |components, targets| {
                let lists = components.as_mut_slice::<R::RelationshipTarget>().into_iter().flatten();
                lists.zip(targets).for_each(|(list, &target)| list.collection_mut_risky().set_target(target));
            },
        }
    }
}

/// In what a target lists its sources.
type ListOf<R> = <<R as Relationship>::RelationshipTarget as RelationshipTarget>::Collection;

/// Changes the list of a target, if it has one.
#[inline]
fn with_list<R: Relationship, T>(
    store: &mut Store,
    target: Entity,
    change: impl FnOnce(&mut ListOf<R>) -> T,
) -> Option<T> {
    if let Some(list) = store.sole_mut::<R::RelationshipTarget>(target) {
        return Some(change(list.collection_mut_risky()));
    }
    let mut list = WriteEntity::new(store, target).into_mut::<R::RelationshipTarget>()?;
    Some(change(list.collection_mut_risky()))
}

/// Lists a source, in place of another one if there has to be one less. Returns its place, and that.
fn list<R: Relationship>(store: &mut Store, id: ComponentId, target: Entity, source: Entity) -> (u32, Option<Entity>) {
    if with_list::<R, _>(store, target, |list| list.is_of_another(target)) == Some(true) {
        mend::<R>(store, id, target);
    }
    let add = |list: &mut ListOf<R>| {
        let displaced = list.source_to_remove_before_add();
        displaced.into_iter().for_each(|displaced| _ = list.remove(displaced));
        (list.add_at_end(source), displaced)
    };
    with_list::<R, _>(store, target, add).unwrap_or_else(|| (list_first::<R>(store, target, source), None))
}

/// Lists these sources and no others, if there is a list.
fn list_these<R: Relationship>(store: &mut Store, target: Entity, sources: &[Entity]) {
    with_list::<R, _>(store, target, |list| {
        list.clear();
        list.extend_from_iter(sources.iter().copied());
        list.set_target(target);
    });
}

/// Brings the list of a target up to date if a program has exchanged it for that of another one, and that of the other one too.
#[cold]
#[inline(never)]
fn mend<R: Relationship>(store: &mut Store, id: ComponentId, mut target: Entity) {
    // One that has come from outside is looked at when all links that have ended have gone.
    if store.events.links.adopting.iter().any(|(_, adopting)| *adopting == target) {
        return;
    }
    while let Some(Some(of)) = with_list::<R, _>(store, target, |list| list.target()) {
        if of == target {
            return;
        }
        let sources = store.events.links.sources_of(id, target);
        list_these::<R>(store, target, &sources);
        let is_empty = sources.is_empty();
        for (place, source) in sources.into_iter().enumerate() {
            store.events.links.move_place(id, source, place as u32);
        }
        if is_empty && !store.remove_untold::<R::RelationshipTarget>(target) {
            remove::<R::RelationshipTarget>(store, target);
        }
        target = of;
    }
}

/// Lists the first source of a target.
fn list_first<R: Relationship>(store: &mut Store, target: Entity, source: Entity) -> u32 {
    let (list, place) = first_list::<R>(target, source);
    if let Some(list) = store.put_untold(target, list) {
        store.events.links.is_listing = true;
        let listing = Listing(store);
        if let Ok(mut target) = EntityAt::find(listing.0, target) {
            target.insert_for_origin(list);
        }
    }
    place
}

/// A list of one source, and its place there.
fn first_list<R: Relationship>(target: Entity, source: Entity) -> (R::RelationshipTarget, u32) {
    let mut sources = <ListOf<R> as RelationshipSourceCollection>::new();
    sources.set_target(target);
    let place = sources.add_at_end(source);
    (R::RelationshipTarget::from_collection_risky(sources), place)
}

/// A target gets its list from here, unless that panics.
struct Listing<'s>(&'s mut Store);

impl Drop for Listing<'_> {
    fn drop(&mut self) {
        self.0.events.links.is_listing = false;
    }
}

/// Lists a source no more that was at this place, and removes the component if it was the last one.
fn unlist<R: Relationship>(store: &mut Store, id: ComponentId, target: Entity, leaving: (Entity, u32)) {
    unlist_these::<R>(store, id, target, [leaving]);
}

/// [`unlist`] of several sources.
#[inline]
fn unlist_these<R: Relationship>(
    store: &mut Store,
    id: ComponentId,
    target: Entity,
    leaving: impl IntoIterator<Item = (Entity, u32)>,
) {
    let unlist = |list: &mut ListOf<R>| {
        if list.is_of_another(target) {
            return None;
        }
        let mut all = Unlisted { is_empty: false, are_elsewhere: false };
        for (source, place) in leaving {
            let Unlisted { is_empty, are_elsewhere } = list.remove_near(source, place);
            all = Unlisted { is_empty, are_elsewhere: all.are_elsewhere | are_elsewhere };
        }
        Some(all)
    };
    let unlisted = match with_list::<R, _>(store, target, unlist) {
        Some(Some(unlisted)) => unlisted,
        Some(None) => return mend::<R>(store, id, target),
        None => return,
    };
    if unlisted.is_empty {
        if !store.remove_untold::<R::RelationshipTarget>(target) {
            remove::<R::RelationshipTarget>(store, target);
        }
    } else if unlisted.are_elsewhere {
        note_places::<R>(store, id, target);
    }
}

/// Notes anew at which places the sources of a target are.
#[cold]
#[inline(never)]
fn note_places<R: Relationship>(store: &mut Store, id: ComponentId, target: Entity) {
    let sources: Option<Vec<Entity>> = with_list::<R, _>(store, target, |list| list.iter().collect());
    for (place, source) in sources.into_iter().flatten().enumerate() {
        store.events.links.move_place(id, source, place as u32);
    }
}

/// Adds the sources that an entity lists. Says false if one of them is not linked to it.
fn collect<R: Relationship>(store: &mut Store, id: ComponentId, target: Entity, sources: &mut Vec<Entity>) -> bool {
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

/// Lists a source that has come, if nothing else has to be done.
fn link_simply<R: Relationship>(store: &mut Store, id: ComponentId, source: Entity) -> bool {
    let Some(target) = store.structure.newest::<R>(source).map(R::get) else { return false };
    link_to::<R>(store, id, source, target)
}

/// [`link_simply`], if it is known what the source names.
#[inline(always)]
fn link_to<R: Relationship>(store: &mut Store, id: ComponentId, source: Entity, target: Entity) -> bool {
    // A target that has a list is alive.
    let Some(listing) = store.listing::<R::RelationshipTarget>(target, source) else {
        return link_with_care::<R>(store, id, source, target);
    };
    let note = listing.links.note_of(id, source);
    let before = note.place();
    if before.is_some_and(|(listed, _)| listed == target) {
        return true;
    }
    // An entity that lists nothing is above none.
    if source == target || Linked::<R>::FUNCTIONS.is_linked && listing.source_lists {
        return link_with_care::<R>(store, id, source, target);
    }
    let list = listing.list.collection_mut_risky();
    if list.source_to_remove_before_add().is_some() || list.is_of_another(target) {
        return false;
    }
    listing.visit.note();
    let place = list.add_at_end(source);
    note.set(target, place);
    if let Some((listed, place)) = before {
        unlist::<R>(store, id, listed, (source, place));
    }
    true
}

/// Whether one of some entities is a target, or one that the target is below: not all of them may be linked to it then.
fn any_is_above<R: Relationship>(store: &Store, id: ComponentId, target: Entity, sources: &[Entity]) -> bool {
    /// So many are compared one by one.
    const FEW: usize = 8;
    if !Linked::<R>::FUNCTIONS.is_linked {
        return sources.contains(&target);
    }
    let above: Vec<Entity> = with_those_above(store, id, target).collect();
    if above.len() <= FEW {
        return sources.iter().any(|source| above.contains(source));
    }
    let above: EntityHashSet = above.into_iter().collect();
    sources.iter().any(|source| above.contains(source))
}

/// An entity, what it is linked to, and so on. One that names itself has nothing above.
fn with_those_above(store: &Store, id: ComponentId, entity: Entity) -> impl Iterator<Item = Entity> {
    let up = move |&entity: &Entity| store.events.links.target(id, entity).filter(|&above| above != entity);
    core::iter::successors(Some(entity), up)
}

/// Makes entities name another target, and links them: those that name one already, as far as nothing else has to be done. Says how many
/// of the first of them are done.
///
/// None are if one of them might be refused: that is decided when all of them have left their targets.
pub(super) fn relink_simply<R: Relationship>(store: &mut Store, target: Entity, sources: &[Entity]) -> usize {
    // Other fields of a relationship stay as they are, and there is nothing to drop.
    let has_more = has_more_than_target::<R>();
    let id = store.structure.archetypes.components.id::<R>().filter(|_| has_more || !needs_drop::<R>());
    let Some(id) = id else { return 0 };
    if any_is_above::<R>(store, id, target, sources) {
        return 0;
    }
    let mut done = 0;
    while let Some(&source) = sources.get(done) {
        if !store.can_link_component_at_once::<R>() {
            break;
        }
        if !has_more && <ListOf<R> as RelationshipSourceCollection>::KNOWS_PLACES {
            let together = relink_some::<R>(store, id, target, &sources[done..sources.len().min(done + TOGETHER)]);
            done += together;
            if together != 0 {
                continue;
            }
        }
        let Some(named) = store.sole_mut::<R>(source) else { break };
        done += 1;
        if !has_more {
            *named = R::from(target);
            store.link_noted(id, source, |store| link_to::<R>(store, id, source, target));
            continue;
        }
        // It is noted before a function of the program is called.
        store.link_noted(id, source, |store| {
            store.sole_mut::<R>(source).into_iter().for_each(|named| named.set_risky(target));
            link_simply::<R>(store, id, source)
        });
    }
    done
}

/// So many sources are given another target together.
const TOGETHER: usize = 32;

/// [`relink_simply`] of so many sources at most, if the target has a list: they come to that one behind the other, and those that leave a
/// target one behind the other leave its list together. None of them is the target, or above it.
fn relink_some<R: Relationship>(store: &mut Store, id: ComponentId, target: Entity, sources: &[Entity]) -> usize {
    match store.listing::<R::RelationshipTarget>(target, target) {
        Some(listing) if !listing.list.collection().is_of_another(target) => {}
        _ => return 0,
    }
    // If a function of the program panics they are linked behind the next operation.
    let before = store.events.links.coming.len();
    store.events.has_pending = true;
    store.events.links.coming.extend(sources.iter().map(|&source| (id, source)));
    let name = |source: &&Entity| store.sole_mut::<R>(**source).map(|named| *named = R::from(target)).is_some();
    let count = sources.iter().take_while(name).count();
    if store.change_links(|store| link_together::<R>(store, id, target, &sources[..count])) {
        store.events.links.coming.truncate(before);
        store.events.has_pending = false;
    } else {
        store.flush_events();
    }
    count
}

/// Lists sources that name a target, and lists them no more where they are listed. False if the target has no list, or none that can be
/// changed at once.
fn link_together<R: Relationship>(store: &mut Store, id: ComponentId, target: Entity, sources: &[Entity]) -> bool {
    let Some(listing) = store.listing::<R::RelationshipTarget>(target, target) else { return false };
    let list = listing.list.collection_mut_risky();
    list.reserve(sources.len());
    listing.visit.note();
    let mut left = [(Entity::PLACEHOLDER, 0); TOGETHER];
    for (&source, left) in sources.iter().zip(&mut left) {
        let note = listing.links.note_of(id, source);
        match note.place() {
            Some((listed, _)) if listed == target => continue,
            Some(before) => *left = before,
            None => {}
        }
        note.set(target, list.add_at_end(source));
    }
    let mut rest = sources.iter().copied().zip(left.iter().copied());
    while let Some((source, (of, place))) = rest.next() {
        let count = rest.clone().take_while(|(_, (other, _))| *other == of).count();
        let others = rest.clone().take(count).map(|(source, (_, place))| (source, place));
        if of != Entity::PLACEHOLDER {
            unlist_these::<R>(store, id, of, core::iter::once((source, place)).chain(others));
        }
        rest.by_ref().take(count).for_each(drop);
    }
    true
}

/// Whether a relationship has other fields beside its target, which stay when that becomes another one.
pub(super) const fn has_more_than_target<R: Relationship>() -> bool {
    size_of::<R>() > size_of::<Entity>()
}

/// [`link_simply`], whatever the source and the target are.
#[inline(never)]
fn link_with_care<R: Relationship>(store: &mut Store, id: ComponentId, source: Entity, target: Entity) -> bool {
    let before = store.events.links.place(id, source);
    if before.is_some_and(|(listed, _)| listed == target) {
        return true;
    }
    if is_valid(store, Linked::<R>::FUNCTIONS, id, source, target).is_err() {
        return false;
    }
    let add = |list: &mut ListOf<R>| {
        let is_full = list.source_to_remove_before_add().is_some() || list.is_of_another(target);
        (!is_full).then(|| list.add_at_end(source))
    };
    let added = match store.structure.lacks::<R::RelationshipTarget>(target) {
        true => None,
        false => with_list::<R, _>(store, target, add),
    };
    let place = match added {
        Some(Some(place)) => place,
        Some(None) => return false,
        None => {
            let (list, place) = first_list::<R>(target, source);
            if store.put_untold(target, list).is_some() {
                return false;
            }
            place
        }
    };
    store.events.links.set_place(id, source, target, place);
    if let Some((listed, place)) = before {
        unlist::<R>(store, id, listed, (source, place));
    }
    true
}

/// Removes a component. The origin is that of the operation.
fn remove<C: Component>(store: &mut Store, entity: Entity) {
    let id = store.register_component::<C>();
    if let Ok(mut entity) = EntityAt::find(store, entity) {
        entity.remove_components(&[id]);
    }
}

/// The functions of a relationship, where they stay.
struct Linked<R>(R);

impl<R: Relationship> Linked<R> {
    const FUNCTIONS: &'static LinkFunctions = &LinkFunctions::of::<R>();
}

impl<C: Component> Description<C> {
    /// The component names the target of a relationship. The derive writes it.
    #[doc(hidden)]
    #[must_use]
    pub const fn as_relationship(self) -> Self
    where
        C: Relationship,
    {
        self.with_relation(RelationSide::source(Linked::<C>::FUNCTIONS))
    }

    /// The component lists the sources of a relationship. The derive writes it. Values are not cloned with their entity: the sources stay
    /// with the other one.
    #[doc(hidden)]
    #[must_use]
    pub const fn as_relationship_target(self) -> Self
    where
        C: RelationshipTarget,
    {
        self.with_clone_only_in_copies().with_relation(RelationSide::target(Linked::<C::Relationship>::FUNCTIONS))
    }
}

/// The relationship that a component is a side of, and whether it names the target.
fn relation(store: &Store, id: ComponentId) -> Option<(&'static LinkFunctions, bool)> {
    let side = store.structure.archetypes.components.info(id)?.descriptor().relation()?;
    Some((side.functions()?, side.is_source()))
}

/// The number of the component that sources have.
fn id_of(store: &mut Store, functions: &LinkFunctions) -> Option<ComponentId> {
    store.register_descriptor((functions.source)()).ok()
}

/// Notes which relationships are about to go.
pub(crate) fn unlink(store: &mut Store, events: &LifecycleEvents) {
    store.change_links(|store| note_ends(store, events));
}

fn note_ends(store: &mut Store, events: &LifecycleEvents) {
    let kinds = Kinds::DISCARD.union(Kinds::DESPAWN).of_links();
    for batch in events.batches(kinds) {
        for id in batch.components() {
            let ends = batch.kinds_of(id).intersects(Kinds::DESPAWN.of_links());
            if store.structure.archetypes.components.is_of_pairs(id) {
                for nth in 0..batch.affected.len() {
                    let entity = batch.affected.get(nth, &store.structure.archetypes.tables);
                    entity.into_iter().for_each(|entity| store.events.links.unpair(id, entity, ends));
                }
                continue;
            }
            let Some((functions, is_source)) = relation(store, id) else { continue };
            let source_id = if is_source { Some(id) } else { id_of(store, functions) };
            let Some(source_id) = source_id else { continue };
            for nth in 0..batch.affected.len() {
                let Some(entity) = batch.affected.get(nth, &store.structure.archetypes.tables) else { continue };
                if is_source {
                    store.events.links.parting.push((id, entity));
                    continue;
                }
                (functions.mend)(store, source_id, entity);
                let sources = (functions.lists)(World::from_store(store), entity).unwrap_or_default();
                sources.into_iter().for_each(|source| store.events.links.orphan(source_id, source, entity, ends));
            }
        }
    }
    store.events.links.unlinked();
}

/// How many destructors may panic in one operation until the rest waits for the next one.
const PANICS: usize = 10_000;

/// Makes both sides of relationships agree, behind an operation. If destructors panic, that goes on when all is done: each has removed its
/// value.
pub(crate) fn relink(store: &mut Store) {
    store.events.pending.resolve_all_rows(&store.structure.archetypes.tables);
    while !store.events.links.refused.is_empty() {
        let panicked = Waiting::catch(|| store.defer_events(drop_refused));
        store.events.defer_panic(panicked);
    }
    for _ in 0..PANICS {
        let panicked = Waiting::catch(|| store.defer_events(|store| store.change_links(settle)));
        store.events.defer_panic(panicked);
        if store.events.links.are_settled() && !store.events.links.may_disagree {
            return;
        }
    }
}

/// Brings up to date what has been noted. Links that have ended go before the first one comes.
///
/// What has been looked at stays noted until all of its kind has been, since a destructor may panic. What is to be looked at becomes more
/// meanwhile.
fn settle(store: &mut Store) {
    loop {
        settle_pairs(store);
        part_all(store);
        let mut at = 0;
        while let Some(&(list, target)) = store.events.links.adopting.get(at) {
            adopt(store, list, target);
            at += 1;
        }
        store.events.links.adopting.clear();
        part_with_orphans(store);
        if !store.events.links.have_parted() {
            continue;
        }
        let links = &mut store.events.links;
        if let Some(linking) = links.linking {
            links.coming.insert(0, linking);
            links.linking = None;
        }
        let mut at = 0;
        while let Some(&(relation, source)) = store.events.links.coming.get(at) {
            link(store, relation, source);
            at += 1;
        }
        store.events.links.coming.clear();
        if !store.events.links.are_settled() {
            continue;
        }
        if !store.events.links.may_disagree {
            return;
        }
        compare_all(store);
        store.events.links.may_disagree = false;
    }
}

/// Notes all links and pairs of which the two sides disagree.
#[cold]
fn compare_all(store: &mut Store) {
    for number in 0..store.structure.sparse.len() {
        let source = store.structure.archetypes.components.sparse()[number];
        let Some((functions, true)) = relation(store, source) else { continue };
        let Ok(list) = store.register_descriptor((functions.target_list)()) else { continue };
        let LinkFunctions { target, lists, mend, .. } = *functions;
        compare(store, &Sides { source, list, target, lists, mend });
    }
    store.compare_pairs();
}

/// A target has got a list from outside: of its sources those stay that name it, each once.
fn adopt(store: &mut Store, list: ComponentId, target: Entity) {
    let Some((functions, _)) = relation(store, list) else { return };
    let Some(id) = id_of(store, functions) else { return };
    let world = World::from_store(store);
    let Some(sources) = (functions.lists)(world, target) else { return };
    let mut seen = EntityHashSet::default();
    let stays = |source: &Entity| {
        (functions.target)(world, *source) == Some(target)
            && store.events.links.target(id, *source).is_none_or(|listed| listed == target)
            && is_valid(store, functions, id, *source, target).is_ok()
            && seen.insert(*source)
    };
    let count = sources.len();
    let kept: Vec<Entity> = sources.into_iter().filter(stays).collect();
    if kept.len() != count {
        if kept.is_empty() {
            store.events.pending.mark_stale();
        }
        keep(store, functions, id, target, &kept);
    }
    for (place, source) in kept.into_iter().enumerate() {
        store.events.links.set_place(id, source, target, place as u32);
    }
    (functions.note_target)(store, target);
    // Those that it has listed before and does not list now are orphans, which have been noted.
}

/// Lists these of the sources of a target and no others, and removes the component if they are none.
fn keep(store: &mut Store, functions: &LinkFunctions, id: ComponentId, target: Entity, kept: &[Entity]) {
    (functions.list_these)(store, target, kept);
    if kept.is_empty() {
        (functions.unlist)(store, id, target, (Entity::PLACEHOLDER, 0));
    }
}

/// Makes components of entities that have come from another world, of which nothing has been told yet, name each other by their new ids.
/// Links to entities that have not come end.
pub(crate) fn moved(store: &mut Store, ids: &[(Entity, Entity)]) {
    let new = NewIds::of(ids);
    // What sources name comes first, for which no memory is needed. Lists that could not be changed are made anew.
    for changes_sources in [true, false] {
        for number in 0..store.structure.sparse.len() {
            let id = store.structure.archetypes.components.sparse()[number];
            let functions = relation(store, id).filter(|(_, is_source)| *is_source == changes_sources);
            let Some((functions, is_source)) = functions else { continue };
            for &(_, entity) in ids {
                if is_source {
                    let named = (functions.target)(World::from_store(store), entity);
                    if let Some(target) = named {
                        (functions.retarget)(store, entity, new.get(target));
                    }
                } else if let Some(sources) = (functions.lists)(World::from_store(store), entity) {
                    let sources: Vec<Entity> = sources.into_iter().map(|source| new.get(source)).collect();
                    (functions.list_these)(store, entity, &sources);
                }
            }
        }
    }
}

/// Which ids entities have got that have come from another world.
enum NewIds<'i> {
    /// By how much the index of the old id is above the least one: the old id and the new one.
    Near(u32, Vec<(Entity, Entity)>),
    /// In the order of the old ids, if they are far from each other.
    Far(Vec<(Entity, Entity)>),
    /// In any order, if there is no memory for another one.
    Unsorted(&'i [(Entity, Entity)]),
}

impl<'i> NewIds<'i> {
    /// A table has at most so many places for each id.
    const SPARSEST: usize = 8;

    fn of(ids: &'i [(Entity, Entity)]) -> Self {
        let indexes = ids.iter().map(|(old, _)| old.index());
        let (least, most) = (indexes.clone().min().unwrap_or(0), indexes.max().unwrap_or(0));
        let places = (most - least) as usize + 1;
        let are_far = places > ids.len().saturating_mul(Self::SPARSEST);
        let mut table = Vec::new();
        if try_reserve_exact(&mut table, if are_far { ids.len() } else { places }).is_err() {
            return Self::Unsorted(ids);
        }
        if are_far {
            table.extend_from_slice(ids);
            table.sort_unstable_by_key(|&(old, _)| old);
            return Self::Far(table);
        }
        table.resize(places, (Entity::PLACEHOLDER, Entity::PLACEHOLDER));
        ids.iter().for_each(|&(old, new)| table[(old.index() - least) as usize] = (old, new));
        Self::Near(least, table)
    }

    /// The new id; that of no entity for one that has not come.
    fn get(&self, old: Entity) -> Entity {
        let found = match self {
            Self::Near(least, table) => {
                let place = old.index().checked_sub(*least).and_then(|place| table.get(place as usize));
                place.filter(|(of, _)| *of == old)
            }
            Self::Far(ids) => ids.binary_search_by_key(&old, |&(old, _)| old).ok().map(|at| &ids[at]),
            Self::Unsorted(ids) => ids.iter().find(|(of, _)| *of == old),
        };
        found.map_or(Entity::PLACEHOLDER, |(_, new)| *new)
    }
}

/// Entities that would end with each other.
pub(super) struct LinkedTree {
    /// The root first, and then level by level; the sources of one target in their order.
    pub(super) entities: Vec<Entity>,
    /// The relationships that have led from one to the other: the components of their sources.
    pub(super) relationships: Vec<ComponentId>,
    /// Those components of their targets that have other fields.
    pub(super) lists: Vec<ComponentId>,
}

/// An entity and all that would end with it, by relationships of which a function means the component that lists the sources. `O(entities)`
pub(super) fn linked_tree(
    store: &mut Store,
    root: Entity,
    is_meant: impl Fn(&Store, ComponentId) -> bool,
) -> LinkedTree {
    let ids: Vec<ComponentId> = store.structure.archetypes.components.iter().map(|info| info.id()).collect();
    let (mut relationships, mut lists) = (Vec::new(), Vec::new());
    for id in ids {
        if let Some((functions, false)) = relation(store, id)
            && functions.is_linked
            && is_meant(store, id)
            && let Some(source) = id_of(store, functions)
        {
            relationships.push((source, functions));
            lists.extend(functions.list_has_more.then_some(id));
        }
    }
    let world = World::from_store(store);
    let (mut entities, mut seen) = (alloc::vec![root], EntityHashSet::from_iter([root]));
    let mut at = 0;
    while let Some(&target) = entities.get(at) {
        for (_, functions) in &relationships {
            let sources = (functions.lists)(world, target).unwrap_or_default();
            // Both sides may disagree if a program has exchanged lists.
            let is_new = |source: &Entity| (functions.target)(world, *source) == Some(target) && seen.insert(*source);
            entities.extend(sources.into_iter().filter(is_new));
        }
        at += 1;
    }
    LinkedTree { entities, relationships: relationships.into_iter().map(|(source, _)| source).collect(), lists }
}

impl LinkedTree {
    /// An entity alone.
    pub(super) fn of_one(root: Entity) -> Self {
        Self { entities: alloc::vec![root], relationships: Vec::new(), lists: Vec::new() }
    }
}

/// Makes the sources that are listed by a component of an entity sources of another one. Other fields of theirs stay.
pub(super) fn move_sources(store: &mut Store, list: ComponentId, from: Entity, to: Entity) {
    let Some((functions, false)) = relation(store, list) else { return };
    let sources = (functions.lists)(World::from_store(store), from).unwrap_or_default();
    sources.into_iter().for_each(|source| (functions.rename_target)(store, source, to));
}

/// Moves other fields of a component that lists sources into one without sources, if it has some.
pub(super) fn take_others(store: &mut Store, list: ComponentId, target: Entity, others: &mut EntityBuilder) {
    if let Some((functions, false)) = relation(store, list)
        && functions.list_has_more
    {
        (functions.take_others)(store, target, others);
    }
}

/// The target on which an entity is listed by a relationship.
pub(super) fn target_of(store: &Store, relationship: ComponentId, source: Entity) -> Option<Entity> {
    store.events.links.target(relationship, source)
}

/// Replaces the entities inside of a component that is in no world by those that stand for them; with them the target that it names. One
/// that lists sources then lists none: they come to it when they are linked.
pub(crate) fn rename(mut component: ErasedRefMut<'_>, mapper: &mut dyn EntityMapper) {
    let side = component.descriptor().relation();
    let functions = side.and_then(RelationSide::functions::<LinkFunctions>);
    if let (Some(false), Some(functions)) = (side.map(RelationSide::is_source), functions) {
        (functions.empty)(component.reborrow());
        component.map_entities(mapper);
        return;
    }
    let named = functions.and_then(|functions| (functions.rename)(component.reborrow(), None));
    component.map_entities(mapper);
    if let (Some(functions), Some(target)) = (functions, named) {
        (functions.rename)(component, Some(mapper.get_mapped(target)));
    }
}

/// Whether [`rename`] may find entities in values of a component.
pub(crate) fn names_entities(component: &ComponentDescriptor) -> bool {
    component.functions().map_entities_fn().is_some() || component.relation().is_some_and(|side| side.is_source())
}

/// Brings the list of a target into an order. False if it does not list these sources.
pub(crate) fn arrange_sources(
    store: &mut Store,
    list: &ComponentDescriptor,
    target: Entity,
    sources: &[Entity],
) -> bool {
    let side = list.relation().filter(|side| !side.is_source());
    let Some(functions) = side.and_then(RelationSide::functions::<LinkFunctions>) else { return false };
    // Links of operations whose events are deferred are not in the lists yet.
    store.relink();
    let Some(listed) = (functions.lists)(World::from_store(store), target) else { return false };
    if listed == sources {
        return true;
    }
    let all: EntityHashSet = listed.iter().collect();
    let wanted: EntityHashSet = sources.iter().copied().collect();
    let are_these =
        listed.len() == sources.len() && wanted.len() == sources.len() && wanted.iter().all(|one| all.contains(one));
    let Some(id) = id_of(store, functions).filter(|_| are_these) else { return false };
    store.change_links(|store| (functions.list_these)(store, target, sources));
    for (place, &source) in sources.iter().enumerate() {
        store.events.links.move_place(id, source, place as u32);
    }
    true
}

/// Removes a relationship from entities that will name another target, if one of them could not be linked before the others have been.
pub(crate) fn part_circles(store: &mut Store, links: &[(Entity, &ErasedValue)]) {
    let Some((_, first)) = links.first() else { return };
    let side = first.descriptor().relation().filter(|side| side.is_source());
    let Some(functions) = side.and_then(RelationSide::functions::<LinkFunctions>) else { return };
    let Some(id) = id_of(store, functions).filter(|_| functions.is_linked) else { return };
    let named = |value: &ErasedValue| (functions.named_by)(value.values().as_slice())?.first().copied();
    let changing: Vec<(Entity, Entity)> =
        links.iter().filter_map(|(source, value)| Some((*source, named(value)?))).collect();
    // One that is linked on the way may be above another one then.
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
                (functions.release)(store, source);
            }
        }
    }
}

/// Replaces the entities inside of a component of an entity that is about to move by those that stand for them. The target that it names
/// and the sources that it lists stay: [`moved`] replaces these.
pub(super) fn rename_before_move(store: &mut Store, entity: Entity, id: ComponentId, mapper: &mut dyn EntityMapper) {
    let Some(mut component) = WriteEntity::new(store, entity).into_erased(id) else { return };
    let Some(side) = component.descriptor().relation() else {
        component.map_entities(mapper);
        return;
    };
    let functions = side.functions::<LinkFunctions>().filter(|_| side.is_source());
    let named = functions.and_then(|functions| (functions.rename)(component.reborrow(), None));
    if let (Some(functions), Some(target)) = (functions, named) {
        component.map_entities(mapper);
        (functions.rename)(component, Some(target));
    }
}

/// Panics if the two sides of a relationship disagree: for tests.
pub(crate) fn check_links(world: &World) {
    for info in world.store.structure.archetypes.components.iter() {
        let Some((functions, true)) = relation(&world.store, info.id()) else { continue };
        let name = info.name();
        let (mut named, mut listed) = (0, 0);
        for &entity in world.store.structure.archetypes.tables.iter().flat_map(|table| table.entities()) {
            let target = (functions.target)(world, entity);
            assert_eq!(target, world.store.events.links.target(info.id(), entity), "what {entity} names by {name}");
            named += usize::from(target.is_some());
            let sources = (functions.lists)(world, entity).unwrap_or_default();
            for source in &sources {
                assert_eq!((functions.target)(world, *source), Some(entity), "what {source} names by {name}");
            }
            assert_eq!(EntityHashSet::from_iter(sources.clone()).len(), sources.len(), "each source of {entity} once");
            listed += sources.len();
        }
        assert_eq!(named, listed, "each link by {name} has two sides");
        assert_eq!(world.store.events.links.count(info.id()), named, "links by {name}");
    }
}

/// Why an entity cannot be linked to another one.
enum Refused {
    Dead,
    Itself,
    Circle,
}

/// Whether an entity can be linked to another one. `O(depth)` if sources end with their target and the entity lists some, constant otherwise.
#[inline]
fn is_valid(
    store: &Store,
    functions: &LinkFunctions,
    id: ComponentId,
    source: Entity,
    target: Entity,
) -> Result<(), Refused> {
    if source == target {
        return if functions.allows_self { Ok(()) } else { Err(Refused::Itself) };
    }
    if !store.structure.entities.contains(target) {
        return Err(Refused::Dead);
    }
    // An entity that lists nothing is above none.
    let lists = store.structure.entities.sparse_summary(source.index()).meets(store.events.lists);
    if functions.is_linked
        && lists
        && (functions.has_list)(World::from_store(store), source)
        && with_those_above(store, id, target).any(|entity| entity == source)
    {
        return Err(Refused::Circle);
    }
    Ok(())
}

/// Takes a source, which may have ended, off the list of a target.
fn part(store: &mut Store, functions: &LinkFunctions, id: ComponentId, source: Entity) {
    if let Some((listed, place)) = store.events.links.place(id, source) {
        store.events.links.forget_target(id, source);
        (functions.unlist)(store, id, listed, (source, place));
    }
}

/// What links a source that has come, as [`relink`] would, if nothing else has to be done. None if the component names no target.
pub(crate) fn linking(store: &Store, id: ComponentId) -> Option<Link<Store>> {
    let (functions, is_source) = relation(store, id)?;
    is_source.then_some(functions.link)
}

/// Despawns an entity and the sources that are despawned with it. Returns false, with nothing despawned, if a hook or observer is notified of
/// the end of one of them or one is in a pair, if they list sources by several relationships or by one that does not despawn them or allows
/// links to itself, or if the two sides of the relationship disagree.
///
/// Removals are recorded. Links to targets outside of the tree are removed by `Store::flush_events`.
pub(crate) fn end_linked(store: &mut Store, root: Entity) -> bool {
    store.change_links(|store| end_tree(store, root))
}

fn end_tree(store: &mut Store, root: Entity) -> bool {
    let Some(summary) = store.ends_unobserved(root) else { return false };
    if !summary.meets(store.events.lists) && end_leaf(store, root, summary) {
        return true;
    }
    let mut ending = core::mem::take(&mut store.events.links.ending);
    ending.push(root);
    let ended = collect_all(store, &mut ending).map(|tree| {
        store.structure.entities.reserve_free(ending.len()).unwrap_or_else(|error| error.raise());
        let is_source = summary.meets(store.events.sources);
        unlist_all(store, &ending, is_source, tree);
        store.end_unobserved(&ending)
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

/// Despawns an entity that lists no sources and is linked to exactly one target, if nothing has to be dropped. Otherwise returns false, with
/// nothing changed.
#[inline]
fn end_leaf(store: &mut Store, entity: Entity, summary: SparseSummary) -> bool {
    let sources = summary.common(store.events.sources);
    let Some(number) = sources.only(store.structure.sparse.len()) else { return false };
    let id = store.structure.archetypes.components.sparse()[number];
    let place = store.events.links.place(id, entity);
    let (Some((target, place)), Some((functions, true))) = (place, relation(store, id)) else { return false };
    let ended = store.end_undropped(entity);
    if ended {
        store.events.links.forget_target(id, entity);
        (functions.unlist)(store, id, target, (entity, place));
    }
    ended
}

/// Extends `ending`, which holds the root, by the sources that are despawned with it, level by level. Returns `None` in the cases in which
/// [`end_linked`] returns false, otherwise the component of the sources of the relationship that was followed, if there are any.
fn collect_all(store: &mut Store, ending: &mut Vec<Entity>) -> Option<Option<ComponentId>> {
    let most = store.structure.entities.len();
    let mut tree: Option<(ComponentId, ComponentId, &LinkFunctions)> = None;
    let mut at = 0;
    let mut quiet = None;
    loop {
        at += store.count_leaves(&ending[at..], quiet);
        let Some(&entity) = ending.get(at) else { break };
        at += 1;
        let lists = store.ends_unobserved_in(entity, &mut quiet)?.common(store.events.lists);
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
            // Both sides may disagree if a program has exchanged lists.
            if !(functions.collect)(store, source, entity, ending) || ending.len() > most {
                return None;
            }
        }
    }
    Some(tree.map(|(_, source, _)| source))
}

/// Removes the links of entities that are about to be despawned. Links of the relationship `tree` between them are forgotten here, links to
/// targets outside are noted and removed by `Store::flush_events`. `is_source` tells whether the root may be a source.
fn unlist_all(store: &mut Store, ending: &[Entity], is_source: bool, tree: Option<ComponentId>) {
    let others = match tree {
        Some(tree) => store.events.sources.except(store.structure.storage_of(tree)),
        None => store.events.sources,
    };
    let (root, linked) = ending.split_at(ending.len().min(1));
    if is_source {
        note_all_parting(store, root, store.events.sources);
    }
    note_all_parting(store, linked, others);
    if let Some(tree) = tree {
        store.events.links.forget_targets(tree, linked);
    }
}

/// Notes entities that are about to end, as far as they are listed on targets.
fn note_all_parting(store: &mut Store, entities: &[Entity], of: SparseSummary) {
    if of.is_empty() {
        return;
    }
    for &entity in entities {
        let sources = store.structure.entities.sparse_summary(entity.index()).common(of);
        if !sources.is_empty() {
            note_parting(store, entity, sources);
        }
    }
}

/// Notes an entity that is about to end, if it is listed on targets.
fn note_parting(store: &mut Store, entity: Entity, sources: SparseSummary) {
    for number in sources.storages(store.structure.sparse.len()) {
        let id = store.structure.archetypes.components.sparse()[number];
        if store.events.links.target(id, entity).is_some() {
            store.events.links.parting.push((id, entity));
            store.events.has_pending = true;
        }
    }
}

/// Takes the sources that are noted off the lists of targets that they do not name. Those that leave one target together are looked for
/// together.
fn part_all(store: &mut Store) {
    /// From so many sources on.
    const TOGETHER: usize = 4;
    let mut at = 0;
    while let Some(&(id, source)) = store.events.links.parting.get(at) {
        let listed = store.events.links.target(id, source);
        let (Some(target), Some((functions, _))) = (listed, relation(store, id)) else {
            at += 1;
            continue;
        };
        let others = store.events.links.parting[at + 1..].iter().filter(|_| !functions.knows_places);
        let is_same =
            |other: &&(ComponentId, Entity)| other.0 == id && store.events.links.target(id, other.1) == listed;
        let count = 1 + others.take_while(is_same).count();
        if count >= TOGETHER {
            let noted = &store.events.links.parting[at..at + count];
            let world = World::from_store(store);
            let goes = |&source: &Entity| (functions.target)(world, source) != Some(target);
            let leaving: Vec<Entity> = noted.iter().map(|(_, source)| *source).filter(goes).collect();
            let kept = (functions.lists)(world, target).map(|mut sources| {
                let leaving = EntityHashSet::from_iter(leaving.iter());
                sources.retain(|source| !leaving.contains(source));
                sources
            });
            leaving.into_iter().for_each(|source| store.events.links.forget_target(id, source));
            // A target that has ended has no list.
            if let Some(kept) = kept {
                keep(store, functions, id, target, &kept);
            }
            at += count;
        } else {
            if (functions.target)(World::from_store(store), source) != listed {
                part(store, functions, id, source);
            }
            at += 1;
        }
    }
    store.events.links.parting.clear();
}

/// Puts a source on the list of the target that it names.
fn link(store: &mut Store, id: ComponentId, source: Entity) {
    let Some((functions, _)) = relation(store, id) else { return };
    let named = (functions.target)(World::from_store(store), source);
    let listed = store.events.links.target(id, source);
    if named == listed {
        return;
    }
    part(store, functions, id, source);
    let Some(target) = named else { return };
    if let Err(why) = is_valid(store, functions, id, source, target) {
        // One that has come from another world without its target.
        if target != Entity::PLACEHOLDER {
            report(store, functions, (source, target), &why);
        }
        return drop_later(store, id, source);
    }
    let (place, displaced) = (functions.list)(store, id, target, source);
    store.events.links.set_place(id, source, target, place);
    if let Some(displaced) = displaced {
        store.events.pending.mark_stale();
        store.events.links.forget_target(id, displaced);
        (functions.release)(store, displaced);
    }
}

/// Tells the handler of errors of a link that cannot be.
#[cold]
fn report(store: &mut Store, functions: &LinkFunctions, (source, target): (Entity, Entity), why: &Refused) {
    let reason = match why {
        Refused::Dead => format!("entity {source} cannot be linked to {target}, which is not alive"),
        Refused::Itself => format!(
            "entity {source} cannot be linked to itself; where that is meant: \
             `#[relationship(relationship_target = .., allow_self_referential)]`"
        ),
        Refused::Circle => format!(
            "entity {source} cannot be linked to {target}, which is linked to it already, directly or through others: they would end \
             with each other"
        ),
    };
    let by = store.structure.entities.acting();
    store.commands.errors.report("insert", (functions.source_name)(), CommandFailure::Other(Arc::from(reason)), by);
}

/// Has a component that makes no link removed when observers and hooks have been told that it came.
fn drop_later(store: &mut Store, id: ComponentId, source: Entity) {
    store.events.links.refused.push_back((id, source));
    store.events.dispatch.let_wait(|store: &mut Store| store.batched(drop_refused));
}

/// Removes components that make no links. If that panics, it goes on when all are removed.
fn drop_refused(store: &mut Store) {
    let mut panicked = Waiting::default();
    while let Some((id, source)) = store.events.links.refused.pop_front() {
        let Some((functions, _)) = relation(store, id) else { continue };
        let named = (functions.target)(World::from_store(store), source);
        if named.is_some() && named != store.events.links.target(id, source) {
            let release = |store: &mut Store| (functions.release)(store, source);
            panicked = panicked.or(Waiting::catch(|| store.change_links(release)));
        }
    }
    panicked.go_on();
}

/// Sources whose target lists them no more: those of a target that has ended end with it, if that is the kind of their relationship.
/// Others lose the component that names it.
fn part_with_orphans(store: &mut Store) {
    let count = store.events.links.orphans.len();
    if count == 0 {
        return;
    }
    let mut ending = Vec::new();
    let mut lists: Option<(Entity, ComponentId, EntityHashSet)> = None;
    // They stay noted until all are done: a destructor may panic.
    for at in 0..count {
        let Orphan { relation: id, source, target, has_ended } = store.events.links.orphans[at];
        let Some((functions, _)) = relation(store, id) else { continue };
        let world = World::from_store(store);
        if (functions.target)(world, source) != Some(target) {
            continue;
        }
        if !store.structure.entities.contains(target) {
            store.events.pending.mark_stale();
            match functions.is_linked && has_ended {
                true => ending.push(source),
                false => (functions.release)(store, source),
            }
            continue;
        }
        if lists.as_ref().is_none_or(|(of, by, _)| (*of, *by) != (target, id)) {
            let listed = (functions.lists)(world, target).unwrap_or_default();
            lists = Some((target, id, EntityHashSet::from_iter(listed)));
        }
        if !lists.as_ref().is_some_and(|(_, _, listed)| listed.contains(&source)) {
            store.events.pending.mark_stale();
            store.events.links.forget_target(id, source);
            (functions.release)(store, source);
        }
    }
    if !ending.is_empty() {
        store.despawn_these(&ending);
    }
    store.events.links.orphans.drain(..count);
}
