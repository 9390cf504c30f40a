//! Changing which components an entity has.

use alloc::vec::Vec;

use super::Store;
use super::spawn::{reserve_sparse, summary_of};
use crate::alloc_error::AllocError;
use crate::bundle::{Bundle, BundleParts, Moved, Reader, Sink, Targets, take_parts, with_parts};
use crate::entity::{Entities, Entity, EntityError, Location, SparseSummary, TableId};
use crate::graph::{RemovePlan, Source};
use crate::guard::for_each_despite_panics;
use crate::sparse::SparseStorage;
use crate::table::Table;

impl Store {
    /// Adds the components of a bundle to an entity; values that it has already are replaced, and dropped at the end.
    ///
    /// # Errors
    ///
    /// If the entity is not alive. The bundle is dropped.
    #[inline]
    pub(crate) fn insert<B: Bundle>(&mut self, entity: Entity, bundle: Moved<'_, B>) -> Result<(), EntityError> {
        self.flush();
        let location = self.entities.locate(entity)?;
        // SAFETY: the entity is there.
        unsafe { self.insert_at(entity, location, bundle) };
        Ok(())
    }

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
        let number = self.register_bundle::<B>();
        let done = with_parts(bundle, |parts| {
            // SAFETY: `parts` are those of the bundle with this number; the entity is there.
            unsafe { self.insert_with(number, entity, location, B::Parts::HAS_SPARSE, |sink| parts.put(sink)) }
        });
        done.unwrap_or_else(|error| error.raise())
    }

    /// Moves an entity to where it has room for a bundle, and lets `put` write the values.
    ///
    /// # Safety
    ///
    /// - `put` puts every component of the bundle with this number, in order, and does nothing else.
    /// - The live entity is at this location.
    /// - `has_sparse` is true if a component of the bundle has sparse storage. Its storage exists.
    #[inline]
    pub(super) unsafe fn insert_with(
        &mut self,
        number: u32,
        entity: Entity,
        location: Location,
        has_sparse: bool,
        put: impl FnOnce(&mut Sink<'_>),
    ) -> Result<Location, AllocError> {
        let ids = || self.bundles.ids(number);
        let plan = self.graph.insert_plan(location.table, number, ids, &mut self.tables, &self.components);
        let targets = Targets::of(plan);
        if has_sparse {
            reserve_sparse(&mut self.sparse, plan, entity.index())?;
            let summary = self.entities.sparse_summary(entity.index()).union(summary_of(plan));
            self.entities.set_sparse_summary(entity.index(), summary);
        }
        if plan.table == location.table {
            let table = self.tables.get_mut(plan.table);
            put(&mut Sink { table, row: location.row as usize, entity, targets, sparse: &mut self.sparse });
            return Ok(location);
        }
        // SAFETY: both are tables of this store, and they differ.
        let (from, to) = unsafe { self.tables.get_two_mut(location.table, plan.table) };
        to.reserve(1)?;
        let row = to.len();
        // SAFETY: the entity's row is one of `from`; room has been reserved; the plan names each column of `from`, as
        // nothing is dropped.
        let moved = unsafe { from.move_row_to(location.row as usize, to, &plan.copies, &[]) };
        put(&mut Sink { table: to, row, entity, targets, sparse: &mut self.sparse });
        // SAFETY: room has been reserved; each column of `to` either got its value from `from` or is a new component of
        // the bundle, which `put` has written.
        Ok(unsafe { arrive(&mut self.entities, entity, location, to, moved) })
    }

    /// Removes the components of a bundle from an entity, as far as it has them. They are dropped at the end.
    ///
    /// # Errors
    ///
    /// If the entity is not alive.
    pub(crate) fn remove<B: Bundle>(&mut self, entity: Entity) -> Result<(), EntityError> {
        self.flush();
        let location = self.entities.locate(entity)?;
        // SAFETY: the entity is there.
        unsafe { self.remove_at::<B>(entity, location) };
        Ok(())
    }

    /// Removes the components of a bundle from an entity that is at this location. Where it is afterwards the index knows:
    /// a component whose `Drop` panics leaves no chance to return it.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    #[inline]
    pub(crate) unsafe fn remove_at<B: Bundle>(&mut self, entity: Entity, location: Location) {
        let number = self.register_bundle::<B>();
        let ids = || self.bundles.ids(number);
        let plan = self.graph.remove_plan(location.table, number, ids, &mut self.tables, &self.components);
        if plan.table != location.table {
            // SAFETY: both are tables of this store, and they differ.
            let (from, to) = unsafe { self.tables.get_two_mut(location.table, plan.table) };
            if let Err(error) = to.reserve(1) {
                error.raise();
            }
            // SAFETY: the entity's row is one of `from`; room has been reserved; the plan names each column of `from`.
            let moved = unsafe { from.move_row_to(location.row as usize, to, &plan.copies, &plan.drops) };
            // SAFETY: room has been reserved; every column of `to` got its value from `from`.
            unsafe { arrive(&mut self.entities, entity, location, to, moved) };
            if !B::Parts::HAS_SPARSE {
                // SAFETY: a row has just been moved out of this table with these drops.
                unsafe { from.drop_some_behind(&plan.drops) }
            }
        }
        if B::Parts::HAS_SPARSE {
            for storage in sparse_sources(plan) {
                self.sparse[storage].retire(entity);
            }
            self.refresh_summary(entity);
            self.drop_removed(location.table, number);
        }
    }

    /// Drops what `remove_at` has taken from an entity of this table, if some of it was sparse.
    fn drop_removed(&mut self, from: TableId, number: u32) {
        let ids = || self.bundles.ids(number);
        let plan = self.graph.remove_plan(from, number, ids, &mut self.tables, &self.components);
        let from = (plan.table != from).then(|| self.tables.get_mut(from));
        let sparse = &mut self.sparse;
        let steps = from.map(Err).into_iter().chain(sparse_sources(plan).map(Ok));
        for_each_despite_panics(steps, |step| match step {
            // SAFETY: `remove_at` has just moved a row out of this table with these drops; this step comes once.
            Err(from) => unsafe { from.drop_some_behind(&plan.drops) },
            Ok(storage) => sparse[storage].drop_retired(),
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
        // SAFETY: `take_into` writes full parts or returns false; the entity is there, and the number is the bundle's.
        Ok(unsafe { take_parts(out, |parts| self.take_into::<B::Parts>(entity, location, number, parts)) })
    }

    /// Moves the components of a bundle out of an entity, unless one of them is missing.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location, and the parts are those of the bundle with this number.
    /// - `parts` is writable.
    unsafe fn take_into<P: BundleParts>(
        &mut self,
        entity: Entity,
        location: Location,
        number: u32,
        parts: *mut P,
    ) -> bool {
        let ids = || self.bundles.ids(number);
        let plan = self.graph.remove_plan(location.table, number, ids, &mut self.tables, &self.components);
        let has_all = sparse_sources(plan).all(|storage| self.sparse[storage].contains(entity.index()));
        if !plan.complete || !has_all {
            return false;
        }
        let row = location.row as usize;
        let read = |table: &_, sparse: &mut Vec<SparseStorage>| {
            let mut reader = Reader { table, row, entity, sources: plan.sources.iter(), sparse };
            // SAFETY: the plan belongs to this bundle and table and is complete; the entity has all sparse components.
            // The values in the table are given up below.
            unsafe { P::read(parts, &mut reader) }
        };
        if plan.table == location.table {
            read(self.tables.get_mut(location.table), &mut self.sparse);
        } else {
            // SAFETY: both are tables of this store, and they differ.
            let (from, to) = unsafe { self.tables.get_two_mut(location.table, plan.table) };
            if let Err(error) = to.reserve(1) {
                error.raise();
            }
            read(from, &mut self.sparse);
            // SAFETY: the entity's row is one of `from`; room has been reserved; the plan names each column of `from`.
            // What ends up behind the last row has been read, and is not dropped.
            let moved = unsafe { from.move_row_to(row, to, &plan.copies, &plan.drops) };
            // SAFETY: room has been reserved; every column of `to` got its value from `from`.
            unsafe { arrive(&mut self.entities, entity, location, to, moved) };
        }
        for storage in sparse_sources(plan) {
            self.sparse[storage].forget_retired();
        }
        if P::HAS_SPARSE {
            self.refresh_summary(entity);
        }
        true
    }

    /// Works out anew which sparse storages may hold an entity, after some have let go of it.
    fn refresh_summary(&mut self, entity: Entity) {
        let old = self.entities.sparse_summary(entity.index());
        let summary = old
            .storages(self.sparse.len())
            .filter(|&storage| self.sparse[storage].contains(entity.index()))
            .fold(SparseSummary::default(), SparseSummary::with);
        self.entities.set_sparse_summary(entity.index(), summary);
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
    unsafe { to.commit_row(entity) }
    entities.relocate(entity, now);
    if let Some(moved) = moved {
        entities.set_row(moved, old.row);
    }
    now
}

/// The sparse storages that a plan takes something from.
fn sparse_sources(plan: &RemovePlan) -> impl Iterator<Item = usize> {
    plan.sources.iter().filter_map(|source| match source {
        Source::Sparse(number) => Some(*number as usize),
        _ => None,
    })
}
