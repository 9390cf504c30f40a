//! Snapshots keep the whole state of a world in memory, so that the world can later continue from there.
//!
//! [`World::snapshot`](crate::world::World::snapshot) takes the state of a world, and [`World::restore`](crate::world::World::restore)
//! restores it: entities and the next ids, components, the order of rows and tables, sparse values and tags, links, resources, unread
//! messages, unseen changes and removals, and the number of the frame. Later operations have the same results as after the snapshot.
//! Rollback needs this, and an editor that stops a running game.
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
//! Values of `Copy` types are copied as bytes, others by their `Clone`; the derives of components, resources and messages detect which. One
//! [error](SnapshotError) names everything that cannot be copied before anything is taken: components, resources and messages without
//! `Clone`, non-send values, and observers of single entities. [`SnapshotOptions`] can leave resources and such observers out: they are
//! unchanged when the world is restored.
//!
//! A resource that belongs to the process by its definition, `#[resource(transient)]`, is not part of a snapshot and is unchanged by a
//! restore: see [`Persistence`](crate::component::Persistence).
//!
//! A snapshot contains the state of the systems in [schedules of the world](crate::world::World::add_schedule): their last run, how far
//! they have read messages, and their [`Local`](crate::system::Local)s. A `Local` can be taken if it is a number or another simple type, or
//! if [an option names its type](SnapshotOptions::with_local).
//!
//! Ids that are reserved for pending commands are free in a snapshot, since those commands are not part of it.
//!
//! Definitions are not state: schedules, observers, hooks, registered components and their requirements are unchanged by a restore. The
//! captured variables of closures are unchanged too.
//!
//! # Restoring
//!
//! A snapshot belongs to one world and its registered types, and is restored in that world.
//! [`World::restore_into`](crate::world::World::restore_into) accepts a snapshot of any world, and
//! [`World::try_clone`](crate::world::World::try_clone) makes a second world. Hooks and observers do not run for the entities and
//! components that a restore adds and removes; the event [`Restored`] is triggered at the end. Queries remain usable.
//!
//! The state of a system in a schedule of the world is restored. The system is found by the label of the schedule, its name, and its index
//! among the systems of this name. A system that the snapshot does not contain is prepared again. A reader of removals returns to its
//! position, and a reader that was added later has read all. All other consumers see everything as new, since what they have seen may never
//! have happened: systems in schedules outside of the world, systems that are run by id, observer systems,
//! [`SystemState`](crate::system::SystemState)s and message cursors. Their `Local`s are unchanged.
//!
//! If a `Clone` panics, nothing has changed. [`World::restore_from`](crate::world::World::restore_from) consumes a snapshot and moves its
//! values into the world.
//!
//! # Rollback
//!
//! A [`SnapshotRing`] keeps the last frames at a cost proportional to the changes: its frames share values of `Copy` types that have not
//! been written, rows that have not moved, and unchanged pages of entity locations. Restoring a frame leaves shared data in place.
//!
//! # Contents
//!
//! [`WorldSnapshot::contents`] shows the contents of a snapshot as data, so that a format can write it: ids and their order, tables with
//! their entities and columns of values, sparse values, resources, and ticks. A [`SnapshotBuilder`] builds a snapshot from such data for
//! any world, including one with other component ids. It validates its input: parts that contradict each other are a [`BuildError`]. The
//! package `strata-save` reads and writes files with these two. A format that writes a world directly needs no snapshot:
//! [`World::living_contents`](crate::world::World::living_contents) shows the same data in place.
//!
//! ```
//! use strata_ecs::prelude::*;
//! use strata_ecs::snapshot::{NewColumnContents, SnapshotBuilder, SnapshotOptions};
//!
//! #[derive(Component, Clone, Copy, PartialEq, Debug)]
//! struct Health(u32);
//!
//! let mut world = World::new();
//! let [ann, bob] = [Health(3), Health(7)].map(|health| world.spawn(health).id());
//! world.despawn(ann);
//! let snapshot = world.snapshot()?;
//! let contents = snapshot.contents();
//! assert!(contents.left_out().is_empty());
//!
//! // In another process this would come from a file.
//! let mut builder = SnapshotBuilder::new(contents.ids(), contents.clock());
//! for table in contents.tables() {
//!     let columns = table.columns().filter_map(|column| {
//!         let values = column.values().downcast_ref::<Health>()?;
//!         Some(NewColumnContents::of(values.to_vec(), column.stamp()))
//!     });
//!     builder.add_table(table.entities().to_vec(), table.stamp(), columns);
//! }
//! let mut other = World::new();
//! let snapshot = builder.build(&mut other, &SnapshotOptions::new())?;
//! other.restore(&snapshot)?;
//! assert_eq!(other.get(bob), Some(&Health(7)));
//! assert!(!other.contains(ann));
//! assert_eq!(other.spawn(Health(1)).id(), world.spawn(Health(1)).id());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The state of systems in schedules of the world is shown [schedule by schedule](SnapshotContents::schedules), with the
//! [removals](SnapshotContents::removals) that they have not read. [`left_out`](SnapshotContents::left_out) names data that the contents do
//! not show, for instance removals that a reader outside of schedules has not read. Pairs are shown with their positions in the lists of
//! both entities. Links are shown as the values of both components of a relationship: a builder checks that each source is in the list of
//! its target and in no other list. The ticks at which entities were spawned are [shown](SnapshotContents::spawns) if they are tracked; if
//! a builder gets none, all entities were spawned at the tick of the snapshot.
//!
//! # What has changed
//!
//! [`World::start_journal`](crate::world::World::start_journal) makes a world record which entities are spawned, changed and despawned.
//! [`World::changes_since`](crate::world::World::changes_since) returns the changes since a position, with the values as data, so that a
//! copy of the world can be updated. `strata-save` builds deltas from this.
//!
//! # Comparing worlds
//!
//! [`World::checksum`](crate::world::World::checksum) hashes the contents of a world: two worlds that ran the same operations, in one
//! process or in two, have equal checksums. If the checksums differ, [`World::diff`](crate::world::World::diff) finds the differences.
//!
//! ```
//! use strata_ecs::prelude::*;
//!
//! #[derive(Component, Debug)]
//! struct Health(u32);
//!
//! let mut worlds = [World::new(), World::new()];
//! let [ann, _] = worlds.each_mut().map(|world| world.spawn(Health(3)).id());
//! assert_eq!(worlds[0].checksum()?, worlds[1].checksum()?);
//!
//! worlds[1].get_mut::<Health>(ann).unwrap().0 = 4;
//! assert_ne!(worlds[0].checksum()?, worlds[1].checksum()?);
//! let [difference] = &worlds[0].diff(&worlds[1])?[..] else { unreachable!() };
//! assert!(difference.to_string().ends_with("Health`: Health(3) here, Health(4) there"), "{difference}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The comparison covers data: entities with the order of their rows, tables in their order, values, resources, messages, pairs, and the
//! next ids. It does not cover [transient or skipped](crate::component::Persistence) resources, change ticks, the positions of readers, the
//! number of the frame and the state of systems. Values are compared as bytes if the derive knows that they are
//! [plain](crate::component::ComponentFunctions::is_plain), otherwise by their `Hash` or their [text form](crate::component::TextForm). An
//! error names all other values, unless [options](StateOptions) leave them out or define their hash. Components are
//! identified by their [stable names](crate::component::StableName), so the order of registration does not matter.
// Tests: tests/snapshots

mod options;
mod error;
mod locals;
mod api;
mod ring;
mod columns;
mod consumers;
mod contents;
mod builder;
mod journal;
mod update;
mod transplant;
mod state_options;
mod parts;
mod checksum;
mod difference;
mod diff;

pub use self::api::{LivingContents, Restored, WorldSnapshot};
pub use self::builder::{NewPairsContents, SnapshotBuilder};
pub use self::columns::{ColumnContents, NewColumnContents};
pub use self::consumers::{
    KeptBySystem, NewRemovalContents, NewScheduleContents, NewSystemContents, RemovalContents, ScheduleContents,
    SpawnTicks, SystemContents,
};
pub use self::contents::{LeftOut, PairsContents, ResourceContents, SnapshotContents, StorageContents, TableContents};
pub use self::difference::Difference;
pub use self::error::{RestoreError, SnapshotError};
pub use self::journal::{JournalPosition, WorldChanges};
pub use self::locals::LocalForm;
pub use self::options::SnapshotOptions;
pub use self::ring::{RingError, SnapshotRing};
pub use self::state_options::{NotCompared, StateError, StateOptions};
pub use self::update::Updated;
pub use crate::entity::{EntityIds, EntityIdsError};
pub use crate::relations::relation::PairContents;
pub use crate::structure::store::{BuildError, JournalError, NotTaken, SnapshotClock};
