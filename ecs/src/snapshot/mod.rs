//! A snapshot keeps the whole state of a world in memory, so that the world can be set back to this state later.
//!
//! [`World::snapshot`](crate::world::World::snapshot) takes the state of a world, and
//! [`World::restore`](crate::world::World::restore) restores it. The state consists of entities and the next ids,
//! components, the order of rows and tables, sparse values and tags, links, resources, unread messages, unseen changes
//! and removals, and the number of the frame. After a restore, operations have the same results as they had after the
//! snapshot was taken. Rollback needs this, and so does an editor that stops a running game.
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
//! Values of `Copy` types are copied as bytes, and other values by their `Clone`. The derives of components, resources
//! and messages detect which types implement these traits. If something cannot be copied, an [error](SnapshotError)
//! lists everything that cannot, and nothing is taken: components, resources and messages without `Clone`, non-send
//! values, and observers of single entities. [`SnapshotOptions`] can leave resources and such observers out. Then they
//! are unchanged when the world is restored.
//!
//! A resource that is defined with `#[resource(transient)]` belongs to the process. It is not part of a snapshot, and
//! unchanged by a restore: see [`Persistence`](crate::component::Persistence).
//!
//! A snapshot contains the state of the systems in [schedules of the world](crate::world::World::add_schedule): their
//! last runs, how far they have read messages, and their [`Local`](crate::system::Local)s. A `Local` can be taken if it
//! is a number or another simple type, or if [an option lists its type](SnapshotOptions::with_local).
//!
//! If ids are reserved for pending commands, they are free in a snapshot, since those commands are not part of it.
//!
//! Definitions are not part of the state: schedules, observers, hooks, registered components and their requirements are
//! unchanged by a restore. The captured variables of closures are unchanged, too.
//!
//! # Restoring
//!
//! A snapshot belongs to one world and its registered types, and is restored in that world.
//! [`World::restore_into`](crate::world::World::restore_into) accepts a snapshot of any world, and
//! [`World::try_clone`](crate::world::World::try_clone) makes a second world. Hooks and observers are not notified of
//! the entities and components that a restore adds and removes. At the end, the event [`Restored`] is triggered.
//! Queries remain usable.
//!
//! The state of a system in a schedule of the world is restored. The system is found by the label of the schedule, its
//! name, and its index among the systems with the same name. If the snapshot does not contain a system, it is prepared
//! again. A reader of removals returns to its position; if it was added later, it has read all removals. All other
//! consumers see everything as new, since the changes that they have seen may be undone by the restore. These are
//! systems in schedules outside of the world, systems that are run by id, observer systems,
//! [`SystemState`](crate::system::SystemState)s and message cursors. Their `Local`s are unchanged.
//!
//! If a `Clone` panics during a restore, nothing has changed.
//! [`World::restore_from`](crate::world::World::restore_from) consumes a snapshot and moves its values into the world,
//! instead of cloning them.
//!
//! # Rollback
//!
//! A [`SnapshotRing`] keeps the last frames. Frames share everything that is unchanged. So if nothing has changed in a
//! world, saving a frame costs the same for any number of entities. The decision is made column by column: the values
//! of a component in a table, or in its sparse storage, are shared if none of them has been borrowed mutably, not even
//! to bypass change detection, and no entity has entered or left the table or the storage. Ids and their locations,
//! links, spawn ticks and removals are shared in the same way. Resources, messages and pairs are cloned for each frame.
//!
//! Values that can change through a shared reference cannot be shared: these are values with cells, locks or atomics.
//! The derive of components examines the types of all fields. It knows the following types: `Copy` types (which have no
//! cells, or only refer to cells that copies share, too); numbers, `bool`, `char`, `String`, `Entity`, `Arc`, and types
//! that derive `Component` or [`Describe`](derive@crate::component::Describe); and `Box`es, `Option`s, arrays, tuples
//! and the standard collections of these. Values of all other types are cloned for each frame, unless their author
//! writes `#[component(no_cells)]`. [`SnapshotRing::explain`] lists which components are cloned, and why.
//!
//! # Contents
//!
//! [`WorldSnapshot::contents`] shows the contents of a snapshot as data, so that a format can write them: ids and their
//! order, tables with their entities and columns of values, sparse values, resources, and ticks. A [`SnapshotBuilder`]
//! builds a snapshot from such data for any world, even if components have other ids there. It validates its input: if
//! parts contradict each other, it returns a [`BuildError`]. The package `strata-save` uses both to read and write
//! files. A format that writes a world directly needs no snapshot:
//! [`World::living_contents`](crate::world::World::living_contents) shows the same data without copying entities and
//! components.
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
//! The state of systems in schedules of the world is shown [schedule by schedule](SnapshotContents::schedules), with
//! the [removals](SnapshotContents::removals) that the systems have not read. [`left_out`](SnapshotContents::left_out)
//! lists data that the contents do not show, for instance removals that a reader outside of schedules has not read.
//! Pairs are shown with their positions in the lists of both entities. Links are shown as the values of both components
//! of a relationship; a builder checks that each source is in the list of its target, and in no other list. The ticks
//! at which entities were spawned are [shown](SnapshotContents::spawns) if they are tracked. If a builder gets no such
//! ticks, all entities count as spawned at the tick of the snapshot.
//!
//! # What has changed
//!
//! After [`World::start_journal`](crate::world::World::start_journal), a world records which entities are spawned,
//! changed and despawned. [`World::changes_since`](crate::world::World::changes_since) returns the changes since a
//! position, with the values as data. With them, a copy of the world can be updated. `strata-save` builds deltas from
//! them.
//!
//! # Comparing worlds
//!
//! [`World::checksum`](crate::world::World::checksum) hashes the contents of a world. If the same operations ran in two
//! worlds, in one process or in two, the checksums are equal. If the checksums differ,
//! [`World::diff`](crate::world::World::diff) finds the differences.
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
//! The comparison covers data: entities with the order of their rows, tables in their order, values, resources,
//! messages, pairs, and the next ids. It does not cover [transient or skipped](crate::component::Persistence)
//! resources, change ticks, the positions of readers, the number of the frame, and the state of systems. Values are
//! compared as bytes if the derive knows that they are [plain](crate::component::ComponentFunctions::is_plain), and
//! otherwise by their `Hash` or their [text form](crate::component::TextForm). An error lists all other values, unless
//! [options](StateOptions) leave them out or define their hash. Components are identified by their [stable
//! names](crate::component::StableName), so the order of registration does not matter.
// Tests: tests/snapshots

mod options;
mod error;
mod locals;
mod api;
mod ring;
mod explain;
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
pub use self::explain::RingExplanation;
pub use self::journal::{JournalPosition, WorldChanges};
pub use self::locals::LocalForm;
pub use self::options::SnapshotOptions;
pub use self::ring::{RingError, SnapshotRing};
pub use self::state_options::{NotCompared, StateError, StateOptions};
pub use self::update::Updated;
pub use crate::entity::{EntityIds, EntityIdsError};
pub use crate::relations::relation::PairContents;
pub use crate::structure::store::{BuildError, JournalError, NotTaken, SnapshotClock};
