//! Snapshots that are restored in other worlds, and copies of worlds.
//!
//! The numbers of components, resources and relations mean something in one world only. So the contents of the snapshot become the parts of a
//! [`SnapshotBuilder`], which finds the types in the other world and registers those that it does not know.

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
    /// Replaces what the world holds by what a snapshot of any world says, ids of entities included: as [`World::restore`], but the snapshot
    /// may be one of another world.
    ///
    /// - Components, relations and resources are found by their types, and components that were made at run time by their stable names. Those
    ///   that the world does not know are registered.
    /// - As after [`World::clear_all`], queries stay usable, and ids that the world had reserved are gone. Schedules, observers and hooks of the
    ///   world stay; a system in a schedule goes on as the one that the snapshot knows by the same label and name, and to any other consumer
    ///   everything is new.
    /// - Resources that the options of the snapshot leave out stay as they are, and so do non-send values.
    ///
    /// `O(entities + components)`: each value is cloned.
    ///
    /// # Errors
    ///
    /// If something is running; or if the snapshot cannot be one of this world, as when a component has the stable name of another one. Then
    /// the world has its contents, and may know more types.
    ///
    /// # Panics
    ///
    /// As [`World::restore`], or if a resource has the stable name of another one of this world.
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

    /// A new world with the same contents: entities with their ids, values, resources, pairs, and the ids that come next. What is done then in
    /// both has the same results.
    ///
    /// Definitions are not copied: the new world has no schedules and no observers, and the hooks and requirements that types have by
    /// themselves. A [snapshot](World::snapshot) is taken for that, and [restored](World::restore_into) there.
    ///
    /// # Errors
    ///
    /// As [`World::snapshot`]: what cannot be cloned is named.
    ///
    /// # Panics
    ///
    /// As [`World::snapshot`].
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

    /// As [`World::try_clone`], but for what options leave out.
    ///
    /// # Errors
    ///
    /// As [`World::try_clone`].
    ///
    /// # Panics
    ///
    /// As [`World::try_clone`].
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
    /// All that it holds, with clones of the values.
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
