//! Entity ids, and the locations of entities.
//!
//! [`Entity`] is the handle that users hold. It has 8 bytes and is `Copy`, and its generation is checked at each use. [`Entities`]
//! allocates and frees ids, and stores the [`Location`] of every live entity. This module does not depend on components.
// Tests: tests/storage/entities.rs

mod contains;
mod error;
mod sync;
mod forecast;
mod id_stream;
mod life;
mod slot;
mod retired;
mod summary;
mod pages;

mod allocator;

mod streams;
mod map;
mod unique;
mod keyed;
mod mapper;
mod mapping;
mod mapped_types;
#[cfg(feature = "serde")]
mod serialized;

pub(crate) use self::allocator::MOST_AT_ONCE;
pub(crate) use self::allocator::{ClaimError, ClaimedIds};
pub use self::allocator::{Entities, EntityIds, EntityIdsError};
pub(crate) use self::allocator::{EntitiesCopy, KnownEntities};
pub use self::contains::ContainsEntity;
pub(crate) use self::error::ReserveError;
pub use self::error::{Despawned, EntityError, EntityIdsExhausted};
pub(crate) use self::forecast::{ForecastId, IdForecasts, SystemKey, id_window};
pub(crate) use self::id_stream::IdStream;
pub use self::keyed::{EntityHash, EntityHashMap, EntityHashSet, EntityHasher};
pub use self::map::EntityMap;
pub use self::mapper::{EntityMapper, MapEntities};
pub(crate) use self::mapping::{FieldMapping, Mapping};
pub(crate) use self::pages::Pages;
pub(crate) use self::slot::Slot;
pub use self::slot::{Location, TableId};
pub(crate) use self::streams::{IdSource, STREAMS, SplitStream};
pub(crate) use self::summary::SparseMask;
pub(crate) use self::unique::Distinct;
pub use self::unique::{
    EntitySet, EntitySetIterator, FromEntitySetIterator, UniqueEntityArray, UniqueEntityIter, UniqueEntityVec,
};
pub use crate::reexports::entity::*;
pub use strata_ecs_derive::MapEntities;

/// Items that macro output uses, through [`__private`](crate::__private). They are not part of the API.
pub(crate) mod for_macros {
    pub use super::mapper::map_inside;
    pub use super::mapping::{FieldMapping, field_mapping};
}

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::num::NonZeroU32;

/// The id of an entity: an index, and a generation that distinguishes the entities that have had the index.
///
/// An id has 8 bytes, and so does `Option<Entity>`. After a despawn the index may be reused with the next generation, so an old id never
/// refers to a later entity. After its last generation an index is never reused.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let entity = world.spawn_empty().id();
/// assert_eq!(Entity::from_bits(entity.to_bits()), entity);
/// assert_eq!(size_of::<Option<Entity>>(), 8);
///
/// world.despawn(entity);
/// let next = world.spawn_empty().id();
/// assert_eq!(next.index(), entity.index());
/// assert_ne!(next, entity);
/// ```
#[derive(Clone, Copy)]
#[repr(C, align(8))]
#[doc(alias("EntityId", "entity_t", "EntityView"))]
pub struct Entity {
    index: u32,
    generation: NonZeroU32,
}

impl Entity {
    /// An id that no entity of any world has. It can be stored in a field until the real id is known.
    pub const PLACEHOLDER: Self = Self { index: u32::MAX, generation: NonZeroU32::MAX };

    pub(crate) const fn new(index: u32, generation: NonZeroU32) -> Self {
        Self { index, generation }
    }

    /// Returns the id with this index and the first generation; `None` for `u32::MAX`, which is not a valid index.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// assert_eq!(Entity::from_raw_u32(7).unwrap().index(), 7);
    /// assert!(Entity::from_raw_u32(u32::MAX).is_none());
    /// ```
    #[must_use]
    pub const fn from_raw_u32(index: u32) -> Option<Self> {
        if index == u32::MAX { None } else { Some(Self::new(index, NonZeroU32::MIN)) }
    }

    /// Returns the index of the id. Indexes are small and dense, and reused after a despawn.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Same as [`index`](Self::index), under bevy_ecs's name.
    #[inline]
    #[must_use]
    pub const fn index_u32(self) -> u32 {
        self.index
    }

    /// Returns the generation of the id. It counts the entities that have had the index, from 1.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let first = world.spawn_empty().id();
    /// world.despawn(first);
    /// let second = world.spawn_empty().id();
    /// assert_eq!(second.index(), first.index());
    /// assert_eq!((first.generation(), second.generation()), (1, 2));
    /// ```
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation.get()
    }

    /// Returns the id as one number, for saving or sending. [`Entity::try_from_bits`] is the inverse.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// let saved: u64 = entity.to_bits();
    /// assert_eq!(Entity::try_from_bits(saved), Some(entity));
    /// ```
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.generation.get() as u64) << 32 | self.index as u64
    }

    /// Returns the id with the given [`Entity::to_bits`].
    ///
    /// # Panics
    ///
    /// If no id has this number, that is, if the upper half is zero.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let entity = Entity::from_bits((3 << 32) | 12);
    /// assert_eq!((entity.index(), entity.generation()), (12, 3));
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        match Self::try_from_bits(bits) {
            Some(entity) => entity,
            None => panic!("these bits are not those of an entity: their generation (the upper half) is zero"),
        }
    }

    /// Returns the id with the given [`Entity::to_bits`]; `None` if no id has this number.
    ///
    /// The entity with this id need not be alive: only its world determines this.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// assert!(Entity::try_from_bits(12).is_none());
    /// assert_eq!(Entity::try_from_bits((3 << 32) | 12).unwrap().generation(), 3);
    /// ```
    #[must_use]
    pub const fn try_from_bits(bits: u64) -> Option<Self> {
        match NonZeroU32::new((bits >> 32) as u32) {
            Some(generation) => Some(Self::new(bits as u32, generation)),
            None => None,
        }
    }
}

impl PartialEq for Entity {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Eq for Entity {}

impl PartialOrd for Entity {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entity {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_bits().cmp(&other.to_bits())
    }
}

impl Hash for Entity {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bits().hash(state);
    }
}

impl_debug!([] Entity => |this, f| fmt::Display::fmt(this, f));

impl_display! {
    /// Shows the index and the generation, for instance `12v3` for index 12 and generation 3.
    [] Entity => |this, f| {
        if *this == Self::PLACEHOLDER {
            return f.write_str("PLACEHOLDER");
        }
        write!(f, "{}v{}", this.index, this.generation)
    }
}
