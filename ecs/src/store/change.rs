//! What changing an entity takes besides moving bytes between columns: values that are required, sparse storages, and telling the
//! listeners.

use core::ptr::NonNull;

use super::Store;
use super::links::Links;
use super::reactions::Link;
use crate::bundle::{Bundle, BundleParts};
use crate::column::Column;
use crate::component::{Component, ComponentId, Kinds};
use crate::entity::{Entities, Entity, SparseSummary};
use crate::graph::MovePlan;
use crate::guard::Waiting;
use crate::removal::{Fate, Told};
use crate::sparse::SparseStorage;
use crate::tick::Tick;
use crate::tracking::Renewal;

/// The list of the sources of a target, and what is noted of all sources.
pub(crate) struct Listing<'s, C> {
    pub(crate) list: &'s mut C,
    pub(crate) links: &'s mut Links,
    /// Whether the source that comes may list sources itself.
    pub(crate) source_lists: bool,
    pub(crate) visit: Visit<'s>,
}

/// A column whose values may be about to change.
pub(crate) struct Visit<'s> {
    column: &'s Column,
    now: Tick,
}

impl Visit<'_> {
    /// A value changes.
    #[inline]
    pub(crate) fn note(&self) {
        self.column.stamp(self.now);
    }
}

impl Store {
    /// Where the value of the only component of a bundle goes, which has this sparse storage, if placing it there is all that has to be
    /// done. Otherwise nothing happens.
    ///
    /// # Safety
    ///
    /// - The caller moves the value there before anything else happens.
    #[inline(always)]
    pub(super) unsafe fn place_sparse_lightly<B: Bundle>(
        &mut self,
        number: usize,
        entity: Entity,
    ) -> Option<NonNull<u8>> {
        let now = self.change_tick();
        let Self { entities, sparse, listeners, .. } = self;
        let summary = entities.summary_mut(entity.index()).filter(|_| !listeners.hears_storage(number))?;
        // SAFETY: the storage is the only component's; the rest is the caller's promise.
        let address = unsafe { B::Parts::place_sole_lightly(&mut sparse[number], entity, now)? };
        *summary = summary.with(number);
        Some(address)
    }

    /// The value that an entity has of a component with sparse storage, to read: none if the component requires others, or has no size.
    #[inline]
    pub(crate) fn sole<C: Component>(&mut self, entity: Entity) -> Option<&C> {
        let number = self.archetypes.components.sole_storage::<C>()?;
        let SparseStorage::Set(set) = self.sparse.get(number)? else { return None };
        // SAFETY: the storage is that of `C`, so this is a value of `C`, and the whole store is borrowed mutably.
        Some(unsafe { set.find(entity)?.cast().as_ref() })
    }

    /// The same, to change it: none also if ticks of such values are kept.
    #[inline]
    pub(crate) fn sole_mut<C: Component>(&mut self, entity: Entity) -> Option<&mut C> {
        let number = self.archetypes.components.sole_storage::<C>()?;
        let SparseStorage::Set(set) = self.sparse.get(number)? else { return None };
        if set.column().tracking().is_some() {
            return None;
        }
        let mut value = set.find(entity)?.cast();
        set.column().stamp(self.clock.tick.get());
        // SAFETY: the storage is that of `C`, so this is a value of `C`, and the whole store is borrowed mutably.
        Some(unsafe { value.as_mut() })
    }

    /// Whether an entity has no value of a component with sparse storage, if that is found at once.
    #[inline]
    pub(crate) fn lacks<C: Component>(&self, entity: Entity) -> bool {
        let number = self.archetypes.components.sole_storage::<C>();
        number.and_then(|number| self.sparse.get(number)).is_some_and(|storage| !storage.contains(entity.index()))
    }

    /// As [`sole`](Self::sole), of an entity that is likely to have got its value last of all.
    #[inline]
    pub(crate) fn newest<C: Component>(&mut self, entity: Entity) -> Option<&C> {
        let number = self.archetypes.components.sole_storage::<C>()?;
        let SparseStorage::Set(set) = self.sparse.get(number)? else { return None };
        // SAFETY: the storage is that of `C`, so this is a value of `C`, and the whole store is borrowed mutably.
        Some(unsafe { set.find_newest(entity)?.cast().as_ref() })
    }

    /// The list of sources that a target has, beside what is noted of links, before a source comes to it: none if
    /// [`sole_mut`](Self::sole_mut) gives none.
    #[inline]
    pub(crate) fn listing<C: Component>(&mut self, target: Entity, source: Entity) -> Option<Listing<'_, C>> {
        let Self { archetypes, entities, sparse, listeners, clock, .. } = self;
        let number = archetypes.components.sole_storage::<C>()?;
        let SparseStorage::Set(set) = sparse.get(number)? else { return None };
        if set.column().tracking().is_some() {
            return None;
        }
        let row = match listeners.links.last_list {
            (of, row) if of == target && set.entities().get(row as usize) == Some(&target) => row as usize,
            _ => {
                let row = set.row_of(target)?;
                listeners.links.last_list = (target, row as u32);
                row
            }
        };
        // SAFETY: a row of the set is within the column's capacity.
        let mut list = unsafe { set.column().get(row) }.cast();
        let source_lists = entities.sparse_summary(source.index()).meets(listeners.lists);
        let visit = Visit { column: set.column(), now: clock.tick.get() };
        // SAFETY: the storage is that of `C`, so this is a value of `C`, and the whole store is borrowed mutably.
        Some(Listing { list: unsafe { list.as_mut() }, links: &mut listeners.links, source_lists, visit })
    }

    /// Gives a living entity a value of a component with sparse storage, which it does not have, if nothing is told of that. Otherwise
    /// the value comes back.
    pub(crate) fn put_untold<C: Component>(&mut self, entity: Entity, value: C) -> Option<C> {
        let Some(number) = self.archetypes.components.sole_storage::<C>().filter(|&number| number < self.sparse.len())
        else {
            return Some(value);
        };
        let Self { archetypes, entities, sparse, listeners, .. } = &mut *self;
        let (storage, index) = (&mut sparse[number], entity.index());
        let is_told = !archetypes.components.heard(archetypes.components.sparse()[number]).told().is_none();
        if is_told || listeners.is_recording() || !entities.contains(entity) || storage.contains(index) {
            return Some(value);
        }
        if let Err(error) = storage.reserve(index).and_then(|()| entities.reserve_summary(index)) {
            error.raise();
        }
        let summary = entities.sparse_summary(index).with(number);
        entities.set_sparse_summary(index, summary);
        let now = self.now();
        // SAFETY: there is room, and no value. The storage is that of `C`, and the value is written at once.
        unsafe { self.sparse[number].insert(entity, now).cast().write(value) }
        None
    }

    /// Removes the value that an entity has of a component with sparse storage, if it has one and nothing is told of that, and says
    /// whether that was so.
    pub(crate) fn remove_untold<C: Component>(&mut self, entity: Entity) -> bool {
        let Some(number) = self.archetypes.components.sole_storage::<C>() else { return false };
        let heard = self.archetypes.components.heard(self.archetypes.components.sparse()[number]);
        let is_watched = self.listeners.removals.watches(SparseSummary::default().with(number));
        // Of what comes nothing is told here.
        let coming = Kinds::ADD.and(Kinds::INSERT);
        let is_told = !heard.told().without(coming.and(coming.of_hooks())).is_none();
        if is_watched || self.listeners.is_recording() || is_told {
            return false;
        }
        match self.sparse.get(number) {
            Some(SparseStorage::Set(set)) if set.find(entity).is_some() => {}
            _ => return false,
        }
        self.remove_from_storage(number, entity);
        self.sparse[number].drop_retired();
        true
    }

    /// Whether a component with this sparse storage that comes to an entity only has to be linked, at once.
    #[inline]
    pub(super) fn links_lightly(&self, storages: SparseSummary) -> bool {
        let Self { listeners, reactions, .. } = self;
        listeners.light_links.meets(storages)
            && !(listeners.held != 0 || listeners.has_news || listeners.is_recording() || reactions.is_running())
    }

    /// The same for this component.
    #[inline]
    pub(crate) fn links_lightly_one<C: Component>(&self) -> bool {
        let number = self.archetypes.components.sole_storage::<C>();
        number.is_some_and(|number| self.links_lightly(SparseSummary::default().with(number)))
    }

    /// Links an entity to the target that a component of it names, which has just come. Says whether that was all.
    #[inline]
    pub(super) fn link_lightly(&mut self, id: ComponentId, source: Entity) -> bool {
        let link = match self.reactions.last_link {
            Some((of, link)) if of == id => link,
            _ => match self.find_link(id) {
                Some(link) => link,
                None => return true,
            },
        };
        self.link_noted(id, source, |store| link(store, id, source))
    }

    /// Links an entity by a function that says whether that was all, or does it with the rest of what has to be done.
    #[inline]
    pub(crate) fn link_noted(&mut self, id: ComponentId, source: Entity, link: impl FnOnce(&mut Self) -> bool) -> bool {
        // If that panics it is done behind the next operation.
        self.listeners.links.linking = Some((id, source));
        self.listeners.has_news = true;
        if self.change_links(link) {
            self.listeners.links.linking = None;
            self.listeners.has_news = false;
            return true;
        }
        self.react();
        false
    }

    /// How entities are linked that get this component, if it names a target.
    #[inline(never)]
    fn find_link(&mut self, id: ComponentId) -> Option<Link<Self>> {
        let link = (self.reactions.vtable?.linking)(self, id)?;
        self.reactions.last_link = Some((id, link));
        Some(link)
    }

    /// Adds the only component of a bundle, which has this sparse storage: no table has to do with it. Says whether the entity is where it
    /// was, for sure: not if something has been told or is to be.
    pub(super) fn insert_sparse<B: Bundle>(&mut self, number: usize, entity: Entity, parts: &mut B::Parts) -> bool {
        let index = entity.index();
        // A value that is dropped might panic.
        if !B::Parts::NEEDS_DROP && self.links_lightly(SparseSummary::default().with(number)) {
            return self.insert_link::<B>(number, entity, parts);
        }
        let mut panicked = Waiting::default();
        if self.listeners.hears {
            panicked = self.notify_before(|events, store| {
                events.add_sparse(store, &[entity], number, [Kinds::DISCARD, Kinds::COMING]);
            });
        }
        let room = self.sparse[number].reserve(index).and_then(|()| self.entities.reserve_summary(index));
        if let Err(error) = room {
            error.raise();
        }
        let now = self.now();
        let had = self.listeners.hears_storage(number).then(|| self.sparse[number].contains(index));
        // SAFETY: the storage is the only component's, and there is room.
        unsafe { parts.put_sole(&mut self.sparse[number], entity, now) }
        let summary = self.entities.sparse_summary(index).with(number);
        self.entities.set_sparse_summary(index, summary);
        if let Some(had) = had {
            let components = &self.archetypes.components;
            self.listeners.sparse_written(entity, components.sparse()[number], had, components);
        }
        let has_news = self.listeners.has_news;
        self.conclude(panicked);
        !has_news
    }

    /// [`Store::insert_sparse`] of a component of which nothing is told, if it names a target.
    fn insert_link<B: Bundle>(&mut self, number: usize, entity: Entity, parts: &mut B::Parts) -> bool {
        let now = self.now();
        let Self { archetypes, entities, sparse, .. } = self;
        let (storage, index) = (&mut sparse[number], entity.index());
        let is_new = !storage.contains(index);
        if is_new && let Err(error) = storage.reserve(index).and_then(|()| entities.reserve_summary(index)) {
            error.raise();
        }
        // SAFETY: the storage is the only component's, and there is room unless the value is replaced.
        unsafe { parts.put_sole(storage, entity, now) }
        if is_new {
            let summary = entities.sparse_summary(index).with(number);
            entities.set_sparse_summary(index, summary);
        }
        let id = archetypes.components.sparse()[number];
        self.link_lightly(id, entity)
    }

    /// Removes the only component of a bundle, which has this sparse storage, if the entity has it.
    #[inline(always)]
    pub(super) fn remove_sparse<B: Bundle>(&mut self, number: usize, entity: Entity) {
        let Self { entities, sparse, listeners, .. } = self;
        let count = sparse.len();
        if !listeners.watches_storage(number)
            && let Some(summary) = entities.summary_mut(entity.index())
            && let Some(without) = summary.without(number, count)
            // SAFETY: the storage is the only component's.
            && unsafe { B::Parts::remove_sole_lightly(&mut sparse[number], entity) }
        {
            *summary = without;
            return;
        }
        self.remove_sparse_with_care(number, entity);
    }

    /// [`Store::remove_sparse`], whatever has to be done.
    #[inline(never)]
    fn remove_sparse_with_care(&mut self, number: usize, entity: Entity) {
        if self.listeners.watches_storage(number) {
            return self.remove_sparse_told(number, entity);
        }
        self.remove_from_storage(number, entity);
        self.sparse[number].drop_retired();
    }

    /// Takes an entity out of a sparse storage, and notes that. The value stays retired.
    fn remove_from_storage(&mut self, number: usize, entity: Entity) {
        let Self { entities, sparse, .. } = self;
        sparse[number].remove(entity);
        match entities.sparse_summary(entity.index()).without(number, sparse.len()) {
            Some(summary) => entities.set_sparse_summary(entity.index(), summary),
            None => refresh_summary(entities, sparse, entity),
        }
    }

    #[cold]
    fn remove_sparse_told(&mut self, number: usize, entity: Entity) {
        let panicked = self.notify_before(|events, store| {
            events.add_sparse(store, &[entity], number, [Kinds::LOSS, Kinds::NONE]);
        });
        let dropped = self.dropping(|store| store.remove_sparse_expected(number, entity));
        self.conclude(panicked.or(dropped));
    }

    fn remove_sparse_expected(&mut self, number: usize, entity: Entity) {
        let Self { archetypes, sparse, listeners, .. } = self;
        let mut told = Told::default();
        if sparse[number].contains(entity.index()) {
            let room = listeners.prepare([].into_iter(), SparseSummary::default().with(number), 1, Fate::Dropped);
            told = room.unwrap_or_else(|error| error.raise());
            let (storage, components) = (&mut sparse[number], &archetypes.components);
            listeners.sparse_lost(storage, number as u32, entity, components, Fate::Dropped, &mut told);
            listeners.note_lost(entity, components.sparse()[number], components);
        }
        self.remove_from_storage(number, entity);
        let _finish = self.listeners.finish(&told);
        self.sparse[number].drop_retired();
    }
}

/// Takes an entity out of the sparse storages that a plan says it leaves, and notes which ones may hold it now. The values stay
/// retired until they are dropped: those that dropping does nothing to only if the caller `keeps` them.
pub(super) fn remove_from_storages(
    entities: &mut Entities,
    sparse: &mut [SparseStorage],
    plan: &MovePlan,
    entity: Entity,
    keeps: bool,
) {
    let (index, count) = (entity.index(), sparse.len());
    let before = entities.sparse_summary(index);
    let mut leave = |storage: usize| match keeps {
        true => drop(sparse[storage].retire(entity)),
        false => sparse[storage].remove(entity),
    };
    let mut summary = Some(before.union(plan.summary));
    for &storage in &plan.leaves {
        leave(storage as usize);
        summary = summary.and_then(|summary| summary.without(storage as usize, count));
    }
    if let Some(retains) = &plan.retains {
        before.storages(count).filter(|&storage| !retains.contains(&(storage as u32))).for_each(leave);
    }
    match summary.filter(|_| plan.retains.is_none() && plan.sparse_sources().next().is_none()) {
        Some(summary) if summary == before => {}
        Some(summary) => entities.set_sparse_summary(index, summary),
        None => {
            entities.set_sparse_summary(index, before.union(plan.summary));
            refresh_summary(entities, sparse, entity);
        }
    }
}

/// Has changes of the sparse components of an entity count as made now.
pub(super) fn renew_sparse_changes(
    entities: &Entities,
    sparse: &[SparseStorage],
    entity: Entity,
    renewal: Renewal,
    now: Tick,
) {
    let storages = entities.sparse_summary(entity.index()).storages(sparse.len());
    storages.for_each(|storage| sparse[storage].renew(entity.index(), renewal, now));
}

/// Removes and drops the values of entities in a sparse storage that no listener watches.
pub(super) fn remove_all_from_storage(
    index: &mut Entities,
    sparse: &mut [SparseStorage],
    number: usize,
    entities: &[Entity],
) {
    // If a `Drop` panics, a bit may be left that says too much. That costs time only.
    let is_exact = index.remove_from_summaries(entities, number, sparse.len());
    sparse[number].remove_all(entities);
    if !is_exact {
        entities.iter().for_each(|&entity| refresh_summary(index, sparse, entity));
    }
}

/// Works out anew which sparse storages may hold an entity, after some have let go of it.
#[cold]
fn refresh_summary(entities: &mut Entities, sparse: &[SparseStorage], entity: Entity) {
    let old = entities.sparse_summary(entity.index());
    let summary = old
        .storages(sparse.len())
        .filter(|&storage| sparse[storage].contains(entity.index()))
        .fold(SparseSummary::default(), SparseSummary::with);
    entities.set_sparse_summary(entity.index(), summary);
}
