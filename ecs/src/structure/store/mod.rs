//! The store: everything that a world holds, and the operations that keep its parts consistent.
//!
//! Entities, tables, sparse storages, bundles and edges do not access each other's state; the functions here carry a change of one through
//! to the others. Each operation first makes room, then moves bytes and records (neither can fail), and at last drops values. User code
//! (`Drop`, iterators, closures) runs only while everything is consistent, so a panic in it leaves a usable world.
//!
//! Room is made for everything in the first step, (0) of `ARCHITECTURE.md`. An allocation that fails may unwind, so every `push`, `insert`
//! or `Box::new` belongs there. Where two collections change together, such as a map from types and the list that its numbers refer to,
//! room is made in both before either changes: `SlotMap::register` does so for all registries, `Removals::make_room` for all removal logs,
//! `Entities::reserve_free` for despawns. If one of several values panics when it is dropped, the others are still dropped.
//!
//! Two kinds of records are made after rows have moved, where they must not fail. If there is no memory for an event of observers and
//! hooks, the error is raised when the other events are delivered (`LifecycleEvents::raise_failure`). If there is no memory for a note of a
//! link, or if an operation on links or pairs is aborted by a panic (`Store::change_links`), all links are compared with the components of
//! their entities at the end of the next operation.
//!
//! A world has a number that is never used twice in a process ([`WorldId`]). Queries and systems store the number of the world that their
//! state was made for, and compare it in release builds. Preparing a system removes its state first and sets it last, so if user code
//! panics in between (it constructs `Local`s), the system is prepared for no world.
//!
//! Tests: tests/storage, tests/model, tests/hazards

mod structure;
mod clock;
mod frames;
mod failure;
mod pending_commands;
mod lifecycle_events;
mod links;
mod observed_storages;
mod event_observers;
mod dispatch;
mod events;
mod frame;
mod target_world;
mod ticks;
mod required;
mod removed;
mod record;
mod journal;
mod lifecycle;
mod addition;
mod spawn_error;
mod change;
mod change_spec;
mod phases;
mod execute;
mod spawn;

mod located;
mod make;
mod dynamic;
mod selection;
mod bulk;
mod clear_entities;
mod despawn;
mod clone;
mod columns;
mod transfer;
mod whole_transfer;
mod forget;
mod entity_at;
pub(crate) mod pairs;
mod linked_clones;
mod erased;
mod attribution;
mod apply;
mod shrink;
mod copies;
mod built_copy;

mod check;

pub(crate) use self::apply::{record_insert, record_step, run_queue};
pub(crate) use self::built_copy::build_copy;
pub(crate) use self::built_copy::{BUILT_ERA, MAX_NUMBER, RemovalParts, StoreParts, TableParts};
pub use self::built_copy::{BuildError, SnapshotClock};
pub(crate) use self::change::ListUpdate;
pub(crate) use self::check::check_invariants;
pub(crate) use self::clock::{RestoredEra, SharedClock};
pub use self::clone::CloneError;
pub(crate) use self::clone::{
    bundle_components, clone_components, clone_entity, clone_pairs, clone_some, relate_clones, spawn_clone_of_some,
};
pub use self::columns::SpawnColumnsError;
pub(crate) use self::columns::{reserve_bundles, spawn_columns, spawn_columns_at};
pub use self::copies::NotTaken;
pub(crate) use self::copies::{CopyVersion, KnownCopy, RestoreOutcome, StoreCopy};
pub(crate) use self::copies::{
    RestoreSource, copy_around_rows, copy_store_to, erased_pairs, is_busy, mark_of_copy, refused_parts, restore,
};
pub(crate) use self::dispatch::{Cause, Dispatch, DispatchVTable, LinkFn, NotDispatched};
pub use self::dynamic::EntityBuilder;
pub(crate) use self::dynamic::spawn_values;
pub(crate) use self::entity_at::StoreEntityMut;
pub use self::erased::{ColumnAccessError, ErasedAccessError, InsertErasedError, SetFieldError};
pub(crate) use self::event_observers::{EventObservers, RemovedObservers};
pub(crate) use self::events::Events;
pub use self::failure::{CommandError, OnCommandError};
pub(crate) use self::failure::{CommandErrors, CommandFailure};
pub(crate) use self::forget::forget_selections;
pub(crate) use self::frame::{begin_frame, begin_run_in_frame, end_frame, end_frame_for_commands};
pub(crate) use self::frames::{FrameGuard, ScheduleSlot};
pub use self::journal::JournalError;
pub(crate) use self::journal::{CopiedPairs, StoreJournalPosition};
pub(crate) use self::journal::{
    begin_journal, copy_pairs_since, end_journal, journal_moment, journal_since, relations_with_pairs,
    track_for_journal,
};
pub(crate) use self::lifecycle::with_deferred_events;
#[doc(hidden)]
pub use self::lifecycle_events::AffectedEntities;
pub(crate) use self::lifecycle_events::{EventBatch, LifecycleEvents};
pub(crate) use self::linked_clones::{clone_linked, put_linked, take_linked};
pub(crate) use self::links::{BuiltLinks, LeavingSource, OrphanSource, StoreLinks};
pub(crate) use self::pairs::settle_pairs;
pub(crate) use self::pending_commands::PendingCommands;
pub(crate) use self::removed::{removed_reader, removed_reader_by_id, removed_value_reader, set_removed_limit};
pub(crate) use self::required::require;
pub(crate) use self::selection::Selection;
pub(crate) use self::shrink::{allocated_bytes, shrink_to_fit};
pub use self::spawn_error::{SpawnAtError, SpawnError};
pub(crate) use self::structure::Structure;
pub(crate) use self::target_world::{TargetWorld, take_returned};
pub(crate) use self::ticks::{SavedCaller, skip_ticks};
pub(crate) use self::transfer::move_selections_to;
pub(crate) use self::whole_transfer::move_all_to;
#[doc(hidden)]
pub use crate::component::transition::Transition;

use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::component::entity_disabling::Disabled;
use crate::component::{Component, ComponentDescriptor, ComponentId, Components, RegisterComponentError};
use crate::entity::{Entity, Location, TableId};
use crate::relations::relation::Relations;
use crate::storage::resource::Resources;
use crate::storage::sparse::SparseStorage;
use crate::storage::tick::{CHECK_EVERY, RunTicks, Tick, WriteStamp};
use crate::util::alloc_error::AllocError;
use crate::util::origin::Origin;
use crate::util::pool::Pool;

/// Identifies a world. No two worlds of a process have the same id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WorldId(NonZeroUsize);

static NEXT_WORLD: AtomicUsize = AtomicUsize::new(1);

impl WorldId {
    fn next() -> Self {
        let next = NEXT_WORLD.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |id| id.checked_add(1));
        match next.ok().and_then(NonZeroUsize::new) {
            Some(id) => Self(id),
            None => panic!("more worlds were made than there are numbers"),
        }
    }

    /// Returns how many worlds the process has made up to and including this one.
    pub(crate) fn number(self) -> u64 {
        self.0.get() as u64
    }
}

impl_display!([] WorldId => |this, f| this.0.fmt(f));

/// Everything that a world holds.
pub struct Store {
    id: WorldId,
    pub(crate) structure: Structure,
    pub(crate) resources: Resources,
    pub(crate) relations: Relations<Self>,
    pub(crate) commands: PendingCommands<Self>,
    pub(crate) clock: clock::Clock,
    pub(crate) frames: frames::Frames,
    /// The listeners of operations: observers, hooks, removal logs and recorders.
    pub(crate) events: Events<Dispatch<Self>>,
    /// The thread pool for parallel work.
    pub(crate) pool: Pool,
}

impl Store {
    pub(crate) fn new() -> Self {
        let mut made = Self {
            id: WorldId::next(),
            structure: Structure::default(),
            resources: Resources::default(),
            relations: Relations::default(),
            commands: PendingCommands::default(),
            clock: clock::Clock::default(),
            frames: frames::Frames::default(),
            events: Events::default(),
            pool: Pool::default(),
        };
        // Every query excludes this component or names it.
        made.register_disabling_component::<Disabled>();
        made
    }

    /// Makes a table-stored component a disabling component: it keeps entities out of queries that do not name it.
    pub(crate) fn register_disabling_component<C: Component>(&mut self) {
        let id = self.register_component::<C>();
        if self.structure.archetypes.components.add_disabling(id) {
            // The ticks of this component show which changes were made while an entity was disabled.
            self.structure.track(id, self.clock.change_tick());
            self.structure.archetypes.tables.note_disabling(&self.structure.archetypes.components);
            self.structure.archetypes.forget_plans();
        }
    }

    /// Returns the id of the world.
    #[inline]
    pub(crate) fn id(&self) -> WorldId {
        self.id
    }

    /// Returns the number of a component, which is registered if necessary.
    #[inline]
    pub(crate) fn register_component<C: Component>(&mut self) -> ComponentId {
        let id = self.structure.archetypes.components.register::<C>();
        self.note_new_components();
        id
    }

    /// Returns the number of the component that a function registers, if necessary.
    pub(crate) fn register_by(&mut self, register: fn(&mut Components) -> ComponentId) -> ComponentId {
        let id = register(&mut self.structure.archetypes.components);
        self.note_new_components();
        id
    }

    /// Returns the number of the component with this descriptor, which is registered if necessary.
    pub(crate) fn register_descriptor(
        &mut self,
        descriptor: &'static ComponentDescriptor,
    ) -> Result<ComponentId, RegisterComponentError> {
        let id = self.structure.archetypes.components.try_adopt(descriptor)?;
        self.note_new_components();
        Ok(id)
    }

    /// Must be called when components may have been registered: creates the storages of sparse components, and observes components with
    /// hooks.
    fn note_new_components(&mut self) {
        let mut is_observed = false;
        while let Some(&id) = self.structure.archetypes.components.sparse().get(self.structure.sparse.len()) {
            let Some(info) = self.structure.archetypes.components.info(id) else { break };
            self.structure.sparse.push(SparseStorage::new(info));
            is_observed |= !self.structure.archetypes.components.observed(id).is_empty();
        }
        if is_observed {
            self.events.refresh_observed(&self.structure.archetypes.components);
            self.structure.archetypes.observe_new_sparse();
        }
        self.events.is_observing |= self.structure.archetypes.components.has_hooks();
    }

    /// Turns every reserved id into an entity without components.
    #[inline]
    pub(crate) fn flush(&mut self) {
        self.try_flush().unwrap_or_else(|error| error.raise());
    }

    /// Turns every reserved id into an entity without components.
    ///
    /// # Errors
    ///
    /// If there is no memory for all of them. The ids stay reserved.
    #[inline]
    pub(crate) fn try_flush(&mut self) -> Result<(), AllocError> {
        if self.structure.entities.needs_flush() { self.flush_reserved() } else { Ok(()) }
    }

    #[cold]
    fn flush_reserved(&mut self) -> Result<(), AllocError> {
        // No rows may be added during a dispatch to observers, so the ids stay reserved.
        if self.events.dispatch.is_running() {
            return Ok(());
        }
        self.try_place_pending()?;
        self.structure.entities.reserve_pending()?;
        self.structure.archetypes.tables.get_mut(TableId::EMPTY).reserve(self.structure.entities.reserved())?;
        // From here on nothing allocates.
        let by = self.structure.entities.caller();
        self.structure.entities.set_caller(Origin::UNKNOWN);
        while let Some(entity) = self.structure.entities.next_reserved() {
            place_empty(self, entity);
        }
        self.structure.entities.set_caller(by);
        Ok(())
    }

    /// Turns every pending id into an entity without components, with an unknown origin.
    pub(crate) fn place_pending(&mut self) {
        self.try_place_pending().unwrap_or_else(|error| error.raise());
    }

    /// Turns every pending id into an entity without components.
    ///
    /// # Errors
    ///
    /// If there is no memory for all of them. The ids stay pending, and are placed the next time.
    pub(crate) fn try_place_pending(&mut self) -> Result<(), AllocError> {
        if self.structure.pending.is_empty() {
            return Ok(());
        }
        let count = self.structure.pending.iter().filter(|&&entity| self.structure.entities.is_pending(entity)).count();
        self.structure.archetypes.tables.get_mut(TableId::EMPTY).reserve(count)?;
        let by = self.structure.entities.caller();
        self.structure.entities.set_caller(Origin::UNKNOWN);
        for at in 0..self.structure.pending.len() {
            let entity = self.structure.pending[at];
            if self.structure.entities.is_pending(entity) {
                place_empty(self, entity);
            }
        }
        self.structure.entities.set_caller(by);
        // A large list is freed, a small one is reused.
        if self.structure.pending.capacity() > 1024 {
            self.structure.pending = Vec::new()
        } else {
            self.structure.pending.clear()
        }
        Ok(())
    }

    /// Opens a stream of ids for each of several tasks, with windows of these sizes. They are open until [`Store::close_id_streams`].
    pub(crate) fn open_id_streams(&mut self, windows: impl Iterator<Item = u32>) {
        self.flush();
        self.structure.entities.open_streams(windows);
    }

    /// Puts an entity into the table without components if it is pending.
    ///
    /// # Panics
    ///
    /// If there is no memory. The id stays pending.
    pub(crate) fn place_if_pending(&mut self, entity: Entity) {
        if self.structure.entities.is_pending(entity) {
            place_empty(self, entity);
        }
    }

    /// Returns the tick and caller of operations outside of systems, which may run at the same time as others.
    #[inline]
    pub(crate) fn now(&self) -> WriteStamp {
        WriteStamp { tick: self.clock.change_tick(), by: self.structure.entities.caller() }
    }

    /// Sets the calling line as the caller (origin) of the operations that follow.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn track_caller(&mut self) -> &mut Self {
        if let Some(by) = self.clock.take_restored_origin() {
            self.structure.entities.set_caller(by);
        }
        self.structure.entities.set_caller(Origin::here(self.structure.entities.caller().system_name()));
        self
    }

    /// Returns the ticks for change detection outside of systems.
    #[inline]
    pub(crate) fn run_ticks(&self) -> RunTicks {
        let system = self.structure.entities.caller().system_name();
        RunTicks { last_run: self.clock.last.get(), this_run: self.clock.change_tick(), system }
    }

    /// Reserves `count` ticks for runs that may happen at the same time, and returns the first of them. If `count` is 0 the tick stays the
    /// same.
    pub(crate) fn begin_runs(&mut self, count: u32) -> Tick {
        let first = self.next_tick();
        self.clock.tick.set(first.later(count));
        first
    }

    /// Advances the tick and returns its previous value: the tick of the run that begins.
    #[inline]
    pub(crate) fn next_tick(&mut self) -> Tick {
        if let Some(tick) = self.clock.try_advance(&self.structure.archetypes.components) {
            return tick;
        }
        let tick = self.clock.change_tick();
        maintain_ticks(self, tick);
        self.clock.tick.set(tick.next());
        tick
    }
}

/// Puts a pending entity into the table without components.
fn place_empty(store: &mut Store, entity: Entity) {
    let now = store.now();
    let Store { structure, events, .. } = store;
    let table = structure.archetypes.tables.get_mut(TableId::EMPTY);
    if let Err(error) = table.reserve(1) {
        error.raise();
    }
    let row = table.len() as u32;
    // SAFETY: room has been reserved; the table has no columns.
    unsafe { table.commit_row(entity, now) }
    structure.entities.place(entity, Location { table: TableId::EMPTY, row });
    events.record_spawned(structure, now.tick, TableId::EMPTY, row as usize);
}

/// Starts tracking for the components that readers have requested. If it is time, also clamps all ticks that are too old to be compared.
/// `O(rows of tracked components)`.
#[cold]
#[inline(never)]
fn maintain_ticks(store: &mut Store, now: Tick) {
    let Store { structure, resources, relations, clock, events, .. } = store;
    structure.track_requested(now);
    if clock.checked.age(now) < CHECK_EVERY {
        return;
    }
    clock.last.update(|last| last.clamped_as_last_run(now));
    clock.readers.reset(now);
    structure.archetypes.tables.iter_mut().for_each(|table| table.clamp_ticks(now));
    structure.sparse.iter().for_each(|storage| storage.column().clamp_ticks(now));
    resources.clamp_ticks(now);
    relations.clamp_ticks(now);
    events.spawns.iter_mut().for_each(|spawns| spawns.clamp(now));
    clock.checked = now;
    clock.era = clock.era.wrapping_add(1);
}
