//! The sparse part of structural changes: which sparse storages may hold an entity, access to the values of components in sparse storage,
//! and linking entities by them.
//!
//! Tests: tests/storage/sparse.rs

use super::dispatch::{Dispatch, LinkFn};
use super::events::Events;
use super::links::StoreLinks;
use super::{Store, Structure};
use crate::component::{Component, ComponentId, LifecycleMask};
use crate::entity::{Entities, Entity, SparseMask};
use crate::storage::column::Column;
use crate::storage::sparse::SparseStorage;
use crate::storage::tick::Tick;
use crate::storage::tracking::Renewal;
use crate::structure::graph::MovePlan;

/// The list of the sources of a target, and the noted links of all sources.
pub(crate) struct ListUpdate<'s, C> {
    pub(crate) list: &'s mut C,
    pub(crate) links: &'s mut StoreLinks,
    /// All entities, with the sparse storages that each may be in.
    pub(crate) entities: &'s Entities,
    /// The storages of components that list sources.
    pub(crate) lists: SparseMask,
    pub(crate) visit: VisitedColumn<'s>,
}

/// A column whose values may be about to change.
pub(crate) struct VisitedColumn<'s> {
    column: &'s Column,
    now: Tick,
}

impl VisitedColumn<'_> {
    /// Records a change of a value.
    #[inline]
    pub(crate) fn note(&self) {
        self.column.stamp(self.now);
    }
}

impl Events<Dispatch<Store>> {
    /// Returns whether an entity that is added to one of these sparse storages only has to be linked, and can be linked at once.
    #[inline]
    pub(super) fn can_link_at_once(&self, storages: SparseMask) -> bool {
        !self.dispatch.is_running() && self.link_at_once(storages)
    }
}

impl Store {
    /// Borrows a value mutably, as [`Structure::sole`] does immutably. Also returns `None` if change ticks are kept for values of the
    /// component.
    #[inline]
    pub(crate) fn sole_mut<C: Component>(&mut self, entity: Entity) -> Option<&mut C> {
        let number = self.structure.archetypes.components.sole_storage::<C>()?;
        let SparseStorage::Set(set) = self.structure.sparse.get(number)? else { return None };
        if set.column().tracking().is_some() {
            return None;
        }
        let mut value = set.find(entity)?.cast();
        set.column().stamp(self.clock.tick.get());
        // SAFETY: the storage belongs to `C`, so this is a value of `C`, and the whole store is borrowed mutably.
        Some(unsafe { value.as_mut() })
    }

    /// Returns the list of sources of a target and the noted links, before sources are added to the list. Returns `None` where
    /// [`sole_mut`](Self::sole_mut) returns `None`.
    #[inline]
    pub(crate) fn listing<C: Component>(&mut self, target: Entity) -> Option<ListUpdate<'_, C>> {
        let Self { structure: Structure { archetypes, entities, sparse, .. }, events, clock, .. } = self;
        let number = archetypes.components.sole_storage::<C>()?;
        let SparseStorage::Set(set) = sparse.get(number)? else { return None };
        if set.column().tracking().is_some() {
            return None;
        }
        let row = match events.links.last_list {
            Some((of, row)) if of == target && set.entities().get(row as usize) == Some(&target) => row as usize,
            _ => {
                let row = set.row_of(target)?;
                events.links.last_list = Some((target, row as u32));
                row
            }
        };
        // SAFETY: a row of the set is within the column's capacity.
        let mut list = unsafe { set.column().get(row) }.cast();
        let visit = VisitedColumn { column: set.column(), now: clock.tick.get() };
        // SAFETY: the storage belongs to `C`, so this is a value of `C`, and the whole store is borrowed mutably.
        let list = unsafe { list.as_mut() };
        Some(ListUpdate { list, links: &mut events.links, entities, lists: events.observed.lists, visit })
    }

    /// Adds a value of a component with sparse storage to a live entity that does not have it, if no listener has to be notified. Otherwise
    /// the value is returned.
    pub(crate) fn put_untold<C: Component>(&mut self, entity: Entity, value: C) -> Option<C> {
        let Some(number) = self
            .structure
            .archetypes
            .components
            .sole_storage::<C>()
            .filter(|&number| number < self.structure.sparse.len())
        else {
            return Some(value);
        };
        let Self { structure: Structure { archetypes, entities, sparse, .. }, events, .. } = &mut *self;
        let (storage, index) = (&mut sparse[number], entity.index());
        let is_told = !archetypes.components.observed(archetypes.components.sparse()[number]).of_listeners().is_empty();
        if is_told || events.is_recording() || !entities.contains(entity) || storage.contains(index) {
            return Some(value);
        }
        if let Err(error) = storage.reserve(index).and_then(|()| entities.reserve_summary(index)) {
            error.raise();
        }
        let summary = entities.sparse_summary(index).with(number);
        entities.set_sparse_summary(index, summary);
        let now = self.now();
        // SAFETY: there is room, and the entity has no value. The storage belongs to `C`, and the value is written at once.
        unsafe { self.structure.sparse[number].insert(entity, now).cast().write(value) }
        None
    }

    /// Removes the value of a component with sparse storage from an entity, if it has one and no listener has to be notified. Returns
    /// whether a value was removed.
    pub(crate) fn remove_untold<C: Component>(&mut self, entity: Entity) -> bool {
        let Some(number) = self.structure.archetypes.components.sole_storage::<C>() else { return false };
        let heard =
            self.structure.archetypes.components.observed(self.structure.archetypes.components.sparse()[number]);
        let is_watched = self.events.removals.watches(SparseMask::default().with(number));
        // This function only removes the component, so listeners of added components do not count.
        let coming = LifecycleMask::COMES;
        let is_told = !heard.of_listeners().difference(coming.union(coming.of_hooks())).is_empty();
        if is_watched || self.events.is_recording() || is_told {
            return false;
        }
        match self.structure.sparse.get(number) {
            Some(SparseStorage::Set(set)) if set.find(entity).is_some() => {}
            _ => return false,
        }
        self.structure.remove_from_storage(number, entity);
        self.structure.sparse[number].drop_retired();
        true
    }

    /// Returns whether an entity that gets this sparse component only has to be linked, and can be linked at once.
    #[inline]
    pub(crate) fn can_link_component_at_once<C: Component>(&self) -> bool {
        let number = self.structure.archetypes.components.sole_storage::<C>();
        number.is_some_and(|number| self.events.can_link_at_once(SparseMask::default().with(number)))
    }

    /// Links an entity to the target that its newly added component names. Returns whether no events had to be delivered.
    #[inline]
    pub(super) fn link_new_source(&mut self, id: ComponentId, source: Entity) -> bool {
        let link = match self.events.dispatch.last_link {
            Some((of, link)) if of == id => link,
            _ => match self.find_link(id) {
                Some(link) => link,
                None => return true,
            },
        };
        self.change_links_at_once(|store| link(store, id, core::slice::from_ref(&source)))
    }

    /// Links entities as an operation of its own. Returns whether no events had to be delivered.
    #[inline]
    pub(crate) fn change_links_at_once(&mut self, link: impl FnOnce(&mut Self)) -> bool {
        self.change_links(link);
        let is_quiet = !self.events.has_pending;
        self.flush_events();
        is_quiet
    }

    /// Returns the function that links entities which get this component, if the component names a target.
    #[inline(never)]
    fn find_link(&mut self, id: ComponentId) -> Option<LinkFn<Self>> {
        let link = (self.events.dispatch.vtable?.linking)(self, id)?;
        self.events.dispatch.last_link = Some((id, link));
        Some(link)
    }
}

impl Structure {
    /// Returns whether an entity has no value of a component with sparse storage. False also if this cannot be determined at once.
    #[inline]
    pub(crate) fn lacks<C: Component>(&self, entity: Entity) -> bool {
        let number = self.archetypes.components.sole_storage::<C>();
        number.and_then(|number| self.sparse.get(number)).is_some_and(|storage| !storage.contains(entity.index()))
    }

    /// Borrows a value as [`sole`](Self::sole) does, for an entity whose value was probably the last one to be added.
    #[inline]
    pub(crate) fn newest<C: Component>(&mut self, entity: Entity) -> Option<&C> {
        let number = self.archetypes.components.sole_storage::<C>()?;
        let SparseStorage::Set(set) = self.sparse.get(number)? else { return None };
        // SAFETY: the storage belongs to `C`, so this is a value of `C`, and the whole store is borrowed mutably.
        Some(unsafe { set.find_newest(entity)?.cast().as_ref() })
    }

    /// Borrows the value of a component with sparse storage. `None` also if the component requires others or is zero-sized.
    #[inline]
    pub(crate) fn sole<C: Component>(&mut self, entity: Entity) -> Option<&C> {
        let number = self.archetypes.components.sole_storage::<C>()?;
        let SparseStorage::Set(set) = self.sparse.get(number)? else { return None };
        // SAFETY: the storage belongs to `C`, so this is a value of `C`, and the whole store is borrowed mutably.
        Some(unsafe { set.find(entity)?.cast().as_ref() })
    }

    /// Removes an entity from a sparse storage and updates the sparse summary of the entity. A value that needs drop stays in the storage,
    /// past the end.
    fn remove_from_storage(&mut self, number: usize, entity: Entity) {
        let Self { entities, sparse, .. } = self;
        sparse[number].remove(entity);
        leave_summary(entities, sparse, entity, number);
    }
}

/// Clears the bit of a sparse storage in the sparse summary of an entity that is no longer in the storage. The summary is the mask of the
/// storages that may hold the entity.
#[inline]
pub(super) fn leave_summary(entities: &mut Entities, sparse: &[SparseStorage], entity: Entity, number: usize) {
    match entities.sparse_summary(entity.index()).without(number, sparse.len()) {
        Some(summary) => entities.set_sparse_summary(entity.index(), summary),
        None => refresh_summary(entities, sparse, entity),
    }
}

/// Removes an entity from the sparse storages that it leaves by the plan, and updates the sparse summary of the entity. The removed values
/// stay in the storages, past the end, until the caller drops them; values without drop glue stay only if `keeps` is set.
pub(super) fn update_storages(
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
    let mut summary = Some(before.union(plan.added_storages));
    for &storage in &plan.left_storages {
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
            entities.set_sparse_summary(index, before.union(plan.added_storages));
            refresh_summary(entities, sparse, entity);
        }
    }
}

/// Marks those earlier changes of the sparse components of an entity that `renewal` selects as made now.
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

/// Removes and drops the values of entities in a sparse storage without listeners.
pub(super) fn remove_all_from_storage(
    index: &mut Entities,
    sparse: &mut [SparseStorage],
    number: usize,
    entities: &[Entity],
) {
    // If a `Drop` panics, a summary may keep a bit for a storage that no longer has the entity. That costs time only.
    let is_exact = index.remove_from_summaries(entities, number, sparse.len());
    sparse[number].remove_all(entities);
    if !is_exact {
        entities.iter().for_each(|&entity| refresh_summary(index, sparse, entity));
    }
}

/// Recomputes the sparse summary of an entity after it has left some storages.
#[cold]
fn refresh_summary(entities: &mut Entities, sparse: &[SparseStorage], entity: Entity) {
    let old = entities.sparse_summary(entity.index());
    let summary = old
        .storages(sparse.len())
        .filter(|&storage| sparse[storage].contains(entity.index()))
        .fold(SparseMask::default(), SparseMask::with);
    entities.set_sparse_summary(entity.index(), summary);
}
