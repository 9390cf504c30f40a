//! Hash maps and hash sets with entities as keys.
//!
//! Tests: tests/storage/descriptors/entities.rs, tests/queries/sorting.rs

use core::borrow::Borrow;
use core::fmt;
use core::hash::{BuildHasher, Hasher};
use core::ops::Index;

use hashbrown::{HashMap, HashSet, hash_set};

use super::Entity;
use super::unique::{EntitySet, FromEntitySetIterator, UniqueEntityIter};

/// Builds the hashers of [`EntityHashMap`] and [`EntityHashSet`].
///
/// ```
/// use std::collections::HashMap;
///
/// use strata_ecs::entity::EntityHash;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let entity = world.spawn_empty().id();
/// let names: HashMap<Entity, &str, EntityHash> = HashMap::from_iter([(entity, "the first")]);
/// assert_eq!(names[&entity], "the first");
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct EntityHash;

impl BuildHasher for EntityHash {
    type Hasher = EntityHasher;

    fn build_hasher(&self) -> EntityHasher {
        EntityHasher { hash: 0 }
    }
}

/// A hasher for entities, which takes one multiplication. It does not protect against keys that are chosen to collide.
///
/// ```
/// use std::hash::BuildHasher;
///
/// use strata_ecs::entity::EntityHash;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
/// assert_ne!(EntityHash.hash_one(a), EntityHash.hash_one(b));
/// ```
#[derive(Debug, Default)]
pub struct EntityHasher {
    hash: u64,
}

impl Hasher for EntityHasher {
    fn write_u64(&mut self, bits: u64) {
        // The index is the lower half. An odd factor keeps indexes distinct in the lower bits, which select the bucket, and spreads index
        // and generation over the upper bits, which a table compares first.
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        self.hash = (self.hash.rotate_left(23) ^ bits ^ (bits >> 32)).wrapping_mul(FACTOR);
    }

    /// Hashes the bytes of a key that is not an entity.
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}

/// A hash map with entities as keys and a cheap hash function. It has the methods of [`hashbrown::HashMap`](https://docs.rs/hashbrown).
///
/// The order of iteration depends only on the operations on the map, so it is deterministic.
///
/// ```
/// use strata_ecs::entity::EntityHashMap;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
/// let mut damage = EntityHashMap::new();
/// for (target, points) in [(a, 3), (b, 1), (a, 4)] {
///     *damage.entry(target).or_insert(0) += points;
/// }
/// assert_eq!((damage[&a], damage[&b]), (7, 1));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct EntityHashMap<V>(HashMap<Entity, V, EntityHash>);

/// A hash set of entities with a cheap hash function. It has the methods of [`hashbrown::HashSet`](https://docs.rs/hashbrown).
///
/// Each entity occurs once, so the type is an [`EntitySet`](super::EntitySet). The order of iteration depends only on the operations on the
/// set, so it is deterministic.
///
/// ```
/// use strata_ecs::entity::EntityHashSet;
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
/// let hit = EntityHashSet::from_iter([a, b, a]);
/// assert_eq!(hit.len(), 2);
/// let mut query = world.query::<&mut Health>();
/// query.query_mut(&mut world).iter_many_unique_mut(&hit).matched().for_each(|mut health| health.0 += 10);
/// assert_eq!(world.get(b), Some(&Health(12)));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EntityHashSet(HashSet<Entity, EntityHash>);

impl<V> EntityHashMap<V> {
    /// Creates an empty map without allocating.
    #[must_use]
    pub const fn new() -> Self {
        Self(HashMap::with_hasher(EntityHash))
    }

    /// Creates an empty map with room for `capacity` entities.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(HashMap::with_capacity_and_hasher(capacity, EntityHash))
    }
}

impl EntityHashSet {
    /// Creates an empty set without allocating.
    #[must_use]
    pub const fn new() -> Self {
        Self(HashSet::with_hasher(EntityHash))
    }

    /// Creates an empty set with room for `capacity` entities.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(HashSet::with_capacity_and_hasher(capacity, EntityHash))
    }

    /// Returns the entities.
    #[must_use]
    pub fn iter(&self) -> UniqueEntityIter<hash_set::Iter<'_, Entity>> {
        UniqueEntityIter::of(self.0.iter())
    }
}

impl<V> Default for EntityHashMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Implements the common traits of a collection by those of the inner collection.
macro_rules! collections {
    ($([$($V:ident)?] $Collection:ty, $Inner:ty, $Item:ty;)*) => { $(
        impl_deref_mut!([$($V)?] $Collection => $Inner, |this| this.0);

        impl_debug!([$($V: fmt::Debug)?] $Collection => |this, f| this.0.fmt(f));

        impl<$($V)?> FromIterator<$Item> for $Collection {
            fn from_iter<I: IntoIterator<Item = $Item>>(items: I) -> Self {
                Self(items.into_iter().collect())
            }
        }

        impl<$($V,)? const N: usize> From<[$Item; N]> for $Collection {
            fn from(items: [$Item; N]) -> Self {
                Self::from_iter(items)
            }
        }

        impl<$($V)?> Extend<$Item> for $Collection {
            fn extend<I: IntoIterator<Item = $Item>>(&mut self, items: I) {
                self.0.extend(items);
            }
        }
    )* };
}

collections! {
    [V] EntityHashMap<V>, HashMap<Entity, V, EntityHash>, (Entity, V);
    [] EntityHashSet, HashSet<Entity, EntityHash>, Entity;
}

impl<V> Index<&Entity> for EntityHashMap<V> {
    type Output = V;

    /// # Panics
    ///
    /// If the entity is not in the map.
    fn index(&self, entity: &Entity) -> &V {
        &self.0[entity]
    }
}

impl<T: Borrow<Entity>> FromEntitySetIterator<T> for EntityHashSet {
    fn from_entity_set_iter<I: EntitySet<Item = T>>(entities: I) -> Self {
        entities.into_iter().map(|entity| *entity.borrow()).collect()
    }
}

impl_into_iter!([V] EntityHashMap<V> => HashMap<Entity, V, EntityHash>, |this| this.0);
impl_into_iter!(['a, V] &'a EntityHashMap<V> => &'a HashMap<Entity, V, EntityHash>, |this| &this.0);
impl_into_iter!(['a, V] &'a mut EntityHashMap<V> => &'a mut HashMap<Entity, V, EntityHash>, |this| &mut this.0);
impl_into_iter!([] EntityHashSet => UniqueEntityIter<hash_set::IntoIter<Entity>>, |this| UniqueEntityIter::of(this.0.into_iter()));
impl_into_iter!(['a] &'a EntityHashSet => UniqueEntityIter<hash_set::Iter<'a, Entity>>, |this| this.iter());
