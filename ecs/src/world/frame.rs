//! Frames of a world.
//!
//! Tests: tests/changes/frames.rs

use super::cast::World;
use crate::structure::store::{FrameGuard, WorldId, begin_frame, end_frame, end_frame_for_commands};
use crate::system::commands::apply_after_frame;

/// Ends a frame when it is dropped. So the frame also ends if the function of the frame panics.
struct FrameEnd<'a> {
    world: &'a mut World,
    of: WorldId,
    ongoing: Option<FrameGuard>,
}

impl FrameEnd<'_> {
    /// Ends the frame of the world for which it was begun, even if another world has been put in the place of this
    /// world since.
    fn end(&mut self) {
        if let Some(ongoing) = self.ongoing.take() {
            if self.world.store.id() == self.of {
                drop(ongoing);
                end_frame(&mut self.world.store);
            } else {
                ongoing.end_elsewhere();
            }
        }
    }
}

impl Drop for FrameEnd<'_> {
    fn drop(&mut self) {
        // This runs only during a panic, so a panic of a message or value that is dropped with the frame is caught: a second panic would
        // abort.
        #[cfg(feature = "std")]
        crate::util::guard::quietly(|| self.end());
        #[cfg(not(feature = "std"))]
        self.end();
    }
}

/// Frames: rounds of a program. When a frame ends, the world drops old messages and removals.
impl World {
    /// Runs one frame: one round of the program, in which schedules run any number of times.
    ///
    /// At the end of a frame, messages age: those that were written in the previous frame are dropped (see
    /// [`Messages`](crate::message::Messages)). Removals that all readers of
    /// [`RemovedComponents`](crate::system::RemovedComponents) have read are dropped, too. The frame also ends if the
    /// function panics. From its first run on, a schedule that reads messages misses none of them, however many frames
    /// it skips.
    ///
    /// A program need not call this. If it does not, a frame ends when a schedule runs a second time in it. So `loop {
    /// update.run(&mut world); draw.run(&mut world) }` has one frame in each round. If a program runs a fixed step
    /// several times per round, a round has several frames. The only effect is that messages age sooner for readers
    /// outside of schedules.
    ///
    /// At the end of the frame, the commands that were [queued for it](Self::queue_after_frame) are applied. If the
    /// function panics, they stay queued until the end of the next frame.
    ///
    /// A frame within a frame, or within the run of a schedule, is part of the outer frame. If a schedule runs other
    /// schedules, they belong to the same frame. If another world is put in the place of this one, the frame of this
    /// world still ends, and the other world has its own frames.
    ///
    /// # Panics
    ///
    /// If the function panics, or the `Drop` of a message or of a removed value. The frame ends anyway.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Step(u32);
    /// # #[derive(Resource, Default)] struct Seen(Vec<u32>);
    ///
    /// fn read(mut steps: MessageReader<Step>, mut seen: ResMut<Seen>) {
    ///     seen.0.extend(steps.read().map(|step| step.0));
    /// }
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Seen>();
    /// let mut fixed = Schedule::default();
    /// fixed.add_systems(read);
    /// fixed.run(&mut world); // From here on the world keeps what the schedule reads.
    /// for frame in 0..10 {
    ///     world.frame(|world| {
    ///         world.write_message(Step(frame));
    ///         if frame % 5 == 4 {
    ///             fixed.run(world); // A fixed step, that skips frames and loses nothing.
    ///         }
    ///     });
    /// }
    /// assert_eq!(world.resource::<Seen>().0.len(), 10);
    /// ```
    #[doc(alias("progress", "tick"))]
    pub fn frame<R>(&mut self, scope: impl FnOnce(&mut Self) -> R) -> R {
        if end_frame_for_commands(&mut self.store, None) {
            apply_after_frame(&mut self.store);
        }
        let (of, ongoing) = (self.store.id(), begin_frame(&mut self.store));
        let is_outermost = ongoing.is_some();
        let mut frame = FrameEnd { world: self, of, ongoing };
        let result = scope(frame.world);
        frame.end();
        drop(frame);
        if is_outermost && self.store.id() == of && !self.store.commands.after_frame.is_empty() {
            apply_after_frame(&mut self.store);
        }
        result
    }

    /// Returns the number of frames of the world that have ended: see [`World::frame`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut schedule = Schedule::default();
    /// schedule.run(&mut world);
    /// assert_eq!(world.frame_number(), 0); // It goes on until the schedule runs again.
    /// schedule.run(&mut world);
    /// world.frame(|world| schedule.run(world));
    /// assert_eq!(world.frame_number(), 3);
    /// ```
    #[must_use]
    pub fn frame_number(&self) -> u64 {
        self.store.frames.number()
    }
}
