//! The structure of a world: its entities, where their components are stored, and read access to them.
//!
//! Tests: tests/storage/erased/access.rs, tests/storage/entities.rs

use alloc::vec::Vec;
use core::ptr::NonNull;

use crate::component::{Component, ComponentId, ErasedRef, ErasedSlice, StorageType};
use crate::entity::{Entities, Entity, IdForecasts, Slot, TableId};
use crate::storage::column::{Column, ColumnAddress};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::storage::tick::WriteStamp;
use crate::structure::archetype::Archetypes;
use crate::util::alloc_error::{AllocError, try_reserve};

/// The entities of a world, and the tables and sparse storages with their components.
#[derive(Default)]
pub(crate) struct Structure {
    pub(crate) entities: Entities,
    /// How many ids each system is expected to reserve. The number decides which ids the system gets.
    pub(crate) id_forecasts: IdForecasts,
    pub(crate) archetypes: Archetypes,
    pub(crate) sparse: Vec<SparseStorage>,
    /// The pending ids: reserved ids that get a row when a queue of commands is applied.
    pub(super) pending: Vec<Entity>,
}

impl Structure {
    /// Makes every reserved id pending, so that the operation that spawns it can place it directly in its table. `Store::place_pending`
    /// places the rest.
    ///
    /// # Panics
    ///
    /// If there is no memory. The ids stay reserved.
    pub(crate) fn make_reserved_pending(&mut self) {
        let room = self.entities.reserve_pending();
        let room = room.and_then(|()| try_reserve(&mut self.pending, self.entities.reserved()));
        room.unwrap_or_else(|error| error.raise());
        while let Some(entity) = self.entities.next_reserved() {
            self.pending.push(entity);
        }
    }

    /// Closes the id streams. Makes every id that was reserved from a stream pending, so that it can be placed directly in its table.
    /// `Store::place_pending`, which also runs at the end of each queue of commands, places the rest.
    ///
    /// # Errors
    ///
    /// If there is no memory. The streams are closed, and none of the ids is alive.
    pub(crate) fn close_id_streams(&mut self) -> Result<(), AllocError> {
        self.entities.close_streams(&mut self.pending)
    }

    /// Returns the address of the value of a component of an entity.
    #[inline]
    pub(crate) fn value<C: Component>(&self, entity: Entity) -> Option<NonNull<C>> {
        if C::STORAGE_TYPE == StorageType::Sparse {
            let location = Slot::find(self.entities.slots(), entity)?;
            self.archetypes.tables.get(location.table)?;
            let storage = self.archetypes.components.info(self.archetypes.components.id::<C>()?)?.sparse_index();
            return self.sparse.get(storage)?.get(entity.index()).map(NonNull::cast);
        }
        let (column, row) = self.in_table::<C>(entity)?;
        // SAFETY: the column is one of the entity's table, which is borrowed, and the row of a live entity is within it. It holds
        // values of `C`, since a slot's number belongs to one type, and so does an id.
        Some(unsafe { column.data().cast::<C>().add(row) })
    }

    /// Returns the address of the value of a component of an entity, its column, and the row of its ticks there.
    #[inline]
    pub(crate) fn locate_value<C: Component>(&self, entity: Entity) -> Option<(NonNull<C>, &Column, usize)> {
        if C::STORAGE_TYPE == StorageType::Sparse {
            let location = Slot::find(self.entities.slots(), entity)?;
            self.archetypes.tables.get(location.table)?;
            let storage = self
                .sparse
                .get(self.archetypes.components.info(self.archetypes.components.id::<C>()?)?.sparse_index())?;
            let row = storage.tick_row(entity.index())?;
            return Some((storage.get(entity.index())?.cast(), storage.column(), row));
        }
        let (column, row) = self.in_table::<C>(entity)?;
        // SAFETY: the column is one of the entity's table, which is borrowed, and the row of a live entity is within it. It holds
        // values of `C`, since a slot's number belongs to one type, and so does an id.
        unsafe {
            let column = column.column();
            Some((column.data().cast::<C>().add(row), column, row))
        }
    }

    /// Returns the column of a component in the table of an entity, and the row of the entity. The component is table-stored.
    ///
    /// If only one table has the component, its column is found first, so that a loop over entities finds it once. For each entity only its
    /// slot is compared; the fewer loads there are, the more lookups the processor overlaps.
    #[inline]
    pub(super) fn in_table<C: Component>(&self, entity: Entity) -> Option<(ColumnAddress, usize)> {
        let slots = self.entities.slots();
        if let Some(slot) = C::slot()
            && let Some((table, column)) = self.archetypes.tables.likely_column(slot.address())
            && let Some(row) = Slot::row_in(slots, entity, table)
        {
            return Some((column, row as usize));
        }
        let location = Slot::find(slots, entity)?;
        Some((self.archetypes.column_of::<C>(location.table)?, location.row as usize))
    }

    /// Returns the address of the value of a component of an entity, its column, and the row of its ticks there. `None` also if this world
    /// does not have the component.
    pub(crate) fn place_by_id(&self, entity: Entity, id: ComponentId) -> Option<(NonNull<u8>, &Column, usize)> {
        let location = Slot::find(self.entities.slots(), entity)?;
        let info = self.archetypes.components.info(id)?;
        if info.storage() == StorageType::Sparse {
            let storage = self.sparse.get(info.sparse_index())?;
            let row = storage.tick_row(entity.index())?;
            return Some((storage.get(entity.index())?, storage.column(), row));
        }
        let table = self.archetypes.tables.get(location.table)?;
        let (column, row) = (table.column(table.column_index(id)?), location.row as usize);
        // SAFETY: the row of a live entity is within the columns of its table.
        Some((unsafe { column.get(row) }, column, row))
    }

    /// Borrows the value of a component of an entity. `None` also if this world does not have the component.
    pub(crate) fn value_by_id(&self, entity: Entity, id: ComponentId) -> Option<ErasedRef<'_>> {
        let (value, ..) = self.place_by_id(entity, id)?;
        let descriptor = self.archetypes.components.info(id)?.descriptor();
        // SAFETY: the value is one of the component with this id, and the store is borrowed.
        Some(unsafe { ErasedRef::new(descriptor, value) })
    }

    /// Returns the values of a component in a table, by row.
    pub(crate) fn erased_column(&self, table: TableId, id: ComponentId) -> Option<ErasedSlice<'_>> {
        let info = self.archetypes.components.info(id)?;
        let table = self.archetypes.tables.get(table)?;
        let column = table.column(table.column_index(id)?);
        // SAFETY: the column has a value of this component in each row of the table, which is borrowed.
        Some(unsafe { ErasedSlice::new(info.descriptor(), column.data(), table.len()) })
    }

    /// Returns the values of a component in sparse storage, in the order of the storage. For a zero-sized component the length of the slice
    /// is the number of entities with it.
    pub(crate) fn erased_storage(&self, id: ComponentId) -> Option<ErasedSlice<'_>> {
        let info = self.archetypes.components.info(id).filter(|info| info.storage() == StorageType::Sparse)?;
        let storage = self.sparse.get(info.sparse_index())?;
        // SAFETY: the column has `storage.len()` values of this component, and is borrowed: the values of a set are in its first rows, and
        // zero-sized values are at any aligned address.
        Some(unsafe { ErasedSlice::new(info.descriptor(), storage.column().data(), storage.len()) })
    }

    /// Returns the values of a component in a table, one for each row, and their column; `None` if their type is not `T`.
    pub(super) fn column_values<T: 'static>(&self, table: TableId, id: ComponentId) -> Option<(NonNull<[T]>, &Column)> {
        let info = self.archetypes.components.info(id).filter(|info| info.descriptor().holds::<T>())?;
        let table = self.archetypes.tables.get(table)?;
        let column = table.column(table.column_index(info.id())?);
        Some((NonNull::slice_from_raw_parts(column.data().cast(), table.len()), column))
    }

    /// Returns the values of a component in a table, by row, and marks all of them as changed now.
    pub(crate) fn values_mut_by_id<T: 'static>(
        &mut self,
        table: TableId,
        id: ComponentId,
        now: WriteStamp,
    ) -> Option<&mut [T]> {
        let (mut values, column) = self.column_values(table, id)?;
        column.visit(now.tick);
        if let Some(tracking) = column.tracking() {
            tracking.mark_rows(0, values.len(), now);
        }
        // SAFETY: the column has a value of `T` in each row of the table, which is borrowed exclusively.
        Some(unsafe { values.as_mut() })
    }

    /// Returns the values of a component in a table, by row.
    pub(crate) fn values_by_id<T: 'static>(&self, table: TableId, id: ComponentId) -> Option<&[T]> {
        // SAFETY: the column has a value of `T` in each row of the table, which is borrowed.
        self.column_values(table, id).map(|(values, _)| unsafe { values.as_ref() })
    }

    /// Returns the sparse storages that have a value of an entity.
    pub(crate) fn storages_of(&self, entity: Entity) -> impl Iterator<Item = usize> + use<'_> {
        let summary = self.entities.sparse_summary(entity.index());
        summary.storages(self.sparse.len()).filter(move |&number| self.sparse[number].contains(entity.index()))
    }

    /// Returns the components of an entity: those of its table, then the sparse ones. Empty if the entity is not alive.
    pub(crate) fn components_of(&self, entity: Entity) -> impl Iterator<Item = ComponentId> + use<'_> {
        let table = self.entities.get(entity).and_then(|location| self.archetypes.tables.get(location.table));
        let storages = self.storages_of(entity).filter(move |_| table.is_some());
        let sparse = self.archetypes.components.sparse();
        table.map_or(&[][..], Table::components).iter().copied().chain(storages.map(|number| sparse[number]))
    }

    /// Returns whether an entity has a component.
    pub(crate) fn has(&self, entity: Entity, id: ComponentId) -> bool {
        let Some(location) = self.entities.get(entity) else { return false };
        match self.archetypes.components.info(id) {
            Some(info) if info.storage() == StorageType::Sparse => {
                self.sparse.get(info.sparse_index()).is_some_and(|storage| storage.contains(entity.index()))
            }
            Some(_) => self.archetypes.tables.get(location.table).is_some_and(|table| table.contains(id)),
            None => false,
        }
    }
}
