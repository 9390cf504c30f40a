//! Restores snapshots in other worlds, and copies worlds.
//!
//! The ids of components, resources and relations are valid in one world only. So the contents of the snapshot become
//! the parts of a [`SnapshotBuilder`], which looks up the types in the other world and registers missing ones.
//!
//! Tests: tests/snapshots/copies.rs

use alloc::vec::Vec;

use super::api::WorldSnapshot;
use super::builder::SnapshotBuilder;
use super::columns::{ColumnContents, NewColumnContents};
use super::consumers::{
    KeptBySystem, NewRemovalContents, NewScheduleContents, NewSystemContents, RemovalContents, ScheduleContents,
    SystemContents,
};
use super::error::{RestoreError, SnapshotError};
use super::options::SnapshotOptions;
use crate::world::World;

impl World {
    /// Replaces the contents of the world, including the ids of entities, by the contents of a snapshot. This works
    /// like [`World::restore`], but the snapshot may be from another world.
    ///
    /// - Components, relations and resources are found by their types. Components that were made at run time are found
    ///   by their stable names. Missing types are registered.
    /// - As after [`World::clear_all`], queries remain usable, and ids that the world had reserved are invalid.
    /// - Schedules, observers and hooks of the world are unchanged. A system in a schedule continues with the state of
    ///   the system with the same label and name in the snapshot. All other consumers see everything as new.
    /// - Non-send values are unchanged, and so are resources that the options of the snapshot leave out.
    ///
    /// `O(entities + components)`: each value is cloned.
    ///
    /// # Errors
    ///
    /// If something is running in the world. Also if the world cannot hold the contents of the snapshot, for instance
    /// because a component has the same stable name as another one. The contents of the world are unchanged, but some
    /// types may have been registered.
    ///
    /// # Panics
    ///
    /// See [`World::restore`]. Also if a resource has the same stable name as another resource of this world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone, PartialEq, Debug)]
    /// struct Name(String);
    ///
    /// let mut game = World::new();
    /// let ann = game.spawn(Name("ann".into())).id();
    /// let snapshot = game.snapshot()?;
    ///
    /// let mut preview = World::new();
    /// preview.spawn_batch([(), (), ()]);
    /// preview.restore_into(&snapshot)?;
    /// assert_eq!(preview.len(), 1);
    /// assert_eq!(preview.get::<Name>(ann).unwrap().0, "ann");
    /// assert_eq!(preview.spawn_empty().id(), game.spawn_empty().id());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore_into(&mut self, snapshot: &WorldSnapshot) -> Result<(), RestoreError> {
        if snapshot.is_of(self) {
            return self.restore(snapshot);
        }
        self.check_idle(snapshot)?;
        if let Some(name) = snapshot.copy.not_clone {
            return Err(RestoreError::NotClone(name));
        }
        let built = snapshot.to_builder().build(self, &snapshot.options).map_err(RestoreError::Contents)?;
        self.restore_from(built)
    }

    /// Creates a world with the same contents: entities with their ids, values, resources, pairs, and the next ids. The
    /// same operations have the same results in both worlds.
    ///
    /// Definitions are not copied: the new world has no schedules and no observers, and only those hooks and
    /// requirements that the types define. If they are needed, [restore](World::restore_into) a
    /// [snapshot](World::snapshot) in a world that has them.
    ///
    /// # Errors
    ///
    /// See [`World::snapshot`]. The error lists everything that cannot be cloned.
    ///
    /// # Panics
    ///
    /// See [`World::snapshot`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Copy, PartialEq, Debug)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut guess = world.try_clone()?;
    /// guess.get_mut::<Health>(entity).unwrap().0 = 1;
    /// assert_eq!(world.get(entity), Some(&Health(3)));
    /// assert_eq!(guess.get(entity), Some(&Health(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("duplicate", "fork"))]
    pub fn try_clone(&mut self) -> Result<Self, SnapshotError> {
        self.try_clone_with(&SnapshotOptions::new())
    }

    /// Creates a copy like [`World::try_clone`], without the data that the options leave out.
    ///
    /// # Errors
    ///
    /// See [`World::try_clone`].
    ///
    /// # Panics
    ///
    /// See [`World::try_clone`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotOptions;
    ///
    /// #[derive(Resource)]
    /// struct Window;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Window);
    /// assert!(world.try_clone().is_err());
    /// let clone = world.try_clone_with(&SnapshotOptions::new().without_resource::<Window>())?;
    /// assert!(!clone.contains_resource::<Window>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_clone_with(&mut self, options: &SnapshotOptions) -> Result<Self, SnapshotError> {
        let snapshot = self.snapshot_with(options)?;
        let mut clone = Self::new();
        match clone.restore_into(&snapshot) {
            Ok(()) => Ok(clone),
            Err(RestoreError::Contents(error)) => Err(SnapshotError::Contents(error)),
            Err(error) => unreachable!("nothing goes on in a new world: {error}"),
        }
    }
}

impl WorldSnapshot {
    /// Creates a builder with clones of all values.
    fn to_builder(&self) -> SnapshotBuilder {
        let contents = self.contents();
        let mut builder = SnapshotBuilder::new(contents.ids(), contents.clock());
        for table in contents.tables() {
            let columns: Vec<NewColumnContents> = table.columns().map(ColumnContents::to_new).collect();
            builder.add_table(table.entities().to_vec(), table.stamp(), columns);
        }
        for storage in contents.storages() {
            builder.add_storage(storage.entities(), storage.column().to_new());
        }
        builder.add_whole(&self.copy);
        contents.schedules().for_each(|schedule| _ = builder.add_schedule(self.new_schedule(schedule)));
        contents.removals().for_each(|removals| _ = builder.add_removals(new_removals(removals)));
        if let Some(spawns) = contents.spawns() {
            builder.set_spawns(spawns);
        }
        builder
    }

    fn new_schedule(&self, schedule: ScheduleContents<'_>) -> NewScheduleContents {
        NewScheduleContents {
            label: alloc::format!("{:?}", schedule.label()),
            has_run_in_frame: schedule.has_run_in_frame(),
            held_messages: schedule.held_messages().collect(),
            systems: schedule.systems().map(|system| self.new_system(system)).collect(),
        }
    }

    fn new_system(&self, system: SystemContents<'_>) -> NewSystemContents {
        let kept = system.kept().map(|kept| match kept {
            KeptBySystem::Unprepared => KeptBySystem::Unprepared,
            KeptBySystem::LastRun(run) => KeptBySystem::LastRun(run),
            KeptBySystem::Messages { list, next, missed } => KeptBySystem::Messages { list, next, missed },
            KeptBySystem::Removals { component, of_values, next, missed } => {
                KeptBySystem::Removals { component, of_values, next, missed }
            }
            KeptBySystem::Links(links) => KeptBySystem::Links(links),
            KeptBySystem::Local(value) => KeptBySystem::Local(value.and_then(|value| self.options.clone_local(value))),
        });
        NewSystemContents {
            name: system.name().into(),
            nth: system.nth(),
            is_condition: system.is_condition(),
            expected_ids: system.expected_ids(),
            kept: kept.collect(),
        }
    }
}

fn new_removals(removals: RemovalContents<'_>) -> NewRemovalContents {
    let (first, limit) = removals.numbers();
    let new = NewRemovalContents::of(removals.component(), removals.entities().to_vec(), first, limit);
    match removals.new_values() {
        Some(values) => new.with_values(values),
        None => new,
    }
}
