//! Changing which components an entity has.
//!
//! A [`LocatedEntity`] is an entity and its location. The `LocatedEntity` borrows the store, so the location stays valid. Each operation
//! consumes the `LocatedEntity`. Every change goes through [`Store::insert_bundle`] or [`Store::execute`].
//!
//! Tests: tests/model/edits.rs, tests/storage/world.rs

use super::addition::{InsertOp, RemoveOp, inserting_after, inserting_if_new, removing, retaining};
use super::change_spec::{BundleChange, ChangeSpec, NumberedChange, Subject};
use super::{Store, Structure};
use crate::entity::{Entity, Location};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::structure::bundle::{Bundle, BundleParts, MovingPtr, RowReader, RowWriter, take_parts, with_parts};
use crate::structure::graph::{ChangeKey, ChangeStep, MovePlan, PlanFlags};
use crate::structure::removal::ValueFate;
use crate::util::alloc_error::AllocError;
use crate::util::guard::OnDrop;

/// A live entity, its location, and its store.
pub(super) struct LocatedEntity<'s> {
    store: &'s mut Store,
    entity: Entity,
    location: Location,
}

impl Structure {
    /// If a bundle has only one component, which is sparse and requires no others: returns the number of its sparse storage.
    #[inline]
    pub(super) fn only_storage<B: Bundle>(&self) -> Option<usize> {
        if !B::Parts::SOLE_SPARSE {
            return None;
        }
        B::Parts::sole_storage(&self.archetypes.components).filter(|&number| number < self.sparse.len())
    }

    /// Returns whether an entity has all components of the bundle with this number.
    pub(super) fn has_all(&self, entity: Entity, bundle: u32) -> bool {
        self.archetypes.contents(bundle).explicit.iter().all(|&id| self.has(entity, id))
    }
}

impl<'s> LocatedEntity<'s> {
    /// Locates an entity. Returns `None` if it is not alive.
    #[inline]
    pub(super) fn find(store: &'s mut Store, entity: Entity) -> Option<Self> {
        let location = store.structure.entities.get(entity)?;
        Some(Self { store, entity, location })
    }

    /// # Safety
    ///
    /// - The live entity is at this location.
    #[inline]
    pub(super) unsafe fn new(store: &'s mut Store, entity: Entity, location: Location) -> Self {
        Self { store, entity, location }
    }

    pub(super) fn store(&self) -> &Store {
        self.store
    }

    pub(super) fn entity(&self) -> Entity {
        self.entity
    }

    pub(super) fn location(&self) -> Location {
        self.location
    }

    /// Calls `make` with the store, to register bundles or to create a change before the operation. `make` may add tables, plans and
    /// storages, but must not move entities.
    pub(super) fn prepare<T>(&mut self, make: impl FnOnce(&mut Store) -> T) -> T {
        make(self.store)
    }

    /// Inserts a bundle and returns the new location of the entity; `None` if listeners may have been notified, since commands of listeners
    /// may have moved the entity.
    #[inline(always)]
    pub(super) fn insert<B: Bundle>(self, bundle: MovingPtr<'_, B>) -> Option<Location> {
        let Self { store, entity, location } = self;
        // SAFETY: the entity is at this location.
        match unsafe { store.insert_bundle(Subject::Alive(entity, location), bundle) } {
            Ok((_, here)) => here,
            Err(error) => error.raise(),
        }
    }

    /// Inserts the components of a bundle that the entity does not have, and drops the other components of the bundle. Returns the location
    /// as [`LocatedEntity::insert`] does.
    pub(super) fn insert_if_new<B: Bundle>(self, bundle: MovingPtr<'_, B>) -> Option<Location> {
        with_parts(bundle, |parts| {
            let addition = inserting_if_new::<B>(self.store, self.entity, parts);
            self.add(addition)
        })
    }

    /// Removes the components of `Old` that the entity has, and inserts `New`, in one structural change.
    pub(super) fn replace<Old: Bundle, New: Bundle>(self, bundle: MovingPtr<'_, New>) {
        with_parts(bundle, |parts| {
            let old = removing::<Old>(self.store);
            let addition = inserting_after::<New>(self.store, old, parts);
            self.add(addition);
        });
    }

    /// Removes the components of a bundle.
    #[inline(always)]
    pub(super) fn remove<B: Bundle>(self) {
        // SAFETY: the change adds nothing and takes nothing.
        let done = unsafe { self.change(BundleChange::<B, false>::new(), ValueFate::Dropped, |_, _, _| {}, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }

    /// Removes and drops all components except those of a bundle and those that these require.
    pub(super) fn retain<B: Bundle>(self) {
        let loss = retaining::<B>(self.store);
        self.lose(loss);
    }

    /// Inserts new values, and returns the location as [`LocatedEntity::insert`] does.
    #[inline]
    pub(super) fn add(self, addition: InsertOp<impl FnOnce(&mut RowWriter<'_>)>) -> Option<Location> {
        self.try_add(addition).unwrap_or_else(|error| error.raise())
    }

    /// Inserts new values, and returns the location as [`LocatedEntity::insert`] does.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    #[inline]
    pub(super) fn try_add(
        self,
        addition: InsertOp<impl FnOnce(&mut RowWriter<'_>)>,
    ) -> Result<Option<Location>, AllocError> {
        let change = addition.change();
        // SAFETY: the plan of the writer is one of the change; nothing is read.
        unsafe {
            self.change(
                NumberedChange::<true>(change),
                ValueFate::Dropped,
                |_, _, _| {},
                |writer| addition.write(writer),
            )
        }
    }

    /// Carries out a change that adds nothing. It returns no location, because a component's `Drop` may panic; the entity index contains
    /// the new location.
    pub(super) fn lose(self, loss: RemoveOp) {
        // SAFETY: the change adds nothing and takes nothing.
        let done =
            unsafe { self.change(NumberedChange::<false>(loss.change()), ValueFate::Dropped, |_, _, _| {}, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }

    /// Carries out a change of the entity with [`Store::execute`].
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    ///
    /// # Safety
    ///
    /// - As for [`Store::execute`].
    #[inline(always)]
    unsafe fn change(
        self,
        spec: impl ChangeSpec,
        fate: ValueFate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Result<Option<Location>, AllocError> {
        let Self { store, entity, location } = self;
        // SAFETY: forwarded; the entity is at this location.
        let done = unsafe { store.execute(Subject::Alive(entity, location), spec, fate, read, write) };
        match done {
            Ok((_, here)) => Ok(here),
            Err(error) => Err(error.into_alloc_error()),
        }
    }

    /// Moves the components of a bundle out of the entity, to `out`. If the entity does not have all of them, does nothing and returns
    /// false.
    ///
    /// # Safety
    ///
    /// - `out` is writable; it holds the bundle if this returns true.
    pub(super) unsafe fn take<B: Bundle>(self, out: *mut B) -> bool {
        let number = self.store.register_bundle::<B>();
        if !self.store.structure.has_all(self.entity, number) {
            return false;
        }
        let change = ChangeKey::of(ChangeStep::Take(number));
        // SAFETY: `take_into` writes full parts or returns false; the bundle belongs to the change.
        unsafe { take_parts(out, |parts| self.take_into::<B::Parts>(change, parts, |_| {})) }
    }

    /// Carries out an operation on the entity, and defers its events until the caller's [`Store::flush_events`].
    #[inline]
    pub(super) fn defer_events<T>(self, operation: impl FnOnce(LocatedEntity<'_>) -> T) -> T {
        let Self { store, entity, location } = self;
        store.defer_events(|store| operation(LocatedEntity { store, entity, location }))
    }

    /// Returns whether the entity has all components of a bundle.
    pub(super) fn has_bundle<B: Bundle>(&mut self) -> bool {
        let number = self.store.register_bundle::<B>();
        self.store.structure.has_all(self.entity, number)
    }

    /// Moves the components of `Old` out of the entity, to `out`, and inserts `New`, in one structural change.
    ///
    /// # Safety
    ///
    /// - The entity has all components of `Old` ([`LocatedEntity::has_bundle`]).
    /// - `out` is writable; it holds the old components afterwards.
    pub(super) unsafe fn exchange<Old: Bundle, New: Bundle>(self, new: MovingPtr<'_, New>, out: *mut Old) {
        let old = self.store.register_bundle::<Old>();
        let step = ChangeStep::Insert(self.store.register_bundle::<New>());
        let change = self.store.structure.archetypes.then(ChangeKey::of(ChangeStep::Take(old)), step);
        let mut taken = drop_taken();
        with_parts(new, |new| {
            // SAFETY: `take_into` writes full parts, as no component is missing. The first step takes the old bundle, and the only other
            // step adds the new one, which is written.
            unsafe {
                take_parts(out, |parts| {
                    let write = |writer: &mut RowWriter<'_>| new.write_row::<false>(writer);
                    self.take_into::<Old::Parts>(change, parts, write)
                });
                *taken = Some(out);
            }
        });
        core::mem::forget(taken);
    }

    /// Moves the components of a bundle out of the entity, to `parts`, and lets `write` write the new components. Returns true.
    ///
    /// # Safety
    ///
    /// - The first step of the change takes a bundle with these parts, and the entity has all of its components. `write` writes every
    ///   component of each bundle that the other steps add, in order, and does nothing else. No step removes anything.
    /// - `parts` is writable; it is full afterwards.
    unsafe fn take_into<P: BundleParts>(
        self,
        change: ChangeKey,
        parts: *mut P,
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> bool {
        let (entity, row) = (self.entity, self.location.row as usize);
        // The guard drops the taken values if a panic follows: there may be no memory for events, or the `Drop` of a replaced value may
        // panic.
        let mut taken = drop_taken();
        let read = |plan: &MovePlan, table: &Table, sparse: &mut [SparseStorage]| {
            debug_assert!(plan.flags.intersects(PlanFlags::COMPLETE), "the entity has everything that is taken");
            let mut reader = RowReader { table, row, entity, sources: plan.sources.iter(), sparse };
            // SAFETY: the plan belongs to this bundle and table and is complete; the entity has all sparse components. The change treats
            // the values in the table as moved out.
            unsafe { P::read(parts, &mut reader) };
            *taken = Some(parts);
            plan.sparse_sources().for_each(|storage| sparse[storage].forget_retired());
        };
        // SAFETY: forwarded: `write` writes all new components. `read` moves out what the first step takes, and the other steps remove
        // nothing.
        let done = unsafe { self.change(NumberedChange::<true>(change), ValueFate::Taken, read, write) };
        core::mem::forget(taken);
        done.map_or_else(|error| error.raise(), |_| true)
    }

    /// Carries out a change that adds nothing. `read` moves out the values that the change removes.
    ///
    /// # Safety
    ///
    /// - `read` moves out all values that the change removes: the values in the entity's row of the table, and the values of the entity in
    ///   sparse storages. `read` also removes the latter from their storages. It moves no other values, and does not panic.
    pub(super) unsafe fn take_lost(self, loss: RemoveOp, read: impl FnOnce(&Table, &mut [SparseStorage])) {
        let read = |_: &MovePlan, table: &Table, sparse: &mut [SparseStorage]| read(table, sparse);
        // SAFETY: the change adds nothing; `read` moves out everything that the change removes (forwarded).
        let done = unsafe { self.change(NumberedChange::<false>(loss.change()), ValueFate::Taken, read, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }
}

/// Returns a guard for values that have been taken from an entity and not been returned yet: if something panics, they are dropped. The
/// code that sets the address has moved the values there; it forgets the guard when it returns the values.
fn drop_taken<B>() -> OnDrop<Option<*mut B>, impl FnMut(&mut Option<*mut B>)> {
    OnDrop::new(None, |taken: &mut Option<*mut B>| {
        if let Some(taken) = taken.take() {
            // SAFETY: the values have been moved there, and nothing else drops them.
            unsafe { taken.drop_in_place() }
        }
    })
}
