//! Relations: pairs of entities with their own value.
//!
//! A type with [`Relation`] defines a connection between two entities, a *source* and a *target*. Two entities with such a value form a
//! *pair*. The pairs of all relations are stored outside of the tables, so making or removing one moves no entity.
//!
//! ```
//! use strata_ecs::prelude::*;
//!
//! #[derive(Relation)]
//! struct Hunting {
//!     since: u32,
//! }
//!
//! let mut world = World::new();
//! let [wolf, fox, rabbit] = [(); 3].map(|()| world.spawn_empty().id());
//! world.relate(wolf, Hunting { since: 3 }, rabbit);
//! world.relate(fox, Hunting { since: 5 }, rabbit);
//! assert_eq!(world.get_pair::<Hunting>(wolf, rabbit).unwrap().since, 3);
//! assert!(world.pairs_to::<Hunting>(rabbit).map(|(hunter, _)| hunter).eq([wolf, fox]));
//! world.despawn(rabbit);
//! assert_eq!(world.pair_count::<Hunting>(), 0);
//! ```
//!
//! Do not confuse relations with a [`Relationship`](crate::relationship::Relationship): two components like those of bevy_ecs, one of which
//! names a single target and has no other data.
//!
//! # Storage
//!
//! The values of one relation are stored contiguously, in the order in which the pairs were made; when a pair is removed, the last one
//! moves into its place. Each entity with pairs has a list of them as a source and a list as a target, in the order in which they were
//! made. A pair is found from its two entities by one hash table lookup. So [`relate`](crate::world::World::relate),
//! [`unrelate`](crate::world::World::unrelate) and [`get_pair`](crate::world::World::get_pair) take amortised constant time, independent of
//! the number of pairs of the entities, and memory is proportional to the number of pairs.
//!
//! An entity has the component [`PairSource<R>`] while it is the source of a pair of `R`, and [`PairTarget<R>`] while it is the target of
//! one: `With<PairSource<Hunting>>` is a filter, and [`Pairs`](crate::query::Pairs) yields the pairs of an entity in a query.
//! `#[system(pairs = Hunting)]` runs once for each pair. [`Changed<Pairs<Hunting>>`](crate::query::Changed) is a filter: an entity matches
//! if one of its pairs was made, or has got another value, since the system last ran. These components cannot be created by hand. Removing
//! one removes the pairs.
// Tests: tests/relationships/pairs

mod traits;
mod lists;
mod index;
mod payload;
mod storage;
mod components;
mod relations;
mod data;

pub use self::components::{PairSource, PairTarget};
pub(crate) use self::lists::{PairLink, PairLinks};
pub(crate) use self::relations::{PairFunctions, Relations};
pub use self::storage::PairContents;
pub(crate) use self::storage::{ErasedPairs, PairClones, PairEvent, PairStorage, PairsCopy, descriptor_of};
pub(crate) use self::storage::{PairsFault, PairsParts, PairsSetting, PartsOf};
pub use self::traits::{CloneProbe, NoClone, OnTargetDespawn, Relation};
pub use strata_ecs_derive::Relation;
