//! Keeping both sides of relationships: each source that names a target is listed on it, once, and no other is.
//!
//! Before an operation [`unlink`] notes what it takes away. Behind it, before observers and hooks are told of it, [`relink`] looks at what
//! has come, and makes both sides agree by operations of its own, which belong to the operation: what they do is told with it. All links
//! that have ended go before the first one comes. A link that cannot be is left until the operation has been told; then the component is
//! removed.
//!
//! What is noted is only where to look. What holds is read from the components, so that nothing goes wrong if an operation was broken off
//! in between.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;

use super::cast::World;
use crate::change::{ReadEntity, WriteEntity};
use crate::component::{Component, ComponentDescriptor, ComponentId, Description, Kinds, RelationSide};
use crate::entity::{Entity, EntityHashMap, EntityHashSet};
use crate::guard::Waiting;
use crate::relationship::{Relationship, RelationshipSourceCollection, RelationshipTarget};
use crate::store::{CommandFailure, NewsView, Orphan, Store, settle_pairs};

/// What is done with the components of one relationship.
struct LinkFunctions {
    /// The component of the sources.
    source: fn() -> &'static ComponentDescriptor,
    source_name: fn() -> &'static str,
    is_linked: bool,
    allows_self: bool,
    /// The target that an entity names.
    target: fn(&World, Entity) -> Option<Entity>,
    /// Whether an entity has the component that lists sources.
    has_list: fn(&World, Entity) -> bool,
    /// The sources that an entity lists; none if it lacks the component.
    lists: fn(&World, Entity) -> Option<Vec<Entity>>,
    /// Lists a source, in place of another one if there has to be one less. Returns that.
    list: fn(&mut Store, Entity, Entity) -> Option<Entity>,
    /// Lists a source no more, and removes the component if it was the last one.
    unlist: fn(&mut Store, Entity, Entity),
    /// Lists these sources and no others, if there is a list.
    list_these: fn(&mut Store, Entity, &[Entity]),
    /// Removes the component of a source.
    release: fn(&mut Store, Entity),
    /// Makes a source name another target, before anyone has been told of the one that it names.
    retarget: fn(&mut Store, Entity, Entity),
}

impl LinkFunctions {
    const fn of<R: Relationship>() -> Self {
        Self {
            source: || ComponentDescriptor::of::<R>(),
            source_name: type_name::<R>,
            is_linked: <R::RelationshipTarget as RelationshipTarget>::LINKED_SPAWN,
            allows_self: R::ALLOW_SELF_REFERENTIAL,
            target: |world, source| ReadEntity::find::<R>(world.read(), source).map(R::get),
            has_list: |world, target| ReadEntity::find::<R::RelationshipTarget>(world.read(), target).is_some(),
            lists: |world, target| {
                Some(ReadEntity::find::<R::RelationshipTarget>(world.read(), target)?.iter().collect())
            },
            list: list::<R>,
            unlist: unlist::<R>,
            list_these: |store, target, sources| {
                if let Some(mut list) = WriteEntity::new(store, target).into_mut::<R::RelationshipTarget>() {
                    let list = list.collection_mut_risky();
                    list.clear();
                    list.extend_from_iter(sources.iter().copied());
                }
            },
            release: remove::<R>,
            retarget: |store, source, target| {
                if let Some(mut named) = WriteEntity::new(store, source).into_mut_told::<R>() {
                    named.set_risky(target);
                }
            },
        }
    }
}

/// Lists a source, in place of another one if there has to be one less. Returns that.
fn list<R: Relationship>(store: &mut Store, target: Entity, source: Entity) -> Option<Entity> {
    if let Some(mut list) = WriteEntity::new(store, target).into_mut::<R::RelationshipTarget>() {
        let list = list.collection_mut_risky();
        let displaced = list.source_to_remove_before_add();
        displaced.into_iter().for_each(|displaced| _ = list.remove(displaced));
        list.add(source);
        return displaced;
    }
    let mut list = R::RelationshipTarget::from_collection_risky(RelationshipSourceCollection::new());
    list.collection_mut_risky().add(source);
    store.listeners.links.is_listing = true;
    let listing = Listing(store);
    if let Ok(mut target) = listing.0.at(target) {
        target.insert_for_origin(list);
    }
    None
}

/// A target gets its list from here, unless that panics.
struct Listing<'s>(&'s mut Store);

impl Drop for Listing<'_> {
    fn drop(&mut self) {
        self.0.listeners.links.is_listing = false;
    }
}

/// Lists a source no more, and removes the component if it was the last one.
fn unlist<R: Relationship>(store: &mut Store, target: Entity, source: Entity) {
    let Some(mut list) = WriteEntity::new(store, target).into_mut::<R::RelationshipTarget>() else { return };
    list.collection_mut_risky().remove(source);
    if list.is_empty() {
        remove::<R::RelationshipTarget>(store, target);
    }
}

/// Removes a component. The origin is that of the operation.
fn remove<C: Component>(store: &mut Store, entity: Entity) {
    let id = store.register_component::<C>();
    if let Ok(mut entity) = store.at(entity) {
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
    let side = store.archetypes.components.info(id)?.descriptor().relation()?;
    Some((side.functions()?, side.is_source()))
}

/// The number of the component that sources have.
fn id_of(store: &mut Store, functions: &LinkFunctions) -> Option<ComponentId> {
    store.register_descriptor((functions.source)()).ok()
}

/// Notes which relationships are about to go.
pub(crate) fn unlink(store: &mut Store, news: &NewsView<'_>) {
    let kinds = Kinds::DISCARD.and(Kinds::DESPAWN).of_links();
    for part in news.of_kinds(kinds) {
        for id in part.components() {
            let ends = part.of(id).has(Kinds::DESPAWN.of_links());
            if store.archetypes.components.is_of_pairs(id) {
                for nth in 0..part.affected.len() {
                    let entity = part.affected.get(nth, &store.archetypes.tables);
                    entity.into_iter().for_each(|entity| store.listeners.links.unpair(id, entity, ends));
                }
                continue;
            }
            let Some((functions, is_source)) = relation(store, id) else { continue };
            let source_id = if is_source { Some(id) } else { id_of(store, functions) };
            let Some(source_id) = source_id else { continue };
            for nth in 0..part.affected.len() {
                let Some(entity) = part.affected.get(nth, &store.archetypes.tables) else { continue };
                if is_source {
                    store.listeners.links.parting.push((id, entity));
                    continue;
                }
                let sources = (functions.lists)(World::from_store(store), entity).unwrap_or_default();
                sources.into_iter().for_each(|source| store.listeners.links.orphan(source_id, source, entity, ends));
            }
        }
    }
    store.listeners.links.unlinked();
}

/// How many destructors may panic in one operation until the rest waits for the next one.
const PANICS: usize = 10_000;

/// Makes both sides of relationships agree, behind an operation. If destructors panic, that goes on when all is done: each has removed its
/// value.
pub(crate) fn relink(store: &mut Store) {
    store.settle_rows();
    for _ in 0..PANICS {
        let panicked = Waiting::catch(|| store.without_news(settle));
        store.let_wait(panicked);
        if store.listeners.links.are_settled() {
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
        while let Some(&(list, target)) = store.listeners.links.adopting.get(at) {
            adopt(store, list, target);
            at += 1;
        }
        store.listeners.links.adopting.clear();
        part_with_orphans(store);
        if !store.listeners.links.have_parted() {
            continue;
        }
        let mut at = 0;
        while let Some(&(relation, source)) = store.listeners.links.coming.get(at) {
            link(store, relation, source);
            at += 1;
        }
        store.listeners.links.coming.clear();
        if store.listeners.links.are_settled() {
            return;
        }
    }
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
            && store.listeners.links.target(id, *source).is_none_or(|listed| listed == target)
            && is_valid(store, functions, id, *source, target).is_ok()
            && seen.insert(*source)
    };
    let count = sources.len();
    let kept: Vec<Entity> = sources.into_iter().filter(stays).collect();
    if kept.len() != count {
        if kept.is_empty() {
            store.doubt_news();
        }
        keep(store, functions, target, &kept);
    }
    kept.into_iter().for_each(|source| store.listeners.links.set_target(id, source, Some(target)));
    // Those that it has listed before and does not list now are orphans, which have been noted.
}

/// Lists these of the sources of a target and no others, and removes the component if they are none.
fn keep(store: &mut Store, functions: &LinkFunctions, target: Entity, kept: &[Entity]) {
    (functions.list_these)(store, target, kept);
    if kept.is_empty() {
        (functions.unlist)(store, target, Entity::PLACEHOLDER);
    }
}

/// Makes components of entities that have come from another world, of which nothing has been told yet, name each other by their new ids.
/// Links to entities that have not come end.
pub(crate) fn moved(store: &mut Store, ids: &[(Entity, Entity)]) {
    let new = EntityHashMap::from_iter(ids.iter().copied());
    let sides = store.archetypes.components.iter().filter_map(|info| info.descriptor().relation());
    let sides: Vec<RelationSide> = sides.collect();
    for side in sides {
        let Some(functions) = side.functions::<LinkFunctions>() else { continue };
        for &(_, entity) in ids {
            if side.is_source() {
                let named = (functions.target)(World::from_store(store), entity);
                if let Some(target) = named {
                    let target = new.get(&target).copied().unwrap_or(Entity::PLACEHOLDER);
                    (functions.retarget)(store, entity, target);
                }
            } else if let Some(sources) = (functions.lists)(World::from_store(store), entity) {
                let new = |source: Entity| new.get(&source).copied().unwrap_or(Entity::PLACEHOLDER);
                let sources: Vec<Entity> = sources.into_iter().map(new).collect();
                (functions.list_these)(store, entity, &sources);
            }
        }
    }
}

/// Panics if the two sides of a relationship disagree: for tests.
pub(crate) fn check_links(world: &World) {
    for info in world.store.archetypes.components.iter() {
        let Some((functions, true)) = relation(&world.store, info.id()) else { continue };
        let name = info.name();
        let (mut named, mut listed) = (0, 0);
        for &entity in world.store.archetypes.tables.iter().flat_map(|table| table.entities()) {
            let target = (functions.target)(world, entity);
            assert_eq!(target, world.store.listeners.links.target(info.id(), entity), "what {entity} names by {name}");
            named += usize::from(target.is_some());
            let sources = (functions.lists)(world, entity).unwrap_or_default();
            for source in &sources {
                assert_eq!((functions.target)(world, *source), Some(entity), "what {source} names by {name}");
            }
            assert_eq!(EntityHashSet::from_iter(sources.clone()).len(), sources.len(), "each source of {entity} once");
            listed += sources.len();
        }
        assert_eq!(named, listed, "each link by {name} has two sides");
        assert_eq!(world.store.listeners.links.count(info.id()), named, "links by {name}");
    }
}

/// Why an entity cannot be linked to another one.
enum Refused {
    Dead,
    Itself,
    Circle,
}

/// Whether an entity can be linked to another one. `O(depth)` if sources end with their target and the entity lists some, constant otherwise.
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
    if !store.entities.contains(target) {
        return Err(Refused::Dead);
    }
    // An entity that lists nothing is above none.
    if functions.is_linked && (functions.has_list)(World::from_store(store), source) {
        let up = |&entity: &Entity| store.listeners.links.target(id, entity).filter(|&above| above != entity);
        if core::iter::successors(Some(target), up).any(|entity| entity == source) {
            return Err(Refused::Circle);
        }
    }
    Ok(())
}

/// Takes a source, which may have ended, off the list of a target.
fn part(store: &mut Store, functions: &LinkFunctions, id: ComponentId, (source, listed): (Entity, Entity)) {
    store.listeners.links.set_target(id, source, None);
    (functions.unlist)(store, listed, source);
}

/// Takes the sources that are noted off the lists of targets that they do not name. Those that leave one target together are looked for
/// together.
fn part_all(store: &mut Store) {
    /// From so many sources on.
    const TOGETHER: usize = 4;
    let mut at = 0;
    while let Some(&(id, source)) = store.listeners.links.parting.get(at) {
        let listed = store.listeners.links.target(id, source);
        let (Some(target), Some((functions, _))) = (listed, relation(store, id)) else {
            at += 1;
            continue;
        };
        let others = store.listeners.links.parting[at + 1..].iter();
        let is_same =
            |other: &&(ComponentId, Entity)| other.0 == id && store.listeners.links.target(id, other.1) == listed;
        let count = 1 + others.take_while(is_same).count();
        if count >= TOGETHER {
            let noted = &store.listeners.links.parting[at..at + count];
            let world = World::from_store(store);
            let goes = |&source: &Entity| (functions.target)(world, source) != Some(target);
            let leaving: Vec<Entity> = noted.iter().map(|(_, source)| *source).filter(goes).collect();
            let kept = (functions.lists)(world, target).map(|mut sources| {
                let leaving = EntityHashSet::from_iter(leaving.iter());
                sources.retain(|source| !leaving.contains(source));
                sources
            });
            leaving.into_iter().for_each(|source| store.listeners.links.set_target(id, source, None));
            // A target that has ended has no list.
            if let Some(kept) = kept {
                keep(store, functions, target, &kept);
            }
            at += count;
        } else {
            if (functions.target)(World::from_store(store), source) != listed {
                part(store, functions, id, (source, target));
            }
            at += 1;
        }
    }
    store.listeners.links.parting.clear();
}

/// Puts a source on the list of the target that it names.
fn link(store: &mut Store, id: ComponentId, source: Entity) {
    let Some((functions, _)) = relation(store, id) else { return };
    let named = (functions.target)(World::from_store(store), source);
    let listed = store.listeners.links.target(id, source);
    if named == listed {
        return;
    }
    if let Some(listed) = listed {
        part(store, functions, id, (source, listed));
    }
    let Some(target) = named else { return };
    if let Err(why) = is_valid(store, functions, id, source, target) {
        // One that has come from another world without its target.
        if target != Entity::PLACEHOLDER {
            report(store, functions, (source, target), &why);
        }
        return drop_later(store, functions, id, source);
    }
    let displaced = (functions.list)(store, target, source);
    store.listeners.links.set_target(id, source, Some(target));
    if let Some(displaced) = displaced {
        store.doubt_news();
        store.listeners.links.set_target(id, displaced, None);
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
    let by = store.entities.acting();
    store.command_errors.report("insert", (functions.source_name)(), CommandFailure::Other(Arc::from(reason)), by);
}

/// Has a component that makes no link removed when observers and hooks have been told that it came.
fn drop_later(store: &mut Store, functions: &'static LinkFunctions, id: ComponentId, source: Entity) {
    store.reactions.queue.push(move |store: &mut Store| {
        let named = (functions.target)(World::from_store(store), source);
        if named.is_some() && named != store.listeners.links.target(id, source) {
            (functions.release)(store, source);
        }
    });
}

/// Sources whose target lists them no more: those of a target that has ended end with it, if that is the kind of their relationship.
/// Others lose the component that names it.
fn part_with_orphans(store: &mut Store) {
    let count = store.listeners.links.orphans.len();
    if count == 0 {
        return;
    }
    let mut ending = Vec::new();
    let mut lists: Option<(Entity, ComponentId, EntityHashSet)> = None;
    // They stay noted until all are done: a destructor may panic.
    for at in 0..count {
        let Orphan { relation: id, source, target, has_ended } = store.listeners.links.orphans[at];
        let Some((functions, _)) = relation(store, id) else { continue };
        let world = World::from_store(store);
        if (functions.target)(world, source) != Some(target) {
            continue;
        }
        if !store.entities.contains(target) {
            store.doubt_news();
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
            store.doubt_news();
            store.listeners.links.set_target(id, source, None);
            (functions.release)(store, source);
        }
    }
    if !ending.is_empty() {
        store.despawn_these(&ending);
    }
    store.listeners.links.orphans.drain(..count);
}
