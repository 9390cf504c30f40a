//! Changing which components an entity has.
//!
//! Every change of one entity goes through [`Store::change_row`]. It makes room, and the values that are required; from
//! then on nothing can fail. It moves the row, has new values written, notes where everything is and tells who listens; no user code
//! runs. In the end it drops the values that are left over.

use alloc::vec::Vec;

use super::Store;
use super::report::{LeftRows, Listeners, held_by};
use super::required::{NewRow, Placed, is_missing, make_aside, put_placed};
use super::spawn::reserve_sparse;
use super::ticks::note_targets;
use crate::alloc_error::{AllocError, try_reserve};
use crate::archetype::Planned;
use crate::bundle::{Bundle, BundleParts, Moved, Reader, Sink, Targets, take_parts, with_parts};
use crate::component::Components;
use crate::entity::{Entities, Entity, Location, SparseSummary};
use crate::graph::{Change, MovePlan, RequiredComponent, Source, Step};
use crate::guard::for_each_despite_panics;
use crate::removal::{Fate, Told};
use crate::sparse::SparseStorage;
use crate::table::{Table, Tables};
use crate::tick::WriteStamp;

/// What a change of one entity has to do besides moving bytes between columns.
struct Special {
    /// What is required and cannot be made where it goes; in the end, what it has replaced.
    aside: Placed,
    /// The sparse storages that had the entity before, if something is told of it.
    held: Vec<u32>,
    told: Told,
}

/// An entity that changes, and what its world is made of.
struct Row<'a> {
    plan: &'a MovePlan,
    tables: &'a mut Tables,
    sparse: &'a mut [SparseStorage],
    entities: &'a mut Entities,
    components: &'a Components,
    listeners: &'a mut Listeners,
    entity: Entity,
    /// Where it was before.
    from: Location,
    fate: Fate,
}

impl Store {
    /// Adds the components of a bundle to an entity that is at this location, and says where it is now.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    #[inline]
    pub(super) unsafe fn insert_at<B: Bundle>(
        &mut self,
        entity: Entity,
        location: Location,
        bundle: Moved<'_, B>,
    ) -> Location {
        if B::Parts::SOLE_SPARSE
            && let Some(number) = B::Parts::sole_storage(&self.archetypes.components)
            && number < self.sparse.len()
        {
            self.insert_sparse(number, entity, bundle);
            return location;
        }
        let change = self.insertion_of::<B>();
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
        let had = self.listeners.is_recording().then(|| self.sparse[number].contains(index));
        with_parts(bundle, |parts| {
            // SAFETY: the storage is the only component's, and there is room.
            unsafe { parts.put_sole(&mut self.sparse[number], entity, now) }
            let summary = self.entities.sparse_summary(index).with(number);
            self.entities.set_sparse_summary(index, summary);
            if let Some(had) = had {
                self.listeners.sparse_written(entity, self.archetypes.components.sparse()[number], had);
            }
        });
    }

    /// Removes the only component of a bundle, which has this sparse storage, if the entity has it.
    #[inline]
    fn remove_sparse(&mut self, number: usize, entity: Entity) {
        if self.listeners.watches(SparseSummary::default().with(number)) {
            return self.remove_sparse_told(number, entity);
        }
        self.remove_from_storage(number, entity);
        self.sparse[number].drop_retired();
    }

    /// Takes an entity out of a sparse storage, and notes that. The value stays retired.
    #[inline]
    fn remove_from_storage(&mut self, number: usize, entity: Entity) {
        let Self { entities, sparse, .. } = self;
        sparse[number].remove(entity);
        match entities.sparse_summary(entity.index()).without(number, sparse.len()) {
            Some(summary) => entities.set_sparse_summary(entity.index(), summary),
            None => refresh_summary(entities, sparse, entity),
        }
    }

    #[cold]
    #[inline(never)]
    fn remove_sparse_told(&mut self, number: usize, entity: Entity) {
        let Self { archetypes, sparse, listeners, .. } = self;
        let mut told = Told::default();
        if sparse[number].contains(entity.index()) {
            let room = listeners.prepare([].into_iter(), SparseSummary::default().with(number), 1, Fate::Dropped);
            told = room.unwrap_or_else(|error| error.raise());
            let (storage, components) = (&mut sparse[number], &archetypes.components);
            listeners.sparse_lost(storage, number as u32, entity, components, Fate::Dropped, &mut told);
        }
        self.remove_from_storage(number, entity);
        let _finish = self.listeners.finish(&told);
        self.sparse[number].drop_retired();
    }

    /// Adds those components of a bundle that an entity does not have, and says where it is now. The rest are dropped.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    pub(super) unsafe fn insert_if_new_at<B: Bundle>(
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
    /// - The change adds this bundle and no other one, and takes nothing.
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
            // SAFETY: `parts` are those of the only bundle that the change adds; the entity is there.
            unsafe { self.carry_out(change, entity, location, |sink| parts.put(sink)) }
        });
        done.unwrap_or_else(|error| error.raise())
    }

    /// Carries out a change of an entity, and says where it is now. `put` writes the new values.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    ///
    /// # Safety
    ///
    /// - `put` puts every component of each bundle that the change adds, in order, and does nothing else. It does not
    ///   panic.
    /// - The live entity is at this location. Nothing is taken by the change.
    #[inline]
    pub(super) unsafe fn carry_out(
        &mut self,
        change: Change,
        entity: Entity,
        location: Location,
        put: impl FnOnce(&mut Sink<'_>),
    ) -> Result<Location, AllocError> {
        // SAFETY: the caller's promise; nothing is read.
        unsafe { self.change_row::<true>(change, entity, location, Fate::Dropped, |_, _, _| {}, put) }
    }

    /// Carries out a change that adds nothing. Where the entity is afterwards the index knows: a component whose `Drop` panics
    /// leaves no chance to return it.
    ///
    /// # Safety
    ///
    /// - The change adds and takes nothing. The live entity is at this location.
    #[inline]
    pub(super) unsafe fn let_go(&mut self, change: Change, entity: Entity, location: Location) {
        // SAFETY: the caller's promise; nothing is read or put.
        let done = unsafe { self.change_row::<false>(change, entity, location, Fate::Dropped, |_, _, _| {}, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }

    /// Moves the row of an entity to where it belongs after a change, or changes it in place, and says where it is now. `read`
    /// gets the row before, with the plan, and `put` afterwards. What is left behind is dropped at the end, if that is its fate.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    ///
    /// # Safety
    ///
    /// - `put` puts every component of each bundle that the change adds, in order, and does nothing else. Neither that nor
    ///   `read` panics. `ADDS` is true if the change adds anything.
    /// - The live entity is at this location.
    /// - If the fate is `Taken`, `read` moves everything out that the change takes away, and only then; what it takes from a
    ///   sparse storage leaves that.
    #[inline(always)]
    unsafe fn change_row<const ADDS: bool>(
        &mut self,
        change: Change,
        entity: Entity,
        from: Location,
        fate: Fate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        put: impl FnOnce(&mut Sink<'_>),
    ) -> Result<Location, AllocError> {
        let now = self.now();
        let Self { archetypes, entities, sparse, listeners, .. } = self;
        let Planned { plan, tables, components } = archetypes.planned(from.table, change);
        let mut special = None;
        if plan.is_special {
            let mut row =
                Row { plan, tables: &mut *tables, components, sparse, entities, listeners, entity, from, fate };
            // SAFETY: the entity is at this location, for whose table the plan was made. It moves below.
            special = Some(unsafe { row.prepare()? });
        }
        let mut here = from;
        if plan.table == from.table {
            // SAFETY: the table is one of this store.
            read(plan, unsafe { tables.get_unchecked(from.table) }, sparse);
        } else {
            // SAFETY: both are tables of this store, and they differ.
            let (source, to) = unsafe { tables.get_two_mut(from.table, plan.table) };
            to.reserve(1)?;
            read(plan, source, sparse);
            // SAFETY: the entity's row is one of `source`; room has been reserved; the plan names each column of `source`. Each
            // column of `to` gets its value from `source`, has got it from `prepare`, or gets it from `put`.
            here = unsafe {
                let moved = source.move_row_to(from.row as usize, to, &plan.copies, &plan.drops, now);
                arrive(entities, entity, from, to, moved)
            };
        }
        // SAFETY: the table is one of this store.
        let table = unsafe { tables.get_unchecked(here.table) };
        if ADDS || plan.table != from.table {
            table.stamp(now.tick);
        }
        if ADDS {
            let (row, targets) = (here.row as usize, Targets::of(plan));
            put(&mut Sink { table, row, entity, targets, sparse: &mut *sparse, now });
        }
        if let Some(special) = special {
            let row = Row { plan, tables, components, sparse, entities, listeners, entity, from, fate };
            // SAFETY: the row has moved as the plan says, and all values have been put.
            unsafe { row.finish::<ADDS>(here, special, now) }
            return Ok(here);
        }
        if ADDS && table.is_tracked() {
            note_targets(plan, table, here.row as usize, entity, sparse, now);
        }
        if plan.drops_values && fate == Fate::Dropped {
            // SAFETY: a row has just been moved out of this table with these drops.
            unsafe { tables.get_mut(from.table).drop_some_behind(&plan.drops, &[]) }
        }
        Ok(here)
    }

    /// Removes the components of a bundle from an entity that is at this location.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    #[inline]
    pub(super) unsafe fn remove_at<B: Bundle>(&mut self, entity: Entity, location: Location) {
        if B::Parts::SOLE_SPARSE
            && let Some(number) = B::Parts::sole_storage(&self.archetypes.components)
            && number < self.sparse.len()
        {
            return self.remove_sparse(number, entity);
        }
        let change = Change::of(Step::Remove(self.register_bundle::<B>()));
        // SAFETY: nothing is added; the entity is there.
        unsafe { self.let_go(change, entity, location) }
    }

    /// Removes all components of an entity but those of a bundle, and drops them.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    pub(super) unsafe fn retain_at<B: Bundle>(&mut self, entity: Entity, location: Location) {
        let change = Change::of(Step::Retain(self.register_bundle::<B>()));
        // SAFETY: nothing is added; the entity is there.
        unsafe { self.let_go(change, entity, location) }
    }

    /// Removes the components of `Old` from an entity, as far as it has them, and adds those of `New`, in one move.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    pub(super) unsafe fn replace_at<Old: Bundle, New: Bundle>(
        &mut self,
        entity: Entity,
        location: Location,
        bundle: Moved<'_, New>,
    ) {
        let old = Change::of(Step::Remove(self.register_bundle::<Old>()));
        let new = Step::Insert(self.register_bundle::<New>());
        let change = self.archetypes.then(old, new);
        // SAFETY: the only bundle that is added is this one; the entity is there.
        unsafe { self.add_at(change, entity, location, bundle) };
    }

    /// Takes the components of a bundle out of an entity. False, and nothing happens, if one of them is missing.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    /// - `out` is writable; it holds the bundle if this returns true.
    pub(super) unsafe fn take_at<B: Bundle>(&mut self, entity: Entity, location: Location, out: *mut B) -> bool {
        let number = self.register_bundle::<B>();
        if !self.has_all(entity, number) {
            return false;
        }
        let change = Change::of(Step::Take(number));
        // SAFETY: `take_into` writes full parts or returns false; the entity is there, and the bundle is the change's.
        unsafe { take_parts(out, |parts| self.take_into::<B::Parts>(change, entity, location, parts, |_| {})) }
    }

    /// Whether an entity has all components of a bundle.
    pub(super) fn has_bundle<B: Bundle>(&mut self, entity: Entity) -> bool {
        let number = self.register_bundle::<B>();
        self.has_all(entity, number)
    }

    /// Takes the components of `Old` out of an entity and adds those of `New`, in one move.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location, and has all components of `Old`.
    /// - `out` is writable; it holds the old components afterwards.
    pub(super) unsafe fn exchange_at<Old: Bundle, New: Bundle>(
        &mut self,
        entity: Entity,
        location: Location,
        new: Moved<'_, New>,
        out: *mut Old,
    ) {
        let old = self.register_bundle::<Old>();
        let step = Step::Insert(self.register_bundle::<New>());
        let change = self.archetypes.then(Change::of(Step::Take(old)), step);
        let mut taken = Taken(None);
        with_parts(new, |new| {
            // SAFETY: `take_into` writes full parts, as nothing is missing; the entity is there, the first step takes the old
            // bundle, and the only other one adds the new one, which is put.
            unsafe {
                take_parts(out, |parts| {
                    let put = |sink: &mut Sink<'_>| new.put(sink);
                    self.take_into::<Old::Parts>(change, entity, location, parts, put)
                });
                taken.0 = Some(out);
            }
        });
        core::mem::forget(taken);
    }

    /// Whether an entity has all components of the bundle with this number.
    fn has_all(&self, entity: Entity, number: u32) -> bool {
        self.archetypes.contents(number).explicit.iter().all(|&id| self.has(entity, id))
    }

    /// Moves the components of a bundle out of an entity, which has all of them, and lets `put` write new ones. True.
    ///
    /// # Safety
    ///
    /// - The first step of the change takes a bundle with these parts. `put` puts every component of each bundle that
    ///   the other steps add, in order, and does nothing else. No step removes anything.
    /// - The live entity is at this location, and has all components of the first bundle.
    /// - `parts` is writable; it is full afterwards.
    unsafe fn take_into<P: BundleParts>(
        &mut self,
        change: Change,
        entity: Entity,
        location: Location,
        parts: *mut P,
        put: impl FnOnce(&mut Sink<'_>),
    ) -> bool {
        let read = |plan: &MovePlan, table: &Table, sparse: &mut [SparseStorage]| {
            debug_assert!(plan.complete, "the entity has everything that is taken");
            let row = location.row as usize;
            let mut reader = Reader { table, row, entity, sources: plan.sources.iter(), sparse };
            // SAFETY: the plan belongs to this bundle and table and is complete; the entity has all sparse components.
            // The values in the table are given up.
            unsafe { P::read(parts, &mut reader) };
            sparse_sources(plan).for_each(|storage| sparse[storage].forget_retired());
        };
        // SAFETY: the caller's promise; `read` moves out what the first step takes, and the others take nothing away.
        let done = unsafe { self.change_row::<true>(change, entity, location, Fate::Taken, read, put) };
        done.map_or_else(|error| error.raise(), |_| true)
    }

    /// Removes components of an entity. `read` moves them out.
    ///
    /// # Safety
    ///
    /// - The change adds nothing, and takes nothing by steps of its own.
    /// - The live entity is at this location.
    /// - `read` moves all values out that the change takes away: those of this row of the table, and those of the entity in sparse
    ///   storages, which it leaves. It moves no others, and does not panic.
    pub(super) unsafe fn take_removed(
        &mut self,
        change: Change,
        entity: Entity,
        location: Location,
        read: impl FnOnce(&Table, &mut [SparseStorage]),
    ) {
        let read = |_: &MovePlan, table: &Table, sparse: &mut [SparseStorage]| read(table, sparse);
        // SAFETY: the caller's promise.
        let done = unsafe { self.change_row::<false>(change, entity, location, Fate::Taken, read, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }
}

impl Row<'_> {
    /// Makes room for everything, and the values that are required.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened, nor has it if a constructor panics.
    ///
    /// # Safety
    ///
    /// - The plan is one for the table where the entity is, and one of these tables. The caller moves the entity, before anything
    ///   else happens to them.
    #[inline(never)]
    unsafe fn prepare(&mut self) -> Result<Special, AllocError> {
        let Self { plan, tables, components, sparse, entities, listeners, entity, from, fate } = self;
        let index = entity.index();
        reserve_sparse(sparse, entities, plan, index)?;
        let summary = entities.sparse_summary(index);
        let (mut held, mut told) = (Vec::new(), Told::default());
        let watches_sparse = listeners.watches(summary);
        if plan.required.is_empty() && plan.interest.is_none() && !watches_sparse {
            return Ok(Special { aside: Placed::new(), held, told });
        }
        if !plan.interest.is_none() || watches_sparse {
            told = listeners.prepare(plan.lost.iter().copied(), summary, 1, *fate)?;
        }
        if watches_sparse {
            try_reserve(&mut held, sparse.len())?;
            held.extend(held_by(*entity, summary, sparse).map(|storage| storage as u32));
        }
        if plan.table != from.table {
            tables.get_mut(plan.table).reserve(1)?;
        }
        let moves = plan.table != from.table;
        let mut aside = Placed::new();
        if plan.requires_aside || !moves {
            let in_new_row = |required: &RequiredComponent| moves && required.new_column().is_some();
            let wanted = |required: &RequiredComponent| !in_new_row(required) && is_missing(required, sparse, index);
            aside = make_aside(plan, components, 1, wanted)?;
        }
        if moves {
            // SAFETY: the plan leads to this table, which has room for a row, and the caller makes it one.
            unsafe { NewRow::make(tables.get_mut(plan.table), &plan.required).keep() };
        }
        Ok(Special { aside, held, told })
    }

    /// Puts what is required, takes the entity out of sparse storages, tells what it has lost, and then drops what is left over.
    ///
    /// # Safety
    ///
    /// - The entity has moved as the plan says, is here now, and has all values but those aside. Nothing has happened since.
    #[inline(never)]
    unsafe fn finish<const ADDS: bool>(self, here: Location, special: Special, now: WriteStamp) {
        let Self { plan, tables, components, sparse, entities, listeners, entity, from, fate } = self;
        let Special { mut aside, held, mut told } = special;
        if ADDS {
            let (table, row, targets) = (tables.get_mut(here.table), here.row as usize, Targets::of(plan));
            if !aside.is_empty() {
                // SAFETY: these are required components of the plan, whose row this is; there is room in sparse storages.
                unsafe { put_placed(&mut aside, &mut Sink { table, row, entity, targets, sparse: &mut *sparse, now }) };
                debug_assert!(aside.is_empty() || plan.drops_values);
            }
            if table.is_tracked() || !plan.renewed.is_empty() {
                note_targets(plan, table, row, entity, sparse, now);
            }
        }
        remove_from_storages(entities, sparse, plan, entity, !held.is_empty());
        let source = tables.get_mut(from.table);
        let behind = source.len();
        if !plan.interest.is_none() {
            let left = LeftRows { table: source, entities: &[entity], row: |_| behind, fate };
            // SAFETY: the values that the row had in these columns are behind the last one. They are dropped below unless they
            // are kept, or have been taken.
            unsafe { listeners.rows_changed(plan, &left, &mut told) }
        }
        if !held.is_empty() || listeners.is_recording() {
            let summary = entities.sparse_summary(entity.index());
            let values = (&mut *sparse, components);
            listeners.sparse_changed(plan, (entity, fate), &held, summary, values, &mut told);
        }
        let _finish = listeners.finish(&told);
        if plan.drops_values || !held.is_empty() {
            let _beside = LeftBeside { sparse, plan, aside };
            if fate == Fate::Dropped {
                // SAFETY: a row has just been moved out of this table with these drops, if there are any.
                unsafe { source.drop_some_behind(&plan.drops, told.kept()) }
            }
        }
    }
}

/// The values that an entity has left beside its table, which are dropped with this, whatever panics: those that are retired in the
/// sparse storages that it was in, and those that others have replaced.
struct LeftBeside<'a> {
    sparse: &'a mut [SparseStorage],
    plan: &'a MovePlan,
    #[expect(dead_code, reason = "it is only dropped, after the others")]
    aside: Placed,
}

impl Drop for LeftBeside<'_> {
    fn drop(&mut self) {
        let others = if self.plan.retains.is_some() { 0..self.sparse.len() } else { 0..0 };
        let storages = self.plan.leaves.iter().map(|&storage| storage as usize).chain(others);
        for_each_despite_panics(storages, |storage| self.sparse[storage].drop_retired());
    }
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
unsafe fn arrive(
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

/// Takes an entity out of the sparse storages that a plan says it leaves, and notes which ones may hold it now. The values stay
/// retired until they are dropped: those that dropping does nothing to only if the caller `keeps` them.
fn remove_from_storages(
    entities: &mut Entities,
    sparse: &mut [SparseStorage],
    plan: &MovePlan,
    entity: Entity,
    keeps: bool,
) {
    let (index, count) = (entity.index(), sparse.len());
    let before = entities.sparse_summary(index);
    let mut leave = |storage: usize| match keeps {
        true => drop(sparse[storage].retire(entity)),
        false => sparse[storage].remove(entity),
    };
    let mut summary = Some(before.union(plan.summary));
    for &storage in &plan.leaves {
        leave(storage as usize);
        summary = summary.and_then(|summary| summary.without(storage as usize, count));
    }
    if let Some(retains) = &plan.retains {
        before.storages(count).filter(|&storage| !retains.contains(&(storage as u32))).for_each(leave);
    }
    match summary.filter(|_| plan.retains.is_none() && sparse_sources(plan).next().is_none()) {
        Some(summary) if summary == before => {}
        Some(summary) => entities.set_sparse_summary(index, summary),
        None => {
            entities.set_sparse_summary(index, before.union(plan.summary));
            refresh_summary(entities, sparse, entity);
        }
    }
}

/// Works out anew which sparse storages may hold an entity, after some have let go of it.
#[cold]
fn refresh_summary(entities: &mut Entities, sparse: &[SparseStorage], entity: Entity) {
    let old = entities.sparse_summary(entity.index());
    let summary = old
        .storages(sparse.len())
        .filter(|&storage| sparse[storage].contains(entity.index()))
        .fold(SparseSummary::default(), SparseSummary::with);
    entities.set_sparse_summary(entity.index(), summary);
}
