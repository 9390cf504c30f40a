//! All lists of removals of a world, and how entries get into them.
//!
//! Recording is a part of the first stage of an operation: there is room for everything else, and no user code runs. A value
//! that goes into a list is copied there, and its column is noted as kept, so that the second stage does not drop it; a
//! value of a sparse storage leaves that at once. The second stage ends with [`Finish`], which drops what the lists do not
//! keep any longer.

use alloc::vec::Vec;
use core::any::TypeId;
use core::mem;

use super::log::Log;
use super::reader::{RemovedComponentReader, RemovedValueReader};
use crate::component::{Component, ComponentId, ComponentInfo, StorageType};
use crate::entity::{Entity, SparseSummary};
use crate::guard::for_each_despite_panics;
use crate::sparse::SparseStorage;
use crate::table::Table;

/// The lists of one component.
struct Watched {
    component: ComponentId,
    /// The number of its sparse storage, if it has one.
    storage: Option<usize>,
    entities: Log,
    values: Log,
}

impl Watched {
    fn has_readers(&self) -> bool {
        self.entities.has_readers() || self.values.has_readers()
    }
}

/// Whether whoever removes values drops them, or hands them to somebody.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The lists may have them.
    Dropped,
    /// They are somebody else's.
    Taken,
}

/// In [`Removals::by_component`]: nobody has ever asked.
const NONE: u32 = u32::MAX;

/// All lists of removals of a world.
#[derive(Default)]
pub(crate) struct Removals {
    /// Of which sparse storages removals are recorded: no other than these.
    storages: SparseSummary,
    /// Whether there may be readers.
    watching: bool,
    /// Whether there are values that must be dropped at the end of the operation, or columns whose values are kept.
    unfinished: bool,
    /// The columns whose values, in the rows that the operation in progress removes, belong to the lists.
    kept: Vec<u32>,
    watched: Vec<Watched>,
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
        self.watched.push(Watched { component: info.id(), storage, entities, values });
        note(&mut self.by_component, info.id().index(), at);
        if let Some(storage) = storage {
            note(&mut self.by_storage, storage, at);
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
        assert_eq!(info.type_id(), TypeId::of::<T>());
        let at = self.watched(info);
        self.raise(at);
        RemovedValueReader::new(at, &mut self.watched[at].values)
    }

    /// How many entries of each list of a component are kept at most.
    pub(crate) fn set_limit(&mut self, info: &ComponentInfo, limit: usize) {
        let at = self.watched(info);
        let Watched { entities, values, .. } = &mut self.watched[at];
        entities.set_limit(limit);
        values.set_limit(limit);
        self.unfinished |= values.has_expired();
        drop(self.finish());
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

    /// Records that an entity of a table moves to another one, or nowhere.
    ///
    /// # Safety
    ///
    /// - The row is the entity's. If values are dropped, the caller gives up those of components that the other table does
    ///   not have, does not drop those of the columns in [`Finish::kept`], and goes on with [`Removals::finish`] before
    ///   anything else is recorded from a table.
    #[inline(never)]
    pub(crate) unsafe fn record_row(
        &mut self,
        from: &Table,
        to: Option<&Table>,
        entity: Entity,
        row: usize,
        fate: Fate,
    ) {
        // SAFETY: the caller's promise.
        unsafe { self.record_rows(from, to, &[entity], |_| row, fate) }
    }

    /// The same for several entities.
    ///
    /// # Safety
    ///
    /// - As for [`Removals::record_row`]; `row` gives the row of each entity by its number among these, and they differ.
    #[inline]
    pub(crate) unsafe fn record_rows(
        &mut self,
        from: &Table,
        to: Option<&Table>,
        entities: &[Entity],
        row: impl Fn(usize) -> usize,
        fate: Fate,
    ) {
        debug_assert!(self.kept.is_empty(), "the last operation has not been finished");
        for (index, &id) in from.components().iter().enumerate() {
            let Some(at) = Self::find(id.index(), &self.by_component) else { continue };
            if to.is_some_and(|to| to.contains(id)) {
                continue;
            }
            let Watched { entities: list, values, .. } = &mut self.watched[at];
            if list.has_readers() {
                list.push_all(entities);
            }
            if fate == Fate::Dropped && values.has_readers() {
                let column = from.column(index);
                // SAFETY: the rows are in use, so they are within the column, which has values of this component. The caller
                // gives them up; they are not dropped with the column, because it is noted as kept.
                let keeps = unsafe { values.push_values(entities, |number| column.get(row(number)).as_ptr()) };
                if keeps {
                    self.kept.push(index as u32);
                }
                self.unfinished |= keeps;
            }
        }
    }

    /// Records that components are taken from an entity of a table, which moves to another one.
    #[inline(never)]
    pub(crate) fn record_taken(&mut self, from: &Table, to: &Table, entity: Entity) {
        // SAFETY: nothing is kept of what is taken, and the row does not matter.
        unsafe { self.record_rows(from, Some(to), &[entity], |_| 0, Fate::Taken) }
    }

    /// Records that all entities of a table lose everything. Says which columns are kept.
    ///
    /// # Safety
    ///
    /// - As for [`Removals::record_row`], but other tables may follow.
    pub(crate) unsafe fn record_table(&mut self, table: &Table) -> Vec<u32> {
        // SAFETY: the caller's promise; the entities stand in the order of their rows.
        unsafe { self.record_rows(table, None, table.entities(), |row| row, Fate::Dropped) }
        mem::take(&mut self.kept)
    }

    /// Records that an entity leaves a sparse storage, if it is there. If its value is kept, it has left it now; else the
    /// caller goes on as if nothing had been recorded. Goes on with [`Removals::finish`] in the end.
    #[inline(never)]
    pub(crate) fn record_sparse(&mut self, storage: &mut SparseStorage, number: usize, entity: Entity, fate: Fate) {
        let Some(at) = Self::find(number, &self.by_storage) else { return };
        if !storage.contains(entity.index()) {
            return;
        }
        let Watched { entities, values, .. } = &mut self.watched[at];
        if entities.has_readers() {
            entities.push(entity);
        }
        if fate == Fate::Dropped
            && values.has_readers()
            && let Some(value) = storage.retire(entity)
        {
            // SAFETY: a retired value is one of the storage's component, and nobody's once the storage has forgotten it.
            self.unfinished |= unsafe { values.push_values(&[entity], |_| value.as_ptr()) };
            storage.forget_retired();
        }
    }

    /// Records that all entities leave a sparse storage. If their values are kept it is empty afterwards.
    pub(crate) fn record_storage(&mut self, storage: &mut SparseStorage, number: usize, entities: &[Entity]) {
        let Some(at) = Self::find(number, &self.by_storage) else { return };
        let Watched { entities: list, values, .. } = &mut self.watched[at];
        if list.has_readers() {
            list.push_all(entities);
        }
        if values.has_readers() {
            let value = |number: usize| match storage.get(Entity::index(entities[number])) {
                Some(value) => value.as_ptr().cast_const(),
                None => unreachable!("the entities are those of the storage"),
            };
            // SAFETY: the storage holds a value for each of its entities, and forgets them all.
            self.unfinished |= unsafe { values.push_values(entities, value) };
            storage.forget_all();
        }
    }

    /// Ends the recording of an operation when it is dropped.
    #[inline]
    pub(crate) fn finish(&mut self) -> Finish<'_> {
        Finish(self)
    }

    #[cold]
    #[inline(never)]
    fn end_operation(&mut self) {
        self.unfinished = false;
        self.kept.clear();
        for watched in &mut self.watched {
            watched.values.forget_passed();
        }
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
        self.unfinished = true;
        drop(self.finish());
    }

    /// Gives back memory that is not needed at the moment.
    pub(crate) fn shrink_to_fit(&mut self) {
        for watched in &mut self.watched {
            watched.entities.shrink_to_fit();
            watched.values.shrink_to_fit();
        }
        self.kept = Vec::new();
    }

    /// The bytes that the lists have allocated, without what their values own.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let lists = |watched: &Watched| watched.entities.allocated_bytes() + watched.values.allocated_bytes();
        self.watched.iter().map(lists).sum::<usize>()
            + self.watched.capacity() * size_of::<Watched>()
            + (self.kept.capacity() + self.by_component.capacity() + self.by_storage.capacity()) * size_of::<u32>()
    }

    /// Panics if the books contradict each other; else says whether a component has readers.
    pub(crate) fn check(&self) -> impl Fn(ComponentId) -> bool {
        assert!(self.kept.is_empty() && !self.unfinished, "an operation has not finished its recording");
        for watched in &self.watched {
            watched.entities.check();
            watched.values.check();
            assert!(!watched.has_readers() || self.watching, "nobody seems to read removals");
            let storage = watched.storage.filter(|_| watched.has_readers());
            let listed = |storage: usize| self.watches(SparseSummary::default().with(storage));
            assert!(storage.is_none_or(listed), "a sparse storage is not watched");
        }
        |id| Self::find(id.index(), &self.by_component).is_some_and(|at| self.watched[at].has_readers())
    }
}

fn note(numbers: &mut Vec<u32>, index: usize, at: usize) {
    if numbers.len() <= index {
        numbers.resize(index + 1, NONE);
    }
    numbers[index] = at as u32;
}

/// The end of an operation that may have recorded something: when this is dropped, also by a panic, the lists drop what they
/// do not keep any longer.
pub(crate) struct Finish<'a>(&'a mut Removals);

impl Finish<'_> {
    /// The columns whose values, in the rows that have been recorded, must not be dropped.
    #[inline]
    pub(crate) fn kept(&self) -> &[u32] {
        &self.0.kept
    }
}

impl Drop for Finish<'_> {
    #[inline]
    fn drop(&mut self) {
        if mem::take(&mut self.0.unfinished) {
            self.0.end_operation();
        }
    }
}
