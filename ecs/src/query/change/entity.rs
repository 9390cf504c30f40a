//! Access to the values of one entity, with their ticks.
//!
//! A [`ReadEntity`] or [`WriteEntity`] proves the access to the values of an entity, so its methods are safe.
//!
//! Tests: tests/queries/whole_entities.rs, tests/storage/lookup.rs

use alloc::boxed::Box;
use core::ptr::NonNull;

use super::borrowed::{Mut, Ref};
use super::erased::ErasedMut;
use super::ticks::Ticks;
use crate::component::{Component, ComponentId, ErasedRefMut, MutableComponent};
use crate::entity::{Entity, IdSource, UniqueEntityArray, UniqueEntityVec};
use crate::storage::tick::{ComponentTicks, RunTicks};
use crate::structure::cell::{ReadCell, StoreCell};
use crate::structure::queue::Queue;
use crate::structure::store::{ErasedAccessError, Store};
use crate::util::origin::Origin;

/// An entity whose components may be read for `'w`. A type that holds a `ReadEntity` may exclude some components: it gives no
/// access to these, and other code may change them.
#[derive(Clone, Copy)]
pub struct ReadEntity<'w> {
    store: &'w Store,
    entity: Entity,
    run_ticks: RunTicks,
}

impl<'w> ReadEntity<'w> {
    #[inline]
    pub(crate) fn new(cell: ReadCell<'w>, entity: Entity) -> Self {
        Self { store: cell.store(), entity, run_ticks: cell.store().run_ticks() }
    }

    /// Returns a component of an entity, in a store that may be read.
    #[inline]
    pub(crate) fn find<T: Component>(cell: ReadCell<'w>, entity: Entity) -> Option<&'w T> {
        Self::new(cell, entity).get()
    }

    /// # Safety
    ///
    /// - No code changes components of the entity for `'w`, except components to which the caller gives no access.
    #[inline]
    pub(crate) unsafe fn in_cell(cell: StoreCell<'w>, entity: Entity) -> Self {
        Self { store: cell.store(), entity, run_ticks: cell.run_ticks() }
    }

    /// Returns the ticks of the run that accesses the entity.
    #[inline]
    pub(crate) fn run_ticks(self) -> RunTicks {
        self.run_ticks
    }

    #[inline]
    pub(crate) fn id(self) -> Entity {
        self.entity
    }

    /// Returns the store. Other entities may be borrowed in other ways.
    #[inline]
    pub(crate) fn store(self) -> &'w Store {
        self.store
    }

    /// Returns a component of the entity.
    #[inline]
    pub(crate) fn get<T: Component>(self) -> Option<&'w T> {
        let value: Option<NonNull<T>> = self.store.structure.value::<T>(self.entity);
        // SAFETY: the address points to a value of `T` of this entity, which may be read for 'w.
        value.map(|value| unsafe { value.as_ref() })
    }

    /// Returns a component of the entity, with its ticks.
    pub(crate) fn get_ref<T: Component>(self) -> Option<Ref<'w, T>> {
        let (value, column, row) = self.store.structure.locate_value::<T>(self.entity)?;
        // SAFETY: the address points to a value of `T` in this row of the column, which may be read for 'w.
        Some(unsafe { Ref::new(value.as_ref(), Ticks::of(column, row, T::TRACK, self.run_ticks)) })
    }

    /// Returns the ticks of a component, if they are tracked.
    pub(crate) fn ticks_by_id(self, id: ComponentId) -> Option<ComponentTicks> {
        let (_, column, row) = self.store.structure.place_by_id(self.entity, id)?;
        let track = self.store.structure.archetypes.components.info(id)?.descriptor().tracking();
        // SAFETY: the column has a value in this row.
        unsafe { Ticks::of(column, row, track, self.run_ticks) }.get()
    }
}

/// Owns a queue of commands in a box. Other code borrows the queue for as long as the store is borrowed.
struct QueueApart(NonNull<Queue<Store>>);

// SAFETY: it owns the queue, whose commands are `Send`.
unsafe impl Send for QueueApart {}

impl QueueApart {
    fn apply(mut self, store: &mut Store, apply: fn(&mut Queue<Store>, &mut Store)) {
        // SAFETY: `self` owns the queue at this address. The other borrow of the queue has ended, because the store is borrowed
        // mutably here.
        apply(unsafe { self.0.as_mut() }, store);
    }
}

impl Drop for QueueApart {
    fn drop(&mut self) {
        // SAFETY: the address comes from a box, which `self` owns. The other borrow of the queue has ended: only code that owns the
        // store or borrows it mutably drops one of its commands.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// All entities of a store, with exclusive access to their components for `'w`.
pub struct WriteEntities<'w> {
    store: &'w Store,
    run_ticks: RunTicks,
}

impl<'w> WriteEntities<'w> {
    /// Returns the entities of an exclusively borrowed store. While they are borrowed, other code may only read the store, and no
    /// components.
    pub(crate) fn new(store: &'w mut Store) -> Self {
        Self { run_ticks: store.run_ticks(), store }
    }

    /// Returns the entities and a queue of commands. Also records a command in the store. When this command runs, it calls `apply`
    /// with the queue.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn with_queue(
        store: &'w mut Store,
        apply: fn(&mut Queue<Store>, &mut Store),
    ) -> (Self, &'w mut Queue<Store>) {
        let mut place = NonNull::from(Box::leak(Box::<Queue<Store>>::default()));
        let apart = QueueApart(place);
        let origin = Origin::here(store.structure.entities.caller().system_name());
        let Store { events, commands, .. } = &mut *store;
        let waiting = if events.dispatch.is_running() { events.dispatch.world_commands() } else { &mut commands.queue };
        waiting.record_as(origin);
        waiting.push(move |store| apart.apply(store, apply));
        // SAFETY: the address points to a queue in a box outside the store. Only the command owns it. The command is run or dropped
        // by code that owns the store or borrows it mutably, which is impossible during this borrow of the store.
        (Self::new(store), unsafe { place.as_mut() })
    }

    /// Returns a source from which entity ids can be reserved.
    pub(crate) fn ids(&self) -> IdSource<'w> {
        IdSource::new(&self.store.structure.entities, None)
    }

    /// Returns the store. Components may be read while no entity is borrowed mutably.
    pub(crate) fn store(&self) -> &Store {
        self.store
    }

    /// Returns the same entities with a shorter lifetime.
    pub(crate) fn reborrow(&mut self) -> WriteEntities<'_> {
        WriteEntities { ..*self }
    }

    /// Returns one entity.
    pub(crate) fn into_one(self, entity: Entity) -> WriteEntity<'w> {
        WriteEntity { store: self.store, entity, run_ticks: self.run_ticks }
    }

    /// Returns several different entities.
    pub(crate) fn into_each<const N: usize>(self, entities: UniqueEntityArray<N>) -> [WriteEntity<'w>; N] {
        entities.into_inner().map(|entity| WriteEntity { store: self.store, entity, run_ticks: self.run_ticks })
    }

    /// Returns several different entities, from a list.
    pub(crate) fn into_these(self, entities: UniqueEntityVec) -> impl Iterator<Item = WriteEntity<'w>> + use<'w> {
        let Self { store, run_ticks } = self;
        entities.into_iter().map(move |entity| WriteEntity { store, entity, run_ticks })
    }
}

/// An entity with exclusive access to its components for `'w`. A type that holds a `WriteEntity` may exclude some components: it
/// gives no access to these, and other code may borrow them.
pub struct WriteEntity<'w> {
    store: &'w Store,
    entity: Entity,
    run_ticks: RunTicks,
}

impl<'w> WriteEntity<'w> {
    /// Returns an entity of an exclusively borrowed store.
    #[inline]
    pub(crate) fn new(store: &'w mut Store, entity: Entity) -> Self {
        Self { run_ticks: store.run_ticks(), store, entity }
    }

    /// # Safety
    ///
    /// - No other code reads or changes components of the entity for `'w`, except components to which the caller gives no access.
    #[inline]
    pub(crate) unsafe fn in_cell(cell: StoreCell<'w>, entity: Entity) -> Self {
        Self { store: cell.store(), entity, run_ticks: cell.run_ticks() }
    }

    /// Iterates over all entities of a store, in the order of tables and rows.
    pub(crate) fn all(store: &'w mut Store) -> impl Iterator<Item = Self> + use<'w> {
        let store = &*store;
        // Each entity has one row, so it occurs once.
        let entities = store.structure.archetypes.tables.iter().flat_map(|table| table.entities());
        entities.map(move |&entity| Self { store, entity, run_ticks: store.run_ticks() })
    }

    #[inline]
    pub(crate) fn id(&self) -> Entity {
        self.entity
    }

    /// Returns the store, the entity, and the ticks of the run that accesses the entity. Other entities of the store may be
    /// borrowed in other ways.
    #[inline]
    pub(crate) fn into_parts(self) -> (&'w Store, Entity, RunTicks) {
        (self.store, self.entity, self.run_ticks)
    }

    /// Returns the same entity with a shorter lifetime.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> WriteEntity<'_> {
        WriteEntity { ..*self }
    }

    /// Returns the entity with read-only access.
    #[inline]
    pub(crate) fn into_readonly(self) -> ReadEntity<'w> {
        ReadEntity { store: self.store, entity: self.entity, run_ticks: self.run_ticks }
    }

    /// Returns the entity with read-only access.
    #[inline]
    pub(crate) fn as_readonly(&self) -> ReadEntity<'_> {
        ReadEntity { store: self.store, entity: self.entity, run_ticks: self.run_ticks }
    }

    /// Returns a mutable reference to a component.
    #[inline]
    pub(crate) fn into_mut<T: MutableComponent>(self) -> Option<Mut<'w, T>> {
        self.into_mut_told()
    }

    /// Returns a mutable reference to a component. Its type may be immutable. The caller must notify observers and hooks of the
    /// change.
    #[inline]
    pub(crate) fn into_mut_told<T: Component>(self) -> Option<Mut<'w, T>> {
        let (mut value, column, row) = self.store.structure.locate_value::<T>(self.entity)?;
        column.visit(self.run_ticks.this_run);
        // SAFETY: the address points to a value of `T` in this row of the column; no other code accesses it for 'w.
        Some(unsafe { Mut::new(value.as_mut(), Ticks::of(column, row, T::TRACK, self.run_ticks)) })
    }

    /// Returns a mutable reference to a component of any kind, for mapping the entities that the component contains.
    pub(crate) fn into_erased(self, id: ComponentId) -> Option<ErasedRefMut<'w>> {
        let descriptor = self.store.structure.archetypes.components.info(id)?.descriptor();
        let (value, column, _) = self.store.structure.place_by_id(self.entity, id)?;
        column.visit(self.run_ticks.this_run);
        // SAFETY: the address points to a value of this component; no other code accesses it for 'w.
        Some(unsafe { ErasedRefMut::new(descriptor, value) })
    }

    /// Returns a mutable reference to a component.
    pub(crate) fn into_mut_by_id(self, id: ComponentId) -> Result<ErasedMut<'w>, ErasedAccessError> {
        let Self { store, entity, run_ticks } = self;
        let (value, column, row) =
            store.structure.place_by_id(entity, id).ok_or_else(|| store.structure.why_no_value(entity, id))?;
        let descriptor = store.structure.component_by_id(entity, id)?.descriptor();
        if !descriptor.mutable() {
            return Err(ErasedAccessError::Immutable { entity, component: descriptor.name() });
        }
        column.visit(run_ticks.this_run);
        // SAFETY: the address points to a value of this component in this row of the column; no other code accesses it for 'w.
        Ok(unsafe {
            let ticks = Ticks::of(column, row, descriptor.tracking(), run_ticks);
            ErasedMut::new(ErasedRefMut::new(descriptor, value), ticks)
        })
    }

    /// Returns mutable references to several different components. Comparing the ids costs `O(ids²)`.
    pub(crate) fn into_each_by_id(
        self,
        ids: &[ComponentId],
    ) -> Result<impl Iterator<Item = Result<ErasedMut<'w>, ErasedAccessError>>, ErasedAccessError> {
        let Self { store, entity, run_ticks } = self;
        let is_repeated = |&(at, id): &(usize, &ComponentId)| ids[..at].contains(id);
        if let Some((_, &id)) = ids.iter().enumerate().find(is_repeated) {
            return Err(ErasedAccessError::AliasedMutability { entity, id });
        }
        // The ids differ, so no two references borrow the same value.
        Ok(ids.iter().map(move |&id| Self { store, entity, run_ticks }.into_mut_by_id(id)))
    }
}
