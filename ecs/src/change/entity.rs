//! The values of one entity, with their ticks.
//!
//! A [`ReadEntity`] or [`WriteEntity`] is a proof of what may be done with the values of an entity, so using it needs none.

use core::ptr::NonNull;

use super::borrowed::{Mut, Ref};
use super::erased::ErasedMut;
use super::ticks::Ticks;
use crate::cell::{ReadCell, StoreCell};
use crate::component::{Component, ComponentId, ErasedRefMut, MutableComponent};
use crate::entity::{Entity, UniqueEntityArray, UniqueEntityVec};
use crate::store::{ErasedAccessError, Store};
use crate::tick::{ComponentTicks, RunTicks};

/// An entity whose components may be read for `'w`: all, but for those that its holder keeps out.
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

    /// A component of an entity of a store that may be read.
    #[inline]
    pub(crate) fn find<T: Component>(cell: ReadCell<'w>, entity: Entity) -> Option<&'w T> {
        let value: Option<NonNull<T>> = cell.store().value::<T>(entity);
        // SAFETY: the address is that of a value of `T` of this entity, and all values may be read for 'w.
        value.map(|value| unsafe { value.as_ref() })
    }

    /// # Safety
    ///
    /// - No code changes components of the entity for `'w`, but for those that the caller keeps out.
    #[inline]
    pub(crate) unsafe fn in_cell(cell: StoreCell<'w>, entity: Entity) -> Self {
        Self { store: cell.store(), entity, run_ticks: cell.run_ticks() }
    }

    /// The run in which the entity is looked at.
    #[inline]
    pub(crate) fn run_ticks(self) -> RunTicks {
        self.run_ticks
    }

    #[inline]
    pub(crate) fn id(self) -> Entity {
        self.entity
    }

    /// The store, of which other entities may be borrowed otherwise.
    #[inline]
    pub(crate) fn store(self) -> &'w Store {
        self.store
    }

    /// A component.
    #[inline]
    pub(crate) fn get<T: Component>(self) -> Option<&'w T> {
        let value: Option<NonNull<T>> = self.store.value::<T>(self.entity);
        // SAFETY: the address is that of a value of `T` of this entity, which may be read for 'w.
        value.map(|value| unsafe { value.as_ref() })
    }

    /// A component, with its ticks.
    pub(crate) fn get_ref<T: Component>(self) -> Option<Ref<'w, T>> {
        let (value, column, row) = self.store.place::<T>(self.entity)?;
        // SAFETY: the address is that of a value of `T` in this row, which may be read for 'w.
        Some(unsafe { Ref::new(value.as_ref(), Ticks::of(column, row, T::TRACK, self.run_ticks)) })
    }

    /// The ticks of a component, if they are known.
    pub(crate) fn ticks_by_id(self, id: ComponentId) -> Option<ComponentTicks> {
        let (_, column, row) = self.store.place_by_id(self.entity, id)?;
        let track = self.store.archetypes.components.info(id)?.descriptor().tracking();
        // SAFETY: the value is in this row.
        unsafe { Ticks::of(column, row, track, self.run_ticks) }.get()
    }
}

/// An entity to whose components nothing else has access for `'w`, but for those that its holder keeps out.
pub struct WriteEntity<'w> {
    store: &'w Store,
    entity: Entity,
    run_ticks: RunTicks,
}

impl<'w> WriteEntity<'w> {
    /// An entity of a store that nothing else uses meanwhile.
    #[inline]
    pub(crate) fn new(store: &'w mut Store, entity: Entity) -> Self {
        Self { run_ticks: store.run_ticks(), store, entity }
    }

    /// # Safety
    ///
    /// - No other code reads or changes components of the entity for `'w`, but for those that the caller keeps out.
    #[inline]
    pub(crate) unsafe fn in_cell(cell: StoreCell<'w>, entity: Entity) -> Self {
        Self { store: cell.store(), entity, run_ticks: cell.run_ticks() }
    }

    /// All entities of a store, in the order of tables and rows.
    pub(crate) fn all(store: &'w mut Store) -> impl Iterator<Item = Self> + use<'w> {
        let store = &*store;
        // Each comes once, since an entity has one row.
        let entities = store.archetypes.tables.iter().flat_map(|table| table.entities());
        entities.map(move |&entity| Self { store, entity, run_ticks: store.run_ticks() })
    }

    /// Several entities of a store that nothing else uses meanwhile.
    pub(crate) fn each<const N: usize>(store: &'w mut Store, entities: UniqueEntityArray<N>) -> [Self; N] {
        let store = &*store;
        entities.into_inner().map(|entity| Self { store, entity, run_ticks: store.run_ticks() })
    }

    /// The same, of a list.
    pub(crate) fn these(store: &'w mut Store, entities: UniqueEntityVec) -> impl Iterator<Item = Self> + use<'w> {
        let store = &*store;
        entities.into_iter().map(move |entity| Self { store, entity, run_ticks: store.run_ticks() })
    }

    #[inline]
    pub(crate) fn id(&self) -> Entity {
        self.entity
    }

    /// The store, of which other entities may be borrowed otherwise, the entity, and the run in which it is looked at.
    #[inline]
    pub(crate) fn into_parts(self) -> (&'w Store, Entity, RunTicks) {
        (self.store, self.entity, self.run_ticks)
    }

    /// The same entity for a shorter time.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> WriteEntity<'_> {
        WriteEntity { ..*self }
    }

    /// The same entity, to read.
    #[inline]
    pub(crate) fn into_readonly(self) -> ReadEntity<'w> {
        ReadEntity { store: self.store, entity: self.entity, run_ticks: self.run_ticks }
    }

    /// The same entity, to read.
    #[inline]
    pub(crate) fn as_readonly(&self) -> ReadEntity<'_> {
        ReadEntity { store: self.store, entity: self.entity, run_ticks: self.run_ticks }
    }

    /// A component, to change it.
    #[inline]
    pub(crate) fn into_mut<T: MutableComponent>(self) -> Option<Mut<'w, T>> {
        self.into_mut_told()
    }

    /// A component, to change it where it is told to observers and hooks as a value of its own.
    #[inline]
    pub(crate) fn into_mut_told<T: Component>(self) -> Option<Mut<'w, T>> {
        let (mut value, column, row) = self.store.place::<T>(self.entity)?;
        column.visit(self.run_ticks.this_run);
        // SAFETY: the address is that of a value of `T` in this row; nothing else has access to it for 'w.
        Some(unsafe { Mut::new(value.as_mut(), Ticks::of(column, row, T::TRACK, self.run_ticks)) })
    }

    /// A component, whatever may be done with it, to exchange the entities inside of it.
    pub(crate) fn into_erased(self, id: ComponentId) -> Option<ErasedRefMut<'w>> {
        let descriptor = self.store.archetypes.components.info(id)?.descriptor();
        let (value, column, _) = self.store.place_by_id(self.entity, id)?;
        column.visit(self.run_ticks.this_run);
        // SAFETY: the address is that of a value of this component; nothing else has access to it for 'w.
        Some(unsafe { ErasedRefMut::new(descriptor, value) })
    }

    /// A component, to change it.
    pub(crate) fn into_mut_by_id(self, id: ComponentId) -> Result<ErasedMut<'w>, ErasedAccessError> {
        let Self { store, entity, run_ticks } = self;
        let (value, column, row) = store.place_by_id(entity, id).ok_or_else(|| store.why_no_value(entity, id))?;
        let descriptor = store.component_by_id(entity, id)?.descriptor();
        if !descriptor.mutable() {
            return Err(ErasedAccessError::Immutable { entity, component: descriptor.name() });
        }
        column.visit(run_ticks.this_run);
        // SAFETY: the address is that of a value of this component in this row; nothing else has access to it for 'w.
        Ok(unsafe {
            let ticks = Ticks::of(column, row, descriptor.tracking(), run_ticks);
            ErasedMut::new(ErasedRefMut::new(descriptor, value), ticks)
        })
    }
}
