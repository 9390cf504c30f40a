//! Snapshots: all that a world holds, kept in memory, so that the world can go on from there again.
//!
//! [`World::snapshot`](crate::world::World::snapshot) takes the state of a world, and
//! [`World::restore`](crate::world::World::restore) brings the world back to it: entities and the ids that
//! come next, components, rows and tables in their order, sparse values and tags, links, resources, messages that wait for their
//! readers, changes and removals that are still to be seen, and the number of the frame. What is done then has the results that it
//! had, or would have had, after the snapshot. That is what rollback needs, and an editor that stops a game.
//!
//! ```
//! use strata_ecs::prelude::*;
//!
//! #[derive(Component, Clone, Copy, PartialEq, Debug)]
//! struct Health(u32);
//!
//! let mut world = World::new();
//! let ann = world.spawn(Health(3)).id();
//! let snapshot = world.snapshot().unwrap();
//!
//! world.despawn(ann);
//! let bob = world.spawn(Health(7)).id();
//! world.restore(&snapshot).unwrap();
//! assert_eq!(world.get::<Health>(ann), Some(&Health(3)));
//! assert!(!world.contains(bob));
//!
//! // The same again gives the same ids.
//! world.despawn(ann);
//! assert_eq!(world.spawn(Health(7)).id(), bob);
//! ```
//!
//! # What is taken
//!
//! Values of types that are `Copy` are copied as bytes, others by their `Clone`; the derives of components, resources and messages
//! find out. What cannot be copied is named in one [error](SnapshotError), before anything is taken: components, resources and
//! messages without `Clone`, non-send values, and observers of single entities. [`SnapshotOptions`] leave resources and such
//! observers out: these stay as they are when the world is restored.
//!
//! What systems keep from run to run is taken for those in [schedules of the world](crate::world::World::add_schedule): when they ran
//! last, how far they have read messages, and their [`Local`](crate::system::Local)s. A `Local` can be taken if it is a number or another
//! simple type, or if [an option names its type](SnapshotOptions::with_local).
//!
//! Definitions are no state of a world: schedules, observers, hooks, registered components and their requirements stay what they are. So
//! does what a closure has captured.
//!
//! # Restoring
//!
//! A snapshot is one of a world and of its registered types, and is restored in that world. Neither hooks nor observers are told of
//! what comes and goes; then the event [`Restored`] is triggered. Queries stay usable.
//!
//! A system in a schedule of the world goes back to what it kept; it is found by the label of the schedule, its name, and which of the
//! systems with this name it is. One that the snapshot does not know is prepared anew. A reader of removals goes back to where it was,
//! and one that has come since has seen all. To any other consumer everything is new, since what it has seen may never have happened:
//! to systems in schedules that the program keeps outside of the world, or that run by an id, to those of observers, to a
//! [`SystemState`](crate::system::SystemState) and to a cursor of messages. Their `Local`s stay.
//!
//! If a `Clone` panics nothing has happened.

mod options;
mod error;
mod api;

pub use self::api::{Restored, WorldSnapshot};
pub use self::error::{NotTaken, RestoreError, SnapshotError};
pub use self::options::SnapshotOptions;
