//! Relations: pairs of entities with a value of their own.
//!
//! A type with [`Relation`] says what may be between two entities: a *source* and a *target*. Two entities with such a value between them
//! are a *pair*. The pairs of all relations stand beside the tables: no table knows of them, and to make or remove one moves no entity.
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
//! Do not confuse them with a [`Relationship`](crate::relationship::Relationship): that is two components in the manner of bevy_ecs, one
//! of which names a single target and holds nothing else.
//!
//! # What lies where
//!
//! The values of one relation lie one behind the other, in the order in which the pairs were made; the last one takes the place of one
//! that is removed. Each entity with pairs has a list of them, as a source and as a target, in the order in which they were made. A pair
//! is found from both of its entities by one look into a hash table. So [`relate`](crate::world::World::relate),
//! [`unrelate`](crate::world::World::unrelate) and [`get_pair`](crate::world::World::get_pair) take constant time, amortised, however many
//! pairs the entities have, and memory follows the number of pairs.
//!
//! An entity has the component [`PairSource<R>`] as long as it is the source of a pair of `R`, and [`PairTarget<R>`] as long as it is the
//! target of one: `With<PairSource<Hunting>>` is a filter, and [`Pairs`](crate::query::Pairs) yields the pairs of an entity in a query.
//! `#[system(pairs = Hunting)]` runs once for each pair. [`Changed<Pairs<Hunting>>`](crate::query::Changed) is a filter: an entity matches if one
//! of its pairs was made, or has got another value, since the system ran last.
//! These components cannot be made by hand. To remove one removes the pairs.

mod traits;
mod lists;
mod index;
mod payload;
mod storage;
mod components;
mod relations;
mod data;

pub use self::components::{PairSource, PairTarget};
pub(crate) use self::lists::{Link, Links};
pub(crate) use self::relations::{PairFunctions, Relations};
pub use self::storage::PairContents;
pub(crate) use self::storage::{ErasedPairs, PairClones, PairEvent, PairStorage, PairsCopy, descriptor_of};
pub(crate) use self::storage::{PairsFault, PairsParts, PairsSetting, PartsOf};
pub use self::traits::{CloneProbe, NoClone, OnTargetDespawn, Relation};
pub use strata_ecs_derive::Relation;
