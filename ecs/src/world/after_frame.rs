//! Commands that are applied between frames.
//!
//! Tests: tests/snapshots/requests.rs

use super::cast::World;
use super::own_commands::Command;
use crate::system::commands::{CommandQueue, Commands};

impl World {
    /// Queues a command for the end of the frame. Such commands are applied before the next frame begins, when no
    /// schedule or system is running in the world, in the order in which they were queued. So the command can take a
    /// [snapshot](Self::snapshot), restore one, or load a world. Errors of the command are reported like those of any
    /// other command.
    ///
    /// A frame that was opened by [`World::frame`], as in an `App`, ends when the function of the frame returns. Any
    /// other frame ends when a schedule runs a second time in it, or when [`World::frame`] opens a frame:
    /// `world.frame(|_| ())` ends it. The queue is not part of the state of the world: snapshots do not contain it, and
    /// restoring a snapshot does not change it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default, Clone)] struct Turns(u32);
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    ///
    /// /// A snapshot is refused while a schedule runs.
    /// fn remember(mut turns: ResMut<Turns>, mut commands: Commands) {
    ///     turns.0 += 1;
    ///     commands.queue_after_frame(|world: &mut World| -> Result {
    ///         let snapshot = world.snapshot()?;
    ///         world.resource_mut::<Turns>().0 = 0;
    ///         Ok(world.restore(&snapshot)?)
    ///     });
    /// }
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Turns>();
    /// world.get_resource_or_init::<Schedules>().add_systems(Update, remember);
    /// world.frame(|world| world.run_schedule(Update));
    /// assert_eq!(world.resource::<Turns>().0, 1);
    /// assert!(world.take_command_errors().0.is_empty());
    /// ```
    pub fn queue_after_frame<C: Command>(&mut self, command: C) {
        let mut queue = CommandQueue::default();
        queue.push(command);
        self.store.commands.after_frame.push_back(queue.queue);
    }
}

impl Commands<'_, '_> {
    /// Queues a command for the end of the frame: see [`World::queue_after_frame`].
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn queue_after_frame<C: Command>(&mut self, command: C) {
        self.queue(|world: &mut World| world.queue_after_frame(command));
    }
}
