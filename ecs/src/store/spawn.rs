//! Making entities.

use core::fmt;

use super::Store;
use super::required::{Aside, NewRow, make_aside, put_required};
use crate::alloc_error::AllocError;
use crate::bundle::{Bundle, BundleParts, Moved, Sink, Targets, give, with_parts};
use crate::component::Components;
use crate::entity::{Entities, Entity, EntityError, EntityIdsExhausted, Location, ReserveError, TableId};
use crate::graph::{Change, MovePlan, Step};
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
    #[inline]
    pub(crate) fn spawn<B: Bundle>(&mut self, bundle: Moved<'_, B>) -> Entity {
        match self.try_spawn(bundle) {
            Ok(entity) => entity,
            Err(error) => error.raise(),
        }
    }

    #[inline]
    pub(crate) fn try_spawn<B: Bundle>(&mut self, bundle: Moved<'_, B>) -> Result<Entity, SpawnError> {
        self.flush();
        let change = self.insertion_of::<B>();
        with_parts(bundle, |parts| {
            // SAFETY: `parts` are those of the bundle that the change adds.
            unsafe { self.spawn_with(change, None, B::Parts::HAS_SPARSE, |sink| parts.put(sink)) }
        })
    }

    /// Makes an entity with this very id.
    pub(crate) fn spawn_at<B: Bundle>(&mut self, entity: Entity, bundle: Moved<'_, B>) -> Result<(), SpawnAtError> {
        self.flush();
        let change = self.insertion_of::<B>();
        // The bundle is taken apart first: that may run user code.
        with_parts(bundle, |parts| {
            let before = self.entities.allocate_at(entity, MAX_GAP).map_err(|error| match error {
                EntityError::Unknown(entity) if entity != Entity::PLACEHOLDER => SpawnAtError::TooFar(entity),
                error => SpawnAtError::Entity(error),
            })?;
            let allocated = Allocated { store: self, entity, before };
            // SAFETY: `parts` are those of the bundle that the change adds.
            let spawned = unsafe {
                allocated.store.spawn_with(change, Some(entity), B::Parts::HAS_SPARSE, |sink| parts.put(sink))
            };
            match spawned {
                Ok(_) => {
                    core::mem::forget(allocated);
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
        Change::of(Step::Insert(self.register_bundle::<B>()))
    }

    /// The number of a bundle; the sparse storages of its components, and of those that these require, exist afterwards.
    #[inline]
    pub(super) fn register_bundle<B: Bundle>(&mut self) -> u32 {
        match self.bundles.number::<B>() {
            Some(number) => number,
            None => self.register_new_bundle::<B>(),
        }
    }

    #[cold]
    #[inline(never)]
    fn register_new_bundle<B: Bundle>(&mut self) -> u32 {
        let number = self.bundles.register::<B>(&mut self.components);
        self.add_sparse_storages();
        number
    }

    /// Makes an entity, or places a pending one, and lets `put` fill its row.
    ///
    /// # Safety
    ///
    /// - `put` puts every component of each bundle that the change adds, in order, and does nothing else.
    /// - Nothing is taken by the change.
    /// - `has_sparse` is true if a component of the bundle has sparse storage. Its storage exists.
    #[inline]
    pub(super) unsafe fn spawn_with(
        &mut self,
        change: Change,
        pending: Option<Entity>,
        has_sparse: bool,
        put: impl FnOnce(&mut Sink<'_>),
    ) -> Result<Entity, SpawnError> {
        let now = self.now();
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(TableId::EMPTY, change, contents, &mut self.tables, &self.components);
        let table = self.tables.get_mut(plan.table);
        table.reserve(1)?;
        let index = match pending {
            Some(entity) => entity.index(),
            None => self.entities.reserve_next()?,
        };
        if has_sparse {
            reserve_sparse(&mut self.sparse, &mut self.entities, plan, index)?;
        }
        if !plan.required.is_empty() {
            let Self { components, sparse, entities, aside, .. } = self;
            // SAFETY: the plan leads to this table, which has room for the row that is committed below: since there is an index,
            // getting an id cannot fail.
            unsafe { make_for_spawn(plan, table, components, sparse, entities, index, aside)? };
        }
        let entity = match pending {
            Some(entity) => entity,
            None => self.entities.allocate()?,
        };
        let row = table.len();
        put(&mut Sink { table, row, entity, targets: Targets::of(plan), sparse: &mut self.sparse, now });
        // SAFETY: room has been reserved. The entity had nothing so far, so every column of the table belongs to a
        // component that is added; `put` has filled its row, but for what is required, which has just been made there.
        unsafe { table.commit_row(entity, now) }
        self.entities.place(entity, Location { table: plan.table, row: row as u32 });
        if has_sparse {
            self.entities.set_sparse_summary(entity.index(), plan.summary);
        }
        if plan.requires_aside {
            let Self { sparse, entities, aside, .. } = self;
            // SAFETY: the rest of what is required has been made, and there is room for it.
            unsafe { put_required(plan, table, row, entity, (sparse, entities), aside, now) }
        }
        Ok(entity)
    }

    /// Makes an entity of each bundle that an iterator yields. They end up in one table, one behind the other: returned
    /// are the table and the first row.
    ///
    /// If the iterator panics, the entities so far stay.
    pub(crate) fn spawn_batch<B: Bundle>(&mut self, bundles: impl IntoIterator<Item = B>) -> (TableId, usize) {
        self.flush();
        let change = self.insertion_of::<B>();
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(TableId::EMPTY, change, contents, &mut self.tables, &self.components);
        let id = plan.table;
        let requires = !plan.required.is_empty();
        let first = self.tables.get_mut(id).len();
        let bundles = bundles.into_iter();
        let hint = bundles.size_hint().0.min(MAX_HINT);
        self.entities.reserve_capacity(hint);
        if let Err(error) = self.tables.get_mut(id).reserve(hint) {
            error.raise();
        }
        if B::Parts::HAS_SPARSE {
            bundles.for_each(|bundle| {
                give(bundle, |bundle| self.spawn(bundle));
            });
        } else if requires {
            self.fill::<true, B>(change, bundles);
        } else {
            self.fill::<false, B>(change, bundles);
        }
        (id, first)
    }

    /// The inner loop of `spawn_batch` for bundles without sparse components; `REQUIRES` tells whether they require others.
    fn fill<const REQUIRES: bool, B: Bundle>(&mut self, change: Change, bundles: impl Iterator<Item = B>) {
        let now = self.now();
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(TableId::EMPTY, change, contents, &mut self.tables, &self.components);
        let table = self.tables.get_mut(plan.table);
        // SAFETY: the targets are those of the plan for this bundle and the table.
        let mut bases = unsafe { B::Parts::bases(table, &mut Targets::of(plan)) };
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
                    let mut made = None;
                    if REQUIRES && plan.requires_aside {
                        let index = match self.entities.reserve_next() {
                            Ok(index) => index,
                            Err(error) => SpawnError::from(error).raise(),
                        };
                        let (sparse, entities, aside) = (&mut self.sparse, &mut self.entities, &mut self.aside);
                        // SAFETY: the plan leads to this table, which has room for the row that is committed below: since there is
                        // an index, getting an id cannot fail.
                        let made =
                            unsafe { make_for_spawn(plan, table, &self.components, sparse, entities, index, aside) };
                        made.unwrap_or_else(|error| error.raise());
                    } else if REQUIRES {
                        // SAFETY: the plan leads to this table, which has room. The values are dropped if there is no id.
                        made = Some(unsafe { NewRow::make(table, &plan.required) });
                    }
                    let entity = match self.entities.allocate() {
                        Ok(entity) => entity,
                        Err(error) => SpawnError::from(error).raise(),
                    };
                    made.into_iter().for_each(NewRow::keep);
                    // SAFETY: the table is not full, so the row behind the last one is within the columns, whose addresses
                    // are taken anew whenever they grow; `write` fills every column of the table that is not filled already.
                    unsafe {
                        parts.write(bases, row);
                        table.commit_row(entity, now);
                    }
                    self.entities.place(entity, Location { table: plan.table, row: row as u32 });
                    if REQUIRES && plan.requires_aside {
                        let (sparse, entities, aside) = (&mut self.sparse, &mut self.entities, &mut self.aside);
                        // SAFETY: the rest of what is required has been made, and there is room for it.
                        unsafe { put_required(plan, table, row, entity, (sparse, entities), aside, now) }
                    }
                });
            });
        }
    }
}

/// Makes what a plan requires of a new entity: what goes to columns in the row behind the last one, the rest aside.
///
/// # Errors
///
/// If there is no memory. Nothing has been made.
///
/// # Safety
///
/// - The plan leads from no components to this table, which has room for a row. The caller commits it.
#[inline(never)]
unsafe fn make_for_spawn(
    plan: &MovePlan,
    table: &mut Table,
    components: &Components,
    sparse: &mut [SparseStorage],
    entities: &mut Entities,
    index: u32,
    aside: &mut Aside,
) -> Result<(), AllocError> {
    reserve_sparse(sparse, entities, plan, index)?;
    let made = match plan.requires_aside {
        true => Some(make_aside(plan, components, 1, |arrival| arrival.new_column().is_none())?),
        false => None,
    };
    // SAFETY: the caller's promise.
    unsafe { NewRow::make(table, &plan.required).keep() };
    if let Some(made) = made {
        *aside = made;
    }
    Ok(())
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
