//! Relations: pairs of entities, each with a value.
//!
//! A type that implements [`Relation`] defines a connection from one entity, the *source*, to another one, the *target*. Two such entities
//! and a value of the type form a *pair*. The pairs of all relations are stored outside of the tables, so making or removing a pair moves
//! no entity.
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
//! Relations differ from a [`Relationship`](crate::relationship::Relationship). A relationship consists of two components, as in bevy_ecs:
//! one contains a single target and no other data, and the other lists the sources.
//!
//! # Storage
//!
//! The values of one relation are stored contiguously, in the order in which the pairs were made. When a pair is removed, the last pair
//! moves into its row. Each entity has a list of the pairs of which it is the source, and a list of the pairs of which it is the target, in
//! the order in which the pairs were made. One hash table lookup finds a pair by its two entities. So
//! [`relate`](crate::world::World::relate), [`unrelate`](crate::world::World::unrelate) and [`get_pair`](crate::world::World::get_pair)
//! take amortised constant time, independent of the number of pairs of the entities, and memory is proportional to the number of pairs.
//!
//! While an entity is the source of a pair of `R`, it has the component [`PairSource<R>`]. While it is the target of such a pair, it has
//! the component [`PairTarget<R>`]. These components cannot be created by hand, and removing one of them removes the pairs. They can be
//! used in filters, such as `With<PairSource<Hunting>>`. In a query, [`Pairs`](crate::query::Pairs) yields the pairs of an entity. With the
//! filter [`Changed<Pairs<Hunting>>`](crate::query::Changed) an entity matches if one of its pairs was made, or got another value, since
//! the last run of the system. A system with `#[system(pairs = Hunting)]` runs once for each pair.
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
