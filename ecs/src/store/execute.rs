//! The engine of structural changes: how every change of the components of one entity is carried out.
//!
//! [`Store::insert_bundle`] inserts a bundle of known type, and [`Store::execute`] carries out every other change. Both first try
//! [`Store::ready`] and [`Ready::carry_out`], which serve a change without a *prepare* and a *finish* phase, and fall back to
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

use alloc::vec::Vec;
use core::any::TypeId;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use super::change::{leave_summary, remove_from_storages, renew_sparse_changes};
use super::news::Affected;
use super::report::{LeftRows, held_by};
use super::required::{NewRow, Placed, is_missing, make_aside, reserve_sparse, write_placed_values};
use super::spawn_error::SpawnError;
use super::ticks::{note_renewed_sparse, note_targets};
use super::{Store, Structure};
use crate::alloc_error::{AllocError, try_reserve};
use crate::archetype::Planned;
use crate::bundle::{Bundle, BundleParts, Moved, PartKinds, RowWriter, Targets, Token, with_parts};
use crate::component::{ComponentId, Components};
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

    /// The index of the entity, unless it is new.
    #[inline(always)]
    fn index(self) -> Option<u32> {
        match self {
            Self::New => None,
            Self::Pending(entity) | Self::Alive(entity, _) => Some(entity.index()),
        }
    }

    /// Whether the entity has no row yet.
    #[inline(always)]
    fn is_new(self) -> bool {
        !matches!(self, Self::Alive(..))
    }
}

/// A change of one entity.
pub(super) trait Step: Copy {
    /// Whether it adds anything.
    const ADDS: bool;

    /// Whether the step itself names table-stored components. If not, its plan is cached for entities of all tables, nothing is read, and
    /// requirements, which may be table-stored, are left to a change in phases.
    const IN_TABLES: bool = true;

    /// The flag that such a plan may have besides: `REPLACES` for an insertion, `DROPS` for a removal. The values are dropped at the end.
    const DROPS: PlanFlags = PlanFlags::NONE;

    /// Whether it adds components that require others. For a new entity these are constructed without a *prepare* phase, if all go to
    /// columns.
    const REQUIRES: bool = false;

    /// The special flags that a plan must have, exactly, for the change to need neither a *prepare* nor a *finish* phase. See `DROPS` and
    /// `REQUIRES` for flags that it may have in addition.
    fn flags(_: Subject) -> PlanFlags {
        PlanFlags::NONE
    }

    /// The key of a plan with the flags of the step. If the step does not concern tables, that is its plan for entities of any table.
    fn key(self, subject: Subject) -> PlanKey;

    /// The number of the change.
    fn change(self, store: &mut Store) -> Change;

    /// Whether there is room in sparse storages for what the step adds to an entity.
    fn has_sparse_room(_: &MovePlan, _: &[SparseStorage], _: u32) -> bool {
        false
    }

    /// Removes the value of an entity from a sparse storage, if there is one.
    ///
    /// # Safety
    ///
    /// - The storage is that of the only component that the step removes. Dropping a value does nothing.
    unsafe fn remove_sole(storage: &mut SparseStorage, entity: Entity) {
        storage.remove(entity);
    }
}

/// A change that is known by its number.
#[derive(Clone, Copy)]
pub(super) struct NumberedStep<const ADDS: bool>(pub(super) Change);

impl<const ADDS: bool> Step for NumberedStep<ADDS> {
    const ADDS: bool = ADDS;

    #[inline]
    fn key(self, subject: Subject) -> PlanKey {
        PlanKey::of_change(self.0, subject.table())
    }

    fn change(self, _: &mut Store) -> Change {
        self.0
    }
}

/// The insertion or removal of a bundle that is known by its type.
pub(super) struct TypedStep<B, const ADDS: bool>(PhantomData<fn() -> B>);

impl<B, const ADDS: bool> Clone for TypedStep<B, ADDS> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B, const ADDS: bool> Copy for TypedStep<B, ADDS> {}

impl<B, const ADDS: bool> TypedStep<B, ADDS> {
    const STEP: fn(u32) -> ChangeStep = if ADDS { ChangeStep::Insert } else { ChangeStep::Remove };

    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<B: Bundle, const ADDS: bool> Step for TypedStep<B, ADDS> {
    const ADDS: bool = ADDS;
    const IN_TABLES: bool = B::Parts::KINDS.intersects(PartKinds::TABLE);
    const DROPS: PlanFlags = match (B::Parts::NEEDS_DROP && !B::Parts::KINDS.intersects(PartKinds::SPARSE), ADDS) {
        (false, _) => PlanFlags::NONE,
        (true, true) => PlanFlags::REPLACES,
        (true, false) => PlanFlags::DROPS,
    };
    const REQUIRES: bool = ADDS && B::Parts::KINDS.intersects(PartKinds::REQUIRES) && Self::IN_TABLES;

    #[inline(always)]
    fn flags(subject: Subject) -> PlanFlags {
        let kinds = B::Parts::KINDS;
        if !ADDS {
            let at_once = B::Parts::SOLE_SPARSE && !kinds.intersects(PartKinds::SPARSE_DROPS);
            return if at_once { PlanFlags::SPARSE } else { PlanFlags::NONE };
        }
        match kinds.intersects(PartKinds::SPARSE) && (subject.is_new() || !kinds.intersects(PartKinds::SPARSE_DROPS)) {
            true if kinds.intersects(PartKinds::LINKS) => PlanFlags::LINKS,
            true => PlanFlags::SPARSE,
            false => PlanFlags::NONE,
        }
    }

    #[inline(always)]
    fn key(self, subject: Subject) -> PlanKey {
        let table = if Self::IN_TABLES { subject.table() } else { TableId::EMPTY };
        PlanKey::of_type(TypeId::of::<B>(), Self::STEP, table, subject.is_new())
    }

    fn change(self, store: &mut Store) -> Change {
        Change::of(Self::STEP(store.register_bundle::<B>()))
    }

    #[inline(always)]
    fn has_sparse_room(plan: &MovePlan, sparse: &[SparseStorage], index: u32) -> bool {
        B::Parts::has_room(&mut Targets::of(plan), sparse, index)
    }

    #[inline(always)]
    unsafe fn remove_sole(storage: &mut SparseStorage, entity: Entity) {
        // SAFETY: forwarded; the component is the only one of the bundle.
        unsafe { B::Parts::remove_sole(storage, entity) }
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

/// What *finish* gets: the change that has been carried out, its plan, and where the entity was.
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

/// What [`Ready::carry_out`] returns.
struct Done {
    entity: Entity,
    /// Where the entity is now.
    here: Location,
    /// The component by which the entity is to be linked.
    link: Option<ComponentId>,
}

impl Ready<'_> {
    /// The *move* and *write* phases of a change. Unless it has `PHASES`, the special flags of the plan are those of the step, and perhaps
    /// `S::DROPS` and [`PlanFlags::REQUIRES`].
    ///
    /// # Safety
    ///
    /// - As for [`Store::execute`].
    /// - `self` was returned by `ready::<S, PHASES>` for this subject, and nothing has happened to the store since.
    #[inline(always)]
    unsafe fn carry_out<S: Step, const PHASES: bool>(
        self,
        subject: Subject,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Done {
        let Self { plan, entity, here, rows, entities, sparse, components, now } = self;
        let row = here.row as usize;
        // SAFETY: the plan leads to the table, which has room for the row, and for the row past the end if the plan replaces values. Room
        // in sparse storages has been reserved if the plan has that flag, and *finish* drops what retires there or is past the end. Without
        // that phase nothing retires, as the flags of the step say, and what is past the end is dropped here. Each target that says so has a value in the row. Each column of a row
        // that is new in the table gets its value from the row that moves, whose columns the plan names, or from `write`, or has got it from
        // a constructor.
        unsafe {
            match rows {
                Rows::New(table) => {
                    write(&mut RowWriter::new(plan, table, row, entity, sparse, now));
                    table.commit_row(entity, now);
                }
                Rows::None => {
                    if S::ADDS {
                        write(&mut RowWriter::outside_of_tables(plan, entity, sparse, now));
                    }
                }
                Rows::Stays(table) => {
                    read(plan, table, sparse);
                    if S::ADDS {
                        // A table whose values stay as they are has not changed, whatever comes to sparse storages.
                        if !PHASES || plan.writes_columns() {
                            table.stamp(now.tick);
                        }
                        write(&mut RowWriter::new(plan, table, row, entity, sparse, now));
                        if table.is_tracked() {
                            note_targets(plan, table, row, now);
                        }
                    }
                    if !PHASES && S::ADDS && plan.flags.intersects(S::DROPS) {
                        drop_values(plan, None, table, (Fate::Dropped, &[]));
                    }
                }
                Rows::Moves { to, source, from } => {
                    read(plan, source, sparse);
                    let relocate = |last| entities.relocate_row(entity, here, last, from);
                    source.move_row_to((from as usize, entity), to, relocate, &plan.moves, now.tick);
                    let drops = !PHASES && !S::ADDS && plan.flags.intersects(S::DROPS);
                    if (PHASES || drops) && !plan.other_moves.is_empty() {
                        source.move_other_values(from as usize, to, row, &plan.other_moves);
                    }
                    if S::ADDS {
                        write(&mut RowWriter::new(plan, to, row, entity, sparse, now));
                    }
                    if source.is_tracked() | to.is_tracked() {
                        source.move_ticks(from as usize, to, row, [&plan.moves, &plan.other_moves], now);
                        note_targets(plan, to, row, now);
                    }
                    if drops {
                        drop_values(plan, Some(source), to, (Fate::Dropped, &[]));
                    }
                }
            }
        }
        let flags = S::flags(subject);
        let mut link = None;
        if !PHASES && flags.intersects(PlanFlags::SPARSE) {
            if S::ADDS {
                entities.add_to_summary(entity.index(), plan.summary);
                if flags.intersects(PlanFlags::ONLY_LINKS) {
                    link = plan.sparse_targets().next().map(|number| components.sparse()[number]);
                }
            } else if let [number] = *plan.leaves {
                // SAFETY: the plan is that of the step, and dropping values does nothing, as the flags of the step say.
                unsafe { S::remove_sole(&mut sparse[number as usize], entity) }
                leave_summary(entities, sparse, entity, number as usize);
            }
        }
        Done { entity, here, link }
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
        let step = TypedStep::<B, true>::new();
        let read = |_: &MovePlan, _: &Table, _: &mut [SparseStorage]| {};
        // SAFETY: the change adds the bundle, by an insertion, and nothing else.
        unsafe {
            match B::IN_PLACE {
                // To take the bundle apart may be user code.
                None => with_parts(bundle, |parts| {
                    let write = |writer: &mut RowWriter<'_>| parts.write_row::<false>(writer);
                    self.execute(subject, step, Fate::Dropped, read, write)
                }),
                Some(token) => match self.ready::<TypedStep<B, true>, false>(step.key(subject), subject) {
                    Some(ready) => {
                        let done = ready.carry_out::<TypedStep<B, true>, false>(
                            subject,
                            read,
                            #[inline(always)]
                            |writer: &mut RowWriter<'_>| write_whole(bundle, writer, token),
                        );
                        Ok(self.conclude_at_once(done))
                    }
                    None => bundle.elsewhere(move |bundle| {
                        let write = |writer: &mut RowWriter<'_>| write_whole(bundle, writer, token);
                        self.execute_in_phases(subject, step, Fate::Dropped, read, write)
                    }),
                },
            }
        }
    }

    /// The end of a change without a *finish* phase.
    #[inline(always)]
    fn conclude_at_once(&mut self, done: Done) -> (Entity, Option<Location>) {
        let Done { entity, here, link } = done;
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
    /// If there is no memory, or no id for a new entity. No component has changed, and neither function has been called. Events may have
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
    pub(super) unsafe fn execute<S: Step>(
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
            match self.ready::<S, false>(step.key(subject), subject) {
                Some(ready) => {
                    let done = ready.carry_out::<S, false>(subject, read, write);
                    Ok(self.conclude_at_once(done))
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
    unsafe fn execute_in_phases<S: Step>(
        &mut self,
        subject: Subject,
        step: S,
        fate: Fate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        write: impl FnOnce(&mut RowWriter<'_>),
    ) -> Result<(Entity, Option<Location>), SpawnError> {
        let key = self.key_of_table(step, subject);
        let (mut id, mut flags) = self.find_plan(key, step, subject.table());
        let mut prepared = None;
        // *Prepare* makes room as well. Without that phase the loop below reserves the row if the table is full.
        let mut has_room = flags.intersects(PlanFlags::PREPARE);
        if flags.intersects(PlanFlags::NOTIFIES_BEFORE)
            && let Subject::Alive(entity, location) = subject
        {
            let change = step.change(self);
            let panicked = self.notify_before_change(Affected::Listed(&[entity]), location.table, change);
            prepared = Some(Prepared { panicked: Some(panicked), ..Prepared::default() });
            (id, flags) = self.find_plan(key, step, subject.table());
        }
        if has_room {
            match prepared.as_mut().and_then(|prepared| prepared.panicked.take()) {
                None => self.prepare(subject, id, fate, &mut prepared)?,
                Some(mut panicked) => {
                    panicked.go_on_if_fails(|| self.prepare(subject, id, fate, &mut prepared))?;
                    prepared.get_or_insert_default().panicked = Some(panicked);
                }
            }
        }
        let Done { entity, here, .. } = loop {
            // SAFETY: forwarded.
            if let Some(ready) = unsafe { self.ready::<S, true>(key.with_flags(flags), subject) } {
                // SAFETY: forwarded.
                break unsafe { ready.carry_out::<S, true>(subject, read, write) };
            }
            assert!(!has_room, "*prepare* has reserved the row");
            self.reserve_row(subject, id)?;
            has_room = true;
        };
        let mut is_here = true;
        let drops = PlanFlags::DROPS.union(PlanFlags::REPLACES);
        if flags.intersects(PlanFlags::FINISH.difference(drops)) {
            let changed = Changed { entity, plan: id, from: subject, here, fate };
            // SAFETY: the change has been carried out but for this phase, and nothing has happened since.
            is_here = unsafe { self.finish(changed, &mut prepared) };
        } else if flags.intersects(drops) {
            let Planned { plan, tables, .. } = self.structure.archetypes.at(id);
            // SAFETY: as above. No listener takes a value.
            unsafe { drop_values_in(plan, tables, (subject.table(), here.table), (fate, &[])) }
        }
        if prepared.is_none() {
            // To drop nothing is a call.
            core::mem::forget(prepared);
        }
        Ok((entity, is_here.then_some(here)))
    }

    /// The key of the plan of a step for the table of an entity. The own key of a step without table-stored components finds a plan that is
    /// not good for *prepare* and *finish*.
    #[inline]
    fn key_of_table<S: Step>(&mut self, step: S, subject: Subject) -> PlanKey {
        let key = step.key(subject);
        if S::IN_TABLES || subject.is_new() {
            return key;
        }
        // Only to fill the plan cache: the next change with this key needs no phases.
        self.find_plan(key, step, TableId::EMPTY);
        PlanKey::of_change(step.change(self), subject.table())
    }

    /// The plan of a step for entities of a table, and its special flags. The plan cache remembers it with a key.
    #[inline]
    fn find_plan(&mut self, key: PlanKey, step: impl Step, from: TableId) -> (PlanId, PlanFlags) {
        match self.structure.archetypes.find(key) {
            Some(found) => found,
            None => self.make_plan(key, step, from),
        }
    }

    #[cold]
    #[inline(never)]
    fn make_plan(&mut self, key: PlanKey, step: impl Step, from: TableId) -> (PlanId, PlanFlags) {
        let change = step.change(self);
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
        let moves = plan.table != subject.table() || subject.is_new();
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
    /// Without `PHASES` the special flags of the plan are those of the step, and perhaps `S::DROPS` and, for a new entity of a step that
    /// `REQUIRES`, [`PlanFlags::REQUIRES`].
    ///
    /// # Safety
    ///
    /// - If the subject is `Alive`, the entity is alive and its row is at that location. If it is `Pending`, the id is pending
    ///   ([`Entities::is_pending`]).
    #[inline(always)]
    unsafe fn ready<S: Step, const PHASES: bool>(&mut self, key: PlanKey, subject: Subject) -> Option<Ready<'_>> {
        let now = self.now();
        let Self { structure: Structure { archetypes, entities, sparse, .. }, events, .. } = self;
        let flags = S::flags(subject);
        let tolerated = if S::REQUIRES && subject.is_new() { S::DROPS.union(PlanFlags::REQUIRES) } else { S::DROPS };
        let key = if PHASES { key } else { key.with_flags(flags).tolerating(tolerated) };
        let Planned { plan, tables, components } = archetypes.cached(key)?;
        if !PHASES && S::ADDS && flags.intersects(PlanFlags::SPARSE) {
            let index = subject.index().unwrap_or_else(|| entities.next_index());
            let links = flags.intersects(PlanFlags::ONLY_LINKS);
            if !(entities.has_summary_room(index, subject.is_new()) && S::has_sparse_room(plan, sparse, index))
                || links && (events.dispatch.is_running() || !events.link_at_once(plan.summary))
            {
                return None;
            }
        }
        let to = plan.table;
        // SAFETY: the tables of cached plans and of live entities are tables of this store; in the last arm they differ, as the arm before has
        // compared them. Required components are those of the plan, which go to columns that hold no value, as its flags say. The table has
        // room for the row. `carry_out` commits it: a pending id needs no more, and for a new entity `can_allocate_at_row` has just said that
        // there is an id.
        let (rows, entity, here) = unsafe {
            match subject {
                Subject::New | Subject::Pending(_) => {
                    let table = tables.get_unchecked_mut(to);
                    if table.is_full() {
                        return None;
                    }
                    if !PHASES && S::REQUIRES && !plan.required.is_empty() {
                        if matches!(subject, Subject::New) && !entities.can_allocate_at_row() {
                            return None;
                        }
                        construct_required(table, plan);
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
                Subject::Alive(entity, at) if !PHASES && !S::IN_TABLES => (Rows::None, entity, at),
                Subject::Alive(entity, at) if at.table == to => {
                    let table = tables.get_unchecked_mut(to);
                    if (PHASES || S::ADDS && plan.flags.intersects(S::DROPS)) && !has_room(plan, table, 0) {
                        return None;
                    }
                    (Rows::Stays(table), entity, at)
                }
                Subject::Alive(entity, at) => {
                    let (source, table) = tables.get_two_mut(at.table, to);
                    // A row that moves and has values replaced as well is rare.
                    let replaces = !PHASES && S::ADDS && plan.flags.intersects(S::DROPS);
                    if replaces || table.is_full() || PHASES && !has_room(plan, table, 1) {
                        return None;
                    }
                    let here = Location { table: to, row: table.len() as u32 };
                    (Rows::Moves { to: table, source, from: at.row }, entity, here)
                }
            }
        };
        Some(Ready { plan, entity, here, rows, entities, sparse, components, now })
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
        let Self { structure: Structure { archetypes, entities, sparse, .. }, events, .. } = self;
        let Planned { plan, tables, components } = archetypes.at(id);
        let (flags, index, moves) = (plan.flags, entity.index(), plan.table != from.table);
        let is_listed = flags.intersects(PlanFlags::RECORDS.union(PlanFlags::NOTIFIES_AFTER));
        let summary = entities.sparse_summary(index);
        let watches_sparse = flags.intersects(PlanFlags::SPARSE) && events.watches(summary);
        reserve_sparse(sparse, entities, plan, index)?;
        if is_listed || watches_sparse {
            let prepared = prepared.get_or_insert_default();
            prepared.told = events.prepare(plan.lost.iter().copied(), summary, 1, fate)?;
            if watches_sparse {
                try_reserve(&mut prepared.held, sparse.len())?;
                prepared.held.extend(held_by(entity, summary, sparse).map(|storage| storage as u32));
            }
        }
        let past_end = usize::from(flags.intersects(PlanFlags::REPLACES));
        tables.get_mut(plan.table).reserve(usize::from(moves) + past_end)?;
        if flags.intersects(PlanFlags::DISABLES)
            && let Some((source, to)) = tables.get(from.table).zip(tables.get(plan.table))
        {
            prepared.get_or_insert_default().renewal = Some(source.renewal(from.row as usize, to));
        }
        if flags.intersects(PlanFlags::REQUIRES) {
            let in_new_row = |required: &RequiredComponent| moves && required.new_column().is_some();
            let wanted = |required: &RequiredComponent| !in_new_row(required) && is_missing(required, sparse, index);
            if flags.intersects(PlanFlags::REQUIRES_ELSEWHERE) || !moves {
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
        let Self { structure: Structure { archetypes, entities, sparse, .. }, .. } = self;
        let Planned { plan, tables, components } = archetypes.at(id);
        let table = tables.get_mut(plan.table);
        table.reserve(1)?;
        let index = match subject {
            Subject::Pending(entity) => entity.index(),
            _ => entities.reserve_next()?,
        };
        reserve_sparse(sparse, entities, plan, index)?;
        if plan.flags.intersects(PlanFlags::REQUIRES_ELSEWHERE) {
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
        let Changed { entity, plan: id, from, .. } = changed;
        let plan = self.structure.archetypes.at(id).plan;
        let only_notifies = !plan.flags.intersects(PlanFlags::FINISH.difference(PlanFlags::NOTIFIES_AFTER));
        if only_notifies {
            self.events.add_change(entity, plan, from.is_new());
            match prepared.as_mut().and_then(|prepared| prepared.panicked.take()) {
                Some(panicked) => self.finish_operation(panicked),
                None => self.flush_events(),
            }
            return false;
        }
        let Subject::Alive(_, from) = from else { return self.finish_spawn(changed, prepared) };
        // SAFETY: forwarded: the change has been carried out but for this phase.
        let panicked = unsafe { self.finish_change(changed, from, prepared.take().unwrap_or_default()) };
        let has_pending = self.events.has_pending;
        match panicked {
            Some(panicked) => self.finish_operation(panicked),
            None => self.flush_events(),
        }
        !has_pending
    }

    /// The *finish* phase of a change by which an entity has got its first row.
    fn finish_spawn(&mut self, changed: Changed, prepared: &mut Option<Prepared>) -> bool {
        let (Changed { entity, plan: id, here, .. }, now) = (changed, self.now());
        let Self { structure: Structure { archetypes, entities, sparse, .. }, .. } = self;
        let Planned { plan, tables, components } = archetypes.at(id);
        if let Some(Prepared { aside, .. }) = prepared {
            let (table, row) = (tables.get_mut(here.table), here.row as usize);
            // SAFETY: the values are required components of the plan, whose row this is; room in sparse storages was reserved.
            unsafe { write_placed_values(aside, &mut RowWriter::new(plan, table, row, entity, sparse, now)) }
        }
        if plan.flags.intersects(PlanFlags::SPARSE) {
            entities.set_sparse_summary(entity.index(), plan.summary);
        }
        let storages = plan.summary;
        let linked = match plan.flags.intersects(PlanFlags::ONLY_LINKS) {
            true => plan.sparse_targets().next().map(|number| components.sparse()[number]),
            false => None,
        };
        if let Some(component) = linked.filter(|_| self.can_link_at_once(storages)) {
            return self.link_new_source(component, entity);
        }
        let plan = self.structure.archetypes.at(id).plan;
        if plan.interest().is_empty() {
            return true;
        }
        let now = self.clock.change_tick();
        self.events.record_spawned(&self.structure, now, here.table, here.row as usize);
        let has_pending = self.events.has_pending;
        self.flush_events();
        !has_pending
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
        let Self { structure: Structure { archetypes, entities, sparse, .. }, events, .. } = self;
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
        if flags.intersects(PlanFlags::RENEWS) {
            note_renewed_sparse(plan, entity, sparse, now);
        }
        if flags.intersects(PlanFlags::SPARSE) {
            remove_from_storages(entities, sparse, plan, entity, !held.is_empty());
        }
        if let Some(renewal) = renewal {
            renew_sparse_changes(entities, sparse, entity, renewal, now.tick);
        }
        if !plan.interest().is_empty() {
            let source = tables.get_mut(from.table);
            let past_end = source.len();
            let left = LeftRows { table: source, entities: &[entity], row: |_| past_end, fate };
            // SAFETY: the values that the row had in these columns are past the end. They are dropped below unless they are kept, or have
            // been taken.
            unsafe { events.rows_changed(plan, &left, Affected::Listed(&[entity]), &mut told) }
        }
        let is_notified = !held.is_empty() || plan.interest().intersects(Interest::RECORDER.union(Interest::OBSERVERS));
        if flags.intersects(PlanFlags::SPARSE) && is_notified {
            let summary = entities.sparse_summary(entity.index());
            let values = (&mut sparse[..], components);
            events.sparse_changed(plan, (entity, fate), &held, summary, values, &mut told);
        }
        let has_links = !events.links.are_settled();
        let _finish = events.finish(&told);
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

/// Constructs what a plan requires in the row past the end of a table.
///
/// # Safety
///
/// - The plan leads to this table, which has room for a row. The caller makes it one.
#[inline(never)]
unsafe fn construct_required(table: &mut Table, plan: &MovePlan) {
    // SAFETY: forwarded.
    unsafe { NewRow::make(table, &plan.required).keep() }
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
#[inline(never)]
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
        if plan.flags.intersects(PlanFlags::SPARSE) {
            let others = if plan.retains.is_some() { 0..sparse.len() } else { 0..0 };
            let storages = plan.leaves.iter().map(|&storage| storage as usize);
            let storages = storages.chain(plan.sparse_targets()).chain(others);
            for_each_despite_panics(storages, |storage| sparse[storage].drop_retired());
        }
    }
}
