//! All lists of removals of a world, and how entries get into them.
//!
//! An operation makes room for all that it may record ([`Removals::make_room`]) before it moves anything, so that recording
//! cannot fail. It says what was lost when it has moved everything and dropped nothing; no user code runs. A value that goes
//! into a list is copied there, and [`RemovalRecord`] says that its column is kept, so that the operation does not drop it; a value of a
//! sparse storage leaves that at once. The operation ends with [`Finish`], which drops what the lists do not keep any longer.
//!
//! A component with a reader is marked, and so are the tables that have it (also later ones) and the bits of its sparse
//! storage. An operation looks at the mark of its table or plan once. There are two lists for each component: of entities,
//! and of entities with values. A reader shares its position with the list, which forgets what all readers have passed and
//! notices by the count of an `Arc` that a reader is gone. The marks are lowered when a frame ends and when memory is given
//! back. A kept value is copied to the list and its column is noted (`RemovalRecord`), so that the operation does not drop it.

use alloc::vec::Vec;
use core::any::TypeId;

use super::log::{Log, LogCopy};
use super::reader::{RemovedComponentReader, RemovedValueReader};
use crate::alloc_error::{AllocError, try_reserve};
use crate::column::ColumnClones;
use crate::component::{Component, ComponentId, ComponentInfo, Components, StorageType};
use crate::entity::{Entity, SparseSummary};
use crate::guard::for_each_despite_panics;
use crate::sparse::SparseStorage;
use crate::table::Table;

/// The lists of one component.
struct RecordedRemovals {
    component: ComponentId,
    /// The number of its sparse storage, if it has one.
    storage: Option<usize>,
    entities: Log,
    values: Log,
}

impl RecordedRemovals {
    fn has_readers(&self) -> bool {
        self.entities.has_readers() || self.values.has_readers()
    }

    /// Makes room for so many more entries in the lists that are read.
    #[inline]
    fn make_room(&mut self, count: usize, fate: Fate) -> Result<(), AllocError> {
        if self.entities.has_readers() {
            self.entities.reserve(count)?;
        }
        if fate == Fate::Dropped && self.values.has_readers() {
            self.values.reserve(count)?;
        }
        Ok(())
    }
}

/// Whether an operation drops the values that it removes, or hands them to its caller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The lists may have them.
    Dropped,
    /// The caller gets them.
    Taken,
}

/// In [`Removals::by_component`]: no reader was ever made.
const NONE: u32 = u32::MAX;

/// The removals that an operation has recorded so far.
#[derive(Default)]
pub(crate) struct RemovalRecord {
    /// The columns whose values, in the rows that the operation removes, belong to lists once they are recorded. There is seldom more than
    /// one, and an operation on one entity has no time for the heap.
    few: [u32; 3],
    count: u32,
    /// All of these columns, if they are more than a few.
    many: Vec<u32>,
    /// Whether lists may have values that must be dropped at the end of the operation.
    unfinished: bool,
}

impl RemovalRecord {
    /// Adds a column of which values are kept.
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

    /// The columns whose values, in the rows whose removal is recorded, must not be overwritten before, nor dropped.
    #[inline]
    pub(crate) fn kept(&self) -> &[u32] {
        self.few.get(..self.count as usize).unwrap_or(&self.many)
    }

    /// Includes the removals of rows of another table: they end with these.
    pub(crate) fn join(&mut self, other: &Self) {
        self.unfinished |= other.unfinished;
    }
}

/// All lists of removals of a world.
#[derive(Default)]
pub(crate) struct Removals {
    /// Of which sparse storages removals are recorded: no other than these.
    storages: SparseSummary,
    /// Whether there may be readers.
    watching: bool,
    watched: Vec<RecordedRemovals>,
    /// By component: which of the lists are its.
    by_component: Vec<u32>,
    /// The same by sparse storage.
    by_storage: Vec<u32>,
}

impl Removals {
    /// Whether removals of any component are recorded.
    #[inline]
    pub(crate) fn is_watching(&self) -> bool {
        self.watching
    }

    /// Whether removals of any sparse component are recorded.
    #[inline]
    pub(crate) fn watches_sparse(&self) -> bool {
        !self.storages.is_empty()
    }

    /// These storages, and those from which removals are recorded.
    #[inline]
    pub(crate) fn with_watched(&self, storages: SparseSummary) -> SparseSummary {
        self.storages.union(storages)
    }

    /// Whether removals from one of these storages may be recorded.
    #[inline]
    pub(crate) fn watches(&self, storages: SparseSummary) -> bool {
        self.storages.meets(storages)
    }

    fn find(index: usize, numbers: &[u32]) -> Option<usize> {
        numbers.get(index).filter(|&&number| number != NONE).map(|&number| number as usize)
    }

    /// The lists of a component, which are made now if need be. The caller raises the flag of what holds its values.
    fn watched(&mut self, info: &ComponentInfo) -> usize {
        if let Some(at) = Self::find(info.id().index(), &self.by_component) {
            return at;
        }
        let at = self.watched.len();
        let storage = (info.storage() == StorageType::Sparse).then(|| info.sparse_index());
        let (entities, values) = (Log::of_entities(), Log::of_values(info));
        make_place(&mut self.by_component, info.id().index());
        if let Some(storage) = storage {
            make_place(&mut self.by_storage, storage);
        }
        // If there is no room this unwinds, and nothing leads to the lists.
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

    /// A new reader of removals of a component.
    pub(crate) fn read_entities<T>(&mut self, info: &ComponentInfo) -> RemovedComponentReader<T> {
        let at = self.watched(info);
        self.raise(at);
        RemovedComponentReader::new(at, &mut self.watched[at].entities)
    }

    /// A new reader of removed values of a component, which is `T`.
    pub(crate) fn read_values<T: Component>(&mut self, info: &ComponentInfo) -> RemovedValueReader<T> {
        assert_eq!(info.type_id(), Some(TypeId::of::<T>()));
        let at = self.watched(info);
        self.raise(at);
        RemovedValueReader::new(at, &mut self.watched[at].values)
    }

    /// How many entries of each list of a component are kept at most.
    pub(crate) fn set_limit(&mut self, info: &ComponentInfo, limit: usize) {
        let at = self.watched(info);
        let RecordedRemovals { entities, values, .. } = &mut self.watched[at];
        entities.set_limit(limit);
        values.set_limit(limit);
        let unfinished = values.has_expired();
        drop(Finish { removals: self, unfinished });
    }

    /// The list of entities with this number.
    #[inline]
    pub(crate) fn entities(&self, at: usize) -> Option<&Log> {
        self.watched.get(at).map(|watched| &watched.entities)
    }

    /// The list of values with this number.
    #[inline]
    pub(crate) fn values(&self, at: usize) -> Option<&Log> {
        self.watched.get(at).map(|watched| &watched.values)
    }

    /// Makes room for telling that so many entities lose these components of a table, and all that they have in these sparse
    /// storages.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has been recorded.
    #[inline(never)]
    pub(crate) fn make_room(
        &mut self,
        lost: impl Iterator<Item = (u32, ComponentId)>,
        storages: SparseSummary,
        count: usize,
        fate: Fate,
    ) -> Result<RemovalRecord, AllocError> {
        let mut told = RemovalRecord::default();
        for (column, id) in lost {
            let Some(at) = Self::find(id.index(), &self.by_component) else { continue };
            self.watched[at].make_room(count, fate)?;
            if fate == Fate::Dropped && self.watched[at].values.has_readers() {
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

    /// Records that an entity of a table loses the only component whose removals are recorded there, if that takes nothing but to add it
    /// to the list of entities. Otherwise nothing is recorded, and this says false.
    #[inline]
    pub(crate) fn try_record_entity(&mut self, table: &Table, entity: Entity) -> bool {
        match self.watched.get_mut(table.only_list() as usize) {
            Some(watched) => !watched.values.has_readers() && watched.entities.push_if_easy(entity),
            None => false,
        }
    }

    /// Records that the entity in a row of a table loses all that is recorded there, if no list gets a value that has to be dropped
    /// one day. Otherwise nothing is recorded, and this says false.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has been recorded.
    ///
    /// # Safety
    ///
    /// - The row is one of the table. After true the caller ends its entity without using the values of the row.
    #[inline(never)]
    pub(crate) unsafe fn record_row(&mut self, table: &Table, row: usize) -> Result<bool, AllocError> {
        for (_, id) in table.watched_columns() {
            let Some(at) = Self::find(id.index(), &self.by_component) else { continue };
            let watched = &mut self.watched[at];
            if watched.values.has_readers() && watched.values.needs_drop() {
                return Ok(false);
            }
            watched.make_room(1, Fate::Dropped)?;
        }
        let entity = &table.entities()[row..=row];
        for (index, id) in table.watched_columns() {
            let Some(at) = Self::find(id.index(), &self.by_component) else { continue };
            let RecordedRemovals { entities, values, .. } = &mut self.watched[at];
            if entities.has_readers() {
                entities.push_all(entity);
            }
            if values.has_readers() {
                // SAFETY: the column has a value of this component in the row. It is copied, and to drop it does nothing.
                unsafe { values.push_values(entity, |_| table.column(index as usize).get(row).as_ptr()) };
            }
        }
        Ok(true)
    }

    /// Records that entities have lost these components of a table, of which the columns are given, too. Room has been made.
    ///
    /// # Safety
    ///
    /// - The columns are those of the components in this table. If values are dropped, they hold the value of each entity in the
    ///   row that `row` gives for its number among these; the rows differ. Nothing uses these values afterwards, and those of the
    ///   columns in [`RemovalRecord::kept`] are not dropped.
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
                // SAFETY: the column has a value of this component in each row. Nothing uses it afterwards: it is not dropped
                // with the column, because that is noted as kept.
                told.unfinished |= unsafe { values.push_values(entities, |number| column.get(row(number)).as_ptr()) };
            }
        }
    }

    /// Records that an entity has lost the value that it had in a sparse storage: it is still there, or has just been retired,
    /// unless it is taken. If a list wants it, the storage has forgotten it then. Room has been made.
    #[inline(never)]
    pub(crate) fn sparse_lost(
        &mut self,
        storage: &mut SparseStorage,
        number: usize,
        entity: Entity,
        fate: Fate,
        told: &mut RemovalRecord,
    ) {
        let Some(at) = Self::find(number, &self.by_storage) else { return };
        let RecordedRemovals { entities, values, .. } = &mut self.watched[at];
        let wants_value = fate == Fate::Dropped && values.has_readers();
        let value = if wants_value { storage.retire(entity).or(storage.retired()) } else { None };
        if entities.has_readers() {
            entities.push_all(&[entity]);
        }
        if let Some(value) = value {
            // SAFETY: a retired value is one of the storage's component, and nothing uses it once the storage has forgotten it.
            told.unfinished |= unsafe { values.push_values(&[entity], |_| value.as_ptr()) };
            storage.forget_retired();
        }
    }

    /// Makes room for the removal of all entities of all these tables, and from sparse storages with so many values.
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
            watched.make_room(count, Fate::Dropped)?;
        }
        Ok(())
    }

    /// Records that all entities have left a sparse storage. If their values are kept it is empty afterwards. Room has been made.
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
            // SAFETY: the storage holds a value for each of its entities, and forgets them all.
            told.unfinished |= unsafe { values.push_values(entities, value) };
            storage.forget_all();
        }
    }

    /// Ends the recording of an operation when it is dropped.
    #[inline]
    pub(crate) fn finish(&mut self, told: &RemovalRecord) -> Finish<'_> {
        Finish { removals: self, unfinished: told.unfinished }
    }

    #[cold]
    #[inline(never)]
    fn end_operation(&mut self) {
        for watched in &mut self.watched {
            watched.values.forget_passed();
        }
        self.drop_expired();
    }

    pub(crate) fn drop_expired(&mut self) {
        let expired = self.watched.iter_mut().map(|watched| &mut watched.values).filter(|values| values.has_expired());
        for_each_despite_panics(expired, Log::drop_expired);
    }

    /// Lets go of everything that all readers have passed, and calls `idle` with the components that have no readers any
    /// more: the caller lowers the flags of what holds them. Values are dropped at the end.
    pub(crate) fn tidy(&mut self, mut idle: impl FnMut(ComponentId)) {
        self.storages = SparseSummary::default();
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
        drop(Finish { removals: self, unfinished: true });
    }

    /// Copies of all lists; into those that are there, as far as they are.
    ///
    /// # Errors
    ///
    /// If there is no memory. What the copies are then is worth nothing, as after a panic of a `Clone`.
    pub(crate) fn copy_to(&self, copies: &mut Vec<[LogCopy; 2]>, components: &Components) -> Result<(), AllocError> {
        copies.truncate(self.watched.len());
        for (at, watched) in self.watched.iter().enumerate() {
            let Some(info) = components.info(watched.component) else { break };
            if at == copies.len() {
                copies.push([false, true].map(|with_values| LogCopy::new(info, with_values)));
            }
            let [entities, values] = &mut copies[at];
            // SAFETY: the list with this number has never been one of another component.
            unsafe {
                entities.take(&watched.entities)?;
                values.take(&watched.values)?;
            }
        }
        Ok(())
    }

    /// The number of the lists of a component, if there are some.
    pub(crate) fn list_of(&self, component: ComponentId) -> Option<usize> {
        Self::find(component.index(), &self.by_component)
    }

    /// Copies of lists without entries, one for each that there is.
    pub(crate) fn empty_copies(&self, components: &Components) -> Vec<[LogCopy; 2]> {
        let infos = self.watched.iter().map_while(|watched| components.info(watched.component));
        infos.map(|info| [false, true].map(|with_values| LogCopy::new(info, with_values))).collect()
    }

    /// The components with removed values that cannot be copied.
    pub(crate) fn refused(&self, components: &Components) -> impl Iterator<Item = ComponentId> {
        let refuses = |watched: &&RecordedRemovals| {
            let info = components.info(watched.component);
            info.is_some_and(|info| LogCopy::new(info, true).refuses(&watched.values))
        };
        self.watched.iter().filter(refuses).map(|watched| watched.component)
    }

    /// The clones that are needed to make the lists what their copies are.
    pub(crate) fn clones(copies: &[[LogCopy; 2]]) -> Result<Vec<[ColumnClones; 2]>, AllocError> {
        copies.iter().map(|[entities, values]| Ok([entities.clones()?, values.clones()?])).collect()
    }

    /// Makes room for what the copies hold.
    ///
    /// # Errors
    ///
    /// If there is no memory. The entries stay.
    pub(crate) fn make_room_for_copies(&mut self, copies: &[[LogCopy; 2]]) -> Result<(), AllocError> {
        for (watched, [entities, values]) in self.watched.iter_mut().zip(copies) {
            watched.entities.make_room_for(entities)?;
            watched.values.make_room_for(values)?;
        }
        Ok(())
    }

    /// Makes the lists what their copies are; those that have none become empty. Some values wait for [`Removals::drop_expired`]
    /// to be dropped; the rest is with the clones.
    ///
    /// # Safety
    ///
    /// - The copies are those of these lists, the clones theirs, and room has been made for them since the last operation.
    pub(crate) unsafe fn become_copies(&mut self, copies: &[[LogCopy; 2]], clones: &mut [[ColumnClones; 2]]) {
        for (watched, ([entities, values], clones)) in self.watched.iter_mut().zip(copies.iter().zip(clones)) {
            // SAFETY: the list with this number has never been one of another component; the caller's promise.
            unsafe {
                watched.entities.become_copy(entities, &mut clones[0]);
                watched.values.become_copy(values, &mut clones[1]);
            }
        }
        for watched in self.watched.iter_mut().skip(copies.len()) {
            watched.entities.forget_all();
            watched.values.forget_all();
        }
    }

    /// Drops what [`Removals::become_copies`] has left. What readers have passed stays until the lists are tidied: how far those of systems
    /// Gives back memory that is not needed at the moment.
    pub(crate) fn shrink_to_fit(&mut self) {
        for watched in &mut self.watched {
            watched.entities.shrink_to_fit();
            watched.values.shrink_to_fit();
        }
    }

    /// The bytes that the lists have allocated, without what their values own.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let lists = |watched: &RecordedRemovals| watched.entities.allocated_bytes() + watched.values.allocated_bytes();
        self.watched.iter().map(lists).sum::<usize>()
            + self.watched.capacity() * size_of::<RecordedRemovals>()
            + (self.by_component.capacity() + self.by_storage.capacity()) * size_of::<u32>()
    }

    /// Panics if the books contradict each other; else says whether a component has readers.
    pub(crate) fn check(&self) -> impl Fn(ComponentId) -> bool {
        for watched in &self.watched {
            watched.entities.check();
            watched.values.check();
            assert!(!watched.has_readers() || self.watching, "no reader of removals is known");
            let storage = watched.storage.filter(|_| watched.has_readers());
            let listed = |storage: usize| self.watches(SparseSummary::default().with(storage));
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

/// The end of an operation that may have recorded something: when this is dropped, also by a panic, the lists drop what they
/// do not keep any longer.
pub(crate) struct Finish<'a> {
    removals: &'a mut Removals,
    unfinished: bool,
}

impl Drop for Finish<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.unfinished {
            self.removals.end_operation();
        }
    }
}
