//! The engine of structural changes: every change of the components of one entity is carried out here. ARCHITECTURE.md follows an insertion
//! down to the bytes.
//!
//! [`Store::insert_bundle`] inserts a bundle of known type, and [`Store::execute`] carries out every other change. Both first try
//! [`Store::begin`] and [`BegunChange::carry_out`], which serve a change *at once*: without a *prepare* and a *finish* phase. If that is
//! not possible, they call [`Store::execute_in_phases`], which uses the same two functions between these phases.
//!
//! A change has four phases. *Prepare* makes room and constructs required components; it may fail, and then nothing has happened. *Move*
//! moves the row to its new table, and in *write* the row writer fills in the new values; neither runs user code nor fails. *Finish*
//! updates sparse storages, records removals, drops the values that have been removed or replaced, and notifies observers and hooks. Before
//! *prepare*, `execute_in_phases` notifies the listeners of the "before" events.
//!
//! The flags of the plan show whether there is something to prepare or to finish. Both phases are functions that are not inlined and never
//! get the address of a bundle, so the compiler can keep the bundle in registers if there is nothing to prepare or finish. A plan that
//! moves large values also runs in phases, although it has nothing to prepare or finish: without phases an insertion moves small values
//! only.
//!
//! | | at once | in phases |
//! |---|---|---|
//! | required components | constructed by `begin`, if the row is new | constructed by *prepare*, in the new row or staged |
//! | large values that move | by `carry_out`, if the change is a removal | by `carry_out` |
//! | values to be dropped | by `carry_out`, if `ChangeSpec::TOLERATED` has the flag for them | *finish* |
//! | sparse values | written by `carry_out`, if there is room | written by `carry_out`, after *prepare* has made room |
//! | sparse values that are removed | by `carry_out`, if there is only one | *finish* |
//! | sparse summary of the entity | `carry_out` | *finish* |
//! | change ticks | `carry_out` | `carry_out`; for staged values *finish* |
//! | links | `end_change` | *finish* |
//!
//! Tests: tests/storage, tests/model, tests/hazards

use core::mem::ManuallyDrop;

use super::change::leave_summary;
use super::change_spec::{BundleChange, ChangeSpec, LazyChange, NumberedChange, Subject};
use super::lifecycle_events::AffectedEntities;
use super::phases::{FinishArgs, PreparedChange, drop_values, finish, prepare};
use super::required::construct_required;
use super::spawn_error::SpawnError;
use super::ticks::note_targets;
use super::{Store, Structure};
use crate::component::{ComponentId, Components};
use crate::entity::{Entities, Entity, Location, TableId};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::storage::tick::WriteStamp;
use crate::structure::archetype::PlanContext;
use crate::structure::bundle::{Bundle, BundleParts, MovingPtr, RowWriter, Token, with_parts};
use crate::structure::graph::{MovePlan, PlanFlags, PlanId, PlanKey};
use crate::structure::removal::ValueFate;

/// The spec of any change. With `PHASES`, `begin` uses no constant of the spec, so one instance of `begin`, with this type, suffices.
type AnyChange = NumberedChange<true>;

/// A change of one entity that has begun: the entity has an id and a location, and nothing is left to prepare.
struct BegunChange<'s> {
    plan: &'s MovePlan,
    entity: Entity,
    /// The location of the entity after the change.
    here: Location,
    rows: RowOp<'s>,
    entities: &'s mut Entities,
    sparse: &'s mut [SparseStorage],
    components: &'s Components,
    now: WriteStamp,
}

/// The effect of a change on the row of the entity. If a table gets a row, the table has room for it.
enum RowOp<'s> {
    /// The row is new.
    New(&'s mut Table),
    /// The row is not touched: only sparse storages change. With `PHASES`, such a change uses `Stays` instead.
    OutsideTables,
    /// The row stays where it is.
    Stays(&'s mut Table),
    /// The row comes from another table.
    Moves { to: &'s mut Table, source: &'s mut Table, from_row: u32 },
}

/// The result of [`BegunChange::carry_out`].
struct WrittenChange {
    entity: Entity,
    /// The location of the entity now.
    here: Location,
    /// The component that names the target to which the entity has yet to be linked, if there is one.
    link: Option<ComponentId>,
}

impl BegunChange<'_> {
    /// Carries out the *move* and *write* phases of a change. Without `PHASES`, the special flags of the plan are `S::flags`, and
    /// optionally `S::TOLERATED` and [`PlanFlags::REQUIRES`].
    ///
    /// # Safety
    ///
    /// - As for [`Store::execute`].
    /// - `self` was returned by [`Store::begin`] for this subject, with the same `PHASES`, and nothing has happened to the store since.
    ///   Without `PHASES`, the change was `S`.
    #[inline(always)]
    unsafe fn carry_out<S: ChangeSpec, const PHASES: bool>(
        self,
        subject: Subject,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> WrittenChange {
        let Self { plan, entity, here, rows, entities, sparse, components, now } = self;
        let row = here.row as usize;
        // SAFETY: the plan leads to the table, which has room for the row, and for the row past the end if the plan replaces values. If the
        // plan adds sparse values, room for them has been reserved, and *finish* drops values that retire or are past the end. Without that
        // phase no value retires, since the plan has no other flags than `S` allows, and values past the end are dropped here. Where a
        // target has `replace`, the row holds a value. In a row that is new in the table, each column gets its value from the moved row, as
        // the plan lists, from `write`, or has got it from a constructor.
        unsafe {
            match rows {
                RowOp::New(table) => {
                    write(&mut RowWriter::new(plan, table, row, entity, sparse, now));
                    table.commit_row(entity, now);
                }
                RowOp::OutsideTables if S::ADDS => write(&mut RowWriter::outside_of_tables(plan, entity, sparse, now)),
                RowOp::OutsideTables => {}
                RowOp::Stays(table) => {
                    read(plan, table, sparse);
                    if S::ADDS {
                        overwrite_row::<S, PHASES>(plan, table, (row, entity), sparse, now, write);
                    }
                }
                RowOp::Moves { to, source, from_row } => {
                    read(plan, source, sparse);
                    source.move_row_to((from_row, entity), (to, here), entities, &plan.moves, now.tick);
                    let drops = !PHASES && !S::ADDS && plan.flags.intersects(S::TOLERATED);
                    if (PHASES || drops) && !plan.other_moves.is_empty() {
                        source.move_other_values(from_row as usize, to, row, &plan.other_moves);
                    }
                    if S::ADDS {
                        write(&mut RowWriter::new(plan, to, row, entity, sparse, now));
                    }
                    note_moved(plan, source, from_row as usize, to, row, now);
                    if drops {
                        drop_values(plan, Some(source), to, (ValueFate::Dropped, &[]));
                    }
                }
            }
        }
        let mut link = None;
        if !PHASES && S::flags(subject).intersects(PlanFlags::SPARSE) {
            if S::ADDS {
                entities.add_to_summary(entity.index(), plan.added_storages);
            } else if let [number] = *plan.left_storages {
                // SAFETY: the storage belongs to the only component of the change, as its flags say, and its values need no drop.
                unsafe { S::remove_sole(&mut sparse[number as usize], entity) }
                leave_summary(entities, sparse, entity, number as usize);
            }
            if S::flags(subject).intersects(PlanFlags::ONLY_LINKS) {
                link = plan.linking_component(components);
            }
        }
        WrittenChange { entity, here, link }
    }
}

/// If one of the tables keeps ticks: moves the ticks of a row that has moved to another table, and updates the ticks of its new values.
#[cfg_attr(not(debug_assertions), inline(always))]
fn note_moved(plan: &MovePlan, source: &mut Table, from: usize, to: &mut Table, row: usize, now: WriteStamp) {
    if source.is_tracked() | to.is_tracked() {
        source.move_ticks(from, to, row, [&plan.moves, &plan.other_moves], now);
        note_targets(plan, to, row, now);
    }
}

/// Writes new values to a row that stays where it is. Without `PHASES`, also drops the replaced values.
///
/// # Safety
///
/// - As for [`RowWriter::new`], for a row of the table. Without `PHASES`, the plan has no flags except `S::flags` and optionally
///   `S::TOLERATED`.
#[inline(always)]
unsafe fn overwrite_row<S: ChangeSpec, const PHASES: bool>(
    plan: &MovePlan,
    table: &mut Table,
    (row, entity): (usize, Entity),
    sparse: &mut [SparseStorage],
    now: WriteStamp,
    write: impl FnOnce(&mut RowWriter<'_>),
) {
    // If no value in the table changes, the table counts as unchanged, even if sparse values are added.
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
        unsafe { drop_values(plan, None, table, (ValueFate::Dropped, &[])) }
    }
}

impl Store {
    /// Inserts a bundle. Returns the entity and its location, as [`Store::execute`] does.
    ///
    /// # Errors
    ///
    /// As [`Store::execute`].
    ///
    /// # Safety
    ///
    /// - If the subject is `Alive`, the entity is alive and its row is at that location. If the subject is `Pending`, the id is pending
    ///   ([`Entities::is_pending`]).
    #[inline(always)]
    pub(super) unsafe fn insert_bundle<B: Bundle>(
        &mut self,
        subject: Subject,
        bundle: MovingPtr<'_, B>,
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        let spec = BundleChange::<B, true>::new();
        let read = |_: &MovePlan, _: &Table, _: &mut [SparseStorage]| {};
        // SAFETY: the change adds the bundle, by an insertion, and nothing else.
        unsafe {
            // Not a `match` of the token: of a branch on a constant only one side is compiled, at each level of optimisation.
            if const { B::IN_PLACE.is_none() } {
                // The bundle is split into its components before the operation begins, because splitting may run user code.
                return with_parts(bundle, |parts| {
                    let write = |writer: &mut RowWriter<'_>| parts.write_row::<false>(writer);
                    self.execute(subject, spec, ValueFate::Dropped, read, write)
                });
            }
            let token = B::IN_PLACE.expect("the bundle need not be split");
            // As `execute`, but if the bundle was not written at once, a cold call moves it to the stack.
            match self.begin::<BundleChange<B, true>, false>(spec.key(subject), subject) {
                Some(begun) => {
                    let done = begun.carry_out::<BundleChange<B, true>, false>(
                        subject,
                        read,
                        #[inline(always)]
                        |writer: &mut RowWriter<'_>| write_in_place(bundle, writer, token),
                    );
                    Ok(self.end_change(done))
                }
                None => bundle.relocate(move |bundle| {
                    let write = |writer: &mut RowWriter<'_>| write_in_place(bundle, writer, token);
                    self.execute_in_phases(subject, spec, ValueFate::Dropped, read, write)
                }),
            }
        }
    }

    /// Ends a change that has no *finish* phase: links the entity if it has yet to be linked. Returns the entity and its location; the
    /// location is `None` if events of the link have been delivered, since listeners may have moved the entity.
    #[inline(always)]
    fn end_change(&mut self, done: WrittenChange) -> (Entity, Option<Location>) {
        let WrittenChange { entity, here, link } = done;
        let is_here = link.is_none_or(|component| self.link_new_source(component, entity));
        (entity, is_here.then_some(here))
    }

    /// Carries out a change of one entity. Returns the entity and its location. The location is `None` if listeners have been notified,
    /// since commands of listeners may have moved the entity.
    ///
    /// `read` is called before the row moves or is overwritten, with the plan, the table of the entity and the sparse storages. `write`
    /// gets the writer for the new row. If the fate is `Taken`, the change must not have values to be dropped, so that no value that `read`
    /// has taken is dropped as well.
    ///
    /// # Errors
    ///
    /// If there is no memory, or no id for a new entity. No component has changed, and neither `read` nor `write` has been called.
    /// Listeners may have been notified of the "before" events.
    ///
    /// # Safety
    ///
    /// - If the subject is `Alive`, the entity is alive and its row is at that location. If the subject is `Pending`, the id is pending
    ///   ([`Entities::is_pending`]).
    /// - `write` writes every component of each bundle that the change adds, in order, and does nothing else. Neither `write` nor `read`
    ///   panics. `S::ADDS` is true if the change adds anything.
    /// - If the fate is `Taken`, `read` moves out all values that the change removes; otherwise `read` moves out no value. `read` also
    ///   removes the entity from the sparse storages whose values it moves out.
    #[inline(always)]
    pub(super) unsafe fn execute<S: ChangeSpec>(
        &mut self,
        subject: Subject,
        spec: S,
        fate: ValueFate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        // SAFETY: forwarded.
        #[expect(clippy::redundant_closure_call, reason = "its copy of the subject leaves that in registers")]
        unsafe {
            match self.begin::<S, false>(spec.key(subject), subject) {
                Some(begun) => {
                    let done = begun.carry_out::<S, false>(subject, read, write);
                    Ok(self.end_change(done))
                }
                None => (move || self.execute_in_phases(subject, spec, fate, read, write))(),
            }
        }
    }

    /// Carries out a change as [`Store::execute`] does, with the *prepare* and *finish* phases.
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
        spec: S,
        fate: ValueFate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        let change = spec.change();
        let key = if S::IN_TABLES || subject.has_no_row() {
            spec.key(subject)
        } else {
            self.key_of_table(spec.key(subject), change, subject)
        };
        let (mut id, mut flags) = self.find_plan(key, change, subject.table());
        let mut prepared = None;
        // The *prepare* phase reserves the row as well. Without that phase the loop below reserves the row if the table is full.
        let mut is_reserved = flags.intersects(PlanFlags::PREPARE);
        if flags.intersects(PlanFlags::NOTIFIES_BEFORE)
            && let Subject::Alive(entity, location) = subject
        {
            let number = change.resolve(self);
            let panicked = self.notify_before_change(AffectedEntities::Listed(&[entity]), location.table, number);
            prepared = Some(PreparedChange { panicked: Some(panicked), ..PreparedChange::default() });
            (id, flags) = self.find_plan(key, change, subject.table());
        }
        if is_reserved {
            prepare(self, subject, id, fate, &mut prepared)?;
        }
        let WrittenChange { entity, here, .. } = loop {
            // SAFETY: forwarded.
            if let Some(begun) = unsafe { self.begin::<AnyChange, true>(key.with_flags(flags), subject) } {
                // SAFETY: forwarded.
                break unsafe { begun.carry_out::<S, true>(subject, read, write) };
            }
            // The only possible failure is a lack of room: no user code has run since the plan was found, so the cache still has it.
            assert!(!is_reserved, "the row has been reserved");
            self.reserve_row(subject, id)?;
            is_reserved = true;
        };
        let changed = FinishArgs { entity, plan: id, from: subject, here, fate };
        // SAFETY: the change has been carried out except for this phase, and nothing has happened since. The flags are those of the plan.
        let is_here = unsafe { finish(self, flags, changed, &mut prepared) };
        if prepared.is_none() {
            // Without `forget`, dropping `None` would still be a call.
            core::mem::forget(prepared);
        }
        Ok((entity, is_here.then_some(here)))
    }

    /// Returns the key of the plan that a change without table-stored components has for the table of the entity. The plan with the given
    /// key is for entities of the empty table: its `table`, `lost` and `required` are not valid for this entity, so only changes without
    /// phases use that plan.
    #[inline]
    fn key_of_table(&mut self, key: PlanKey, change: LazyChange, subject: Subject) -> PlanKey {
        // The result is not used: the call fills the plan cache, so that the next change with this key needs no phases.
        self.find_plan(key, change, TableId::EMPTY);
        PlanKey::of_change(change.resolve(self), subject.table())
    }

    /// Returns the plan of a change for entities of a table, and the special flags of the plan. Afterwards the plan cache has the plan
    /// under this key.
    #[inline]
    fn find_plan(&mut self, key: PlanKey, change: LazyChange, from: TableId) -> (PlanId, PlanFlags) {
        match self.structure.archetypes.find(key) {
            Some(found) => found,
            None => self.make_plan(key, change, from),
        }
    }

    #[cold]
    #[inline(never)]
    fn make_plan(&mut self, key: PlanKey, change: LazyChange, from: TableId) -> (PlanId, PlanFlags) {
        let change = change.resolve(self);
        let id = self.structure.archetypes.plan(from, change);
        self.structure.archetypes.add_to_cache(key, id);
        (id, self.structure.archetypes.at(id).plan.flags.special())
    }

    /// Reserves memory for the row of a change with this plan and, if the entity is new, an id.
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
        let PlanContext { plan, tables, .. } = self.structure.archetypes.at(id);
        let moves = plan.table != subject.table() || subject.has_no_row();
        let rows = usize::from(moves) + usize::from(!plan.replaces.is_empty());
        tables.get_mut(plan.table).reserve(rows)?;
        Ok(())
    }

    /// Finds the plan of a change in the plan cache, and checks that there is room for the change. Returns `None` and changes nothing if
    /// the cache has no plan with these flags, if room or an id is missing, or if a flush has to come first.
    ///
    /// If this returns a change of an entity that had no row, the index now has the id and the location of the entity, and without `PHASES`
    /// its required components have been constructed in the row past the end. The caller must carry out the change: the row is not
    /// committed yet.
    ///
    /// Without `PHASES`, the special flags of the plan are `S::flags`, and perhaps `S::TOLERATED`. If `S::REQUIRES` is true and the entity
    /// had no row, the plan may also have [`PlanFlags::REQUIRES`].
    ///
    /// # Safety
    ///
    /// - If the subject is `Alive`, the entity is alive and its row is at that location. If the subject is `Pending`, the id is pending
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
        let PlanContext { plan, tables, components } = archetypes.cached(key)?;
        if !PHASES && S::ADDS && flags.intersects(PlanFlags::SPARSE) {
            let index = subject.index().unwrap_or_else(|| entities.next_index());
            let links = flags.intersects(PlanFlags::ONLY_LINKS);
            // If ids are assigned in order, this is the index of the new entity; otherwise `begin_row` gets no id.
            if !(entities.has_summary_room(index, subject.has_no_row()) && S::has_sparse_room(plan, sparse, index))
                || links && !events.can_link_at_once(plan.added_storages)
            {
                return None;
            }
        }
        let to = plan.table;
        // SAFETY: the tables of cached plans and of live entities are tables of this store; in the last arm they differ, as the arm before
        // has compared them. `carry_out` commits a new row. The required components belong to the plan and go to columns that hold no
        // value, as the flags of the plan guarantee.
        let (rows, entity, here) = unsafe {
            match subject {
                Subject::New | Subject::Pending(_) => {
                    let table = tables.get_unchecked_mut(to);
                    let constructs = !PHASES && S::REQUIRES && !plan.required.is_empty();
                    let (entity, here) = begin_row(table, plan, entities, subject, constructs)?;
                    (RowOp::New(table), entity, here)
                }
                Subject::Alive(entity, at) if !PHASES && !S::IN_TABLES => (RowOp::OutsideTables, entity, at),
                Subject::Alive(entity, at) if at.table == to => {
                    let table = tables.get_unchecked_mut(to);
                    if (PHASES || S::ADDS && plan.flags.intersects(S::TOLERATED)) && !has_room(plan, table, 0) {
                        return None;
                    }
                    (RowOp::Stays(table), entity, at)
                }
                Subject::Alive(entity, at) => {
                    let (source, table) = tables.get_two_mut(at.table, to);
                    // `carry_out` does not drop replaced values of a row that also moves. This case is rare and takes the path with phases.
                    let replaces = !PHASES && S::ADDS && plan.flags.intersects(S::TOLERATED);
                    if replaces || table.is_full() || PHASES && !has_room(plan, table, 1) {
                        return None;
                    }
                    let here = Location { table: to, row: table.len() as u32 };
                    (RowOp::Moves { to: table, source, from_row: at.row }, entity, here)
                }
            }
        };
        Some(BegunChange { plan, entity, here, rows, entities, sparse, components, now })
    }
}

/// Gives an entity that has no row the row past the end of the table, and an id if it is new. Returns `None` if there is no room or no id.
/// If `constructs` is true, also constructs the required components of the plan in that row.
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

/// Writes a bundle that need not be split into its components.
///
/// # Safety
///
/// - The next targets of the writer belong to the bundle, and its plan is the plan of an insertion that writes every value.
#[inline(always)]
unsafe fn write_in_place<B: Bundle>(bundle: MovingPtr<'_, B>, writer: &mut RowWriter<'_>, token: Token) {
    let mut bundle = ManuallyDrop::new(bundle);
    // SAFETY: forwarded: the next targets belong to the bundle, and the plan writes every value. The bundle is neither used again nor
    // dropped. There is a token if it need not be split.
    unsafe { B::write_row::<false>(bundle.address(), writer, token) }
}

/// Returns whether a table has room for `rows` more rows, and for the row past the end if the plan, which leads to the table, uses that
/// row.
fn has_room(plan: &MovePlan, table: &Table, rows: usize) -> bool {
    table.room() >= rows + usize::from(!plan.replaces.is_empty())
}
