//! The engine of structural changes: how every change of the components of one entity is carried out.
//!
//! [`Store::insert_bundle`] inserts a bundle of known type, and [`Store::execute`] carries out every other change. Both first try
//! [`Store::begin`] and [`BegunChange::carry_out`], which serve a change without a *prepare* and a *finish* phase, and fall back to
//! [`Store::execute_in_phases`].
//!
//! A change has four phases. *Prepare* makes room, notifies observers and hooks of what is about to go, and constructs required
//! components; it may fail, and then nothing has happened. *Move* brings the row to its new table, and *write* has the row writer fill in
//! the new values; neither runs user code nor fails. *Finish* brings sparse storages up to date, records removals, drops the values that
//! are left behind, and notifies observers and hooks.
//!
//! The flags of the plan say whether there is something to prepare or to finish. Both phases are functions that are not inlined and never
//! learn the address of a bundle, so the compiler can keep it in registers where there is nothing to prepare or finish.
//!
//! Tests: `tests/storage`, `tests/model`, `tests/hazards`.

use core::mem::ManuallyDrop;

use super::change::leave_summary;
use super::change_spec::{BundleChange, ChangeSpec, LazyChange, NumberedChange, Subject};
use super::lifecycle_events::Affected;
use super::phases::{Changed, Prepared, drop_values, finish, prepare};
use super::required::construct_required;
use super::spawn_error::SpawnError;
use super::ticks::note_targets;
use super::{Store, Structure};
use crate::archetype::Planned;
use crate::bundle::{Bundle, BundleParts, Moved, RowWriter, Token, with_parts};
use crate::component::{ComponentId, Components};
use crate::entity::{Entities, Entity, Location, TableId};
use crate::graph::{MovePlan, PlanFlags, PlanId, PlanKey};
use crate::removal::Fate;
use crate::sparse::SparseStorage;
use crate::table::Table;
use crate::tick::WriteStamp;

/// Any step. A change in phases is made ready by code that is the same for all steps, and compiled once.
type AnyChange = NumberedChange<true>;

/// A change of one entity for which nothing is left to prepare.
struct BegunChange<'s> {
    plan: &'s MovePlan,
    entity: Entity,
    /// Where the entity will be.
    here: Location,
    rows: Rows<'s>,
    entities: &'s mut Entities,
    sparse: &'s mut [SparseStorage],
    components: &'s Components,
    now: WriteStamp,
}

/// What happens to the row of the entity. A table that gets a row has room for it.
enum Rows<'s> {
    /// The row is new.
    New(&'s mut Table),
    /// The row is not touched: only sparse storages change.
    None,
    /// The row stays where it is.
    Stays(&'s mut Table),
    /// The row comes from another table.
    Moves { to: &'s mut Table, source: &'s mut Table, from: u32 },
}

/// What [`BegunChange::carry_out`] returns.
struct WrittenChange {
    entity: Entity,
    /// Where the entity is now.
    here: Location,
    /// The component by which the entity is to be linked.
    link: Option<ComponentId>,
}

impl BegunChange<'_> {
    /// The *move* and *write* phases of a change. Unless it has `PHASES`, the special flags of the plan are those of the step, and perhaps
    /// `S::TOLERATED` and [`PlanFlags::REQUIRES`].
    ///
    /// # Safety
    ///
    /// - As for [`Store::execute`].
    /// - `self` was returned by [`Store::begin`] for this subject, with the same `PHASES`, and nothing has happened to the store since. Without
    ///   `PHASES` the step was `S`.
    #[inline(always)]
    unsafe fn carry_out<S: ChangeSpec, const PHASES: bool>(
        self,
        subject: Subject,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> WrittenChange {
        let Self { plan, entity, here, rows, entities, sparse, components, now } = self;
        let row = here.row as usize;
        // SAFETY: the plan leads to the table, which has room for the row, and for the row past the end if the plan replaces values. Room
        // in sparse storages has been reserved if the plan has that flag, and *finish* drops what retires there or is past the end. Without
        // that phase nothing retires, as the flags of the step say, and what is past the end is dropped here. Each target that says so has a
        // value in the row. Each column of a row that is new in the table gets its value from the row that moves, whose columns the plan
        // names, or from `write`, or has got it from a constructor.
        unsafe {
            match rows {
                Rows::New(table) => {
                    write(&mut RowWriter::new(plan, table, row, entity, sparse, now));
                    table.commit_row(entity, now);
                }
                Rows::OutsideTables if S::ADDS => write(&mut RowWriter::outside_of_tables(plan, entity, sparse, now)),
                Rows::OutsideTables => {}
                Rows::Stays(table) => {
                    read(plan, table, sparse);
                    if S::ADDS {
                        overwrite_row::<S, PHASES>(plan, table, (row, entity), sparse, now, write);
                    }
                }
                Rows::Moves { to, source, from } => {
                    read(plan, source, sparse);
                    source.move_row_to((from, entity), (to, here), entities, &plan.moves, now.tick);
                    let drops = !PHASES && !S::ADDS && plan.flags.intersects(S::TOLERATED);
                    if (PHASES || drops) && !plan.other_moves.is_empty() {
                        source.move_other_values(from as usize, to, row, &plan.other_moves);
                    }
                    if S::ADDS {
                        write(&mut RowWriter::new(plan, to, row, entity, sparse, now));
                    }
                    note_moved(plan, source, from as usize, to, row, now);
                    if drops {
                        drop_values(plan, Some(source), to, (Fate::Dropped, &[]));
                    }
                }
            }
        }
        let mut link = None;
        if !PHASES && S::flags(subject).intersects(PlanFlags::SPARSE) {
            // SAFETY: the plan is that of the step, and its flags are those of the step.
            unsafe { note_storages::<S>(plan, entity, entities, sparse) }
            if S::flags(subject).intersects(PlanFlags::ONLY_LINKS) {
                link = plan.linking_component(components);
            }
        }
        WrittenChange { entity, here, link }
    }
}

/// Moves the ticks of a row that has moved from one table to the other, and notes those of its new values, if any are kept.
#[cfg_attr(not(debug_assertions), inline(always))]
fn note_moved(plan: &MovePlan, source: &mut Table, from: usize, to: &mut Table, row: usize, now: WriteStamp) {
    if source.is_tracked() | to.is_tracked() {
        source.move_ticks(from, to, row, [&plan.moves, &plan.other_moves], now);
        note_targets(plan, to, row, now);
    }
}

/// Writes new values to a row that stays where it is. Without phases, replaced values are dropped here.
///
/// # Safety
///
/// - As for [`RowWriter::new`], of a row of the table. Without `PHASES`, the plan has no flag but those of the step and perhaps `S::TOLERATED`.
#[inline(always)]
unsafe fn overwrite_row<S: ChangeSpec, const PHASES: bool>(
    plan: &MovePlan,
    table: &mut Table,
    (row, entity): (usize, Entity),
    sparse: &mut [SparseStorage],
    now: WriteStamp,
    write: impl FnOnce(&mut RowWriter<'_>),
) {
    // A table whose values stay as they are has not changed, whatever comes to sparse storages.
    if !PHASES || plan.writes_columns() {
        table.stamp(now.tick);
    }
    // SAFETY: forwarded.
    unsafe { write(&mut RowWriter::new(plan, table, row, entity, sparse, now)) }
    if table.is_tracked() {
        note_targets(plan, table, row, now);
    }
    if !PHASES && plan.flags.intersects(S::TOLERATED) {
        // SAFETY: the row has just been written, and *finish* does not drop what it has replaced.
        unsafe { drop_values(plan, None, table, (Fate::Dropped, &[])) }
    }
}

/// Notes that an entity is in the sparse storages to which a change without phases has added it, or removes it from the only one that the
/// change names.
///
/// # Safety
///
/// - The plan is one of the step. If the step adds nothing, dropping values of the storage does nothing.
#[inline(always)]
unsafe fn note_storages<S: ChangeSpec>(
    plan: &MovePlan,
    entity: Entity,
    entities: &mut Entities,
    sparse: &mut [SparseStorage],
) {
    if S::ADDS {
        entities.add_to_summary(entity.index(), plan.added_storages);
    } else if let [number] = *plan.left_storages {
        // SAFETY: forwarded; the storage is that of the only component of the step.
        unsafe { S::remove_sole(&mut sparse[number as usize], entity) }
        leave_summary(entities, sparse, entity, number as usize);
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
    /// - If the subject is `Alive`, the entity is alive and its row is at that location. If it is `Pending`, the id is pending
    ///   ([`Entities::is_pending`]).
    #[inline(always)]
    pub(super) unsafe fn insert_bundle<B: Bundle>(
        &mut self,
        subject: Subject,
        bundle: Moved<'_, B>,
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        let step = BundleChange::<B, true>::new();
        let read = |_: &MovePlan, _: &Table, _: &mut [SparseStorage]| {};
        // SAFETY: the change adds the bundle, by an insertion, and nothing else.
        unsafe {
            match B::IN_PLACE {
                // To take the bundle apart may be user code.
                None => with_parts(bundle, |parts| {
                    let write = |writer: &mut RowWriter<'_>| parts.write_row::<false>(writer);
                    self.execute(subject, step, Fate::Dropped, read, write)
                }),
                Some(token) => match self.begin::<BundleChange<B, true>, false>(spec.key(subject), subject) {
                    Some(begun) => {
                        let done = begun.carry_out::<BundleChange<B, true>, false>(
                            subject,
                            read,
                            #[inline(always)]
                            |writer: &mut RowWriter<'_>| write_in_place(bundle, writer, token),
                        );
                        Ok(self.conclude(done))
                    }
                    None => bundle.elsewhere(move |bundle| {
                        let write = |writer: &mut RowWriter<'_>| write_in_place(bundle, writer, token);
                        self.execute_in_phases(subject, step, Fate::Dropped, read, write)
                    }),
                },
            }
        }
    }

    /// The end of a change without a *finish* phase.
    #[inline(always)]
    fn conclude(&mut self, done: WrittenChange) -> (Entity, Option<Location>) {
        let WrittenChange { entity, here, link } = done;
        let is_here = link.is_none_or(|component| self.link_new_source(component, entity));
        (entity, is_here.then_some(here))
    }

    /// Carries out a change of one entity. Returns the entity and where it is, unless listeners have been notified, since their commands may
    /// have moved it.
    ///
    /// `read` gets the plan, the table of the entity and the sparse storages before the row moves, and `write` the writer for the new row.
    ///
    /// # Errors
    ///
    /// If there is no memory, or no id for a new entity. No component has changed, and neither function has been called. Listeners may have
    /// been notified before the change.
    ///
    /// # Safety
    ///
    /// - If the subject is `Alive`, the entity is alive and its row is at that location. If it is `Pending`, the id is pending
    ///   ([`Entities::is_pending`]).
    /// - `write` writes every component of each bundle that the change adds, in order, and does nothing else. Neither that nor `read` panics.
    ///   `ADDS` is true if the change adds anything.
    /// - If the fate is `Taken`, `read` moves everything out that the change takes away, and only then. What it takes from a sparse storage
    ///   leaves that.
    #[inline(always)]
    pub(super) unsafe fn execute<S: ChangeSpec>(
        &mut self,
        subject: Subject,
        step: S,
        fate: Fate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        // SAFETY: forwarded.
        #[expect(clippy::redundant_closure_call, reason = "it copies the subject, which is in registers otherwise")]
        unsafe {
            match self.begin::<S, false>(spec.key(subject), subject) {
                Some(begun) => {
                    let done = begun.carry_out::<S, false>(subject, read, write);
                    Ok(self.conclude(done))
                }
                None => (move || self.execute_in_phases(subject, step, fate, read, write))(),
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
    unsafe fn execute_in_phases<S: ChangeSpec>(
        &mut self,
        subject: Subject,
        step: S,
        fate: Fate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        let number = spec.change();
        let key = if S::IN_TABLES || subject.has_no_row() {
            spec.key(subject)
        } else {
            self.key_of_table(spec.key(subject), number, subject)
        };
        let (mut id, mut flags) = self.find_plan(key, number, subject.table());
        let mut prepared = None;
        // *Prepare* makes room as well. Without that phase the loop below reserves the row if the table is full.
        let mut has_room = flags.intersects(PlanFlags::PREPARE);
        if flags.intersects(PlanFlags::NOTIFIES_BEFORE)
            && let Subject::Alive(entity, location) = subject
        {
            let change = change.resolve(self);
            let panicked = self.notify_before_change(Affected::Listed(&[entity]), location.table, change);
            prepared = Some(Prepared { panicked: Some(panicked), ..Prepared::default() });
            (id, flags) = self.find_plan(key, number, subject.table());
        }
        if has_room {
            prepare(self, subject, id, fate, &mut prepared)?;
        }
        let WrittenChange { entity, here, .. } = loop {
            // SAFETY: forwarded.
            if let Some(begun) = unsafe { self.begin::<AnyChange, true>(key.with_flags(flags), subject) } {
                // SAFETY: forwarded.
                break unsafe { begun.carry_out::<S, true>(subject, read, write) };
            }
            assert!(!has_room, "*prepare* has reserved the row");
            self.reserve_row(subject, id)?;
            has_room = true;
        };
        let changed = Changed { entity, plan: id, from: subject, here, fate };
        // SAFETY: the change has been carried out but for this phase, and nothing has happened since. The flags are those of the plan.
        let is_here = unsafe { finish(self, flags, changed, &mut prepared) };
        if prepared.is_none() {
            // To drop nothing is a call.
            core::mem::forget(prepared);
        }
        Ok((entity, is_here.then_some(here)))
    }

    /// The key of a plan of a step without table-stored components for the table of an entity. The own key of the step finds a plan that is
    /// not good for *prepare* and *finish*.
    #[inline]
    fn key_of_table(&mut self, key: PlanKey, change: LazyChange, subject: Subject) -> PlanKey {
        // Only to fill the plan cache: the next change with this key needs no phases.
        self.find_plan(key, number, TableId::EMPTY);
        PlanKey::of_change(change.resolve(self), subject.table())
    }

    /// The plan of a step for entities of a table, and its special flags. The plan cache remembers it with a key.
    #[inline]
    fn find_plan(&mut self, key: PlanKey, change: LazyChange, from: TableId) -> (PlanId, PlanFlags) {
        match self.structure.archetypes.find(key) {
            Some(found) => found,
            None => self.make_plan(key, number, from),
        }
    }

    #[cold]
    #[inline(never)]
    fn make_plan(&mut self, key: PlanKey, change: LazyChange, from: TableId) -> (PlanId, PlanFlags) {
        let change = change.resolve(self);
        let id = self.structure.archetypes.plan(from, change);
        self.structure.archetypes.remember(key, id);
        (id, self.structure.archetypes.at(id).plan.flags.special())
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
            self.structure.entities.reserve_next()?;
        }
        let Planned { plan, tables, .. } = self.structure.archetypes.at(id);
        let moves = plan.table != subject.table() || subject.has_no_row();
        let rows = usize::from(moves) + usize::from(!plan.replaces.is_empty());
        tables.get_mut(plan.table).reserve(rows)?;
        Ok(())
    }

    /// Finds the plan of a change and checks that there is room for it. Returns `None`, with nothing changed, if the plan cache has no plan
    /// with these flags, or if memory, a flush or an id is missing.
    ///
    /// If this returns a change, an entity that had no row has its id and its location in the index, and without `PHASES` its required
    /// components are constructed in the row past the end. The caller must carry the change out: the row is not committed yet.
    ///
    /// Without `PHASES` the special flags of the plan are those of the step, and perhaps `S::TOLERATED` and, for a new entity of a step that
    /// `REQUIRES`, [`PlanFlags::REQUIRES`].
    ///
    /// # Safety
    ///
    /// - If the subject is `Alive`, the entity is alive and its row is at that location. If it is `Pending`, the id is pending
    ///   ([`Entities::is_pending`]).
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn begin<S: ChangeSpec, const PHASES: bool>(
        &mut self,
        key: PlanKey,
        subject: Subject,
    ) -> Option<BegunChange<'_>> {
        let now = self.now();
        let Self { structure: Structure { archetypes, entities, sparse, .. }, events, .. } = self;
        let flags = S::flags(subject);
        let tolerated =
            if S::REQUIRES && subject.has_no_row() { S::TOLERATED.union(PlanFlags::REQUIRES) } else { S::TOLERATED };
        let key = if PHASES { key } else { key.with_flags(flags).tolerating(tolerated) };
        let Planned { plan, tables, components } = archetypes.cached(key)?;
        if !PHASES && S::ADDS && flags.intersects(PlanFlags::SPARSE) {
            let index = subject.index().unwrap_or_else(|| entities.next_index());
            let links = flags.intersects(PlanFlags::ONLY_LINKS);
            if !(entities.has_summary_room(index, subject.has_no_row()) && S::has_sparse_room(plan, sparse, index))
                || links && (events.dispatch.is_running() || !events.link_at_once(plan.added_storages))
            {
                return None;
            }
        }
        let to = plan.table;
        // SAFETY: the tables of cached plans and of live entities are tables of this store; in the last arm they differ, as the arm before has
        // compared them. `carry_out` commits a new row. Required components are those of the plan, which go to columns that hold no value, as
        // its flags say.
        let (rows, entity, here) = unsafe {
            match subject {
                Subject::New | Subject::Pending(_) => {
                    let table = tables.get_unchecked_mut(to);
                    let constructs = !PHASES && S::REQUIRES && !plan.required.is_empty();
                    let (entity, here) = begin_row(table, plan, entities, subject, constructs)?;
                    (Rows::New(table), entity, here)
                }
                Subject::Alive(entity, at) if !PHASES && !S::IN_TABLES => (Rows::OutsideTables, entity, at),
                Subject::Alive(entity, at) if at.table == to => {
                    let table = tables.get_unchecked_mut(to);
                    if (PHASES || S::ADDS && plan.flags.intersects(S::TOLERATED)) && !has_room(plan, table, 0) {
                        return None;
                    }
                    (Rows::Stays(table), entity, at)
                }
                Subject::Alive(entity, at) => {
                    let (source, table) = tables.get_two_mut(at.table, to);
                    // A row that moves and has values replaced as well is rare.
                    let replaces = !PHASES && S::ADDS && plan.flags.intersects(S::TOLERATED);
                    if replaces || table.is_full() || PHASES && !has_room(plan, table, 1) {
                        return None;
                    }
                    let here = Location { table: to, row: table.len() as u32 };
                    (Rows::Moves { to: table, source, from: at.row }, entity, here)
                }
            }
        };
        Some(BegunChange { plan, entity, here, rows, entities, sparse, components, now })
    }
}

/// Gives an entity without a row an id and the row past the end of its table, if there is room, and constructs what its plan requires there
/// if the caller asks for that.
///
/// # Safety
///
/// - The plan leads to this table. The caller commits the row. The id of a pending subject is pending.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn begin_row(
    table: &mut Table,
    plan: &MovePlan,
    entities: &mut Entities,
    subject: Subject,
    constructs: bool,
) -> Option<(Entity, Location)> {
    if table.is_full() {
        return None;
    }
    if constructs {
        if matches!(subject, Subject::New) && !entities.can_allocate_at_row() {
            return None;
        }
        // SAFETY: forwarded. The table is not full. There is an id, so the caller commits the row.
        unsafe { construct_required(table, plan) }
    }
    let here = Location { table: plan.table, row: table.len() as u32 };
    match subject {
        Subject::Pending(entity) => {
            entities.place(entity, here);
            Some((entity, here))
        }
        _ => Some((entities.allocate_at_row(here)?, here)),
    }
}

/// Writes a bundle that need not be taken apart.
///
/// # Safety
///
/// - The next targets of the writer are those of the bundle, and its plan is one of an insertion, of which every value is wanted.
#[inline(always)]
unsafe fn write_in_place<B: Bundle>(bundle: Moved<'_, B>, writer: &mut RowWriter<'_>, token: Token) {
    let mut bundle = ManuallyDrop::new(bundle);
    // SAFETY: the bundle is not used again, nor dropped; the rest is forwarded. There is a token if it need not be taken apart.
    unsafe { B::write_row::<false>(bundle.address(), writer, token) }
}

/// Whether a table has room for so many rows, and for the row past the end if a plan that leads there needs it.
fn has_room(plan: &MovePlan, table: &Table, rows: usize) -> bool {
    table.room() >= rows + usize::from(!plan.replaces.is_empty())
}
