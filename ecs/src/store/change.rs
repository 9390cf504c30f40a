//! Changing which components an entity has.
//!
//! Every change has two stages. The first makes room, moves the entity to the table that it belongs to, writes new values
//! and notes where everything is: no user code runs. The second drops the values that are left over.

use alloc::vec::Vec;

use super::Store;
use super::leave::{leave_sparse, refresh_summary};
use super::removed::{record_shift, record_taken};
use super::required::{NewRow, is_missing, make_aside, put_aside, put_required};
use super::spawn::reserve_sparse;
use super::ticks::note_targets;
use crate::alloc_error::AllocError;
use crate::bundle::{Bundle, BundleParts, Moved, Reader, Sink, Targets, take_parts, with_parts};
use crate::entity::{Entities, Entity, EntityError, Location, TableId};
use crate::graph::{Arrival, Change, MovePlan, Source, Step};
use crate::guard::for_each_despite_panics;
use crate::removal::Fate;
use crate::sparse::SparseStorage;
use crate::table::Table;

impl Store {
    /// Adds the components of a bundle to an entity that is at this location, and says where it is now.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    #[inline]
    pub(crate) unsafe fn insert_at<B: Bundle>(
        &mut self,
        entity: Entity,
        location: Location,
        bundle: Moved<'_, B>,
    ) -> Location {
        if B::Parts::SOLE_SPARSE
            && let Some(number) = B::Parts::sole_storage(&self.components).filter(|&number| number < self.sparse.len())
        {
            self.insert_sparse(number, entity, bundle);
            return location;
        }
        let change = Change::of(Step::Insert(self.register_bundle::<B>()));
        // SAFETY: the change adds this bundle and does nothing else; the entity is there.
        unsafe { self.add_at(change, entity, location, bundle) }
    }

    /// Adds the only component of a bundle, which has this sparse storage: no table has to do with it.
    #[inline]
    fn insert_sparse<B: Bundle>(&mut self, number: usize, entity: Entity, bundle: Moved<'_, B>) {
        let index = entity.index();
        let room = self.sparse[number].reserve(index).and_then(|()| self.entities.reserve_summary(index));
        if let Err(error) = room {
            error.raise();
        }
        let now = self.now();
        with_parts(bundle, |parts| {
            // SAFETY: the storage is the only component's, and there is room.
            unsafe { parts.put_sole(&mut self.sparse[number], entity, now) }
            let summary = self.entities.sparse_summary(index).with(number);
            self.entities.set_sparse_summary(index, summary);
        });
    }

    /// Removes the only component of a bundle, which has this sparse storage, if the entity has it.
    #[inline]
    fn remove_sparse(&mut self, number: usize, entity: Entity) {
        let count = self.sparse.len();
        let storage = &mut self.sparse[number];
        if self.removals.watches_sparse() {
            self.removals.record_sparse(storage, number, entity, Fate::Dropped);
        }
        storage.leave(entity);
        match self.entities.sparse_summary(entity.index()).without(number, count) {
            Some(summary) => self.entities.set_sparse_summary(entity.index(), summary),
            None => refresh_summary(&mut self.entities, &self.sparse, entity),
        }
        let _finish = self.removals.finish();
        self.sparse[number].drop_retired();
    }

    /// Adds those components of a bundle that an entity does not have, and says where it is now. The rest are dropped.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    pub(crate) unsafe fn insert_if_new_at<B: Bundle>(
        &mut self,
        entity: Entity,
        location: Location,
        bundle: Moved<'_, B>,
    ) -> Location {
        let change = Change::of(Step::InsertIfNew(self.register_bundle::<B>()));
        // SAFETY: the change adds this bundle and does nothing else; the entity is there.
        unsafe { self.add_at(change, entity, location, bundle) }
    }

    /// # Safety
    ///
    /// - The change consists of one step, which adds this bundle.
    /// - The live entity is at this location.
    #[inline]
    unsafe fn add_at<B: Bundle>(
        &mut self,
        change: Change,
        entity: Entity,
        location: Location,
        bundle: Moved<'_, B>,
    ) -> Location {
        let done = with_parts(bundle, |parts| {
            // SAFETY: `parts` are those of the only bundle of the change; the entity is there. Nothing is left behind.
            unsafe { self.carry_out(change, entity, location, B::Parts::HAS_SPARSE, |sink| parts.put(sink)) }
        });
        done.unwrap_or_else(|error| error.raise())
    }

    /// The first stage of a change: moves an entity to where it belongs after it, lets `put` write the new values, and
    /// says where the entity is now.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    ///
    /// # Safety
    ///
    /// - `put` puts every component of each bundle that the change adds, in order, and does nothing else. It does not
    ///   panic.
    /// - The live entity is at this location.
    /// - `has_sparse` is true if a component that comes or goes has sparse storage. Its storage exists.
    /// - Nothing is taken by the change. If it may leave something behind, the caller goes on with [`Store::drop_left`].
    #[inline]
    pub(super) unsafe fn carry_out(
        &mut self,
        change: Change,
        entity: Entity,
        location: Location,
        has_sparse: bool,
        put: impl FnOnce(&mut Sink<'_>),
    ) -> Result<Location, AllocError> {
        // SAFETY: the entity is there; `put` follows.
        let here = unsafe { self.shift::<true>(change, entity, location, has_sparse)? };
        let now = self.now();
        let plan = self.graph.last_plan();
        let (row, targets) = (here.row as usize, Targets::of(plan));
        // SAFETY: the entity is in this table now.
        let table = unsafe { self.tables.get_unchecked(here.table) };
        table.stamp(now.tick);
        put(&mut Sink { table, row, entity, targets, sparse: &mut self.sparse, now });
        if plan.requires_aside {
            let Self { sparse, entities, aside, replaced, .. } = self;
            // SAFETY: `shift` has made what is required.
            unsafe { put_required(plan, table, row, entity, (sparse, entities), aside, now) };
            debug_assert!(aside.is_empty() || plan.drops_values);
            replaced.extend(aside.drain(..).map(|(_, value)| value));
        }
        if table.is_tracked() | plan.renews {
            note_targets(plan, table, row, entity, &self.sparse, now);
        }
        Ok(here)
    }

    /// Moves an entity to where it belongs after a change, and says where that is. The values that the change adds are
    /// still missing; what these require is there, or has been made for [`put_required`].
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    ///
    /// # Safety
    ///
    /// - As for [`Store::carry_out`]; the caller writes the values before anything else happens.
    /// - `ADDS` is true if the change adds anything.
    #[inline(always)]
    unsafe fn shift<const ADDS: bool>(
        &mut self,
        change: Change,
        entity: Entity,
        location: Location,
        has_sparse: bool,
    ) -> Result<Location, AllocError> {
        let now = self.now();
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(location.table, change, contents, &mut self.tables, &self.components);
        debug_assert!(ADDS || plan.required.is_empty());
        if ADDS && !plan.required.is_empty() {
            // SAFETY: the caller's promise; the plan is the last one.
            return unsafe { self.shift_requiring(entity, location) };
        }
        if has_sparse {
            reserve_sparse(&mut self.sparse, &mut self.entities, plan, entity.index())?;
        }
        let mut here = location;
        if plan.table != location.table {
            // SAFETY: both are tables of this store, and they differ.
            let (from, to) = unsafe { self.tables.get_two_mut(location.table, plan.table) };
            to.reserve(1)?;
            // SAFETY: the entity's row is one of `from`; room has been reserved; the plan names each column of `from`.
            // Each column of `to` either gets its value from `from` or belongs to a component that the caller writes. What is
            // left behind `drop_left` drops, except what is kept.
            here = unsafe {
                record_shift(&mut self.removals, plan, from, to, entity, location);
                let moved = from.move_row_to(location.row as usize, to, &plan.copies, &plan.drops, now);
                arrive(&mut self.entities, entity, location, to, moved)
            };
            if !ADDS {
                to.stamp(now.tick);
            }
        }
        if has_sparse {
            leave_sparse(&mut self.entities, &mut self.sparse, &mut self.removals, plan, entity);
        }
        Ok(here)
    }

    /// As [`Store::shift`], for the plan that was asked for last, which requires something.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    ///
    /// # Safety
    ///
    /// - As for [`Store::shift`]; the caller goes on with [`put_required`].
    #[inline(never)]
    unsafe fn shift_requiring(&mut self, entity: Entity, location: Location) -> Result<Location, AllocError> {
        let now = self.now();
        let plan = self.graph.last_plan();
        let mut aside = None;
        if plan.requires_aside {
            let sparse = &self.sparse;
            let wanted =
                |arrival: &Arrival| arrival.new_column().is_none() && is_missing(arrival, sparse, entity.index());
            aside = Some(make_aside(plan, &self.components, 1, wanted)?);
        }
        reserve_sparse(&mut self.sparse, &mut self.entities, plan, entity.index())?;
        let mut here = location;
        if plan.table != location.table {
            // SAFETY: both are tables of this store, and they differ.
            let (from, to) = unsafe { self.tables.get_two_mut(location.table, plan.table) };
            to.reserve(1)?;
            // SAFETY: the plan leads to this table, which has room. The entity's row is one of `from`; the plan names each column
            // of `from`. Each column of `to` gets its value from `from`, has just got it, or gets it from the caller. The row is
            // recorded when it is about to move; `drop_left` drops what is not kept.
            here = unsafe {
                NewRow::make(to, &plan.required).keep();
                record_shift(&mut self.removals, plan, from, to, entity, location);
                let moved = from.move_row_to(location.row as usize, to, &plan.copies, &plan.drops, now);
                arrive(&mut self.entities, entity, location, to, moved)
            };
        } else {
            debug_assert!(plan.required.iter().all(|arrival| arrival.new_column().is_none()));
        }
        leave_sparse(&mut self.entities, &mut self.sparse, &mut self.removals, plan, entity);
        if let Some(aside) = aside {
            self.aside = aside;
        }
        Ok(here)
    }

    /// The second stage of a change: drops what an entity has left behind in this table and in sparse storages, and what has
    /// been replaced by something that is required.
    ///
    /// # Safety
    ///
    /// - The change has just been carried out for an entity of this table, and nothing has happened since.
    pub(super) unsafe fn drop_left(&mut self, from: TableId, change: Change) {
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(from, change, contents, &mut self.tables, &self.components);
        let from = (plan.table != from).then(|| self.tables.get_mut(from));
        let (sparse, replaced) = (&mut self.sparse, &mut self.replaced);
        let finish = self.removals.finish();
        let others = if plan.retains.is_some() { 0..sparse.len() } else { 0..0 };
        let storages = plan.leaves.iter().map(|&storage| storage as usize).chain(others);
        let steps = from.map(Left::Table).into_iter().chain(storages.map(Left::Sparse)).chain([Left::Replaced]);
        for_each_despite_panics(steps, |step| match step {
            // SAFETY: a row has just been moved out of this table with these drops; this step comes once.
            Left::Table(from) => unsafe { from.drop_some_behind(&plan.drops, finish.kept()) },
            Left::Sparse(storage) => sparse[storage].drop_retired(),
            Left::Replaced => replaced.clear(),
        });
    }

    /// Removes the components of a bundle from an entity that is at this location. Where it is afterwards the index knows:
    /// a component whose `Drop` panics leaves no chance to return it.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    #[inline]
    pub(crate) unsafe fn remove_at<B: Bundle>(&mut self, entity: Entity, location: Location) {
        if B::Parts::SOLE_SPARSE
            && let Some(number) = B::Parts::sole_storage(&self.components).filter(|&number| number < self.sparse.len())
        {
            return self.remove_sparse(number, entity);
        }
        let change = Change::of(Step::Remove(self.register_bundle::<B>()));
        // SAFETY: nothing is added; the entity is there.
        unsafe { self.let_go(change, entity, location, B::Parts::HAS_SPARSE) }
    }

    /// Removes all components of an entity but those of a bundle, and drops them.
    ///
    /// # Errors
    ///
    /// If the entity is not alive.
    pub(crate) fn retain<B: Bundle>(&mut self, entity: Entity) -> Result<(), EntityError> {
        self.flush();
        let location = self.entities.locate(entity)?;
        // SAFETY: the entity is there.
        unsafe { self.retain_at::<B>(entity, location) };
        Ok(())
    }

    /// Removes all components of an entity but those of a bundle, and drops them.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    pub(crate) unsafe fn retain_at<B: Bundle>(&mut self, entity: Entity, location: Location) {
        let change = Change::of(Step::Retain(self.register_bundle::<B>()));
        let has_sparse = !self.entities.sparse_summary(entity.index()).is_empty();
        // SAFETY: nothing is added; the entity is there.
        unsafe { self.let_go(change, entity, location, has_sparse) }
    }

    /// Carries out a change that adds nothing.
    ///
    /// # Safety
    ///
    /// - As for [`Store::carry_out`], with nothing to put.
    #[inline]
    pub(super) unsafe fn let_go(&mut self, change: Change, entity: Entity, location: Location, has_sparse: bool) {
        // SAFETY: the caller's promise.
        unsafe {
            if let Err(error) = self.shift::<false>(change, entity, location, has_sparse) {
                error.raise();
            }
            if self.graph.last_plan().drops_values {
                self.drop_left(location.table, change);
            }
        }
    }

    /// Removes the components of `Old` from an entity, as far as it has them, and adds those of `New`, in one move. Where
    /// the entity is afterwards the index knows.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    pub(crate) unsafe fn replace_at<Old: Bundle, New: Bundle>(
        &mut self,
        entity: Entity,
        location: Location,
        bundle: Moved<'_, New>,
    ) {
        let old = Change::of(Step::Remove(self.register_bundle::<Old>()));
        let new = Step::Insert(self.register_bundle::<New>());
        let change = self.graph.then(old, new);
        let has_sparse = Old::Parts::HAS_SPARSE || New::Parts::HAS_SPARSE;
        with_parts(bundle, |parts| {
            // SAFETY: `parts` are those of the only bundle that is added; the entity is there. What is left behind is
            // dropped at once.
            unsafe {
                if let Err(error) = self.carry_out(change, entity, location, has_sparse, |sink| parts.put(sink)) {
                    error.raise();
                }
                self.drop_left(location.table, change);
            }
        });
    }

    /// Takes the components of a bundle out of an entity. False, and nothing happens, if one of them is missing.
    ///
    /// # Errors
    ///
    /// If the entity is not alive.
    ///
    /// # Safety
    ///
    /// - `out` is writable; it holds the bundle if this returns true.
    pub(crate) unsafe fn take<B: Bundle>(&mut self, entity: Entity, out: *mut B) -> Result<bool, EntityError> {
        self.flush();
        let location = self.entities.locate(entity)?;
        let number = self.register_bundle::<B>();
        if !self.has_all(entity, number) {
            return Ok(false);
        }
        let change = Change::of(Step::Take(number));
        let sparse = B::Parts::HAS_SPARSE;
        // SAFETY: `take_into` writes full parts or returns false; the entity is there, and the bundle is the change's.
        Ok(unsafe {
            take_parts(out, |parts| self.take_into::<B::Parts>(change, entity, location, sparse, parts, |_| {}))
        })
    }

    /// Takes the components of `Old` out of an entity and adds those of `New`, in one move. If one of the old components
    /// is missing nothing happens, and the new ones are given back.
    ///
    /// # Errors
    ///
    /// If the entity is not alive; the new components are dropped.
    ///
    /// # Safety
    ///
    /// - `out` is writable; it holds the old components if this returns none.
    pub(crate) unsafe fn exchange<Old: Bundle, New: Bundle>(
        &mut self,
        entity: Entity,
        new: New,
        out: *mut Old,
    ) -> Result<Option<New>, EntityError> {
        self.flush();
        let location = self.entities.locate(entity)?;
        let old = self.register_bundle::<Old>();
        let step = Step::Insert(self.register_bundle::<New>());
        if !self.has_all(entity, old) {
            return Ok(Some(new));
        }
        let change = self.graph.then(Change::of(Step::Take(old)), step);
        let mut taken = Taken(None);
        let sparse = Old::Parts::HAS_SPARSE || New::Parts::HAS_SPARSE;
        crate::bundle::give(new, |new| {
            with_parts(new, |new| {
                // SAFETY: `take_into` writes full parts, as nothing is missing; the entity is there, the first step takes
                // the old bundle, and the only other one adds the new one, which is put.
                unsafe {
                    take_parts(out, |parts| {
                        let put = |sink: &mut Sink<'_>| new.put(sink);
                        self.take_into::<Old::Parts>(change, entity, location, sparse, parts, put)
                    });
                    taken.0 = Some(out);
                }
            });
        });
        core::mem::forget(taken);
        Ok(None)
    }

    /// Whether an entity has all components of the bundle with this number.
    fn has_all(&self, entity: Entity, number: u32) -> bool {
        self.bundles.contents(number).explicit.iter().all(|&id| self.has(entity, id))
    }

    /// Moves the components of a bundle out of an entity, which has all of them, and lets `put` write new ones. True.
    ///
    /// # Safety
    ///
    /// - The first step of the change takes a bundle with these parts. `put` puts every component of each bundle that
    ///   the other steps add, in order, and does nothing else. No step removes anything.
    /// - The live entity is at this location, and has all components of the first bundle. `has_sparse` is true if a
    ///   component that comes or goes is sparse.
    /// - `parts` is writable; it is full afterwards.
    unsafe fn take_into<P: BundleParts>(
        &mut self,
        change: Change,
        entity: Entity,
        location: Location,
        has_sparse: bool,
        parts: *mut P,
        put: impl FnOnce(&mut Sink<'_>),
    ) -> bool {
        let now = self.now();
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(location.table, change, contents, &mut self.tables, &self.components);
        debug_assert!(plan.complete, "the entity has everything that is taken");
        if let Err(error) = reserve_sparse(&mut self.sparse, &mut self.entities, plan, entity.index()) {
            error.raise();
        }
        let aside = make_aside(plan, &self.components, 1, |arrival| is_missing(arrival, &self.sparse, entity.index()));
        let mut aside = aside.unwrap_or_else(|error| error.raise());
        let put = |mut sink: Sink<'_>| {
            put(&mut sink);
            // SAFETY: these are the required components of the plan.
            unsafe { put_aside(&mut aside, &mut sink) };
        };
        let row = location.row as usize;
        let read = |table: &Table, sparse: &mut Vec<SparseStorage>| {
            let mut reader = Reader { table, row, entity, sources: plan.sources.iter(), sparse };
            // SAFETY: the plan belongs to this bundle and table and is complete; the entity has all sparse components.
            // The values in the table are given up below.
            unsafe { P::read(parts, &mut reader) };
            sparse_sources(plan).for_each(|storage| sparse[storage].forget_retired());
        };
        let targets = Targets::of(plan);
        if plan.table == location.table {
            let table = self.tables.get_mut(location.table);
            record_taken(&mut self.removals, &mut self.sparse, None, plan, entity);
            read(table, &mut self.sparse);
            table.stamp(now.tick);
            put(Sink { table, row, entity, targets, sparse: &mut self.sparse, now });
            note_targets(plan, table, row, entity, &self.sparse, now);
        } else {
            // SAFETY: both are tables of this store, and they differ.
            let (from, to) = unsafe { self.tables.get_two_mut(location.table, plan.table) };
            if let Err(error) = to.reserve(1) {
                error.raise();
            }
            record_taken(&mut self.removals, &mut self.sparse, Some((&*from, &*to)), plan, entity);
            read(from, &mut self.sparse);
            let new = to.len();
            // SAFETY: the entity's row is one of `from`; room has been reserved; the plan names each column of `from`.
            // What ends up behind the last row has been read, and is not dropped.
            let moved = unsafe { from.move_row_to(row, to, &plan.copies, &plan.drops, now) };
            to.stamp(now.tick);
            put(Sink { table: to, row: new, entity, targets, sparse: &mut self.sparse, now });
            note_targets(plan, to, new, entity, &self.sparse, now);
            // SAFETY: room has been reserved; every column of `to` got its value from `from` or from `put`.
            unsafe { arrive(&mut self.entities, entity, location, to, moved) };
        }
        if has_sparse || !plan.summary.is_empty() {
            let summary = self.entities.sparse_summary(entity.index()).union(plan.summary);
            self.entities.set_sparse_summary(entity.index(), summary);
            refresh_summary(&mut self.entities, &self.sparse, entity);
        }
        true
    }
}

/// Where values are left behind.
enum Left<'a> {
    Table(&'a mut Table),
    Sparse(usize),
    Replaced,
}

/// What has been taken from an entity and not been handed out yet: dropped if something panics.
struct Taken<B>(Option<*mut B>);

impl<B> Drop for Taken<B> {
    fn drop(&mut self) {
        if let Some(taken) = self.0 {
            // SAFETY: whoever makes one says where the bundle is once it has been taken, and forgets this to keep it.
            unsafe { taken.drop_in_place() }
        }
    }
}

/// Commits the row behind the last one of a table to an entity that was at `old`, and notes who lives where now: the
/// entity, and the one that has moved into its old row, if any.
///
/// # Safety
///
/// - As for [`Table::commit_row`].
#[inline]
pub(super) unsafe fn arrive(
    entities: &mut Entities,
    entity: Entity,
    old: Location,
    to: &mut Table,
    moved: Option<Entity>,
) -> Location {
    let now = Location { table: to.id(), row: to.len() as u32 };
    // SAFETY: the caller's promise.
    unsafe { to.commit_moved_row(entity) }
    entities.relocate(entity, now);
    if let Some(moved) = moved {
        entities.set_row(moved, old.row);
    }
    now
}

/// The sparse storages that a plan takes something from.
fn sparse_sources(plan: &MovePlan) -> impl Iterator<Item = usize> {
    plan.sources.iter().filter_map(|source| match source {
        Source::Sparse(number) => Some(*number as usize),
        _ => None,
    })
}
