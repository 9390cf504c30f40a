//! Snapshots of worlds.
//!
//! Tests: tests/snapshots/histories.rs, tests/snapshots/limits.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use hashbrown::HashMap;
use strata_ecs_derive::Event;

use super::error::{RestoreError, SnapshotError};
use super::options::SnapshotOptions;
use crate::component::ComponentDescriptor;
use crate::schedule::ScheduleMemory;
use crate::schedule::label::InternedScheduleLabel;
use crate::structure::store::{
    CopyVersion, KnownCopy, NotTaken, RestoreOutcome, RestoreSource, Store, StoreCopy, WorldId, copy_around_rows,
    copy_store_to, is_busy, mark_of_copy, refused_parts, restore,
};
use crate::util::alloc_error::AllocError;
use crate::util::guard::DeferredPanic;
use crate::world::{World, for_each_schedule};

/// The state of a world at one moment, with its own copies of the values. See [the module](super).
///
/// It can be restored any number of times. [`World::snapshot_into`] overwrites it with a new snapshot and reuses its memory.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Clone, Copy)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([Health(1), Health(2)]);
/// let snapshot = world.snapshot().unwrap();
/// assert_eq!((snapshot.len(), snapshot.frame_number()), (2, 0));
/// ```
pub struct WorldSnapshot {
    pub(super) world: WorldId,
    pub(super) options: SnapshotOptions,
    pub(super) copy: StoreCopy,
    /// The state of the systems of each schedule.
    pub(super) systems: Vec<(InternedScheduleLabel, ScheduleMemory)>,
}

/// The contents of a world as data, read in place: see [`World::living_contents`].
pub struct LivingContents<'w> {
    /// A copy of everything except entities and components.
    pub(super) around: WorldSnapshot,
    pub(super) store: &'w Store,
}

impl_debug_as_struct! {
    [] LivingContents<'_>, "LivingContents", |this| { world: this.around.world } finish_non_exhaustive;
    [] WorldSnapshot, "WorldSnapshot", |this| {
        world: this.world, entities: this.len(), frame_number: this.frame_number()
    } finish_non_exhaustive;
}

impl WorldSnapshot {
    /// An empty snapshot for a world.
    pub(super) fn none_of(world: &World, options: SnapshotOptions) -> Self {
        Self { world: world.id(), options, copy: StoreCopy::default(), systems: Vec::new() }
    }

    /// Whether the snapshot was taken from, or built for, this world.
    pub(super) fn is_of(&self, world: &World) -> bool {
        self.world == world.id()
    }

    /// The number of live entities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.copy.len()
    }

    /// Whether the snapshot has no live entity.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of frames that had ended: see [`World::frame_number`].
    #[must_use]
    pub fn frame_number(&self) -> u64 {
        self.copy.frames.number
    }

    /// The bytes that the snapshot has allocated for entities and components, excluding allocations owned by the values.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Copy)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..100).map(Health));
    /// assert!(world.snapshot().unwrap().allocated_bytes() >= 400);
    /// ```
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        self.copy.allocated_bytes()
    }
}

/// A world has been [restored](World::restore). This event is triggered after the whole state is in place.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::Restored;
///
/// #[derive(Resource, Clone, Default)]
/// struct Restores(u32);
///
/// let mut world = World::new();
/// world.init_resource::<Restores>();
/// world.add_observer(|_: On<Restored>, mut restores: ResMut<Restores>| restores.0 += 1);
/// let snapshot = world.snapshot().unwrap();
/// world.restore(&snapshot).unwrap();
/// assert_eq!(world.resource::<Restores>().0, 1);
/// ```
#[derive(Event, Clone, Copy, Debug)]
pub struct Restored {
    /// The number of frames that had ended when the snapshot was taken: see [`World::frame_number`].
    pub frame_number: u64,
}

impl World {
    /// Takes a snapshot of the whole world: see [`snapshot`](crate::snapshot). `O(entities + components)`: memory is allocated, and
    /// values are copied.
    ///
    /// # Errors
    ///
    /// If a system, schedule, hook or observer is running, or if some data cannot be copied. The error names all such data.
    ///
    /// # Panics
    ///
    /// If a `Clone` panics, or if there is no memory.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone, PartialEq, Debug)]
    /// struct Name(String);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Name("ann".into())).id();
    /// let snapshot = world.snapshot()?;
    /// world.entity_mut(entity).remove::<Name>();
    /// world.restore(&snapshot)?;
    /// assert_eq!(world.get::<Name>(entity).unwrap().0, "ann");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&mut self) -> Result<WorldSnapshot, SnapshotError> {
        self.snapshot_with(&SnapshotOptions::new())
    }

    /// Like [`World::snapshot`], without the data that the options leave out.
    ///
    /// # Errors
    ///
    /// See [`World::snapshot`].
    ///
    /// # Panics
    ///
    /// See [`World::snapshot`].
    pub fn snapshot_with(&mut self, options: &SnapshotOptions) -> Result<WorldSnapshot, SnapshotError> {
        let mut snapshot = WorldSnapshot::none_of(self, options.clone());
        self.snapshot_into(&mut snapshot)?;
        Ok(snapshot)
    }

    /// Overwrites a snapshot with a new one. The options of the snapshot are kept, and its memory is reused where it is large
    /// enough.
    ///
    /// # Errors
    ///
    /// See [`World::snapshot`]. On an error the snapshot is unchanged.
    ///
    /// # Panics
    ///
    /// See [`World::snapshot`]. After a panic the snapshot cannot be restored.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Copy, PartialEq, Debug)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut snapshot = world.snapshot().unwrap();
    /// *world.get_mut::<Health>(entity).unwrap() = Health(4);
    /// world.snapshot_into(&mut snapshot).unwrap();
    /// *world.get_mut::<Health>(entity).unwrap() = Health(5);
    /// world.restore(&snapshot).unwrap();
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    pub fn snapshot_into(&mut self, snapshot: &mut WorldSnapshot) -> Result<(), SnapshotError> {
        self.take_snapshot(snapshot, None, false)
    }

    /// Implements [`World::snapshot_into`]. The snapshot shares unchanged data with a known snapshot. If it is to become the known
    /// snapshot later, the change tick is incremented.
    pub(super) fn take_snapshot(
        &mut self,
        snapshot: &mut WorldSnapshot,
        known: Option<KnownCopy<'_>>,
        is_to_be_known: bool,
    ) -> Result<(), SnapshotError> {
        let WorldSnapshot { world, options, copy, systems } = snapshot;
        self.add_locals_to(options);
        let taken = self.memory_of_systems(options, true)?;
        *world = self.id();
        if is_to_be_known {
            // The tick is incremented, so that the tick of later writes differs from the ticks of all earlier writes.
            self.increment_change_tick();
        }
        copy_store_to(&mut self.store, copy, known, |descriptor| options.is_apart(descriptor), &options.clones)
            .unwrap_or_else(|error| error.raise());
        *systems = taken;
        Ok(())
    }

    /// Collects the state of the systems in schedules if a snapshot can be taken, with or without rows.
    fn memory_of_systems(
        &mut self,
        options: &SnapshotOptions,
        with_rows: bool,
    ) -> Result<Vec<(InternedScheduleLabel, ScheduleMemory)>, SnapshotError> {
        if is_busy(&mut self.store) {
            return Err(SnapshotError::Busy);
        }
        if let Some(name) = self.store.resources.lent_name() {
            return Err(SnapshotError::Lent(name));
        }
        let is_apart = |descriptor: &ComponentDescriptor| options.is_apart(descriptor);
        let mut refused = refused_parts(&mut self.store, with_rows, &is_apart, &options.clones);
        if !options.observers && self.store.events.dispatch.watch_entities() {
            refused.push(NotTaken::EntityObservers);
        }
        let (mut taken, mut locals) = (Vec::new(), Vec::new());
        let world = self.id();
        let all_there = for_each_schedule(&mut self.store, |label, schedule| {
            taken.push((label, schedule.memory(world, &|value| options.clone_local(value), &mut locals)));
        });
        if !all_there {
            return Err(SnapshotError::Busy);
        }
        if !options.uncloneable_locals {
            refused.extend(locals.into_iter().map(|(system, value)| NotTaken::Local { system, value }));
        }
        if refused.is_empty() { Ok(taken) } else { Err(SnapshotError::NotTaken(refused)) }
    }

    /// Returns the contents of the world as data, without copying entities and components. A format that only writes the world
    /// reads this. The world is borrowed mutably for as long as the contents are in use.
    ///
    /// # Errors
    ///
    /// See [`World::snapshot`], except that components need not be `Clone`.
    ///
    /// # Panics
    ///
    /// See [`World::snapshot`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotOptions;
    /// # #[derive(Component, Clone, Copy)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// let living = world.living_contents(&SnapshotOptions::new())?;
    /// let rows: usize = living.contents().tables().map(|table| table.entities().len()).sum();
    /// assert_eq!(rows, 2);
    /// # Ok::<(), strata_ecs::snapshot::SnapshotError>(())
    /// ```
    pub fn living_contents(&mut self, options: &SnapshotOptions) -> Result<LivingContents<'_>, SnapshotError> {
        let mut options = options.clone();
        self.add_locals_to(&mut options);
        let systems = self.memory_of_systems(&options, false)?;
        let copy = copy_around_rows(&mut self.store, |descriptor| options.is_apart(descriptor), &options.clones)
            .unwrap_or_else(|error| error.raise());
        let around = WorldSnapshot { world: self.id(), options, copy, systems };
        Ok(LivingContents { around, store: &self.store })
    }

    /// Restores the world to a snapshot that was taken of it: see [`snapshot`](crate::snapshot). Later operations have the same
    /// results as after the snapshot. `O(entities + components)`.
    ///
    /// Hooks and observers do not run for the entities and components that the restore adds and removes. The event [`Restored`] is
    /// triggered at the end.
    ///
    /// # Errors
    ///
    /// If a system, schedule, hook or observer is running, or if the snapshot is from another world: [`World::restore_into`]
    /// accepts those.
    ///
    /// # Panics
    ///
    /// If a `Clone` panics, or if there is no memory: then nothing has changed. A restored world may have systems that a restore to
    /// before their first run had left unprepared; they are prepared first, and if that panics nothing has changed either. If the
    /// `Drop` of an old value panics, the world has been restored.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Copy, PartialEq, Debug)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let snapshot = world.snapshot().unwrap();
    /// world.clear_entities();
    /// world.restore(&snapshot).unwrap();
    /// assert_eq!(world.get(entity), Some(&Health(3)));
    /// ```
    pub fn restore(&mut self, snapshot: &WorldSnapshot) -> Result<(), RestoreError> {
        self.restore_snapshot(snapshot, None).map(drop)
    }

    /// Like [`World::restore`], but consumes the snapshot: its values and memory move into the world, and only resources are
    /// cloned.
    ///
    /// # Errors
    ///
    /// See [`World::restore`]. The snapshot is dropped in this case too.
    ///
    /// # Panics
    ///
    /// See [`World::restore`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Copy, PartialEq, Debug)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let snapshot = world.snapshot().unwrap();
    /// world.clear_entities();
    /// world.restore_from(snapshot).unwrap();
    /// assert_eq!(world.get(entity), Some(&Health(3)));
    /// ```
    pub fn restore_from(&mut self, snapshot: WorldSnapshot) -> Result<(), RestoreError> {
        self.check_restore(&snapshot)?;
        self.prepare_schedules(&snapshot);
        let WorldSnapshot { options, copy, systems, .. } = snapshot;
        let systems = systems.into_iter().collect();
        let frame_number = copy.frames.number;
        self.restored(systems, frame_number, |store| {
            restore(store, RestoreSource::Moved(Box::new(copy)), |descriptor| options.is_apart(descriptor))
        });
        Ok(())
    }

    /// Checks whether a snapshot of this world can be restored now.
    fn check_restore(&mut self, snapshot: &WorldSnapshot) -> Result<(), RestoreError> {
        self.check_idle(snapshot)?;
        if snapshot.is_of(self) { Ok(()) } else { Err(RestoreError::OtherWorld) }
    }

    /// Checks whether a snapshot of any world can be restored now.
    pub(super) fn check_idle(&mut self, snapshot: &WorldSnapshot) -> Result<(), RestoreError> {
        if is_busy(&mut self.store) {
            return Err(RestoreError::Busy);
        }
        if let Some(name) = self.store.resources.lent_name() {
            return Err(RestoreError::Lent(name));
        }
        if snapshot.copy.whole_of.is_none() {
            return Err(RestoreError::Unfinished);
        }
        if !for_each_schedule(&mut self.store, |_, _| {}) {
            return Err(RestoreError::Busy);
        }
        Ok(())
    }

    /// Prepares schedules whose systems have state in the snapshot but are not prepared now, for instance after a restore to before
    /// their first run: only prepared systems can hold state. A system that cannot be prepared starts with fresh state.
    fn prepare_schedules(&mut self, snapshot: &WorldSnapshot) {
        let (world, mut unprepared) = (self.id(), Vec::new());
        for_each_schedule(&mut self.store, |label, schedule| {
            if !schedule.is_prepared_for(world) {
                unprepared.push(label);
            }
        });
        unprepared.retain(|label| {
            let mut memories = snapshot.systems.iter().filter(|(own, _)| own == label);
            memories.any(|(_, memory)| memory.has_prepared())
        });
        for label in unprepared {
            _ = self.try_schedule_scope(label, |world, schedule| schedule.initialize(world));
        }
    }

    /// Moves the copy into the store and the saved state into the systems.
    fn restored(
        &mut self,
        mut systems: HashMap<InternedScheduleLabel, ScheduleMemory>,
        frame_number: u64,
        work: impl FnOnce(&mut Store) -> Result<RestoreOutcome, AllocError>,
    ) -> CopyVersion {
        let RestoreOutcome { renewed, era, panicked } = work(&mut self.store).unwrap_or_else(|error| error.raise());
        let mark = mark_of_copy(&self.store);
        let world = self.id();
        // Dropping the state of a system runs user code, which may panic.
        let forgotten = DeferredPanic::catch(|| {
            for_each_schedule(&mut self.store, |label, schedule| {
                let mut none = ScheduleMemory::default();
                let memory = systems.get_mut(&label).unwrap_or(&mut none);
                schedule.exchange_memory(memory, world, era, &renewed);
            });
        });
        let dropped = DeferredPanic::catch(|| drop(systems));
        self.trigger(Restored { frame_number });
        panicked.or(forgotten).or(dropped).go_on();
        mark
    }

    /// Implements [`World::restore`]. Data that are equal in the known snapshot and in this one stay in place. Returns the state of
    /// the world before [`Restored`] is triggered.
    pub(super) fn restore_snapshot(
        &mut self,
        snapshot: &WorldSnapshot,
        known: Option<KnownCopy<'_>>,
    ) -> Result<CopyVersion, RestoreError> {
        self.check_restore(snapshot)?;
        if let Some(name) = snapshot.copy.not_clone {
            return Err(RestoreError::NotClone(name));
        }
        self.prepare_schedules(snapshot);
        let options = &snapshot.options;
        let clone = |value: &dyn Any| options.clone_local(value);
        let systems = snapshot.systems.iter().map(|(label, memory)| (*label, memory.cloned(&clone))).collect();
        Ok(self.restored(systems, snapshot.frame_number(), |store| {
            restore(store, RestoreSource::Cloned(&snapshot.copy, known), |descriptor| options.is_apart(descriptor))
        }))
    }
}
