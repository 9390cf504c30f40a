//! Making entities.

use core::fmt;

use super::Store;
use super::addition::Addition;
use super::required::{NewRow, Placed, make_aside, put_placed};
use crate::alloc_error::AllocError;
use crate::archetype::Planned;
use crate::bundle::{Bundle, BundleParts, Moved, Sink, Targets, give, put_in_place, with_parts};
use crate::component::Components;
use crate::entity::{Entities, Entity, EntityError, EntityIdsExhausted, Location, ReserveError, TableId};
use crate::graph::{Change, ChangeStep, MovePlan, PlanId};
use crate::sparse::SparseStorage;
use crate::table::Table;

/// An entity could not be made. The world is as it was before.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::store::SpawnError;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// match world.try_spawn(Health(3)) {
///     Ok(entity) => assert!(entity.contains::<Health>()),
///     Err(SpawnError::OutOfMemory(error)) => eprintln!("{error}"),
///     Err(SpawnError::IdsExhausted(error)) => eprintln!("{error}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpawnError {
    /// Every index is in use or retired.
    IdsExhausted(EntityIdsExhausted),
    /// There is no memory for another row.
    OutOfMemory(AllocError),
}

impl SpawnError {
    #[cold]
    pub(crate) fn raise(self) -> ! {
        match self {
            Self::IdsExhausted(error) => panic!("{error}"),
            Self::OutOfMemory(error) => error.raise(),
        }
    }
}

impl From<EntityIdsExhausted> for SpawnError {
    fn from(error: EntityIdsExhausted) -> Self {
        Self::IdsExhausted(error)
    }
}

impl From<ReserveError> for SpawnError {
    fn from(error: ReserveError) -> Self {
        match error {
            ReserveError::IdsExhausted => Self::IdsExhausted(EntityIdsExhausted),
            ReserveError::OutOfMemory(error) => Self::OutOfMemory(error),
        }
    }
}

impl From<AllocError> for SpawnError {
    fn from(error: AllocError) -> Self {
        Self::OutOfMemory(error)
    }
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdsExhausted(error) => error.fmt(f),
            Self::OutOfMemory(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SpawnError {}

/// An entity could not be made with the id that was asked for. The world is as it was before.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::{entity::EntityError, store::SpawnAtError};
///
/// let mut world = World::new();
/// let id = world.spawn_empty().id();
/// let error = world.spawn_at(id, ()).unwrap_err();
/// assert_eq!(error, SpawnAtError::Entity(EntityError::Alive(id)));
/// let far = Entity::from_raw_u32(1 << 30).unwrap();
/// assert_eq!(world.spawn_at(far, ()).unwrap_err(), SpawnAtError::TooFar(far));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpawnAtError {
    /// The id cannot be used.
    Entity(EntityError),
    /// The index is so far beyond all others that the books for the gap would take more memory than is reasonable.
    TooFar(Entity),
    /// There is no memory for another row.
    OutOfMemory(AllocError),
}

impl fmt::Display for SpawnAtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entity(error) => error.fmt(f),
            Self::TooFar(entity) => write!(
                f,
                "entity {entity} cannot be spawned: its index is more than {MAX_GAP} beyond the highest one in use"
            ),
            Self::OutOfMemory(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SpawnAtError {}

/// `spawn_at` leaves at most this many unused indexes below a new one: 16 MiB of books.
pub(super) const MAX_GAP: usize = 1 << 20;

/// An iterator's word is taken for at most this many rows in advance.
const MAX_HINT: usize = 1 << 16;

impl Store {
    /// Makes an entity with the components of a bundle.
    #[inline(always)]
    pub(crate) fn spawn<B: Bundle>(&mut self, mut bundle: Moved<'_, B>) -> Entity {
        if const { Moved::<B>::IS_SMALL } {
            // SAFETY: the bundle is forgotten if it has been moved out.
            if let Some(entity) = unsafe { self.spawn_lightly(bundle.address()) } {
                core::mem::forget(bundle);
                return entity;
            }
            return Entity::from_bits(bundle.elsewhere(|bundle| self.spawn_or_raise(bundle)));
        }
        Entity::from_bits(self.spawn_or_raise(bundle))
    }

    /// Makes an entity with the components of a bundle, which is moved out, if the graph remembers how the last one with such a bundle was
    /// made and there is room. Nothing has happened otherwise.
    ///
    /// No function is called meanwhile that might change the store or look at the bundle, so the compiler keeps in registers what has
    /// been read, and what the bundle consists of if it has just been put together.
    ///
    /// # Safety
    ///
    /// - The address is that of a bundle.
    #[inline(always)]
    unsafe fn spawn_lightly<B: Bundle>(&mut self, bundle: *mut B) -> Option<Entity> {
        let token = B::IN_PLACE?;
        let now = self.now();
        let Self { archetypes, entities, sparse, .. } = self;
        let (table, targets) = archetypes.latest_light_making::<B>()?;
        if table.is_full() {
            return None;
        }
        let row = table.len();
        let entity = entities.allocate_lightly(Location { table: table.id(), row: row as u32 })?;
        // SAFETY: the targets are those of the bundle in this table, and there is room for a row, of which every column gets its
        // value. Nothing else belongs to making such an entity.
        unsafe {
            B::put_new(bundle, &mut Sink { columns: table.columns(), row, entity, targets, sparse, now }, token);
            table.commit_row(entity, now);
        }
        Some(entity)
    }

    /// [`Store::try_spawn`], or a panic. The id is returned as one number: a caller that reads both halves at once would wait until they
    /// have been written.
    #[inline(never)]
    fn spawn_or_raise<B: Bundle>(&mut self, bundle: Moved<'_, B>) -> u64 {
        match self.try_spawn(bundle) {
            Ok(entity) => entity.to_bits(),
            Err(error) => error.raise(),
        }
    }

    /// Makes an entity with the components of a bundle.
    #[inline]
    pub(crate) fn try_spawn<B: Bundle>(&mut self, bundle: Moved<'_, B>) -> Result<Entity, SpawnError> {
        self.try_flush()?;
        if B::IN_PLACE.is_some() {
            let plan = match self.archetypes.latest_making::<B>() {
                Some(plan) => plan,
                None => self.find_making::<B>(),
            };
            // SAFETY: the plan makes entities with this bundle, which have nothing before, and `put_in_place` puts it.
            return unsafe { self.make_row(plan, |sink| put_in_place(bundle, sink), None) };
        }
        with_parts(bundle, |parts| {
            let addition = self.inserting::<B>(parts);
            self.spawn_with(addition, None)
        })
    }

    /// The plan by which entities with a bundle are made.
    #[inline(never)]
    fn find_making<B: Bundle>(&mut self) -> PlanId {
        let number = self.register_bundle::<B>();
        self.archetypes.plan_making::<B>(number)
    }

    /// Makes an entity with this very id.
    pub(crate) fn spawn_at<B: Bundle>(&mut self, entity: Entity, bundle: Moved<'_, B>) -> Result<(), SpawnAtError> {
        self.try_flush().map_err(SpawnAtError::OutOfMemory)?;
        // The bundle is taken apart first: that may run user code.
        with_parts(bundle, |parts| {
            let addition = self.inserting::<B>(parts);
            self.entities.reserve_at(entity, MAX_GAP).map_err(SpawnAtError::OutOfMemory)?;
            let before = self.entities.allocate_at(entity, MAX_GAP).map_err(|error| match error {
                EntityError::Unknown(entity) if entity != Entity::PLACEHOLDER => SpawnAtError::TooFar(entity),
                error => SpawnAtError::Entity(error),
            })?;
            let allocated = Allocated { store: self, entity, before };
            match allocated.store.without_news(|store| store.spawn_with(addition, Some(entity))) {
                Ok(_) => {
                    core::mem::forget(allocated);
                    self.react();
                    Ok(())
                }
                Err(SpawnError::OutOfMemory(error)) => Err(SpawnAtError::OutOfMemory(error)),
                Err(SpawnError::IdsExhausted(_)) => Err(SpawnAtError::Entity(EntityError::Unknown(entity))),
            }
        })
    }

    /// Adding a bundle.
    #[inline]
    pub(super) fn insertion_of<B: Bundle>(&mut self) -> Change {
        Change::of(ChangeStep::Insert(self.register_bundle::<B>()))
    }

    /// The number of a bundle; the sparse storages of its components, and of those that these require, exist afterwards.
    #[inline]
    pub(super) fn register_bundle<B: Bundle>(&mut self) -> u32 {
        match self.archetypes.bundle::<B>() {
            Some(number) => number,
            None => self.register_new_bundle::<B>(),
        }
    }

    #[cold]
    #[inline(never)]
    fn register_new_bundle<B: Bundle>(&mut self) -> u32 {
        let ids = self.archetypes.register_parts::<B>();
        // A bundle that has a number can be used at once, so its storages come first.
        self.note_new_components();
        self.archetypes.register_bundle::<B>(&ids, self.entities.acting())
    }

    /// Makes an entity with new values, or places a pending one.
    #[inline]
    pub(super) fn spawn_with(
        &mut self,
        addition: Addition<impl FnOnce(&mut Sink<'_>)>,
        pending: Option<Entity>,
    ) -> Result<Entity, SpawnError> {
        let plan = self.archetypes.plan(TableId::EMPTY, addition.change());
        // SAFETY: the plan is the one for the change, to which the values belong.
        unsafe { self.make_row(plan, |sink| addition.put(sink), pending) }
    }

    /// Makes an entity as a plan says that has just been found, or places a pending one.
    ///
    /// # Safety
    ///
    /// - The plan is one for entities without table-stored components. `put` puts every component of each bundle that it adds, in order,
    ///   and does nothing else. It does not panic.
    #[inline(always)]
    unsafe fn make_row(
        &mut self,
        plan: PlanId,
        put: impl FnOnce(&mut Sink<'_>),
        pending: Option<Entity>,
    ) -> Result<Entity, SpawnError> {
        let now = self.now();
        let Self { archetypes, entities, sparse, .. } = self;
        let Planned { plan: opened, tables, .. } = archetypes.just_found(plan);
        if !opened.only_requires || pending.is_some() {
            if opened.adds_beside.is_some() && pending.is_none() && self.links_lightly_by(plan) {
                // SAFETY: the caller's promise; the plan adds a component beside.
                return unsafe { self.make_linked_row(plan, put) }.map(Entity::from_bits);
            }
            // SAFETY: the caller's promise.
            return unsafe { self.make_row_with_care(plan, put, pending) }.map(Entity::from_bits);
        }
        let table = tables.get_mut(opened.table);
        table.reserve(1)?;
        let row = table.len();
        if opened.is_special {
            entities.reserve_next()?;
            // SAFETY: the plan leads to this table, which has room for the row that is committed below: since there is an index,
            // getting an id cannot fail.
            unsafe { NewRow::make(table, &opened.required).keep() }
        }
        let entity = entities.allocate_placed(Location { table: opened.table, row: row as u32 })?;
        // SAFETY: the sink is one for the change's plan, and room has been reserved. The entity had nothing so far, so every column of
        // the table belongs to a component that is added, and has got its value, or to one that is required, which has just been made
        // there.
        unsafe {
            put(&mut Sink { columns: table.columns(), row, entity, targets: Targets::of(opened), sparse, now });
            table.commit_row(entity, now);
        }
        Ok(entity)
    }

    /// Whether what a plan adds beside tables only has to be linked.
    #[inline]
    fn links_lightly_by(&mut self, plan: PlanId) -> bool {
        let storages = self.archetypes.just_found(plan).plan.summary;
        self.links_lightly(storages)
    }

    /// [`Store::make_row`], if one component comes beside the table that at most names a target, and nothing is told. The id is
    /// returned as one number: a caller that reads both halves at once would wait until they have been written.
    ///
    /// # Safety
    ///
    /// - As for [`Store::make_row`]. The plan says to which sparse storage a component is added, and nothing else is special.
    #[inline(never)]
    unsafe fn make_linked_row(&mut self, plan: PlanId, put: impl FnOnce(&mut Sink<'_>)) -> Result<u64, SpawnError> {
        let now = self.now();
        let Self { archetypes, entities, sparse, .. } = self;
        let Planned { plan, tables, components } = archetypes.just_found(plan);
        let number = plan.adds_beside.unwrap_or_default() as usize;
        let table = tables.get_mut(plan.table);
        table.reserve(1)?;
        let index = entities.reserve_next()?;
        sparse[number].reserve(index)?;
        entities.reserve_summary(index)?;
        let row = table.len();
        let entity = entities.allocate_placed(Location { table: plan.table, row: row as u32 })?;
        // SAFETY: the sink is one for the change's plan, and room has been reserved. The entity had nothing so far, and nothing is
        // required, so every column of the table belongs to a component that is added, and has got its value.
        unsafe {
            put(&mut Sink { columns: table.columns(), row, entity, targets: Targets::of(plan), sparse, now });
            table.commit_row(entity, now);
        }
        entities.set_sparse_summary(entity.index(), plan.summary);
        let id = components.sparse()[number];
        self.link_lightly(id, entity);
        Ok(entity.to_bits())
    }

    /// [`Store::make_row`], whatever the plan is. Returns the id as [`Store::make_linked_row`] does.
    ///
    /// # Safety
    ///
    /// - As for [`Store::make_row`].
    #[inline(never)]
    unsafe fn make_row_with_care(
        &mut self,
        id: PlanId,
        put: impl FnOnce(&mut Sink<'_>),
        pending: Option<Entity>,
    ) -> Result<u64, SpawnError> {
        let now = self.now();
        let Self { archetypes, entities, sparse, .. } = self;
        let Planned { plan, tables, components } = archetypes.just_found(id);
        let table = tables.get_mut(plan.table);
        table.reserve(1)?;
        let mut aside = None;
        let only_tells = plan.only_tells;
        if plan.is_special && !only_tells {
            let index = match pending {
                Some(entity) => entity.index(),
                None => entities.reserve_next()?,
            };
            // SAFETY: the plan leads to this table, which has room for the row that is committed below: since there is an index,
            // getting an id cannot fail.
            aside = Some(unsafe { prepare_new(plan, table, components, sparse, entities, index)? });
        }
        let entity = match pending {
            Some(entity) => entity,
            None => entities.allocate()?,
        };
        let row = table.len();
        // SAFETY: the sink is one for the change's plan, and room has been reserved. The entity had nothing so far, so every column of
        // the table belongs to a component that is added, and has got its value, or to one that is required, which has just been made
        // there.
        unsafe {
            put(&mut Sink {
                columns: table.columns(),
                row,
                entity,
                targets: Targets::of(plan),
                sparse: &mut *sparse,
                now,
            });
            table.commit_row(entity, now);
        }
        entities.place(entity, Location { table: plan.table, row: row as u32 });
        if only_tells {
            self.tell_of_row(id, entity, true);
            return Ok(entity.to_bits());
        }
        if let Some(mut aside) = aside {
            if !aside.is_empty() {
                let mut sink = Sink { columns: table.columns(), row, entity, targets: Targets::of(plan), sparse, now };
                // SAFETY: the rest of what is required has been made for this plan, and there is room for it.
                unsafe { put_placed(&mut aside, &mut sink) }
            }
            entities.set_sparse_summary(entity.index(), plan.summary);
            if !plan.interest.is_none() {
                let table = plan.table;
                self.rows_made(table, row);
                self.react();
            }
        }
        Ok(entity.to_bits())
    }

    /// Makes an entity of each bundle that an iterator yields. They end up in one table, one behind the other: returned
    /// are the table and the first row.
    ///
    /// If the iterator panics, the entities so far stay.
    pub(crate) fn spawn_batch<B: Bundle>(&mut self, bundles: impl IntoIterator<Item = B>) -> (TableId, usize) {
        self.flush();
        let change = self.insertion_of::<B>();
        let Planned { plan, tables, .. } = self.archetypes.planned(TableId::EMPTY, change);
        let (id, in_columns) = (plan.table, plan.makes_in_columns());
        let table = tables.get_mut(id);
        let first = table.len();
        let bundles = bundles.into_iter();
        let hint = bundles.size_hint().0.min(MAX_HINT);
        self.entities.reserve_capacity(hint);
        if let Err(error) = table.reserve(hint) {
            error.raise();
        }
        if in_columns {
            let mut made = Made { store: self, table: id, first, has_ended: false };
            made.store.fill(change, bundles);
            made.has_ended = true;
            drop(made);
            self.react();
        } else {
            self.as_one(|store| {
                bundles.for_each(|bundle| {
                    give(bundle, |bundle| store.spawn(bundle));
                });
            });
        }
        (id, first)
    }

    /// The inner loop of `spawn_batch` for bundles that have nothing to do with sparse components. Nothing is told.
    fn fill<B: Bundle>(&mut self, change: Change, bundles: impl Iterator<Item = B>) {
        let now = self.now();
        let Self { archetypes, entities, .. } = self;
        let Planned { plan, tables, .. } = archetypes.planned(TableId::EMPTY, change);
        let table = tables.get_mut(plan.table);
        // SAFETY: the targets are those of the plan for this bundle and the table.
        let mut bases = unsafe { B::Parts::bases(table, &mut Targets::of(plan)) };
        let requires = !plan.required.is_empty();
        for bundle in bundles {
            if table.is_full() {
                if let Err(error) = table.reserve(1) {
                    error.raise();
                }
                // SAFETY: as above.
                bases = unsafe { B::Parts::bases(table, &mut Targets::of(plan)) };
            }
            let row = table.len();
            give(bundle, |bundle| {
                with_parts(bundle, |parts| {
                    if requires {
                        if let Err(error) = entities.reserve_next() {
                            SpawnError::from(error).raise();
                        }
                        // SAFETY: the plan leads to this table, which is not full; the row is committed below, since there is an
                        // id.
                        unsafe { NewRow::make(table, &plan.required).keep() }
                    }
                    let location = Location { table: plan.table, row: row as u32 };
                    let entity = match entities.allocate_placed(location) {
                        Ok(entity) => entity,
                        Err(error) => SpawnError::from(error).raise(),
                    };
                    // SAFETY: the table is not full, so the row behind the last one is within the columns, whose addresses
                    // are taken anew whenever they grow; `write` fills every column of the table but those of what is
                    // required, which has just been made there.
                    unsafe {
                        parts.write(bases, row);
                        table.commit_row(entity, now);
                    }
                });
            });
        }
    }
}

/// Makes room for a new entity in sparse storages, and what a plan requires of it: what goes to columns in the row behind the last
/// one, the rest aside.
///
/// # Errors
///
/// If there is no memory. Nothing has been made.
///
/// # Safety
///
/// - The plan leads from no components to this table, which has room for a row. The caller commits it.
#[inline(never)]
unsafe fn prepare_new(
    plan: &MovePlan,
    table: &mut Table,
    components: &Components,
    sparse: &mut [SparseStorage],
    entities: &mut Entities,
    index: u32,
) -> Result<Placed, AllocError> {
    reserve_sparse(sparse, entities, plan, index)?;
    let aside = match plan.requires_aside {
        true => make_aside(plan, components, 1, |required| required.new_column().is_none())?,
        false => Placed::new(),
    };
    // SAFETY: the caller's promise.
    unsafe { NewRow::make(table, &plan.required).keep() };
    Ok(aside)
}

/// New rows at the end of a table, of which listeners are told when they are there, also if the iterator that they come from panics.
struct Made<'s> {
    store: &'s mut Store,
    table: TableId,
    first: usize,
    /// Whether the iterator has not panicked.
    has_ended: bool,
}

impl Drop for Made<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.store.archetypes.tables.get_mut(self.table).interest().is_none() {
            self.store.rows_made(self.table, self.first);
            if !self.has_ended {
                self.store.settle_news();
            }
        }
    }
}

/// An id that has been asked for and is not alive yet. It is free again if it is not placed: there may be no memory, or the
/// constructor of something that is required may panic.
struct Allocated<'a> {
    store: &'a mut Store,
    entity: Entity,
    /// The generation that the index would have had otherwise.
    before: u32,
}

impl Drop for Allocated<'_> {
    fn drop(&mut self) {
        self.store.entities.unallocate(self.entity, self.before);
    }
}

/// Makes room for an entity in the sparse storages of a plan, and for what is noted about that.
pub(super) fn reserve_sparse(
    sparse: &mut [SparseStorage],
    entities: &mut Entities,
    plan: &MovePlan,
    index: u32,
) -> Result<(), AllocError> {
    if plan.summary.is_empty() {
        return Ok(());
    }
    for number in plan.sparse_targets() {
        sparse[number].reserve(index)?;
    }
    entities.reserve_summary(index)
}
