//! Changing which components an entity has.
//!
//! A [`Located`] is an entity and where it is. It borrows the store, so nothing can make the location wrong while it exists,
//! and each operation uses it up. Every change of one entity goes through [`Located::change_row`]: it makes room, and the
//! values that are required; from then on nothing can fail. It moves the row, has new values written, notes where everything is
//! and tells the listeners; no user code runs. In the end it drops the values that are left over.

use super::Store;
use super::addition::{Addition, Loss};
use super::change::Row;
use super::clock::Clock;
use super::news::Affected;
use super::required::NewRow;
use super::ticks::note_targets;
use crate::alloc_error::AllocError;
use crate::archetype::Planned;
use crate::bundle::{Bundle, BundleParts, Moved, Reader, Sink, Targets, put_in_place, take_parts, with_parts};
use crate::component::{ComponentId, Kinds};
use crate::entity::{Entities, Entity, Location, TableId};
use crate::graph::{Change, ChangeStep, MovePlan, PlanId};
use crate::guard::Waiting;
use crate::removal::Fate;
use crate::sparse::SparseStorage;
use crate::table::{Table, Tables};
use crate::tick::WriteStamp;

/// A live entity, where it is, and the store of both.
pub(super) struct Located<'s> {
    store: &'s mut Store,
    entity: Entity,
    location: Location,
}

impl Store {
    /// An entity, if it is alive.
    #[inline]
    pub(super) fn located(&mut self, entity: Entity) -> Option<Located<'_>> {
        let location = self.entities.get(entity)?;
        Some(Located { store: self, entity, location })
    }

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

    /// What the store makes of new values, or of a wish to remove some. That can only make tables and plans, or add storages: no
    /// entity moves.
    pub(super) fn prepare<T>(&mut self, make: impl FnOnce(&mut Store) -> T) -> T {
        make(self.store)
    }

    /// Adds the components of a bundle, and says where the entity is now: none if observers or hooks may have been told, whose commands
    /// may have done anything.
    #[inline(always)]
    pub(super) fn insert<B: Bundle>(mut self, mut bundle: Moved<'_, B>) -> Option<Location> {
        if const { Moved::<B>::IS_SMALL && !B::Parts::SOLE_SPARSE } {
            // SAFETY: the bundle is forgotten if it has been moved out.
            if let Some((here, told)) = unsafe { self.insert_lightly(bundle.address()) } {
                core::mem::forget(bundle);
                let Some(told) = told else { return Some(here) };
                tell_of_one(self.store, self.entity, told);
                return None;
            }
            return bundle.elsewhere(|bundle| self.insert_otherwise(bundle));
        }
        self.insert_otherwise(bundle)
    }

    #[inline(always)]
    fn insert_otherwise<B: Bundle>(self, bundle: Moved<'_, B>) -> Option<Location> {
        let Self { store, entity, location } = self;
        let Some(number) = store.only_storage::<B>() else {
            return insert_by_plan(store, entity, location, bundle);
        };
        // To take a bundle apart may be user code.
        if B::IN_PLACE.is_some() {
            // SAFETY: the value is moved there at once.
            if let Some(address) = unsafe { store.place_sparse_lightly::<B>(number, entity) } {
                // SAFETY: the address is one for the only component.
                with_parts(bundle, |parts| unsafe { parts.write_sole(address, 0) });
                return Some(location);
            }
        }
        insert_sparse_with_care(store, number, entity, bundle).then_some(location)
    }

    /// Adds a bundle, which is moved out, if the plan by which such a bundle was last added to an entity of this table is light, or tells
    /// lightly, and applies. Says where the entity is now, and of which component something is to be told. Nothing has happened
    /// otherwise.
    ///
    /// As in [`Store::spawn`], no function is called meanwhile that might change the store or look at the bundle.
    ///
    /// # Safety
    ///
    /// - The address is that of a bundle.
    #[inline(always)]
    unsafe fn insert_lightly<B: Bundle>(&mut self, bundle: *mut B) -> Option<(Location, Option<(ComponentId, Kinds)>)> {
        let token = B::IN_PLACE?;
        let (entity, from) = (self.entity, self.location);
        let Store { archetypes, entities, sparse, clock, .. } = &mut *self.store;
        let (Planned { plan, tables, .. }, to) = archetypes.latest_light_change::<B, true>(from.table)?;
        // SAFETY: the caller's promise: the plan adds the bundle, of which no component was there.
        let put = |sink: &mut Sink<'_>| unsafe { B::put_new(bundle, sink, token) };
        // SAFETY: the plan is light, or tells lightly, and one for the table where the entity is; it adds the bundle, which `put` puts.
        let here = unsafe { carry_lightly::<false>((plan, to), tables, entities, sparse, clock, (entity, from), put)? };
        // A plan that tells lightly tells of one component.
        Some((here, plan.after.first().copied()))
    }

    /// Adds those components of a bundle that the entity does not have, and says where it is now, as [`Located::insert`] does. The rest
    /// are dropped.
    pub(super) fn insert_if_new<B: Bundle>(self, bundle: Moved<'_, B>) -> Option<Location> {
        with_parts(bundle, |parts| {
            let addition = self.store.inserting_if_new::<B>(self.entity, parts);
            self.add(addition)
        })
    }

    /// Removes the components of `Old`, as far as the entity has them, and adds those of `New`, in one move.
    pub(super) fn replace<Old: Bundle, New: Bundle>(self, bundle: Moved<'_, New>) {
        with_parts(bundle, |parts| {
            let old = self.store.removing::<Old>();
            let addition = self.store.inserting_after::<New>(old, parts);
            self.add(addition);
        });
    }

    /// Removes the components of a bundle.
    #[inline(always)]
    pub(super) fn remove<B: Bundle>(mut self) {
        if let Some(number) = self.store.only_storage::<B>() {
            return self.store.remove_sparse::<B>(number, self.entity);
        }
        if !self.remove_lightly::<B>() {
            remove_by_plan::<B>(self);
        }
    }

    /// Removes the components of a bundle, if the plan by which one was last removed from an entity of this table is light and applies,
    /// and says whether it does.
    #[inline(always)]
    fn remove_lightly<B: Bundle>(&mut self) -> bool {
        let (entity, from) = (self.entity, self.location);
        let Store { archetypes, entities, sparse, clock, .. } = &mut *self.store;
        let Some((Planned { plan, tables, .. }, ..)) = archetypes.latest_light_change::<B, false>(from.table) else {
            return false;
        };
        // SAFETY: the plan is light and one for the table where the entity is; it adds nothing.
        unsafe {
            carry_lightly::<false>((plan, plan.table), tables, entities, sparse, clock, (entity, from), |_| {})
                .is_some()
        }
    }

    /// Removes all components but those of a bundle and those that these require, and drops them.
    pub(super) fn retain<B: Bundle>(self) {
        let loss = self.store.retaining::<B>();
        self.lose(loss);
    }

    /// Adds new values, and says where the entity is now, as [`Located::insert`] does.
    #[inline]
    pub(super) fn add(self, addition: Addition<impl FnOnce(&mut Sink<'_>)>) -> Option<Location> {
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
        addition: Addition<impl FnOnce(&mut Sink<'_>)>,
    ) -> Result<Option<Location>, AllocError> {
        let change = addition.change();
        // SAFETY: the sink is one for the change's plan; nothing is read.
        unsafe { self.change_row::<true>(change, Fate::Dropped, |_, _, _| {}, |sink| addition.put(sink)) }
    }

    /// Carries out a change that adds nothing. Where the entity is afterwards the index knows: a component whose `Drop` panics
    /// leaves no chance to return it.
    #[inline(always)]
    pub(super) fn lose(mut self, loss: Loss) {
        let plan = self.store.archetypes.plan(self.location.table, loss.change());
        // SAFETY: the plan is that of the change for this table; the change adds nothing.
        if unsafe { self.move_lightly::<false>(plan, |plan| plan.is_light, |_| {}) }.is_none() {
            self.lose_with_care(loss);
        }
    }

    /// [`Located::lose`], whatever the plan is.
    #[inline(never)]
    fn lose_with_care(self, loss: Loss) {
        // SAFETY: the change adds nothing and takes nothing.
        let done = unsafe { self.change_row::<false>(loss.change(), Fate::Dropped, |_, _, _| {}, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }

    /// Takes the components of a bundle out. False, and nothing happens, if one of them is missing.
    ///
    /// # Safety
    ///
    /// - `out` is writable; it holds the bundle if this returns true.
    pub(super) unsafe fn take<B: Bundle>(self, out: *mut B) -> bool {
        let number = self.store.register_bundle::<B>();
        if !self.store.has_all(self.entity, number) {
            return false;
        }
        let change = Change::of(ChangeStep::Take(number));
        // SAFETY: `take_into` writes full parts or returns false; the bundle is the change's.
        unsafe { take_parts(out, |parts| self.take_into::<B::Parts>(change, parts, |_| {})) }
    }

    /// Does something with the entity, and keeps what is to be told of it for the caller's [`Store::react`].
    #[inline]
    pub(super) fn without_news<T>(self, operation: impl FnOnce(Located<'_>) -> T) -> T {
        let Self { store, entity, location } = self;
        store.without_news(|store| operation(Located { store, entity, location }))
    }

    /// Whether the entity has all components of a bundle.
    pub(super) fn has_bundle<B: Bundle>(&mut self) -> bool {
        let number = self.store.register_bundle::<B>();
        self.store.has_all(self.entity, number)
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
        let change = self.store.archetypes.then(Change::of(ChangeStep::Take(old)), step);
        let mut taken = Taken(None);
        with_parts(new, |new| {
            // SAFETY: `take_into` writes full parts, as nothing is missing; the first step takes the old bundle, and the only
            // other one adds the new one, which is put.
            unsafe {
                take_parts(out, |parts| {
                    let put = |sink: &mut Sink<'_>| new.put(sink);
                    self.take_into::<Old::Parts>(change, parts, put)
                });
                taken.0 = Some(out);
            }
        });
        core::mem::forget(taken);
    }

    /// Moves the components of a bundle out, and lets `put` write new ones. True.
    ///
    /// # Safety
    ///
    /// - The first step of the change takes a bundle with these parts, all components of which the entity has. `put` puts every
    ///   component of each bundle that the other steps add, in order, and does nothing else. No step removes anything.
    /// - `parts` is writable; it is full afterwards.
    unsafe fn take_into<P: BundleParts>(self, change: Change, parts: *mut P, put: impl FnOnce(&mut Sink<'_>)) -> bool {
        let (entity, row) = (self.entity, self.location.row as usize);
        // Events that cannot be noted for want of memory, and a `Drop` of what is replaced, panic when the values have been read.
        let mut taken = Taken(None);
        let read = |plan: &MovePlan, table: &Table, sparse: &mut [SparseStorage]| {
            debug_assert!(plan.complete, "the entity has everything that is taken");
            let mut reader = Reader { table, row, entity, sources: plan.sources.iter(), sparse };
            // SAFETY: the plan belongs to this bundle and table and is complete; the entity has all sparse components.
            // The values in the table are given up.
            unsafe { P::read(parts, &mut reader) };
            taken.0 = Some(parts);
            plan.sparse_sources().for_each(|storage| sparse[storage].forget_retired());
        };
        // SAFETY: the caller's promise; `read` moves out what the first step takes, and the others take nothing away.
        let done = unsafe { self.change_row::<true>(change, Fate::Taken, read, put) };
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
        let done = unsafe { self.change_row::<false>(loss.change(), Fate::Taken, read, |_| {}) };
        if let Err(error) = done {
            error.raise();
        }
    }

    /// [`carry_lightly`], if the plan fits.
    ///
    /// # Safety
    ///
    /// - `fits` asks whether the plan [is light](MovePlan::is_light), or [tells lightly](MovePlan::tells_lightly), or, if it `REQUIRES`,
    ///   [requires lightly](MovePlan::requires_lightly).
    /// - The plan has just been found: it is that of a change for the table where the entity is.
    /// - The rest as for [`carry_lightly`].
    #[inline(always)]
    unsafe fn move_lightly<const REQUIRES: bool>(
        &mut self,
        id: PlanId,
        fits: impl FnOnce(&MovePlan) -> bool,
        put: impl FnOnce(&mut Sink<'_>),
    ) -> Option<(Location, &MovePlan)> {
        let (entity, from) = (self.entity, self.location);
        let Store { archetypes, entities, sparse, clock, .. } = &mut *self.store;
        let Planned { plan, tables, .. } = archetypes.just_found(id);
        if !fits(plan) {
            return None;
        }
        // SAFETY: the caller's promise.
        let here = unsafe {
            carry_lightly::<REQUIRES>((plan, plan.table), tables, entities, sparse, clock, (entity, from), put)?
        };
        Some((here, plan))
    }

    /// Moves the row to where it belongs after a change, or changes it in place, and says where the entity is now, unless something has
    /// been told or is to be: what is recorded then may have moved it. `read` gets the row before, with the plan, and `put` afterwards. What is left behind is dropped at the end, if that is its fate.
    ///
    /// # Errors
    ///
    /// If there is no memory. Nothing has happened.
    ///
    /// # Safety
    ///
    /// - `put` puts every component of each bundle that the change adds, in order, and does nothing else. Neither that nor
    ///   `read` panics. `ADDS` is true if the change adds anything.
    /// - If the fate is `Taken`, `read` moves everything out that the change takes away, and only then; what it takes from a
    ///   sparse storage leaves that.
    #[inline(always)]
    unsafe fn change_row<const ADDS: bool>(
        self,
        change: Change,
        fate: Fate,
        read: impl FnOnce(&MovePlan, &Table, &mut [SparseStorage]),
        put: impl FnOnce(&mut Sink<'_>),
    ) -> Result<Option<Location>, AllocError> {
        let Self { store, entity, location: from } = self;
        let mut panicked = None;
        let (id, Planned { plan, tables, components }, entities, sparse, listeners, clock) = loop {
            let Store { archetypes, entities, sparse, listeners, clock, .. } = &mut *store;
            let id = archetypes.plan(from.table, change);
            let planned = archetypes.just_found(id);
            if !planned.plan.is_foretold || panicked.is_some() {
                break (id, planned, entities, sparse, listeners, clock);
            }
            panicked = Some(store.expect_change(Affected::Listed(&[entity]), from.table, change));
        };
        let now = WriteStamp { tick: clock.tick.get(), by: entities.acting() };
        let mut special = None;
        let only_tells = plan.only_tells;
        if plan.is_special && !only_tells {
            let mut row =
                Row { plan, tables: &mut *tables, components, sparse, entities, listeners, entity, from, fate };
            // SAFETY: the entity is at this location, for whose table the plan was made. It moves below.
            special = unsafe { row.prepare()? };
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
            // column of `to` gets its value from `source`, has got it from a constructor, or gets it from `put`.
            unsafe {
                here = Location { table: plan.table, row: to.len() as u32 };
                let moved = source.move_row_to(from.row as usize, to, &plan.copies, &plan.drops, now);
                to.commit_moved_row(entity);
                relocate(entities, entity, (from.row, moved), here);
            }
        }
        // SAFETY: the table is one of this store.
        let table = unsafe { tables.get_unchecked(here.table) };
        if ADDS || plan.table != from.table {
            table.stamp(now.tick);
        }
        if ADDS {
            let (row, targets) = (here.row as usize, Targets::of(plan));
            put(&mut Sink { columns: table.columns(), row, entity, targets, sparse: &mut *sparse, now });
        }
        if let Some(special) = special {
            let row = Row { plan, tables, components, sparse, entities, listeners, entity, from, fate };
            // SAFETY: the row has moved as the plan says, and all values have been put.
            unsafe { row.finish::<ADDS>(here, special, now, &mut panicked) }
            return Ok(end_told(store, panicked).then_some(here));
        }
        if ADDS && table.is_tracked() {
            note_targets(plan, table, here.row as usize, entity, sparse, now);
        }
        let drops = plan.drops_values && fate == Fate::Dropped;
        if only_tells && !drops {
            store.tell_of_row(id, entity, false);
            end_told(store, panicked);
            return Ok(None);
        }
        if only_tells {
            listeners.note_row(entity, plan);
        }
        if drops {
            // SAFETY: a row has just been moved out of this table with these drops.
            unsafe { tables.get_mut(from.table).drop_some_behind(&plan.drops, &[]) }
        }
        if only_tells {
            return Ok(end_told(store, panicked).then_some(here));
        }
        Ok(Some(here))
    }
}

/// Moves a row to where it belongs by a plan, if ticks need not be carried and there is room. Otherwise nothing happens, and there is
/// no location. `put` gets the row afterwards.
///
/// This is [`Located::change_row`] without what is not needed then: nothing is required, sparse, told, replaced, or has to be dropped.
/// If the plan `REQUIRES` lightly, what is required is made first; if a constructor panics nothing has happened. If it tells lightly,
/// the caller tells of the only component of which something is told.
///
/// # Safety
///
/// - The plan is that of a change for the table where the entity is, with the table to which it leads. It [is light](MovePlan::is_light), or
///   [tells lightly](MovePlan::tells_lightly), or, if it `REQUIRES`, [requires lightly](MovePlan::requires_lightly).
/// - If the change adds anything, that is one bundle, all of whose components `put` puts, in order; it does nothing else, and does not
///   panic.
#[inline(always)]
unsafe fn carry_lightly<const REQUIRES: bool>(
    (plan, to): (&MovePlan, TableId),
    tables: &mut Tables,
    entities: &mut Entities,
    sparse: &mut [SparseStorage],
    clock: &Clock,
    (entity, from): (Entity, Location),
    put: impl FnOnce(&mut Sink<'_>),
) -> Option<Location> {
    let destination = to;
    // SAFETY: both are tables of this store. A light plan leads to another table.
    let (source, to) = unsafe { tables.get_two_mut(from.table, to) };
    if source.is_tracked() | to.is_tracked() | to.is_full() {
        return None;
    }
    if REQUIRES {
        // SAFETY: the plan leads to this table, which has room for a row, and it becomes one below.
        unsafe { NewRow::make(to, &plan.required).keep() }
    }
    let here = Location { table: destination, row: to.len() as u32 };
    // SAFETY: the entity is at this location, for whose table the plan was made, and there is room. Each column of `to` gets its value
    // from `source`, has got it from a constructor, or gets it from `put`.
    unsafe {
        let books = |moved| relocate(entities, entity, (from.row, moved), here);
        source.move_light_row_to((from.row as usize, entity), to, books, &plan.light_moves);
    }
    let now = WriteStamp { tick: clock.tick.get(), by: entities.acting() };
    to.stamp(now.tick);
    put(&mut Sink { columns: to.columns(), row: here.row as usize, entity, targets: Targets::of(plan), sparse, now });
    Some(here)
}

/// [`Located::insert`] of a bundle that goes to tables, whatever its plan is. It stands apart, so that what light plans take is short
/// and stays in registers.
#[inline(never)]
fn insert_by_plan<B: Bundle>(
    store: &mut Store,
    entity: Entity,
    location: Location,
    bundle: Moved<'_, B>,
) -> Option<Location> {
    // To take another bundle apart may be user code, and nothing is known of the store then.
    if B::IN_PLACE.is_none() {
        return insert_parts(store, entity, location, bundle);
    }
    let number = store.register_bundle::<B>();
    let plan = store.archetypes.plan_change::<B, true>(location.table, number);
    let mut located = Located { store, entity, location };
    let mut bundle = Some(bundle);
    let put = |sink: &mut Sink<'_>| {
        if let Some(bundle) = bundle.take() {
            // SAFETY: so it is, and no component of the bundle was there; the sink is one for the change's plan.
            unsafe { put_in_place(bundle, sink) }
        }
    };
    // SAFETY: the plan is that of the change for this table; the change adds the bundle, which `put` puts.
    if let Some((here, plan)) = unsafe { located.move_lightly::<false>(plan, |plan| plan.moves_lightly, put) } {
        // A plan that tells lightly tells of one component.
        return match plan.after.first() {
            None => Some(here),
            Some(&told) => {
                store.tell_of_one(entity, told);
                None
            }
        };
    }
    match bundle {
        // SAFETY: the plan is one for adding the bundle to entities of this table. Nothing has happened since it was found.
        Some(bundle) => unsafe { insert_with_care(store, entity, location, plan, bundle) },
        None => unreachable!("what is not moved lightly has not been put"),
    }
}

/// [`Located::remove`] of a bundle in tables, whatever the plan is.
#[inline(never)]
fn remove_by_plan<B: Bundle>(located: Located<'_>) {
    let number = located.store.register_bundle::<B>();
    located.store.archetypes.plan_change::<B, false>(located.location.table, number);
    let loss = located.store.removing::<B>();
    located.lose(loss);
}

/// Ends an operation of which something may be told, or have been. Says whether nothing is, so that the entity is where it was.
fn end_told(store: &mut Store, panicked: Option<Waiting>) -> bool {
    let has_news = store.has_news();
    match panicked {
        Some(panicked) => store.conclude(panicked),
        None => store.react(),
    }
    !has_news
}

/// [`Located::insert`] of a bundle whose only component has this sparse storage. Says whether the entity is where it was.
#[inline(never)]
fn insert_sparse_with_care<B: Bundle>(store: &mut Store, number: usize, entity: Entity, bundle: Moved<'_, B>) -> bool {
    with_parts(bundle, |parts| store.insert_sparse::<B>(number, entity, parts))
}

/// [`Located::insert`] of a bundle that is put in place, whatever the plan is. It stands apart, so that what light plans take is short
/// and stays in registers.
///
/// # Safety
///
/// - The plan has just been found: it is that for adding the bundle to entities of the table where the entity is.
/// - The bundle is put in place: [`Bundle::IN_PLACE`].
#[inline(never)]
unsafe fn insert_with_care<B: Bundle>(
    store: &mut Store,
    entity: Entity,
    location: Location,
    plan: PlanId,
    bundle: Moved<'_, B>,
) -> Option<Location> {
    let mut bundle = Some(bundle);
    let put = |sink: &mut Sink<'_>| {
        if let Some(bundle) = bundle.take() {
            // SAFETY: so it is, and no component of the bundle was there; the sink is one for the change's plan.
            unsafe { put_in_place(bundle, sink) }
        }
    };
    let mut located = Located { store: &mut *store, entity, location };
    // SAFETY: the caller's promise; the change adds the bundle, which `put` puts.
    if let Some((here, _)) = unsafe { located.move_lightly::<true>(plan, |plan| plan.requires_lightly, put) } {
        return Some(here);
    }
    match bundle {
        Some(bundle) => insert_parts(store, entity, location, bundle),
        None => unreachable!("what is not moved lightly has not been put"),
    }
}

/// Tells of the only component of which something is told. It stands apart, as what is told mostly is nothing.
#[inline(never)]
fn tell_of_one(store: &mut Store, entity: Entity, told: (ComponentId, Kinds)) {
    store.tell_of_one(entity, told);
}

/// [`Located::insert`], whatever the bundle is and the plan, of an entity that is here.
#[inline(never)]
fn insert_parts<B: Bundle>(
    store: &mut Store,
    entity: Entity,
    location: Location,
    bundle: Moved<'_, B>,
) -> Option<Location> {
    with_parts(bundle, |parts| {
        let addition = store.inserting::<B>(parts);
        Located { store, entity, location }.add(addition)
    })
}

/// What has been taken from an entity and not been handed out yet: dropped if something panics.
struct Taken<B>(Option<*mut B>);

impl<B> Drop for Taken<B> {
    fn drop(&mut self) {
        if let Some(taken) = self.0 {
            // SAFETY: the function that sets the address has moved the values there. It forgets this guard to hand them out, so nothing else
            // drops them.
            unsafe { taken.drop_in_place() }
        }
    }
}

/// Notes where entities are now: one, and the one that moves into its old row, which may be itself.
#[inline(always)]
fn relocate(entities: &mut Entities, entity: Entity, (old_row, moved): (u32, Entity), now: Location) {
    entities.set_row(moved, old_row);
    entities.relocate(entity, now);
}
