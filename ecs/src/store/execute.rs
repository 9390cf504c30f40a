//! The engine of structural changes: one function carries out every change of the components of one entity.
//!
//! [`Store::execute`] has four phases. *Prepare* makes room, notifies observers and hooks of what is about to go, and constructs required
//! components; it may fail, and then nothing has happened. *Move* brings the row to its new table, and *write* has the row writer fill in
//! the new values; neither runs user code nor fails. *Finish* brings sparse storages up to date, records removals, drops the values that
//! are left behind, and notifies observers and hooks.
//!
//! The flags of the plan say whether there is something to prepare or to finish. Both phases are functions that are not inlined and never
//! learn the address of a bundle, so the compiler can keep it in registers where there is nothing to prepare or finish.
//!
//! Tests: `tests/storage`, `tests/model`, `tests/hazards`.

use alloc::vec::Vec;
use core::any::TypeId;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use super::Store;
use super::change::{remove_from_storages, renew_sparse_changes};
use super::news::Affected;
use super::report::{LeftRows, held_by};
use super::required::{NewRow, Placed, is_missing, make_aside, reserve_sparse, write_placed_values};
use super::spawn_error::SpawnError;
use super::ticks::{note_renewed_sparse, note_targets};
use crate::alloc_error::{AllocError, try_reserve};
use crate::archetype::Planned;
use crate::bundle::{Bundle, BundleParts, Moved, RowWriter, Token, with_parts};
use crate::entity::{Entities, Entity, Location, TableId};
use crate::graph::{Change, ChangeStep, MovePlan, PlanFlags, PlanId, PlanKey, RequiredComponent};
use crate::guard::{Waiting, for_each_despite_panics};
use crate::removal::{Fate, Told};
use crate::sparse::SparseStorage;
use crate::table::{Table, Tables};
use crate::tick::WriteStamp;
use crate::tracking::Renewal;
use crate::transition::Interest;

/// The entity of a change.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    /// A new entity.
    New,
    /// An id that is reserved and has no row yet.
    Pending(Entity),
    /// A live entity and its row.
    Alive(Entity, Location),
}

impl Subject {
    /// The table from which the entity comes.
    #[inline(always)]
    fn table(self) -> TableId {
        match self {
            Self::New | Self::Pending(_) => TableId::EMPTY,
            Self::Alive(_, location) => location.table,
        }
    }

    /// Whether the entity has no row yet.
    #[inline(always)]
    fn is_new(self) -> bool {
        !matches!(self, Self::Alive(..))
    }
}

/// What finds the plan of a change.
pub(super) trait FindPlan: Copy {
    /// The key of the plan.
    fn key(self, subject: Subject) -> PlanKey;

    /// The number of the change.
    fn change(self, store: &mut Store) -> Change;
}

impl FindPlan for Change {
    #[inline]
    fn key(self, subject: Subject) -> PlanKey {
        PlanKey::of_change(self, subject.table())
    }

    fn change(self, _: &mut Store) -> Change {
        self
    }
}

/// A change of one step with a bundle that is known by its type.
pub(super) struct TypedStep<B> {
    step: fn(u32) -> ChangeStep,
    bundle: PhantomData<fn() -> B>,
}

impl<B> Clone for TypedStep<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for TypedStep<B> {}

impl<B> TypedStep<B> {
    /// Adds the bundle.
    #[inline(always)]
    pub(super) fn insertion() -> Self {
        Self { step: ChangeStep::Insert, bundle: PhantomData }
    }

    /// Removes the bundle.
    #[inline(always)]
    pub(super) fn removal() -> Self {
        Self { step: ChangeStep::Remove, bundle: PhantomData }
    }
}

impl<B: Bundle> FindPlan for TypedStep<B> {
    #[inline(always)]
    fn key(self, subject: Subject) -> PlanKey {
        PlanKey::of_type(TypeId::of::<B>(), self.step, subject.table(), subject.is_new())
    }

    fn change(self, store: &mut Store) -> Change {
        Change::of((self.step)(store.register_bundle::<B>()))
    }
}

/// What *prepare* leaves for *finish*.
#[derive(Default)]
pub(super) struct Prepared {
    /// Required components that are not constructed in their row.
    aside: Placed,
    /// The sparse storages that had the entity before, if listeners are notified of them.
    held: Vec<u32>,
    told: Told,
    /// Which changes of sparse components are renewed, if any may be.
    renewal: Option<Renewal>,
    /// The panic of a listener that was notified before the change.
    panicked: Option<Waiting>,
}

/// The change of one entity that has been carried out but for the *finish* phase.
#[derive(Clone, Copy)]
struct Changed {
    entity: Entity,
    plan: PlanId,
    from: Subject,
    /// Where the entity is now.
    here: Location,
    fate: Fate,
}

/// A change of one entity for which nothing is left to prepare.
struct Ready<'s> {
    plan: &'s MovePlan,
    entity: Entity,
    /// Where the entity will be.
    here: Location,
    rows: Rows<'s>,
    entities: &'s mut Entities,
    sparse: &'s mut [SparseStorage],
    now: WriteStamp,
}

/// The table of the row that is written, which has room for it.
enum Rows<'s> {
    /// The row is new.
    New(&'s mut Table),
    /// The row stays where it is.
    Stays(&'s mut Table),
    /// The row comes from another table.
    Moves { to: &'s mut Table, source: &'s mut Table, from: u32 },
}

impl Ready<'_> {
    /// The *move* and *write* phases of a change. Returns the entity and where it is. Unless it is `SPECIAL` the plan has none of the flags
    /// of [`PlanFlags::special`].
    ///
    /// # Safety
    ///
    /// - As for [`Store::execute`].
    #[inline(always)]
    unsafe fn carry_out<const ADDS: bool, const SPECIAL: bool>(
        self,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> (Entity, Location) {
        let Self { plan, entity, here, rows, entities, sparse, now } = self;
        let row = here.row as usize;
        // SAFETY: the plan leads to the table, which has room for the row, and for the row past the end if the plan replaces values. Room
        // in sparse storages has been reserved if the plan has that flag, and *finish* drops what retires there or is past the end. Each
        // target that says so has a value in the row. Each column of a row that is new in the table gets its value from the row that
        // moves, whose columns the plan names, or from `write`, or has got it from a constructor.
        unsafe {
            match rows {
                Rows::New(table) => {
                    write(&mut RowWriter::new(plan, table, row, entity, sparse, now));
                    table.commit_row(entity, now);
                }
                Rows::Stays(table) => {
                    read(plan, table, sparse);
                    if ADDS {
                        table.stamp(now.tick);
                        write(&mut RowWriter::new(plan, table, row, entity, sparse, now));
                        if table.is_tracked() {
                            note_targets(plan, table, row, now);
                        }
                    }
                }
                Rows::Moves { to, source, from } => {
                    read(plan, source, sparse);
                    let relocate = |last| entities.relocate_row(entity, here, last, from);
                    source.move_row_to((from as usize, entity), to, relocate, &plan.moves, now.tick);
                    if SPECIAL && !plan.other_moves.is_empty() {
                        source.move_other_values(from as usize, to, row, &plan.other_moves);
                    }
                    if ADDS {
                        write(&mut RowWriter::new(plan, to, row, entity, sparse, now));
                    }
                    if source.is_tracked() | to.is_tracked() {
                        source.move_ticks(from as usize, to, row, [&plan.moves, &plan.other_moves], now);
                        note_targets(plan, to, row, now);
                    }
                }
            }
        }
        (entity, here)
    }
}

impl Store {
    /// Carries out the insertion of a bundle.
    ///
    /// # Errors
    ///
    /// As [`Store::execute`].
    ///
    /// # Safety
    ///
    /// - A subject that is alive is at its location; one that is pending is.
    #[inline(always)]
    pub(super) unsafe fn insert_bundle<B: Bundle>(
        &mut self,
        subject: Subject,
        bundle: Moved<'_, B>,
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        let step = TypedStep::<B>::insertion();
        let read = |_: &MovePlan, _: &Table, _: &mut [SparseStorage]| {};
        // SAFETY: the change adds the bundle, by an insertion, and nothing else.
        unsafe {
            match B::IN_PLACE {
                // To take the bundle apart may be user code.
                None => with_parts(bundle, |parts| {
                    let write = |writer: &mut RowWriter<'_>| parts.write_row::<false>(writer);
                    self.execute::<true>(subject, step, Fate::Dropped, read, write)
                }),
                Some(token) => match self.ready::<false>(step.key(subject), subject) {
                    Some(ready) => {
                        let (entity, here) = ready.carry_out::<true, false>(
                            read,
                            #[inline(always)]
                            |writer: &mut RowWriter<'_>| write_whole(bundle, writer, token),
                        );
                        Ok((entity, Some(here)))
                    }
                    None => bundle.elsewhere(move |bundle| {
                        let write = |writer: &mut RowWriter<'_>| write_whole(bundle, writer, token);
                        self.execute_in_phases::<true>(subject, step, Fate::Dropped, read, write)
                    }),
                },
            }
        }
    }

    /// Carries out a change of one entity. Returns the entity and where it is, unless listeners have been notified, since their commands may
    /// have moved it.
    ///
    /// `read` gets the plan, the table of the entity and the sparse storages before the row moves, and `write` the writer for the new row.
    ///
    /// # Errors
    ///
    /// If there is no memory, or no id for a new entity. Nothing has happened, and neither function has been called.
    ///
    /// # Safety
    ///
    /// - A subject that is alive is at its location; one that is pending is.
    /// - `write` writes every component of each bundle that the change adds, in order, and does nothing else. Neither that nor `read` panics.
    ///   `ADDS` is true if the change adds anything.
    /// - If the fate is `Taken`, `read` moves everything out that the change takes away, and only then. What it takes from a sparse storage
    ///   leaves that.
    #[inline(always)]
    pub(super) unsafe fn execute<const ADDS: bool>(
        &mut self,
        subject: Subject,
        step: impl FindPlan,
        fate: Fate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        // SAFETY: forwarded.
        #[expect(clippy::redundant_closure_call, reason = "it copies the subject, which is in registers otherwise")]
        unsafe {
            match self.ready::<false>(step.key(subject), subject) {
                Some(ready) => {
                    let (entity, here) = ready.carry_out::<ADDS, false>(read, write);
                    Ok((entity, Some(here)))
                }
                None => (move || self.execute_in_phases::<ADDS>(subject, step, fate, read, write))(),
            }
        }
    }

    /// [`Store::execute`] with its first and last phase.
    ///
    /// # Errors
    ///
    /// As [`Store::execute`].
    ///
    /// # Safety
    ///
    /// - As for [`Store::execute`].
    #[inline(never)]
    unsafe fn execute_in_phases<const ADDS: bool>(
        &mut self,
        subject: Subject,
        step: impl FindPlan,
        fate: Fate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        let key = step.key(subject);
        let (mut id, mut flags) = self.find_plan(step, subject);
        let mut prepared = None;
        let mut has_room = flags.has(PlanFlags::PREPARE);
        if flags.has(PlanFlags::NOTIFIES_BEFORE)
            && let Subject::Alive(entity, location) = subject
        {
            let change = step.change(self);
            let panicked = self.notify_before_change(Affected::Listed(&[entity]), location.table, change);
            prepared = Some(Prepared { panicked: Some(panicked), ..Prepared::default() });
            (id, flags) = self.find_plan(step, subject);
        }
        if has_room {
            self.prepare(subject, id, fate, &mut prepared)?;
        }
        let (entity, here) = loop {
            // SAFETY: forwarded.
            if let Some(ready) = unsafe { self.ready::<true>(key.with_flags(flags), subject) } {
                // SAFETY: forwarded.
                break unsafe { ready.carry_out::<ADDS, true>(read, write) };
            }
            assert!(!has_room, "the first phase has made room");
            self.reserve_row(subject, id)?;
            has_room = true;
        };
        let mut is_here = true;
        if flags.has(PlanFlags::FINISH) {
            let changed = Changed { entity, plan: id, from: subject, here, fate };
            // SAFETY: the change has been carried out but for this phase, and nothing has happened since.
            is_here = unsafe { self.finish(changed, &mut prepared) };
        }
        if prepared.is_none() {
            // To drop nothing is a call.
            core::mem::forget(prepared);
        }
        Ok((entity, is_here.then_some(here)))
    }

    /// Has the plan cache find the plan of a change. Returns the plan and its special flags.
    #[inline]
    fn find_plan(&mut self, step: impl FindPlan, subject: Subject) -> (PlanId, PlanFlags) {
        match self.archetypes.find(step.key(subject)) {
            Some(found) => found,
            None => self.make_plan(step, subject),
        }
    }

    #[cold]
    #[inline(never)]
    fn make_plan(&mut self, step: impl FindPlan, subject: Subject) -> (PlanId, PlanFlags) {
        let change = step.change(self);
        let id = self.archetypes.plan(subject.table(), change);
        self.archetypes.remember(step.key(subject), id);
        (id, self.archetypes.at(id).plan.flags.special())
    }

    /// Makes room for the row of a change whose plan the cache has, and for a new entity.
    ///
    /// # Errors
    ///
    /// If there is no memory, or no id.
    #[cold]
    #[inline(never)]
    fn reserve_row(&mut self, subject: Subject, id: PlanId) -> Result<(), SpawnError> {
        if let Subject::New = subject {
            self.try_flush()?;
            self.entities.reserve_next()?;
        }
        let Planned { plan, tables, .. } = self.archetypes.at(id);
        let moves = plan.table != subject.table() || subject.is_new();
        let rows = usize::from(moves) + usize::from(!plan.replaces.is_empty());
        tables.get_mut(plan.table).reserve(rows)?;
        Ok(())
    }

    /// What carries out a change of one entity, if there is nothing to prepare. Only a new entity has got its id then. Unless it is
    /// `SPECIAL` the key names no flags.
    ///
    /// # Safety
    ///
    /// - A subject that is alive is at its location; one that is pending is.
    #[inline(always)]
    unsafe fn ready<const SPECIAL: bool>(&mut self, key: PlanKey, subject: Subject) -> Option<Ready<'_>> {
        let now = self.now();
        let Self { archetypes, entities, sparse, .. } = self;
        let Planned { plan, tables, .. } = archetypes.cached(key)?;
        let to = plan.table;
        // SAFETY: the tables of plans and of live entities are tables of this store.
        let (rows, entity, here) = unsafe {
            match subject {
                Subject::New | Subject::Pending(_) => {
                    let table = tables.get_unchecked_mut(to);
                    if table.is_full() {
                        return None;
                    }
                    let here = Location { table: to, row: table.len() as u32 };
                    let entity = match subject {
                        Subject::Pending(entity) => {
                            entities.place(entity, here);
                            entity
                        }
                        _ => entities.allocate_at_row(here)?,
                    };
                    (Rows::New(table), entity, here)
                }
                Subject::Alive(entity, at) if at.table == to => {
                    let table = tables.get_unchecked_mut(to);
                    if SPECIAL && !has_room(plan, table, 0) {
                        return None;
                    }
                    (Rows::Stays(table), entity, at)
                }
                Subject::Alive(entity, at) => {
                    // They differ.
                    let (source, table) = tables.get_two_mut(at.table, to);
                    if table.is_full() || SPECIAL && !has_room(plan, table, 1) {
                        return None;
                    }
                    let here = Location { table: to, row: table.len() as u32 };
                    (Rows::Moves { to: table, source, from: at.row }, entity, here)
                }
            }
        };
        Some(Ready { plan, entity, here, rows, entities, sparse, now })
    }

    /// The *prepare* phase of a change, but for listeners that are notified before.
    ///
    /// # Errors
    ///
    /// If there is no memory, or no id. Nothing has happened, nor has it if a constructor panics.
    fn prepare(
        &mut self,
        subject: Subject,
        id: PlanId,
        fate: Fate,
        prepared: &mut Option<Prepared>,
    ) -> Result<(), SpawnError> {
        match subject {
            Subject::Alive(entity, location) => Ok(self.prepare_change(entity, location, id, fate, prepared)?),
            Subject::New | Subject::Pending(_) => self.prepare_spawn(subject, id, prepared),
        }
    }

    /// The *prepare* phase of a change of a live entity.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened, nor has it if a constructor panics.
    #[inline(never)]
    fn prepare_change(
        &mut self,
        entity: Entity,
        from: Location,
        id: PlanId,
        fate: Fate,
        prepared: &mut Option<Prepared>,
    ) -> Result<(), AllocError> {
        let Self { archetypes, entities, sparse, listeners, .. } = self;
        let Planned { plan, tables, components } = archetypes.at(id);
        let (flags, index, moves) = (plan.flags, entity.index(), plan.table != from.table);
        let is_listed = flags.has(PlanFlags::RECORDS.and(PlanFlags::NOTIFIES_AFTER));
        let summary = entities.sparse_summary(index);
        let watches_sparse = flags.has(PlanFlags::SPARSE) && listeners.watches(summary);
        reserve_sparse(sparse, entities, plan, index)?;
        if is_listed || watches_sparse {
            let prepared = prepared.get_or_insert_default();
            prepared.told = listeners.prepare(plan.lost.iter().copied(), summary, 1, fate)?;
            if watches_sparse {
                try_reserve(&mut prepared.held, sparse.len())?;
                prepared.held.extend(held_by(entity, summary, sparse).map(|storage| storage as u32));
            }
        }
        let past_end = usize::from(flags.has(PlanFlags::REPLACES));
        tables.get_mut(plan.table).reserve(usize::from(moves) + past_end)?;
        if flags.has(PlanFlags::DISABLES)
            && let Some((source, to)) = tables.get(from.table).zip(tables.get(plan.table))
        {
            prepared.get_or_insert_default().renewal = Some(source.renewal(from.row as usize, to));
        }
        if flags.has(PlanFlags::REQUIRES) {
            let in_new_row = |required: &RequiredComponent| moves && required.new_column().is_some();
            let wanted = |required: &RequiredComponent| !in_new_row(required) && is_missing(required, sparse, index);
            if flags.has(PlanFlags::REQUIRES_ELSEWHERE) || !moves {
                prepared.get_or_insert_default().aside = make_aside(plan, components, 1, wanted)?;
            }
            if moves {
                // SAFETY: the plan leads to this table, which has room for a row, and `execute` makes it one.
                unsafe { NewRow::make(tables.get_mut(plan.table), &plan.required).keep() };
            }
        }
        Ok(())
    }

    /// The *prepare* phase of a change by which an entity gets its first row.
    ///
    /// # Errors
    ///
    /// If there is no memory, or no id. Nothing has happened, nor has it if a constructor panics.
    #[inline(never)]
    fn prepare_spawn(
        &mut self,
        subject: Subject,
        id: PlanId,
        prepared: &mut Option<Prepared>,
    ) -> Result<(), SpawnError> {
        if matches!(subject, Subject::New) {
            self.try_flush()?;
        }
        let Self { archetypes, entities, sparse, .. } = self;
        let Planned { plan, tables, components } = archetypes.at(id);
        let table = tables.get_mut(plan.table);
        table.reserve(1)?;
        let index = match subject {
            Subject::Pending(entity) => entity.index(),
            _ => entities.reserve_next()?,
        };
        reserve_sparse(sparse, entities, plan, index)?;
        if plan.flags.has(PlanFlags::REQUIRES_ELSEWHERE) {
            let aside = make_aside(plan, components, 1, |required| required.new_column().is_none())?;
            prepared.get_or_insert_default().aside = aside;
        }
        // SAFETY: the plan leads to this table, which has room for a row, and `execute` makes it one, since there is an id.
        unsafe { NewRow::make(table, &plan.required).keep() };
        Ok(())
    }

    /// The *finish* phase of a change. Returns whether no listener has been notified, so that the entity is still where it was.
    ///
    /// # Safety
    ///
    /// - The change has been carried out but for this phase, and nothing has happened since. `prepared` is what its first phase left.
    #[inline(never)]
    unsafe fn finish(&mut self, changed: Changed, prepared: &mut Option<Prepared>) -> bool {
        let Changed { entity, plan: id, from, here, .. } = changed;
        let Planned { plan, tables, .. } = self.archetypes.at(id);
        if !plan.flags.has(PlanFlags::FINISH.without(PlanFlags::DROPS.and(PlanFlags::REPLACES))) {
            // SAFETY: forwarded. No listener takes a value.
            unsafe { drop_values_in(plan, tables, (from.table(), here.table), (changed.fate, &[])) }
            return true;
        }
        let only_notifies = !plan.flags.has(PlanFlags::FINISH.without(PlanFlags::NOTIFIES_AFTER));
        if only_notifies {
            self.listeners.add_change(entity, plan, from.is_new());
            match prepared.as_mut().and_then(|prepared| prepared.panicked.take()) {
                Some(panicked) => self.conclude(panicked),
                None => self.react(),
            }
            return false;
        }
        let Subject::Alive(_, from) = from else { return self.finish_spawn(changed, prepared) };
        // SAFETY: forwarded: the change has been carried out but for this phase.
        let panicked = unsafe { self.finish_change(changed, from, prepared.take().unwrap_or_default()) };
        let has_news = self.listeners.has_news;
        match panicked {
            Some(panicked) => self.conclude(panicked),
            None => self.react(),
        }
        !has_news
    }

    /// The *finish* phase of a change by which an entity has got its first row.
    fn finish_spawn(&mut self, changed: Changed, prepared: &mut Option<Prepared>) -> bool {
        let (Changed { entity, plan: id, here, .. }, now) = (changed, self.now());
        let Self { archetypes, entities, sparse, .. } = self;
        let Planned { plan, tables, components } = archetypes.at(id);
        if let Some(Prepared { aside, .. }) = prepared {
            let (table, row) = (tables.get_mut(here.table), here.row as usize);
            // SAFETY: the values are required components of the plan, whose row this is; room in sparse storages was reserved.
            unsafe { write_placed_values(aside, &mut RowWriter::new(plan, table, row, entity, sparse, now)) }
        }
        if plan.flags.has(PlanFlags::SPARSE) {
            entities.set_sparse_summary(entity.index(), plan.summary);
        }
        let storages = plan.summary;
        let linked = match plan.flags.has(PlanFlags::ONLY_LINKS) {
            true => plan.sparse_targets().next().map(|number| components.sparse()[number]),
            false => None,
        };
        if let Some(component) = linked.filter(|_| self.links_lightly(storages)) {
            return self.link_lightly(component, entity);
        }
        let plan = self.archetypes.at(id).plan;
        if plan.interest().is_none() {
            return true;
        }
        self.rows_made(here.table, here.row as usize);
        let has_news = self.listeners.has_news;
        self.react();
        !has_news
    }

    /// The *finish* phase of a change of a live entity: writes required components that are not in their row, takes the entity out of
    /// sparse storages, notes what listeners are notified of, and drops the values that are left. If both sides of links have to be made
    /// to agree, the panic of a destructor waits with one that waits already, and is returned.
    ///
    /// # Safety
    ///
    /// - As for [`Store::finish`]. The entity was at `from`.
    unsafe fn finish_change(&mut self, changed: Changed, from: Location, prepared: Prepared) -> Option<Waiting> {
        let (Changed { entity, plan: id, here, fate, .. }, now) = (changed, self.now());
        let Prepared { mut aside, held, mut told, renewal, mut panicked } = prepared;
        let Self { archetypes, entities, sparse, listeners, .. } = self;
        let Planned { plan, tables, components } = archetypes.at(id);
        let flags = plan.flags;
        if !aside.is_empty() {
            let (table, row) = (tables.get_mut(here.table), here.row as usize);
            // SAFETY: the values are required components of the plan, whose row this is. There is room in sparse storages, and past the
            // end if a value is replaced.
            unsafe { write_placed_values(&mut aside, &mut RowWriter::new(plan, table, row, entity, sparse, now)) }
            if table.is_tracked() {
                note_targets(plan, table, row, now);
            }
        }
        if flags.has(PlanFlags::RENEWS) {
            note_renewed_sparse(plan, entity, sparse, now);
        }
        if flags.has(PlanFlags::SPARSE) {
            remove_from_storages(entities, sparse, plan, entity, !held.is_empty());
        }
        if let Some(renewal) = renewal {
            renew_sparse_changes(entities, sparse, entity, renewal, now.tick);
        }
        if !plan.interest().is_none() {
            let source = tables.get_mut(from.table);
            let past_end = source.len();
            let left = LeftRows { table: source, entities: &[entity], row: |_| past_end, fate };
            // SAFETY: the values that the row had in these columns are past the end. They are dropped below unless they are kept, or have
            // been taken.
            unsafe { listeners.rows_changed(plan, &left, Affected::Listed(&[entity]), &mut told) }
        }
        let is_notified = !held.is_empty() || plan.interest().has(Interest::RECORDER.and(Interest::REACTIONS));
        if flags.has(PlanFlags::SPARSE) && is_notified {
            let summary = entities.sparse_summary(entity.index());
            let values = (&mut sparse[..], components);
            listeners.sparse_changed(plan, (entity, fate), &held, summary, values, &mut told);
        }
        let has_links = !listeners.links.are_settled();
        let _finish = listeners.finish(&told);
        let mut drop_rest = || {
            let _sparse = RetiredValues { sparse, plan };
            // SAFETY: forwarded. The values that listeners keep are not dropped.
            unsafe { drop_values_in(plan, tables, (from.table, here.table), (fate, told.kept())) }
        };
        if has_links {
            let dropped = Waiting::catch(drop_rest);
            panicked = Some(panicked.unwrap_or_default().or(dropped));
        } else {
            drop_rest();
        }
        panicked
    }
}

/// Writes a bundle that need not be taken apart.
///
/// # Safety
///
/// - The next targets of the writer are those of the bundle, and its plan is one of an insertion, of which every value is wanted.
#[inline(always)]
unsafe fn write_whole<B: Bundle>(bundle: Moved<'_, B>, writer: &mut RowWriter<'_>, token: Token) {
    let mut bundle = ManuallyDrop::new(bundle);
    // SAFETY: the bundle is not used again, nor dropped; the rest is forwarded. There is a token if it need not be taken apart.
    unsafe { B::write_row::<false>(bundle.address(), writer, token) }
}

/// Whether a table has room for so many rows, and for the row past the end if a plan that leads there needs it.
fn has_room(plan: &MovePlan, table: &Table, rows: usize) -> bool {
    table.room() >= rows + usize::from(!plan.replaces.is_empty())
}

/// Drops the values that a change of an entity has left behind in its table, unless they have been taken, and those that new ones have
/// replaced in its new table. If one panics, the others are dropped all the same. Those of the columns that are kept are not dropped.
///
/// # Safety
///
/// - The entity has just been changed as the plan says, from one table to the other.
#[inline]
unsafe fn drop_values(plan: &MovePlan, from: Option<&mut Table>, to: &mut Table, (fate, kept): (Fate, &[u32])) {
    /// Values that have been replaced, which are dropped with this.
    struct Replaced<'a>(&'a mut Table, &'a [u32]);

    impl Drop for Replaced<'_> {
        #[inline]
        fn drop(&mut self) {
            let Self(table, columns) = self;
            // SAFETY: the row writer has moved the old or unwanted values of these columns there, which have no owner.
            unsafe { table.drop_past_end(columns.iter().copied()) }
        }
    }

    let _replaced = Replaced(to, &plan.replaces);
    if let Some(table) = from.filter(|_| fate == Fate::Dropped) {
        // SAFETY: a row has been moved out of this table by these moves, and nothing has happened since.
        unsafe { table.drop_left(&plan.other_moves, kept) }
    }
}

/// [`drop_values`] in tables with these numbers.
///
/// # Safety
///
/// - As for [`drop_values`].
unsafe fn drop_values_in(plan: &MovePlan, tables: &mut Tables, (from, to): (TableId, TableId), values: (Fate, &[u32])) {
    // SAFETY: forwarded; tables with different numbers differ.
    unsafe {
        if from == to {
            return drop_values(plan, None, tables.get_mut(to), values);
        }
        let (source, table) = tables.get_two_mut(from, to);
        drop_values(plan, Some(source), table, values);
    }
}

/// The values of an entity that are retired in sparse storages: those that it has lost, and those that others have replaced. They are
/// dropped with this.
struct RetiredValues<'a> {
    sparse: &'a mut [SparseStorage],
    plan: &'a MovePlan,
}

impl Drop for RetiredValues<'_> {
    fn drop(&mut self) {
        let Self { sparse, plan } = self;
        if plan.flags.has(PlanFlags::SPARSE) {
            let others = if plan.retains.is_some() { 0..sparse.len() } else { 0..0 };
            let storages = plan.leaves.iter().map(|&storage| storage as usize);
            let storages = storages.chain(plan.sparse_targets()).chain(others);
            for_each_despite_panics(storages, |storage| sparse[storage].drop_retired());
        }
    }
}
