//! The removal logs of a world, and recording into them.
//!
//! An operation makes room for everything that it may record ([`Removals::make_room`]) before it moves anything, so that recording cannot
//! fail. It records the losses when it has moved everything and dropped nothing; no user code runs in between. A value that is kept is
//! copied into the log, and [`RemovalRecord`] lists its column, so that the operation does not drop it; a value in a sparse storage is
//! removed from the storage at once. The operation ends with [`FinishRemovals`], which drops the values that the logs do not keep any
//! longer.
//!
//! A component with a reader is marked, and so are the tables that have it (also later ones) and the bits of its sparse storage. An
//! operation tests the mark of its table or plan once. There are two logs for each component: of entities, and of entities with values. A
//! reader shares its position with the log, which removes the entries that all readers have passed, and detects by the count of an `Arc`
//! that a reader has been dropped. The marks are cleared when a frame ends and when memory is freed.
//!
//! Tests: tests/changes/removed/paths.rs, tests/changes/removed/drops.rs

use alloc::vec::Vec;
use core::any::TypeId;

use super::log::{LogCopy, RemovalLog};
use super::reader::{RemovedComponentReader, RemovedValueReader};
use crate::component::{Component, ComponentId, ComponentInfo, Components, StorageType};
use crate::entity::{Entity, SparseMask};
use crate::storage::column::ColumnClones;
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::util::alloc_error::{AllocError, try_reserve};
use crate::util::guard::for_each_despite_panics;

/// The logs of one component.
struct RecordedRemovals {
    component: ComponentId,
    /// The number of its sparse storage, if it has one.
    storage: Option<usize>,
    entities: RemovalLog,
    values: RemovalLog,
}

impl RecordedRemovals {
    fn has_readers(&self) -> bool {
        self.entities.has_readers() || self.values.has_readers()
    }

    /// Makes room for `count` more entries in the logs that have readers.
    #[inline]
    fn make_room(&mut self, count: usize, fate: ValueFate) -> Result<(), AllocError> {
        if self.entities.has_readers() {
            self.entities.reserve(count)?;
        }
        if fate == ValueFate::Dropped && self.values.has_readers() {
            self.values.reserve(count)?;
        }
        Ok(())
    }
}

/// Whether an operation drops the values that it removes, or returns them to its caller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueFate {
    /// The logs may keep the values.
    Dropped,
    /// The caller gets the values.
    Taken,
}

/// In [`Removals::by_component`]: the component never had a reader.
const NONE: u32 = u32::MAX;

/// The removals that an operation has recorded so far.
#[derive(Default)]
pub(crate) struct RemovalRecord {
    /// The columns whose values, in the rows that the operation removes, belong to the logs once they are recorded. Usually there is at
    /// most one, and an operation on one entity should not allocate.
    few: [u32; 3],
    count: u32,
    /// All of these columns, if `few` is too small for them.
    many: Vec<u32>,
    /// Whether logs may have values to be dropped at the end of the operation.
    unfinished: bool,
}

impl RemovalRecord {
    /// Adds a column whose values are kept.
    fn keep(&mut self, column: u32) -> Result<(), AllocError> {
        if let Some(place) = self.few.get_mut(self.count as usize) {
            *place = column;
        } else {
            if self.many.is_empty() {
                try_reserve(&mut self.many, 2 * self.few.len())?;
                self.many.extend_from_slice(&self.few);
            }
            try_reserve(&mut self.many, 1)?;
            self.many.push(column);
        }
        self.count += 1;
        Ok(())
    }

    /// Returns the columns whose values, in the rows whose removal is recorded, must not be overwritten before that, nor dropped.
    #[inline]
    pub(crate) fn kept(&self) -> &[u32] {
        self.few.get(..self.count as usize).unwrap_or(&self.many)
    }

    /// Includes the removals of rows of another table, so that one [`FinishRemovals`] ends both.
    pub(crate) fn join(&mut self, other: &Self) {
        self.unfinished |= other.unfinished;
    }
}

/// All removal logs of a world.
#[derive(Default)]
pub(crate) struct Removals {
    /// The sparse storages whose removals are recorded.
    storages: SparseMask,
    /// Whether there may be readers.
    watching: bool,
    watched: Vec<RecordedRemovals>,
    /// The index in `watched` by component.
    by_component: Vec<u32>,
    /// The index in `watched` by sparse storage.
    by_storage: Vec<u32>,
}

impl Removals {
    /// Returns whether removals of any component are recorded.
    #[inline]
    pub(crate) fn is_watching(&self) -> bool {
        self.watching
    }

    /// Returns whether removals of any sparse component are recorded.
    #[inline]
    pub(crate) fn watches_sparse(&self) -> bool {
        !self.storages.is_empty()
    }

    /// Adds the storages whose removals are recorded to these storages.
    #[inline]
    pub(crate) fn with_watched(&self, storages: SparseMask) -> SparseMask {
        self.storages.union(storages)
    }

    /// Returns whether removals from one of these storages may be recorded.
    #[inline]
    pub(crate) fn watches(&self, storages: SparseMask) -> bool {
        self.storages.meets(storages)
    }

    fn find(index: usize, numbers: &[u32]) -> Option<usize> {
        numbers.get(index).filter(|&&number| number != NONE).map(|&number| number as usize)
    }

    /// Returns the index of the logs of a component, which are created if necessary. The caller sets the flags of its tables or storage.
    fn watched(&mut self, info: &ComponentInfo) -> usize {
        if let Some(at) = Self::find(info.id().index(), &self.by_component) {
            return at;
        }
        let at = self.watched.len();
        let storage = (info.storage() == StorageType::Sparse).then(|| info.sparse_index());
        let (entities, values) = (RemovalLog::of_entities(), RemovalLog::of_values(info));
        make_place(&mut self.by_component, info.id().index());
        if let Some(storage) = storage {
            make_place(&mut self.by_storage, storage);
        }
        // `push` comes first: if there is no memory and it unwinds, no index refers to the logs yet.
        self.watched.push(RecordedRemovals { component: info.id(), storage, entities, values });
        self.by_component[info.id().index()] = at as u32;
        if let Some(storage) = storage {
            self.by_storage[storage] = at as u32;
        }
        at
    }

    fn raise(&mut self, at: usize) {
        self.watching = true;
        if let Some(storage) = self.watched[at].storage {
            self.storages = self.storages.with(storage);
        }
    }

    /// Creates a reader of removals of a component.
    pub(crate) fn read_entities<T>(&mut self, info: &ComponentInfo) -> RemovedComponentReader<T> {
        let at = self.watched(info);
        self.raise(at);
        RemovedComponentReader::new(at, &mut self.watched[at].entities)
    }

    /// Creates a reader of removed values of a component, which is `T`.
    pub(crate) fn read_values<T: Component>(&mut self, info: &ComponentInfo) -> RemovedValueReader<T> {
        assert_eq!(info.type_id(), Some(TypeId::of::<T>()));
        let at = self.watched(info);
        self.raise(at);
        RemovedValueReader::new(at, &mut self.watched[at].values)
    }

    /// Sets the maximum number of entries of each log of a component.
    pub(crate) fn set_limit(&mut self, info: &ComponentInfo, limit: usize) {
        let at = self.watched(info);
        let RecordedRemovals { entities, values, .. } = &mut self.watched[at];
        entities.set_limit(limit);
        values.set_limit(limit);
        let unfinished = values.has_expired();
        drop(FinishRemovals { removals: self, unfinished });
    }

    /// Returns the log of entities with this number.
    #[inline]
    pub(crate) fn entities(&self, at: usize) -> Option<&RemovalLog> {
        self.watched.get(at).map(|watched| &watched.entities)
    }

    /// Returns the log of values with this number.
    #[inline]
    pub(crate) fn values(&self, at: usize) -> Option<&RemovalLog> {
        self.watched.get(at).map(|watched| &watched.values)
    }

    /// Makes room for recording that `count` entities lose these components of a table, and all components in these sparse storages.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has been recorded.
    #[inline(never)]
    pub(crate) fn make_room(
        &mut self,
        lost: impl Iterator<Item = (u32, ComponentId)>,
        storages: SparseMask,
        count: usize,
        fate: ValueFate,
    ) -> Result<RemovalRecord, AllocError> {
        let mut told = RemovalRecord::default();
        for (column, id) in lost {
            let Some(at) = Self::find(id.index(), &self.by_component) else { continue };
            self.watched[at].make_room(count, fate)?;
            if fate == ValueFate::Dropped && self.watched[at].values.has_readers() {
                told.keep(column)?;
            }
        }
        if self.watches(storages) {
            let storages = storages.storages(self.by_storage.len());
            for at in storages.filter_map(|number| Self::find(number, &self.by_storage)) {
                self.watched[at].make_room(count, fate)?;
            }
        }
        Ok(told)
    }

    /// Records that an entity of a table loses the only component whose removals are recorded there, if that only requires adding the
    /// entity to the log of entities. Otherwise records nothing and returns false.
    #[inline]
    pub(crate) fn try_record_entity(&mut self, table: &Table, entity: Entity) -> bool {
        match self.watched.get_mut(table.only_list() as usize) {
            Some(watched) => !watched.values.has_readers() && watched.entities.push_if_easy(entity),
            None => false,
        }
    }

    /// Records that the entity in a row of a table loses all components whose removals are recorded there, if no log gets a value that
    /// needs drop. Otherwise records nothing and returns false.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has been recorded.
    ///
    /// # Safety
    ///
    /// - The row is one of the table. After true the caller despawns its entity without using the values of the row.
    #[inline(never)]
    pub(crate) unsafe fn record_row(&mut self, table: &Table, row: usize) -> Result<bool, AllocError> {
        for (_, id) in table.watched_columns() {
            let Some(at) = Self::find(id.index(), &self.by_component) else { continue };
            let watched = &mut self.watched[at];
            if watched.values.has_readers() && watched.values.needs_drop() {
                return Ok(false);
            }
            watched.make_room(1, ValueFate::Dropped)?;
        }
        let entity = &table.entities()[row..=row];
        for (index, id) in table.watched_columns() {
            let Some(at) = Self::find(id.index(), &self.by_component) else { continue };
            let RecordedRemovals { entities, values, .. } = &mut self.watched[at];
            if entities.has_readers() {
                entities.push_all(entity);
            }
            if values.has_readers() {
                // SAFETY: the column has a value of this component in the row. It is copied, and needs no drop.
                unsafe { values.push_values(entity, |_| table.column(index as usize).get(row).as_ptr()) };
            }
        }
        Ok(true)
    }

    /// Records that entities have lost these components of a table, which are given with their columns. Room has been made.
    ///
    /// # Safety
    ///
    /// - The columns belong to the components in this table. If values are dropped, the columns hold the value of each entity in the row
    ///   that `row` returns for its index in `entities`; the rows differ. Nothing uses these values afterwards, and values of the columns
    ///   in [`RemovalRecord::kept`] are not dropped.
    #[inline(never)]
    pub(crate) unsafe fn rows_lost(
        &mut self,
        table: &Table,
        lost: impl Iterator<Item = (u32, ComponentId)>,
        entities: &[Entity],
        row: impl Fn(usize) -> usize,
        told: &mut RemovalRecord,
    ) {
        for (index, id) in lost {
            let Some(at) = Self::find(id.index(), &self.by_component) else { continue };
            let RecordedRemovals { entities: list, values, .. } = &mut self.watched[at];
            if list.has_readers() {
                list.push_all(entities);
            }
            if told.kept().contains(&index) {
                let column = table.column(index as usize);
                // SAFETY: the column has a value of this component in each row. Nothing uses it afterwards: it is not dropped with the
                // column, because the column has been recorded as kept.
                told.unfinished |= unsafe { values.push_values(entities, |number| column.get(row(number)).as_ptr()) };
            }
        }
    }

    /// Records that an entity has lost its value in a sparse storage. Unless the value is taken, it is still in the storage or has just
    /// been retired. If a log keeps it, it is removed from the storage. Room has been made.
    #[inline(never)]
    pub(crate) fn sparse_lost(
        &mut self,
        storage: &mut SparseStorage,
        number: usize,
        entity: Entity,
        fate: ValueFate,
        told: &mut RemovalRecord,
    ) {
        let Some(at) = Self::find(number, &self.by_storage) else { return };
        let RecordedRemovals { entities, values, .. } = &mut self.watched[at];
        let wants_value = fate == ValueFate::Dropped && values.has_readers();
        let value = if wants_value { storage.retire(entity).or(storage.retired()) } else { None };
        if entities.has_readers() {
            entities.push_all(&[entity]);
        }
        if let Some(value) = value {
            // SAFETY: a retired value belongs to the storage's component, and nothing uses it once the storage has forgotten it.
            told.unfinished |= unsafe { values.push_values(&[entity], |_| value.as_ptr()) };
            storage.forget_retired();
        }
    }

    /// Makes room for the removal of all entities of these tables, and of all values of sparse storages.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has been recorded.
    pub(crate) fn make_room_for_all<'t>(
        &mut self,
        tables: impl Iterator<Item = &'t Table> + Clone,
        in_storage: impl Fn(usize) -> usize,
    ) -> Result<(), AllocError> {
        for watched in &mut self.watched {
            let count = match watched.storage {
                Some(number) => in_storage(number),
                None => tables.clone().filter(|table| table.contains(watched.component)).map(Table::len).sum(),
            };
            watched.make_room(count, ValueFate::Dropped)?;
        }
        Ok(())
    }

    /// Records that all entities have left a sparse storage. If their values are kept, the storage is empty afterwards. Room has been made.
    pub(crate) fn storage_lost(
        &mut self,
        storage: &mut SparseStorage,
        number: usize,
        entities: &[Entity],
        told: &mut RemovalRecord,
    ) {
        let Some(at) = Self::find(number, &self.by_storage) else { return };
        let RecordedRemovals { entities: list, values, .. } = &mut self.watched[at];
        if list.has_readers() {
            list.push_all(entities);
        }
        if values.has_readers() {
            let value = |number: usize| match storage.get(Entity::index(entities[number])) {
                Some(value) => value.as_ptr().cast_const(),
                None => unreachable!("the entities are those of the storage"),
            };
            // SAFETY: the storage holds a value for each of its entities, and forgets all of them.
            told.unfinished |= unsafe { values.push_values(entities, value) };
            storage.forget_all();
        }
    }

    /// Ends the recording of an operation when the returned guard is dropped.
    #[inline]
    pub(crate) fn finish(&mut self, told: &RemovalRecord) -> FinishRemovals<'_> {
        FinishRemovals { removals: self, unfinished: told.unfinished }
    }

    #[cold]
    #[inline(never)]
    fn end_operation(&mut self) {
        for watched in &mut self.watched {
            watched.values.forget_passed();
        }
        self.drop_expired();
    }

    /// Drops the values that no reader can read any more, also those that [`Removals::restore_logs`] has left.
    pub(crate) fn drop_expired(&mut self) {
        let expired = self.watched.iter_mut().map(|watched| &mut watched.values).filter(|values| values.has_expired());
        for_each_despite_panics(expired, RemovalLog::drop_expired);
    }

    /// Removes all entries that all readers have passed, and calls `idle` with the components that have no readers any more: the caller
    /// clears the flags of their tables or storages. Values are dropped at the end.
    pub(crate) fn trim(&mut self, mut idle: impl FnMut(ComponentId)) {
        self.storages = SparseMask::default();
        self.watching = false;
        for at in 0..self.watched.len() {
            let watched = &mut self.watched[at];
            watched.entities.forget_passed();
            watched.values.forget_passed();
            if watched.has_readers() {
                self.raise(at);
            } else {
                idle(watched.component);
            }
        }
        drop(FinishRemovals { removals: self, unfinished: true });
    }

    /// Copies all logs, into existing copies where there are some.
    ///
    /// # Errors
    ///
    /// If there is no memory. The copies are incomplete then, as after a panic of a `Clone`.
    pub(crate) fn copy_to(&self, copies: &mut Vec<[LogCopy; 2]>, components: &Components) -> Result<(), AllocError> {
        copies.truncate(self.watched.len());
        for (at, watched) in self.watched.iter().enumerate() {
            let Some(info) = components.info(watched.component) else { break };
            if at == copies.len() {
                copies.push([false, true].map(|with_values| LogCopy::new(info, with_values)));
            }
            let [entities, values] = &mut copies[at];
            // SAFETY: the log with this number has always belonged to the same component.
            unsafe {
                entities.take(&watched.entities)?;
                values.take(&watched.values)?;
            }
        }
        Ok(())
    }

    /// Returns the index of the logs of a component, if it has logs.
    pub(crate) fn list_of(&self, component: ComponentId) -> Option<usize> {
        Self::find(component.index(), &self.by_component)
    }

    /// Returns an empty copy for each log.
    pub(crate) fn empty_copies(&self, components: &Components) -> Vec<[LogCopy; 2]> {
        let infos = self.watched.iter().map_while(|watched| components.info(watched.component));
        infos.map(|info| [false, true].map(|with_values| LogCopy::new(info, with_values))).collect()
    }

    /// Returns the components with removed values that cannot be cloned.
    pub(crate) fn refused(&self, components: &Components) -> impl Iterator<Item = ComponentId> {
        let refuses = |watched: &&RecordedRemovals| {
            let info = components.info(watched.component);
            info.is_some_and(|info| LogCopy::new(info, true).refuses(&watched.values))
        };
        self.watched.iter().filter(refuses).map(|watched| watched.component)
    }

    /// Clones the values that are needed to restore the logs from their copies.
    pub(crate) fn clones(copies: &[[LogCopy; 2]]) -> Result<Vec<[ColumnClones; 2]>, AllocError> {
        copies.iter().map(|[entities, values]| Ok([entities.clones()?, values.clones()?])).collect()
    }

    /// Makes room for the contents of the copies.
    ///
    /// # Errors
    ///
    /// If there is no memory. The entries are unchanged.
    pub(crate) fn make_room_for_copies(&mut self, copies: &[[LogCopy; 2]]) -> Result<(), AllocError> {
        for (watched, [entities, values]) in self.watched.iter_mut().zip(copies) {
            watched.entities.make_room_for(entities)?;
            watched.values.make_room_for(values)?;
        }
        Ok(())
    }

    /// Restores the logs from their copies; logs without a copy become empty. Values of these are dropped by a later
    /// [`Removals::drop_expired`]; the other old values are in the clones.
    ///
    /// # Safety
    ///
    /// - The copies belong to these logs, the clones to the copies, and room has been made for them since the last operation.
    pub(crate) unsafe fn restore_logs(&mut self, copies: &[[LogCopy; 2]], clones: &mut [[ColumnClones; 2]]) {
        for (watched, ([entities, values], clones)) in self.watched.iter_mut().zip(copies.iter().zip(clones)) {
            // SAFETY: the log with this number has always belonged to the same component; the clones and the room are forwarded.
            unsafe {
                watched.entities.restore_from(entities, &mut clones[0]);
                watched.values.restore_from(values, &mut clones[1]);
            }
        }
        for watched in self.watched.iter_mut().skip(copies.len()) {
            watched.entities.forget_all();
            watched.values.forget_all();
        }
    }

    /// Frees memory that is not needed at the moment.
    pub(crate) fn shrink_to_fit(&mut self) {
        for watched in &mut self.watched {
            watched.entities.shrink_to_fit();
            watched.values.shrink_to_fit();
        }
    }

    /// Returns the bytes that the logs have allocated, without memory that values own.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let lists = |watched: &RecordedRemovals| watched.entities.allocated_bytes() + watched.values.allocated_bytes();
        self.watched.iter().map(lists).sum::<usize>()
            + self.watched.capacity() * size_of::<RecordedRemovals>()
            + (self.by_component.capacity() + self.by_storage.capacity()) * size_of::<u32>()
    }

    /// Panics if the logs and flags contradict each other. Returns a function that returns whether a component has readers.
    pub(crate) fn check(&self) -> impl Fn(ComponentId) -> bool {
        for watched in &self.watched {
            watched.entities.check();
            watched.values.check();
            assert!(!watched.has_readers() || self.watching, "no reader of removals is known");
            let storage = watched.storage.filter(|_| watched.has_readers());
            let listed = |storage: usize| self.watches(SparseMask::default().with(storage));
            assert!(storage.is_none_or(listed), "a sparse storage is not watched");
        }
        |id| Self::find(id.index(), &self.by_component).is_some_and(|at| self.watched[at].has_readers())
    }
}

fn make_place(numbers: &mut Vec<u32>, index: usize) {
    if numbers.len() <= index {
        numbers.resize(index + 1, NONE);
    }
}

/// The end of an operation that may have recorded removals. When this is dropped, also during a panic, the logs drop the values that they
/// do not keep any longer.
pub(crate) struct FinishRemovals<'a> {
    removals: &'a mut Removals,
    unfinished: bool,
}

impl Drop for FinishRemovals<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.unfinished {
            self.removals.end_operation();
        }
    }
}
