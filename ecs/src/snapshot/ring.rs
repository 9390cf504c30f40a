//! The last frames of a world. Consecutive frames share unchanged data.
//!
//! The ring records which of its snapshots the world was last equal to, and the state of the world at that time: [`CopyVersion`]. If the
//! world has been restored by other means since, the mark no longer matches, and the next snapshot shares nothing.
//!
//! Tests: tests/snapshots/ring.rs

use alloc::collections::VecDeque;

use super::api::WorldSnapshot;
use super::error::{RestoreError, SnapshotError};
use super::options::SnapshotOptions;
use crate::structure::store::{CopyVersion, KnownCopy, mark_of_copy};
use crate::world::World;

/// The last frames of a world, for rollback: see [the module](super#rollback).
///
/// The caller numbers the frames. Saving a frame again, after an earlier one has been restored, replaces it and removes all later frames.
/// If there are more frames than the ring has room for, the oldest one is removed and its memory is reused.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::SnapshotRing;
///
/// #[derive(Component, Clone, Copy, PartialEq, Debug)]
/// struct Place(i32);
///
/// fn simulate(world: &mut World, input: i32) {
///     world.query::<&mut Place>().iter_mut(world).for_each(|mut place| place.0 += input);
/// }
///
/// let mut world = World::new();
/// let player = world.spawn(Place(0)).id();
/// let mut ring = SnapshotRing::new(8);
/// for frame in 0..5 {
///     ring.save(&mut world, frame)?;
///     simulate(&mut world, 1); // It is guessed that the other player goes on.
/// }
/// // The true input of frame 2 comes: it is done again from there.
/// ring.restore(&mut world, 2)?;
/// assert_eq!(world.get(player), Some(&Place(2)));
/// for frame in 2..5 {
///     ring.save(&mut world, frame)?;
///     simulate(&mut world, 10);
/// }
/// assert_eq!(world.get(player), Some(&Place(32)));
/// assert_eq!(ring.frames().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SnapshotRing {
    options: SnapshotOptions,
    room: usize,
    /// In ascending order of the numbers.
    frames: VecDeque<(u64, WorldSnapshot)>,
    /// Snapshots whose memory can be reused.
    spare: VecDeque<WorldSnapshot>,
    /// The number of the frame that the world was last equal to, and the state of the world at that time.
    last: Option<(u64, CopyVersion)>,
}

impl SnapshotRing {
    /// Creates a ring with room for `frames` frames, and for at least one.
    #[must_use]
    pub fn new(frames: usize) -> Self {
        Self::with_options(frames, SnapshotOptions::new())
    }

    /// Like [`SnapshotRing::new`], without the data that the options leave out.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::{SnapshotOptions, SnapshotRing};
    ///
    /// #[derive(Resource)]
    /// struct Window;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Window);
    /// assert!(SnapshotRing::new(8).save(&mut world, 0).is_err());
    /// let options = SnapshotOptions::new().without_resource::<Window>();
    /// assert!(SnapshotRing::with_options(8, options).save(&mut world, 0).is_ok());
    /// ```
    #[must_use]
    pub fn with_options(frames: usize, options: SnapshotOptions) -> Self {
        let (frames, room) = (VecDeque::new(), frames.max(1));
        Self { options, room, frames, spare: VecDeque::new(), last: None }
    }

    /// Saves the current state of the world as a frame. Frames with this number or a higher one are removed first.
    /// `O(entities + components)` for the changes since a frame of this ring was last saved or restored, and for values that are not
    /// `Copy`, are sparse or are tracked.
    ///
    /// The [change tick](World::change_tick) of the world is incremented, as in a run of a system.
    ///
    /// # Errors
    ///
    /// See [`World::snapshot`]. On an error no frame is removed.
    ///
    /// # Panics
    ///
    /// See [`World::snapshot`]. After a panic the frame is not kept.
    pub fn save(&mut self, world: &mut World, frame: u64) -> Result<(), SnapshotError> {
        let options = &self.options;
        let mut snapshot = self.spare.pop_front().unwrap_or_else(|| WorldSnapshot::none_of(world, options.clone()));
        let known = known_copy(&self.frames, &self.last);
        let taken = world.take_snapshot(&mut snapshot, known, true);
        if let Err(error) = taken {
            self.spare.push_front(snapshot);
            return Err(error);
        }
        self.last = None;
        let later = self.frames.partition_point(|(number, _)| *number < frame);
        self.spare.extend(self.frames.drain(later..).map(|(_, snapshot)| snapshot));
        self.frames.push_back((frame, snapshot));
        if self.frames.len() > self.room {
            self.spare.extend(self.frames.pop_front().map(|(_, snapshot)| snapshot));
        }
        // Each `save` reuses one spare snapshot. More spares than frames would only hold memory.
        self.spare.truncate(self.room);
        self.last = Some((frame, mark_of_copy(&world.store)));
        Ok(())
    }

    /// Restores the world to a frame, like [`World::restore`]. Later frames are kept until they are saved again. The cost is proportional
    /// to the changes since, and to the differences from, the frame that was last saved or restored.
    ///
    /// # Errors
    ///
    /// If the ring does not have the frame, or for the reasons of [`World::restore`]. Nothing has changed.
    ///
    /// # Panics
    ///
    /// See [`World::restore`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::{RingError, SnapshotRing};
    ///
    /// let mut world = World::new();
    /// let mut ring = SnapshotRing::new(2);
    /// (0..3).for_each(|frame| ring.save(&mut world, frame).unwrap());
    /// assert_eq!(ring.restore(&mut world, 0), Err(RingError::NoFrame(0)));
    /// assert_eq!(ring.restore(&mut world, 1), Ok(()));
    /// ```
    pub fn restore(&mut self, world: &mut World, frame: u64) -> Result<(), RingError> {
        let Some(snapshot) = self.get(frame) else { return Err(RingError::NoFrame(frame)) };
        let mark =
            world.restore_snapshot(snapshot, known_copy(&self.frames, &self.last)).map_err(RingError::Refused)?;
        self.last = Some((frame, mark));
        Ok(())
    }

    /// Returns a frame, if the ring has it.
    #[must_use]
    pub fn get(&self, frame: u64) -> Option<&WorldSnapshot> {
        find(&self.frames, frame)
    }

    /// The numbers of the frames, in ascending order.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.frames.iter().map(|(number, _)| *number)
    }

    /// Removes all frames and frees their memory.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.spare.clear();
        self.last = None;
    }
}

fn find(frames: &VecDeque<(u64, WorldSnapshot)>, frame: u64) -> Option<&WorldSnapshot> {
    let at = frames.binary_search_by_key(&frame, |(number, _)| *number).ok()?;
    Some(&frames[at].1)
}

/// The frame that the world was last equal to.
fn known_copy<'a>(
    frames: &'a VecDeque<(u64, WorldSnapshot)>,
    last: &'a Option<(u64, CopyVersion)>,
) -> Option<KnownCopy<'a>> {
    let (frame, mark) = last.as_ref()?;
    Some(KnownCopy { copy: &find(frames, *frame)?.copy, mark })
}

impl_debug_of_fields! { [] SnapshotRing { room, frames } }

/// A frame cannot be [restored](SnapshotRing::restore). Nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RingError {
    /// The ring does not have the frame with this number.
    NoFrame(u64),
    /// The world cannot be restored.
    Refused(RestoreError),
}

impl_error! {
    [] RingError => |this, f| match this {
        Self::NoFrame(frame) => write!(f, "frame {frame} is not in the ring: it was not saved, or is too old"),
        Self::Refused(error) => error.fmt(f),
    }
}
