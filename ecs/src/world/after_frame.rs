//! Commands that are applied between frames.
//!
//! Tests: `tests/snapshots/requests.rs`.

use super::cast::World;
use super::own_commands::Command;
use crate::command::{CommandQueue, Commands};

impl World {
    /// Queues a command for the end of the frame: it is applied when nothing runs in the world any more and before anything of the next
    /// frame does, in the order in which such commands were queued. So it can take a [snapshot](Self::snapshot), restore one, or load a
    /// world. If it returns an error, this is reported as that of any command.
    ///
    /// A frame with a [name](Self::frame), such as an `App` has, ends with its function. Any other one ends when a schedule runs that has run in
    /// it before, or when a frame with a name begins: `world.frame(|_| ())` ends it. What waits is no state of the world: it is in no
    /// snapshot, and stays when one is restored.
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
