//! Spawning entities.
//!
//! Tests: tests/storage/world.rs, tests/model/edits.rs

use super::addition::{InsertOp, inserting};
use super::change_spec::{NumberedChange, Subject};
use super::required::construct_required;
use super::spawn_error::{MAX_GAP, SpawnAtError, SpawnError};
use super::{Store, Structure};
use crate::entity::{Entities, Entity, EntityError, Location, TableId};
use crate::structure::archetype::PlanContext;
use crate::structure::bundle::{Bundle, BundleParts, BundleTargets, MovingPtr, RowWriter, with_moving_ptr, with_parts};
use crate::structure::graph::{ChangeKey, ChangeStep};
use crate::structure::removal::ValueFate;
use crate::util::guard::OnDrop;

/// The maximum number of rows that are reserved because of the `size_hint` of an iterator.
const MAX_HINT: usize = 1 << 16;

impl Store {
    /// Spawns an entity with the components of a bundle.
    #[inline(always)]
    pub(crate) fn spawn<B: Bundle>(&mut self, bundle: MovingPtr<'_, B>) -> Entity {
        match self.try_spawn(bundle) {
            Ok(entity) => entity,
            Err(error) => error.raise(),
        }
    }

    /// Spawns an entity with the components of a bundle.
    ///
    /// # Errors
    ///
    /// If there is no memory, or no id. Nothing has happened.
    #[inline(always)]
    pub(crate) fn try_spawn<B: Bundle>(&mut self, bundle: MovingPtr<'_, B>) -> Result<Entity, SpawnError> {
        // SAFETY: there are no conditions for `Subject::New`.
        unsafe { self.insert_bundle(Subject::New, bundle) }.map(|(entity, _)| entity)
    }

    /// Spawns an entity with the given id.
    pub(crate) fn spawn_at<B: Bundle>(&mut self, entity: Entity, bundle: MovingPtr<'_, B>) -> Result<(), SpawnAtError> {
        self.try_flush().map_err(SpawnAtError::OutOfMemory)?;
        // The bundle is split into its components before anything is changed, because splitting may run user code.
        with_parts(bundle, |parts| {
            let addition = inserting::<B>(self, parts);
            self.structure.entities.reserve_at(entity, MAX_GAP).map_err(SpawnAtError::OutOfMemory)?;
            let before = self.structure.entities.allocate_at(entity, MAX_GAP).map_err(|error| match error {
                EntityError::Unknown(entity) if entity != Entity::PLACEHOLDER => SpawnAtError::TooFar(entity),
                error => SpawnAtError::Entity(error),
            })?;
            // The id is freed again if it is not placed: there may be no memory, or the constructor of a required component may panic.
            let mut allocated = OnDrop::new(&mut *self, |store| store.structure.entities.unallocate(entity, before));
            match allocated.defer_events(|store| store.spawn_with(addition, Some(entity))) {
                Ok(_) => {
                    core::mem::forget(allocated);
                    self.flush_events();
                    Ok(())
                }
                Err(SpawnError::OutOfMemory(error)) => Err(SpawnAtError::OutOfMemory(error)),
                Err(SpawnError::IdsExhausted(_)) => Err(SpawnAtError::Entity(EntityError::Unknown(entity))),
            }
        })
    }

    /// Returns the change that inserts a bundle.
    #[inline]
    pub(super) fn insertion_of<B: Bundle>(&mut self) -> ChangeKey {
        ChangeKey::of(ChangeStep::Insert(self.register_bundle::<B>()))
    }

    /// Returns the number of a bundle. Registers the bundle if necessary, and creates the sparse storages of its components and of the
    /// components that these require.
    #[inline]
    pub(super) fn register_bundle<B: Bundle>(&mut self) -> u32 {
        match self.structure.archetypes.bundle::<B>() {
            Some(number) => number,
            None => self.register_new_bundle::<B>(),
        }
    }

    #[cold]
    #[inline(never)]
    fn register_new_bundle<B: Bundle>(&mut self) -> u32 {
        let ids = self.structure.archetypes.register_parts::<B>();
        // A registered bundle can be used at once, so its storages are created before it is registered.
        self.note_new_components();
        self.structure.archetypes.register_bundle::<B>(&ids, self.structure.entities.caller())
    }

    /// Spawns an entity with new values. If `pending` is given, the entity gets this id, which must be pending.
    #[inline]
    pub(super) fn spawn_with(
        &mut self,
        addition: InsertOp<impl FnOnce(&mut RowWriter<'_>)>,
        pending: Option<Entity>,
    ) -> Result<Entity, SpawnError> {
        let change = addition.change();
        let subject = pending.map_or(Subject::New, Subject::Pending);
        assert!(
            pending.is_none_or(|entity| self.structure.entities.is_pending(entity)),
            "an id that has a row already"
        );
        // SAFETY: the addition writes the values of its change, and `execute` passes a writer for a plan of this change.
        let write = |writer: &mut RowWriter<'_>| unsafe { addition.write(writer) };
        // SAFETY: the id is pending, as has just been checked. The addition writes the components of its change, in order, and does not panic.
        // Nothing is taken.
        let spawned =
            unsafe { self.execute(subject, NumberedChange::<true>(change), ValueFate::Dropped, |_, _, _| {}, write) };
        spawned.map(|(entity, _)| entity)
    }

    /// Spawns an entity for each bundle that an iterator yields. The entities get consecutive rows of one table; returns the table and the
    /// first row.
    ///
    /// If the iterator panics, the entities that were spawned before stay.
    pub(crate) fn spawn_batch<B: Bundle>(&mut self, bundles: impl IntoIterator<Item = B>) -> (TableId, usize) {
        self.flush();
        let change = self.insertion_of::<B>();
        let PlanContext { plan, tables, .. } = self.structure.archetypes.planned(TableId::EMPTY, change);
        let (id, in_columns) = (plan.table, plan.makes_in_columns());
        let table = tables.get_mut(id);
        let first = table.len();
        let bundles = bundles.into_iter();
        let hint = bundles.size_hint().0.min(MAX_HINT);
        self.structure.entities.reserve_capacity(hint);
        if let Err(error) = table.reserve(hint) {
            error.raise();
        }
        if in_columns {
            // Listeners are notified of the rows that exist, even if the iterator panics.
            let mut made = OnDrop::new((&mut *self, false), |(store, has_ended)| {
                if !store.structure.archetypes.tables.get_mut(id).interest().is_empty() {
                    let Store { structure, events, clock, .. } = &mut **store;
                    events.record_spawned(structure, clock.change_tick(), id, first);
                    if !*has_ended {
                        events.mark_pending_stale(&structure.archetypes.tables);
                    }
                }
            });
            made.0.fill(change, bundles);
            made.1 = true;
            drop(made);
            self.flush_events();
        } else {
            self.batched(|store| {
                bundles.for_each(|bundle| {
                    with_moving_ptr(bundle, |bundle| store.spawn(bundle));
                });
            });
        }
        (id, first)
    }

    /// Runs the inner loop of `spawn_batch`, for bundles without sparse components. The caller records the new rows and notifies listeners.
    fn fill<B: Bundle>(&mut self, change: ChangeKey, bundles: impl Iterator<Item = B>) {
        let now = self.now();
        let Self { structure: Structure { archetypes, entities, .. }, .. } = self;
        let PlanContext { plan, tables, .. } = archetypes.planned(TableId::EMPTY, change);
        let table = tables.get_mut(plan.table);
        // SAFETY: the targets belong to the plan for this bundle and the table.
        let mut bases = unsafe { B::Parts::bases(table, &mut BundleTargets::of(plan)) };
        let requires = !plan.required.is_empty();
        for bundle in bundles {
            if table.is_full() {
                if let Err(error) = table.reserve(1) {
                    error.raise();
                }
                // SAFETY: `plan` is the plan for this bundle and leads to `table`, so its targets name columns of the table.
                bases = unsafe { B::Parts::bases(table, &mut BundleTargets::of(plan)) };
            }
            let row = table.len();
            with_moving_ptr(bundle, |bundle| {
                with_parts(bundle, |parts| {
                    let reserve = |entities: &mut Entities| {
                        if let Err(error) = entities.reserve_next() {
                            SpawnError::from(error).raise();
                        }
                    };
                    if requires {
                        reserve(entities);
                        // SAFETY: the plan leads to this table, which is not full; the row is committed below, since there is an
                        // id.
                        unsafe { construct_required(table, plan) }
                    }
                    let location = Location { table: plan.table, row: row as u32 };
                    let entity = entities.allocate_at_row(location).unwrap_or_else(|| {
                        reserve(entities);
                        entities.allocate_at_row(location).expect("room has been made for the next id")
                    });
                    // SAFETY: the table is not full, so the row past the end is within the columns. `bases` is recomputed whenever they
                    // grow. `write` fills every column of the table except those of required components, which have just been constructed
                    // in this row.
                    unsafe {
                        parts.write(bases, row);
                        table.commit_row(entity, now);
                    }
                });
            });
        }
    }
}
