//! Changing which components an entity has.
//!
//! A [`Located`] is an entity and where it is. It borrows the store, so nothing can make the location wrong while it exists,
//! and each operation uses it up. Every change goes through [`Store::insert_bundle`] or [`Store::execute`].

use super::addition::{Addition, Loss, inserting_after, inserting_if_new, removing, retaining};
use super::change_spec::{BundleChange, ChangeSpec, NumberedChange, Subject};
use super::{Store, Structure};
use crate::alloc_error::AllocError;
use crate::bundle::{Bundle, BundleParts, Moved, Reader, RowWriter, take_parts, with_parts};
use crate::entity::{Entity, Location};
use crate::graph::{Change, ChangeStep, MovePlan, PlanFlags};
use crate::guard::OnDrop;
use crate::removal::Fate;
use crate::sparse::SparseStorage;
use crate::table::Table;

/// A live entity, where it is, and the store of both.
pub(super) struct Located<'s> {
    store: &'s mut Store,
    entity: Entity,
    location: Location,
}

impl Structure {
    /// The number of the sparse storage to which the only component of a bundle belongs, if nothing else has to do with adding or
    /// removing it.
    #[inline]
    pub(super) fn only_storage<B: Bundle>(&self) -> Option<usize> {
        if !B::Parts::SOLE_SPARSE {
            return None;
        }
        B::Parts::sole_storage(&self.archetypes.components).filter(|&number| number < self.sparse.len())
    }

    /// Whether an entity has all components of the bundle with this number.
    pub(super) fn has_all(&self, entity: Entity, bundle: u32) -> bool {
        self.archetypes.contents(bundle).explicit.iter().all(|&id| self.has(entity, id))
    }
}

impl<'s> Located<'s> {
    /// An entity, if it is alive.
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

    /// Calls `make` with the store, to register bundles or to make a change before the operation. It may add tables, plans and storages, and
    /// moves no entity.
    pub(super) fn prepare<T>(&mut self, make: impl FnOnce(&mut Store) -> T) -> T {
        make(self.store)
    }

    /// Adds the components of a bundle, and says where the entity is now: none if listeners may have been notified, whose commands may
    /// have done anything.
    #[inline(always)]
    pub(super) fn insert<B: Bundle>(self, bundle: Moved<'_, B>) -> Option<Location> {
        let Self { store, entity, location } = self;
        // SAFETY: the entity is at this location.
        match unsafe { store.insert_bundle(Subject::Alive(entity, location), bundle) } {
            Ok((_, here)) => here,
            Err(error) => error.raise(),
        }
    }

    /// Adds those components of a bundle that the entity does not have, and says where it is now, as [`Located::insert`] does. The rest
    /// are dropped.
    pub(super) fn insert_if_new<B: Bundle>(self, bundle: Moved<'_, B>) -> Option<Location> {
        with_parts(bundle, |parts| {
            let addition = inserting_if_new::<B>(self.store, self.entity, parts);
            self.add(addition)
        })
    }

    /// Removes the components of `Old`, as far as the entity has them, and adds those of `New`, in one move.
    pub(super) fn replace<Old: Bundle, New: Bundle>(self, bundle: Moved<'_, New>) {
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
        let done = unsafe { self.change(BundleChange::<B, false>::new(), Fate::Dropped, |_, _, _| {}, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }

    /// Removes all components but those of a bundle and those that these require, and drops them.
    pub(super) fn retain<B: Bundle>(self) {
        let loss = retaining::<B>(self.store);
        self.lose(loss);
    }

    /// Adds new values, and says where the entity is now, as [`Located::insert`] does.
    #[inline]
    pub(super) fn add(self, addition: Addition<impl FnOnce(&mut RowWriter<'_>)>) -> Option<Location> {
        self.try_add(addition).unwrap_or_else(|error| error.raise())
    }

    /// Adds new values, and says where the entity is now, as [`Located::insert`] does.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    #[inline]
    pub(super) fn try_add(
        self,
        addition: Addition<impl FnOnce(&mut RowWriter<'_>)>,
    ) -> Result<Option<Location>, AllocError> {
        let change = addition.change();
        // SAFETY: the plan of the writer is one of the change; nothing is read.
        unsafe {
            self.change(NumberedChange::<true>(change), Fate::Dropped, |_, _, _| {}, |writer| addition.write(writer))
        }
    }

    /// Carries out a change that adds nothing. Where the entity is afterwards the index knows: a component whose `Drop` panics
    /// leaves no chance to return it.
    pub(super) fn lose(self, loss: Loss) {
        // SAFETY: the change adds nothing and takes nothing.
        let done = unsafe { self.change(NumberedChange::<false>(loss.change()), Fate::Dropped, |_, _, _| {}, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }

    /// Carries out a change of the entity: [`Store::execute`].
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
        step: impl ChangeSpec,
        fate: Fate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Result<Option<Location>, AllocError> {
        let Self { store, entity, location } = self;
        // SAFETY: forwarded; the entity is at this location.
        let done = unsafe { store.execute(Subject::Alive(entity, location), step, fate, read, write) };
        match done {
            Ok((_, here)) => Ok(here),
            Err(error) => Err(error.into_alloc_error()),
        }
    }

    /// Takes the components of a bundle out. False, and nothing happens, if one of them is missing.
    ///
    /// # Safety
    ///
    /// - `out` is writable; it holds the bundle if this returns true.
    pub(super) unsafe fn take<B: Bundle>(self, out: *mut B) -> bool {
        let number = self.store.register_bundle::<B>();
        if !self.store.structure.has_all(self.entity, number) {
            return false;
        }
        let change = Change::of(ChangeStep::Take(number));
        // SAFETY: `take_into` writes full parts or returns false; the bundle is the change's.
        unsafe { take_parts(out, |parts| self.take_into::<B::Parts>(change, parts, |_| {})) }
    }

    /// Does something with the entity, and keeps what is to be told of it for the caller's [`Store::flush_events`].
    #[inline]
    pub(super) fn defer_events<T>(self, operation: impl FnOnce(Located<'_>) -> T) -> T {
        let Self { store, entity, location } = self;
        store.defer_events(|store| operation(Located { store, entity, location }))
    }

    /// Whether the entity has all components of a bundle.
    pub(super) fn has_bundle<B: Bundle>(&mut self) -> bool {
        let number = self.store.register_bundle::<B>();
        self.store.structure.has_all(self.entity, number)
    }

    /// Takes the components of `Old` out and adds those of `New`, in one move.
    ///
    /// # Safety
    ///
    /// - [`Located::has_bundle`] says that the entity has all components of `Old`.
    /// - `out` is writable; it holds the old components afterwards.
    pub(super) unsafe fn exchange<Old: Bundle, New: Bundle>(self, new: Moved<'_, New>, out: *mut Old) {
        let old = self.store.register_bundle::<Old>();
        let step = ChangeStep::Insert(self.store.register_bundle::<New>());
        let change = self.store.structure.archetypes.then(Change::of(ChangeStep::Take(old)), step);
        let mut taken = drop_taken();
        with_parts(new, |new| {
            // SAFETY: `take_into` writes full parts, as nothing is missing; the first step takes the old bundle, and the only
            // other one adds the new one, which is put.
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

    /// Moves the components of a bundle out, and lets `write` write new ones. True.
    ///
    /// # Safety
    ///
    /// - The first step of the change takes a bundle with these parts, all components of which the entity has. `write` writes every
    ///   component of each bundle that the other steps add, in order, and does nothing else. No step removes anything.
    /// - `parts` is writable; it is full afterwards.
    unsafe fn take_into<P: BundleParts>(
        self,
        change: Change,
        parts: *mut P,
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> bool {
        let (entity, row) = (self.entity, self.location.row as usize);
        // Events that cannot be noted for want of memory, and a `Drop` of what is replaced, panic when the values have been read.
        let mut taken = drop_taken();
        let read = |plan: &MovePlan, table: &Table, sparse: &mut [SparseStorage]| {
            debug_assert!(plan.flags.intersects(PlanFlags::COMPLETE), "the entity has everything that is taken");
            let mut reader = Reader { table, row, entity, sources: plan.sources.iter(), sparse };
            // SAFETY: the plan belongs to this bundle and table and is complete; the entity has all sparse components.
            // The values in the table are given up.
            unsafe { P::read(parts, &mut reader) };
            *taken = Some(parts);
            plan.sparse_sources().for_each(|storage| sparse[storage].forget_retired());
        };
        // SAFETY: the caller's promise; `read` moves out what the first step takes, and the others take nothing away.
        let done = unsafe { self.change(NumberedChange::<true>(change), Fate::Taken, read, write) };
        core::mem::forget(taken);
        done.map_or_else(|error| error.raise(), |_| true)
    }

    /// Carries out a change that adds nothing. `read` moves out what it takes away.
    ///
    /// # Safety
    ///
    /// - `read` moves all values out that the change takes away: those of this row of the table, and those of the entity in sparse
    ///   storages, which it leaves. It moves no others, and does not panic.
    pub(super) unsafe fn take_lost(self, loss: Loss, read: impl FnOnce(&Table, &mut [SparseStorage])) {
        let read = |_: &MovePlan, table: &Table, sparse: &mut [SparseStorage]| read(table, sparse);
        // SAFETY: the change adds nothing, and takes nothing by steps of its own; the rest is the caller's promise.
        let done = unsafe { self.change(NumberedChange::<false>(loss.change()), Fate::Taken, read, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }
}

/// What has been taken from an entity and not been handed out yet: dropped if something panics. The function that sets the address has moved
/// the values there, and forgets this guard to hand them out.
fn drop_taken<B>() -> OnDrop<Option<*mut B>, impl FnMut(&mut Option<*mut B>)> {
    OnDrop::new(None, |taken: &mut Option<*mut B>| {
        if let Some(taken) = taken.take() {
            // SAFETY: the values have been moved there, and nothing else drops them.
            unsafe { taken.drop_in_place() }
        }
    })
}
