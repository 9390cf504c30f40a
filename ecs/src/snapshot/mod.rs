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
//! A resource whose definition says that it belongs to the process, `#[resource(transient)]`, is no part of a snapshot and stays as it is: see
//! [`Persistence`](crate::component::Persistence).
//!
//! What systems keep from run to run is taken for those in [schedules of the world](crate::world::World::add_schedule): when they ran
//! last, how far they have read messages, and their [`Local`](crate::system::Local)s. A `Local` can be taken if it is a number or another
//! simple type, or if [an option names its type](SnapshotOptions::with_local).
//!
//! Ids that are reserved for commands which are still to be applied are free in a snapshot, since those commands are no part of it.
//!
//! Definitions are no state of a world: schedules, observers, hooks, registered components and their requirements stay what they are. So
//! does what a closure has captured.
//!
//! # Restoring
//!
//! A snapshot is one of a world and of its registered types, and is restored in that world;
//! [`World::restore_into`](crate::world::World::restore_into) takes one of any world, and
//! [`World::try_clone`](crate::world::World::try_clone) makes a second world. Neither hooks nor observers are told of
//! what comes and goes; then the event [`Restored`] is triggered. Queries stay usable.
//!
//! A system in a schedule of the world goes back to what it kept; it is found by the label of the schedule, its name, and which of the
//! systems with this name it is. One that the snapshot does not know is prepared anew. A reader of removals goes back to where it was,
//! and one that has come since has seen all. To any other consumer everything is new, since what it has seen may never have happened:
//! to systems in schedules that the program keeps outside of the world, or that run by an id, to those of observers, to a
//! [`SystemState`](crate::system::SystemState) and to a cursor of messages. Their `Local`s stay.
//!
//! If a `Clone` panics nothing has happened. [`World::restore_from`](crate::world::World::restore_from) restores a snapshot for the last
//! time, and moves its values into the world.
//!
//! # Rollback
//!
//! A [`SnapshotRing`] keeps the last frames, and costs only what changes: values of `Copy` types that nothing has been written to, rows
//! that stay where they are and pages of the books of entities are shared by its frames, and stay as they are when one of them is
//! restored.
//!
//! # Contents
//!
//! [`WorldSnapshot::contents`] shows what a snapshot holds as data, so that a format can write it: ids and the order in which they come,
//! tables with their entities and columns of values, sparse values, resources, and ticks. A [`SnapshotBuilder`] puts such data together
//! for any world, also one in which components have other numbers. It believes nothing: parts that contradict each other are a
//! [`BuildError`], whatever they were read from. The package `strata-save` reads and writes files with these two. A format that writes a
//! world at once needs no snapshot: [`World::living_contents`](crate::world::World::living_contents) shows the same data where they are.
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
//! What systems in schedules of the world keep is shown [schedule by schedule](SnapshotContents::schedules), with the
//! [removals](SnapshotContents::removals) that they have not read. What a snapshot knows and its contents do not show is
//! [named](SnapshotContents::left_out): removals that a reader elsewhere has not read, for instance. Pairs are shown with their places in
//! the lists of both entities. Links are shown as the values of both components of a relationship: a builder checks that each source is on
//! the list of the target that it names, and no other is. When entities were spawned is [shown](SnapshotContents::spawns) if it is noted;
//! if a builder is not told, all were spawned at the tick of the snapshot.
//!
//! # What has changed
//!
//! [`World::start_journal`](crate::world::World::start_journal) has a world keep in mind which entities are made, changed and ended.
//! [`World::changes_since`](crate::world::World::changes_since) says what has changed since a position, and shows the values as data, so
//! that a copy of the world can be brought up to date. Deltas of `strata-save` are made of that.
//!
//! # Comparing worlds
//!
//! [`World::checksum`](crate::world::World::checksum) is a number of all that a world holds: two worlds in which the same has been done,
//! in one process or in two, have the same one. If they do not, [`World::diff`](crate::world::World::diff) says where they differ.
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
//! What counts is data: entities with the order of their rows, tables in their order, values, resources, messages, pairs, and which ids
//! come next. Resources that are [transient or skipped](crate::component::Persistence) do not count. When something changed, what readers have seen, the number of the frame and what systems keep do not. Values are
//! taken as bytes if the derive knows that these are [plain](crate::component::ComponentFunctions::is_plain), else by their `Hash`, or by
//! their [text form](crate::component::TextForm); what has none of these is named in an error, unless [options](StateOptions) leave it out or say how it is hashed. Components are known by their
//! [stable names](crate::component::StableName), so the order in which a world has met them does not count.

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
pub use crate::relation::PairContents;
pub use crate::store::{BuildError, JournalError, NotTaken, SnapshotClock};
