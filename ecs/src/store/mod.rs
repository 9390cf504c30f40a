//! The store: everything that a world holds, and the operations that keep its parts consistent.
//!
//! Entities, tables, sparse storages, bundles and edges know nothing of each other's state; here is where a change to
//! one is carried through to the others. Each operation first makes room, then moves bytes and notes (neither can fail),
//! and at last drops what has to be dropped. User code (`Drop`, iterators, closures) runs only while everything is
//! consistent, so a panic in it leaves a usable world.
//!
//! Room is made for everything in the first step, (0) of `ARCHITECTURE.md`. An allocation that fails may unwind, so any
//! `push`, `insert` or `Box::new` belongs there. Where two books change together, such as a map from types and the list that
//! its numbers lead to, room is made in both before either changes: `SlotMap::register` does so for all registries,
//! `Removals::make_room` for all lists of removals, `Entities::reserve_free` for ends of entities. Where several values are
//! dropped and one panics, the others are dropped all the same.
//!
//! Two kinds of notes are made when rows have moved, and do not fail there. If there is no memory for what observers and hooks
//! are to be told, that is raised when the rest is told (`LifecycleEvents::raise_failure`). If there is none for a note of a link, or if an
//! operation on links or pairs is broken off (`Store::change_links`), all links are compared with the components of their
//! entities at the end of the next operation.
//!
//! A world has a number that is never used twice in a process ([`WorldId`]). Queries and systems remember the number of the
//! world that their state was made for, and compare it in release builds. Preparing a system takes its state away first and
//! sets it last, so a panic in between (a `Local` is made by user code) leaves a system that is prepared for no world.

mod clock;
mod frames;
mod failure;
mod news;
mod links;
mod report;
mod event_observers;
mod reactions;
mod frame;
mod at_work;
mod home;
mod ticks;
mod required;
mod removed;
mod record;
mod journal;
mod lifecycle;
mod deferring;
mod addition;
mod spawn_error;
mod change;
mod execute;
mod spawn;

mod located;
mod make;
mod bulk;
mod despawn;
mod dynamic;
mod clone;
mod columns;
mod pairs;
mod transfer;
mod whole_transfer;
mod forget;
mod entity_at;
mod linked_clones;
mod erased;
mod attribution;
mod apply;
mod shrink;
mod copies;
mod built_copy;

mod check;

pub(crate) use self::apply::{record_despawn, record_insert, record_remove, record_retain};
pub(crate) use self::at_work::Acting;
pub use self::built_copy::BuildError;
pub(crate) use self::built_copy::{BUILT_ERA, MAX_NUMBER, RemovalParts, StoreParts, TableParts};
pub(crate) use self::bulk::Selection;
pub(crate) use self::clock::RestoredEra;
pub(crate) use self::clock::SharedClock;
pub use self::clone::CloneError;
pub use self::columns::SpawnColumnsError;
pub(crate) use self::copies::{Became, Known, Mark, Refused, StoreCopy};
pub use self::dynamic::EntityBuilder;
pub(crate) use self::entity_at::EntityAt;
pub use self::erased::{ColumnAccessError, ErasedAccessError, InsertErasedError, SetFieldError};
pub(crate) use self::event_observers::{EventObservers, RemovedObservers};
pub use self::failure::{CommandError, OnCommandError};
pub(crate) use self::failure::{CommandErrors, CommandFailure};
pub(crate) use self::frames::{Ongoing, Seat};
pub(crate) use self::home::Home;
pub(crate) use self::journal::{CopiedPairs, Moment, Unknown};
pub(crate) use self::links::{BuiltLinks, Orphan};
#[doc(hidden)]
pub use self::news::Affected;
pub(crate) use self::news::{EventBatch, LifecycleEvents};
pub(crate) use self::pairs::settle_pairs;
pub(crate) use self::reactions::{Cause, Link, NotDispatched, ReactionVTable, Reactions};
pub(crate) use self::report::Listeners;
pub use self::spawn_error::{SpawnAtError, SpawnError};
#[doc(hidden)]
pub use crate::transition::Transition;

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroUsize;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::alloc_error::{AllocError, try_reserve};
use crate::archetype::Archetypes;
use crate::column::{Column, ColumnAddress};
use crate::component::{Component, ComponentId, Components, ErasedRef, ErasedSlice, StorageType};
use crate::entity::{Entities, Entity, EntityIdsExhausted, IdForecasts, Location, Slot, TableId};
use crate::entity_disabling::Disabled;
use crate::mailbox::Mailbox;
use crate::origin::Origin;
use crate::pool::Pool;
use crate::queue::{Pattern, Queue};
use crate::relation::Relations;
use crate::resource::Resources;
use crate::sparse::SparseStorage;
use crate::tracking::Spawns;

/// Commands that have come back to their world: see `home`.
pub(crate) struct Returned {
    queue: Queue<Store>,
    /// Whose they are, for errors.
    system: Option<&'static str>,
    /// Whose commands were applied before, if the application of these was broken off.
    before: Option<Option<&'static str>>,
    /// Set if a scope of [`Store::with_deferred_events`] has ended while the store was elsewhere: whether it has ended without a panic.
    deferral: Option<bool>,
}

/// Tells worlds apart: no two worlds of a process ever have the same.
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

    /// How many worlds of the process were made before it, and itself.
    pub(crate) fn number(self) -> u64 {
        self.0.get() as u64
    }
}

impl fmt::Display for WorldId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Everything that a world holds.
pub struct Store {
    id: WorldId,
    pub(crate) entities: Entities,
    /// What is expected of systems that reserve ids: it decides which ids they get.
    pub(crate) id_forecasts: IdForecasts,
    pub(crate) archetypes: Archetypes,
    pub(crate) sparse: Vec<SparseStorage>,
    pub(crate) resources: Resources,
    pub(crate) relations: Relations<Self>,
    /// Reserved ids that a queue of commands is about to place.
    pending: Vec<Entity>,
    /// Commands that were queued outside of systems.
    pub(crate) queue: Queue<Store>,
    /// Commands that come back from where another world has taken the place of this one.
    returned: Mailbox<Returned>,
    pub(crate) command_errors: CommandErrors,
    /// How many recorded commands have been carried out.
    pub(crate) commands_applied: u64,
    clock: clock::Clock,
    frames: frames::Frames,
    /// Commands that are applied when the frame has ended, each in a queue of its own. They are no state of the world.
    after_frame: VecDeque<Queue<Store>>,
    /// Of recorded commands.
    last_pattern: Pattern<Store>,
    /// The listeners that operations report to.
    pub(crate) listeners: Listeners,
    /// The listeners that are user code.
    pub(crate) reactions: Reactions<Self>,
    /// The threads that may help.
    pub(crate) pool: Pool,
}

impl Store {
    pub(crate) fn new() -> Self {
        let mut made = Self {
            id: WorldId::next(),
            entities: Entities::default(),
            id_forecasts: IdForecasts::default(),
            archetypes: Archetypes::default(),
            sparse: Vec::new(),
            resources: Resources::default(),
            relations: Relations::default(),
            pending: Vec::new(),
            queue: Queue::default(),
            returned: Mailbox::new(),
            command_errors: CommandErrors::default(),
            commands_applied: 0,
            clock: clock::Clock::default(),
            frames: frames::Frames::default(),
            after_frame: VecDeque::new(),
            last_pattern: Pattern::default(),
            listeners: Listeners::default(),
            reactions: Reactions::default(),
            pool: Pool::default(),
        };
        // Every query excludes it or names it.
        made.register_disabling_component::<Disabled>();
        made
    }

    /// Makes a component, which is in tables, one that keeps entities out of queries that do not name it.
    pub(crate) fn register_disabling_component<C: Component>(&mut self) {
        let id = self.register_component::<C>();
        if self.archetypes.components.add_disabling(id) {
            // What is changed while an entity is disabled is told from what was changed before by the ticks of this component.
            self.track(id);
            self.archetypes.tables.note_disabling(&self.archetypes.components);
            self.archetypes.forget_plans();
            // The pattern of commands goes by plans.
            self.last_pattern.clear();
        }
    }

    /// Which world this is.
    #[inline]
    pub(crate) fn id(&self) -> WorldId {
        self.id
    }

    /// The number of a component, which is registered now if need be.
    #[inline]
    pub(crate) fn register_component<C: Component>(&mut self) -> ComponentId {
        let id = self.archetypes.components.register::<C>();
        self.note_new_components();
        id
    }

    /// The number of the component that a function registers, if need be.
    pub(crate) fn register_by(&mut self, register: fn(&mut Components) -> ComponentId) -> ComponentId {
        let id = register(&mut self.archetypes.components);
        self.note_new_components();
        id
    }

    /// Notes that components may have been registered: makes the storages of those that are sparse, and listens for those with hooks.
    fn note_new_components(&mut self) {
        let mut is_heard = false;
        while let Some(&id) = self.archetypes.components.sparse().get(self.sparse.len()) {
            let Some(info) = self.archetypes.components.info(id) else { break };
            self.sparse.push(SparseStorage::new(info));
            is_heard |= !self.archetypes.components.heard(id).is_none();
        }
        if is_heard {
            self.listeners.refresh_observed(&self.archetypes.components);
            self.archetypes.hear_new_sparse();
        }
        self.listeners.hears |= self.archetypes.components.has_hooks();
    }

    /// Makes every reserved id an entity without components.
    #[inline]
    pub(crate) fn flush(&mut self) {
        self.try_flush().unwrap_or_else(|error| error.raise());
    }

    /// Makes every reserved id an entity without components.
    ///
    /// # Errors
    ///
    /// If there is no memory for so many. They stay reserved.
    #[inline]
    pub(crate) fn try_flush(&mut self) -> Result<(), AllocError> {
        if self.entities.needs_flush() { self.flush_reserved() } else { Ok(()) }
    }

    #[cold]
    fn flush_reserved(&mut self) -> Result<(), AllocError> {
        // While observers are told the world keeps its rows.
        if self.reactions.is_running() {
            return Ok(());
        }
        self.try_place_pending()?;
        self.entities.reserve_pending()?;
        self.archetypes.tables.get_mut(TableId::EMPTY).reserve(self.entities.reserved())?;
        // From here on nothing needs memory.
        let by = self.entities.acting();
        self.entities.act(Origin::UNKNOWN);
        while let Some(entity) = self.entities.next_reserved() {
            self.place_empty(entity);
        }
        self.entities.act(by);
        Ok(())
    }

    /// Makes every pending id an entity without components, whose origin is unknown.
    pub(crate) fn place_pending(&mut self) {
        self.try_place_pending().unwrap_or_else(|error| error.raise());
    }

    /// Makes every pending id an entity without components.
    ///
    /// # Errors
    ///
    /// If there is no memory for all of them. They stay pending, and are placed the next time.
    pub(crate) fn try_place_pending(&mut self) -> Result<(), AllocError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let count = self.pending.iter().filter(|&&entity| self.entities.is_pending(entity)).count();
        self.archetypes.tables.get_mut(TableId::EMPTY).reserve(count)?;
        let by = self.entities.acting();
        self.entities.act(Origin::UNKNOWN);
        for at in 0..self.pending.len() {
            let entity = self.pending[at];
            if self.entities.is_pending(entity) {
                self.place_empty(entity);
            }
        }
        self.entities.act(by);
        // A large list is worth more as memory.
        if self.pending.capacity() > 1024 {
            self.pending = Vec::new()
        } else {
            self.pending.clear()
        }
        Ok(())
    }

    /// Makes every reserved id pending, so that it can be placed where it belongs at once. [`Store::place_pending`] places the
    /// rest.
    ///
    /// # Panics
    ///
    /// If there is no memory. They stay reserved.
    pub(crate) fn make_reserved_pending(&mut self) {
        let room = self.entities.reserve_pending();
        let room = room.and_then(|()| try_reserve(&mut self.pending, self.entities.reserved()));
        room.unwrap_or_else(|error| error.raise());
        while let Some(entity) = self.entities.next_reserved() {
            self.pending.push(entity);
        }
    }

    /// Gives each of several tasks a stream of ids of its own, until [`Store::close_id_streams`]: with a window of so many.
    pub(crate) fn open_id_streams(&mut self, windows: impl Iterator<Item = u32>) {
        self.flush();
        self.entities.open_streams(windows);
    }

    /// Ends the streams and makes every id that was reserved from one pending, so that it can be placed where it belongs at
    /// once. [`Store::place_pending`], which is also the end of each queue of commands, places the rest.
    ///
    /// # Errors
    ///
    /// If there is no memory. The streams have ended, and none of the ids is alive.
    pub(crate) fn close_id_streams(&mut self) -> Result<(), AllocError> {
        self.entities.close_streams(&mut self.pending)
    }

    /// Puts an entity into the table without components if it is pending.
    ///
    /// # Panics
    ///
    /// If there is no memory. It stays pending.
    pub(crate) fn place_if_pending(&mut self, entity: Entity) {
        if self.entities.is_pending(entity) {
            self.place_empty(entity);
        }
    }

    /// Puts a pending entity into the table without components.
    fn place_empty(&mut self, entity: Entity) {
        let now = self.now();
        let table = self.archetypes.tables.get_mut(TableId::EMPTY);
        if let Err(error) = table.reserve(1) {
            error.raise();
        }
        let row = table.len() as u32;
        // SAFETY: room has been reserved; the table has no columns.
        unsafe { table.commit_row(entity, now) }
        self.entities.place(entity, Location { table: TableId::EMPTY, row });
        self.rows_made(TableId::EMPTY, row as usize);
    }

    /// Reserves an id through a shared reference.
    pub(crate) fn reserve_entity(&self) -> Result<Entity, EntityIdsExhausted> {
        self.entities.reserve()
    }

    /// Where the value of a component of an entity is.
    #[inline]
    pub(crate) fn value<C: Component>(&self, entity: Entity) -> Option<NonNull<C>> {
        if C::STORAGE_TYPE == StorageType::Sparse {
            let location = Slot::find(self.entities.slots(), entity)?;
            self.archetypes.tables.get(location.table)?;
            let storage = self.archetypes.components.info(self.archetypes.components.id::<C>()?)?.sparse_index();
            return self.sparse.get(storage)?.get(entity.index()).map(NonNull::cast);
        }
        let (column, row) = self.in_table::<C>(entity)?;
        // SAFETY: the column is one of the entity's table, which is borrowed, and the row of a live entity is within it. It holds
        // values of `C`, since a slot's number belongs to one type, and so does an id.
        Some(unsafe { column.data().cast::<C>().add(row) })
    }

    /// Where the value of a component of an entity is, its column, and the row of its ticks there.
    #[inline]
    pub(crate) fn place<C: Component>(&self, entity: Entity) -> Option<(NonNull<C>, &Column, usize)> {
        if C::STORAGE_TYPE == StorageType::Sparse {
            let location = Slot::find(self.entities.slots(), entity)?;
            self.archetypes.tables.get(location.table)?;
            let storage = self
                .sparse
                .get(self.archetypes.components.info(self.archetypes.components.id::<C>()?)?.sparse_index())?;
            let row = storage.tick_row(entity.index())?;
            return Some((storage.get(entity.index())?.cast(), storage.column(), row));
        }
        let (column, row) = self.in_table::<C>(entity)?;
        // SAFETY: the column is one of the entity's table, which is borrowed, and the row of a live entity is within it. It holds
        // values of `C`, since a slot's number belongs to one type, and so does an id.
        unsafe {
            let column = column.column();
            Some((column.data().cast::<C>().add(row), column, row))
        }
    }

    /// The column of a component in the table of an entity, and the row of the entity. The component is stored in tables.
    ///
    /// Where one table has the component, its column is found first, so a loop over entities finds it once. What is left for each entity is
    /// a comparison of its slot; the fewer reads, the more entities the processor looks for at a time.
    #[inline(always)]
    fn in_table<C: Component>(&self, entity: Entity) -> Option<(ColumnAddress, usize)> {
        let slots = self.entities.slots();
        if let Some(slot) = C::slot()
            && let Some((table, column)) = self.archetypes.tables.likely_column(slot.address())
            && let Some(row) = Slot::row_in(slots, entity, table)
        {
            return Some((column, row as usize));
        }
        let location = Slot::find(slots, entity)?;
        Some((self.archetypes.column_of::<C>(location.table)?, location.row as usize))
    }

    /// Where the value of a component of an entity is, its column, and the row of its ticks there. `None` also if the component is
    /// none of this world.
    pub(crate) fn place_by_id(&self, entity: Entity, id: ComponentId) -> Option<(NonNull<u8>, &Column, usize)> {
        let location = Slot::find(self.entities.slots(), entity)?;
        let info = self.archetypes.components.info(id)?;
        if info.storage() == StorageType::Sparse {
            let storage = self.sparse.get(info.sparse_index())?;
            let row = storage.tick_row(entity.index())?;
            return Some((storage.get(entity.index())?, storage.column(), row));
        }
        let table = self.archetypes.tables.get(location.table)?;
        let (column, row) = (table.column(table.column_index(id)?), location.row as usize);
        // SAFETY: the row of a live entity is within the columns of its table.
        Some((unsafe { column.get(row) }, column, row))
    }

    /// The value of a component of an entity. `None` also if the component is none of this world.
    pub(crate) fn value_by_id(&self, entity: Entity, id: ComponentId) -> Option<ErasedRef<'_>> {
        let (value, ..) = self.place_by_id(entity, id)?;
        let descriptor = self.archetypes.components.info(id)?.descriptor();
        // SAFETY: the value is one of the component with this id, and the store is borrowed.
        Some(unsafe { ErasedRef::new(descriptor, value) })
    }

    /// The values of a component in a table, by row.
    pub(crate) fn erased_column(&self, table: TableId, id: ComponentId) -> Option<ErasedSlice<'_>> {
        let info = self.archetypes.components.info(id)?;
        let table = self.archetypes.tables.get(table)?;
        let column = table.column(table.column_index(id)?);
        // SAFETY: the column has a value of this component in each row of the table, which is borrowed.
        Some(unsafe { ErasedSlice::new(info.descriptor(), column.data(), table.len()) })
    }

    /// The values of a component outside of the tables, in the order of its storage. A component without a size has as many as there
    /// are entities with it, at no address of their own.
    pub(crate) fn erased_storage(&self, id: ComponentId) -> Option<ErasedSlice<'_>> {
        let info = self.archetypes.components.info(id).filter(|info| info.storage() == StorageType::Sparse)?;
        let storage = self.sparse.get(info.sparse_index())?;
        // SAFETY: the column has so many values of this component, and is borrowed: those of a set lie in its first rows, and those
        // without a size wherever an aligned address is.
        Some(unsafe { ErasedSlice::new(info.descriptor(), storage.column().data(), storage.len()) })
    }

    /// The values of a component in a table, one for each row, and their column; none if their type is not `T`.
    fn column_values<T: 'static>(&self, table: TableId, id: ComponentId) -> Option<(NonNull<[T]>, &Column)> {
        let info = self.archetypes.components.info(id).filter(|info| info.descriptor().holds::<T>())?;
        let table = self.archetypes.tables.get(table)?;
        let column = table.column(table.column_index(info.id())?);
        Some((NonNull::slice_from_raw_parts(column.data().cast(), table.len()), column))
    }

    /// The values of a component in a table, by row.
    pub(crate) fn values_by_id<T: 'static>(&self, table: TableId, id: ComponentId) -> Option<&[T]> {
        // SAFETY: the column has a value of `T` in each row of the table, which is borrowed.
        self.column_values(table, id).map(|(values, _)| unsafe { values.as_ref() })
    }

    /// The values of a component in a table, by row, all of which change now.
    pub(crate) fn values_mut_by_id<T: 'static>(&mut self, table: TableId, id: ComponentId) -> Option<&mut [T]> {
        let (mut values, column) = self.column_values(table, id)?;
        let now = self.now();
        column.visit(now.tick);
        if let Some(tracking) = column.tracking() {
            tracking.mark_rows(0, values.len(), now);
        }
        // SAFETY: as above, and the store is borrowed mutably.
        Some(unsafe { values.as_mut() })
    }

    /// Whether an entity has a component.
    pub(crate) fn has(&self, entity: Entity, id: ComponentId) -> bool {
        let Some(location) = self.entities.get(entity) else { return false };
        match self.archetypes.components.info(id) {
            Some(info) if info.storage() == StorageType::Sparse => {
                self.sparse.get(info.sparse_index()).is_some_and(|storage| storage.contains(entity.index()))
            }
            Some(_) => self.archetypes.tables.get(location.table).is_some_and(|table| table.contains(id)),
            None => false,
        }
    }

    /// The bytes that the world has allocated for its own books and for columns, without what values own.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.entities.allocated_bytes()
            + self.id_forecasts.allocated_bytes()
            + self.archetypes.allocated_bytes()
            + self.sparse.iter().map(SparseStorage::allocated_bytes).sum::<usize>()
            + self.sparse.capacity() * size_of::<SparseStorage>()
            + self.relations.allocated_bytes()
            + self.pending.capacity() * size_of::<Entity>()
            + self.queue.allocated_bytes()
            + self.reactions.queued_bytes()
            + self.command_errors.allocated_bytes()
            + self.listeners.removals.allocated_bytes()
            + self.spawns().map_or(0, Spawns::allocated_bytes)
    }
}
