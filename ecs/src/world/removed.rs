//! Readers of removals outside of systems, and the limit of the removal logs.
//!
//! Tests: tests/changes/removed/readers.rs

use crate::structure::store::{removed_reader, removed_value_reader, set_removed_limit};
use core::any::type_name;

use super::cast::World;
use crate::component::Component;
use crate::structure::removal::{
    RemovalLog, RemovedComponentReader, RemovedIter, RemovedValueIter, RemovedValueReader,
};
use crate::system::{RemovedComponents, RemovedValues};

impl World {
    /// Returns a reader of the entities that lose a component from now on. In systems, use
    /// [`RemovedComponents`](crate::system::RemovedComponents).
    ///
    /// While a component has a reader, its removals are recorded, which costs about as much as the removals themselves.
    /// Removals before the first reader was made are not recorded. [`crate::removal`] defines what counts as a removal.
    /// `O(tables)` for the first reader of a component.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let mut reader = world.removed_reader::<Health>();
    /// world.entity_mut(b).remove::<Health>();
    /// world.despawn(a);
    /// world.despawn(b); // It had none any more.
    /// assert_eq!(reader.read(&world).collect::<Vec<_>>(), [b, a]);
    /// ```
    #[must_use = "nothing is recorded for a reader that is dropped"]
    pub fn removed_reader<T: Component>(&mut self) -> RemovedComponentReader<T> {
        removed_reader(&mut self.store)
    }

    /// Returns a reader of the values of a component that are removed from now on. Values that a method returns to its
    /// caller are not among them. In systems, use [`RemovedValues`](crate::system::RemovedValues).
    ///
    /// The values are dropped some time after all readers of values have passed them: when another removal is recorded,
    /// when a run of a schedule has ended, or when memory is [freed](Self::shrink_to_fit). Otherwise like
    /// [`removed_reader`](Self::removed_reader).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Name(String); // Need not be `Clone`.
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Name(String::from("Frodo"))).id();
    /// let mut reader = world.removed_value_reader::<Name>();
    /// world.despawn(entity);
    /// for (gone, name) in reader.read(&world) {
    ///     assert_eq!((gone, name.0.as_str()), (entity, "Frodo"));
    /// }
    /// ```
    #[must_use = "nothing is kept for a reader that is dropped"]
    pub fn removed_value_reader<T: Component>(&mut self) -> RemovedValueReader<T> {
        removed_value_reader(&mut self.store)
    }

    /// Sets the maximum number of unread removals of a component that are kept for readers. The default is 1,048,576.
    /// For [values](Self::removed_value_reader) the default is also limited to the number that fits into 64 MiB, but is
    /// at least one. Heap memory that values own does not count.
    ///
    /// If there are more removals, the oldest ones are dropped, and each reader that has not read them counts them as
    /// missed. So the memory for removals is bounded. A removal needs 8 bytes, or a few times as much; a kept value
    /// needs a few times its size in addition. During an operation on many entities, the limit may be exceeded.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a value that exceeds the limit panics.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = world.removed_reader::<Health>();
    /// world.set_removed_limit::<Health>(100);
    /// world.spawn_batch((0..103).map(Health));
    /// world.clear_entities();
    /// assert_eq!(reader.missed(&world), 3);
    /// assert_eq!(reader.read(&world).count(), 100);
    /// ```
    #[doc(alias("ICleanupComponentData"))]
    pub fn set_removed_limit<T: Component>(&mut self, limit: usize) {
        set_removed_limit::<T>(&mut self.store, limit);
    }
}

#[cold]
fn of_another_world<T>() -> ! {
    panic!("this reader of removals of `{}` was made by another world", type_name::<T>())
}

/// Defines the methods that both types of readers have.
macro_rules! readers {
    ($($Reader:ident of $begin:ident by $list:ident => $Param:ident;)*) => { $(
        impl<T> $Reader<T> {
            fn list<'w>(&self, world: &'w World) -> &'w RemovalLog {
                let log = world.store.events.removals.$list(self.cursor.list());
                log.filter(|log| self.cursor.is_of(log)).unwrap_or_else(|| of_another_world::<T>())
            }

            /// Returns the number of removals that the reader has not read yet.
            ///
            /// # Panics
            ///
            /// If another world made the reader.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            /// let mut world = World::new();
            #[doc = concat!(" let reader = world.", stringify!($begin), "::<Health>();")]
            /// let entity = world.spawn(Health(3)).id();
            /// world.despawn(entity);
            /// assert_eq!(reader.len(&world), 1);
            /// ```
            #[must_use]
            pub fn len(&self, world: &World) -> usize {
                self.cursor.len(self.list(world))
            }

            /// Returns whether the reader has read all recorded removals.
            ///
            /// # Panics
            ///
            /// If another world made the reader.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            /// let mut world = World::new();
            #[doc = concat!(" let reader = world.", stringify!($begin), "::<Health>();")]
            /// assert!(reader.is_empty(&world));
            /// ```
            #[must_use]
            pub fn is_empty(&self, world: &World) -> bool {
                self.len(world) == 0
            }

            /// Skips all unread removals. They do not count as missed.
            ///
            /// # Panics
            ///
            /// If another world made the reader.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            /// let mut world = World::new();
            #[doc = concat!(" let mut reader = world.", stringify!($begin), "::<Health>();")]
            /// let entity = world.spawn(Health(3)).id();
            /// world.despawn(entity);
            /// reader.clear(&world);
            /// assert!(reader.is_empty(&world));
            /// ```
            pub fn clear(&mut self, world: &World) {
                self.cursor.clear(self.list(world));
            }

            /// Returns the number of removals that were dropped before the reader could read them. The count begins
            /// when the reader is made, and again at each [`take_missed`](Self::take_missed).
            ///
            /// # Panics
            ///
            /// If another world made the reader.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            /// let mut world = World::new();
            #[doc = concat!(" let reader = world.", stringify!($begin), "::<Health>();")]
            /// world.set_removed_limit::<Health>(0);
            /// let entity = world.spawn(Health(3)).id();
            /// world.despawn(entity);
            /// assert_eq!((reader.len(&world), reader.missed(&world)), (0, 1));
            /// ```
            #[must_use]
            pub fn missed(&self, world: &World) -> u64 {
                self.cursor.missed(self.list(world))
            }

            /// Returns the number of [missed](Self::missed) removals, and sets it to 0.
            ///
            /// # Panics
            ///
            /// If another world made the reader.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            /// let mut world = World::new();
            #[doc = concat!(" let mut reader = world.", stringify!($begin), "::<Health>();")]
            /// assert_eq!(reader.take_missed(&world), 0);
            /// ```
            pub fn take_missed(&mut self, world: &World) -> u64 {
                self.cursor.take_missed(self.list(world))
            }
        }

        impl<'w, 's, T: Component> From<(&'w World, &'s mut $Reader<T>)> for $Param<'w, 's, T> {
            fn from((world, reader): (&'w World, &'s mut $Reader<T>)) -> Self {
                Self::from_parts(reader.list(world), reader)
            }
        }
    )* };
}

readers! {
    RemovedComponentReader of removed_reader by entities => RemovedComponents;
    RemovedValueReader of removed_value_reader by values => RemovedValues;
}

impl<T> RemovedComponentReader<T> {
    /// Iterates over the entities that have lost the component since the last read, in the order of the removals.
    /// Removals that the iterator does not reach stay unread.
    ///
    /// # Panics
    ///
    /// If another world made the reader.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = world.removed_reader::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// world.despawn(entity);
    /// assert_eq!(reader.read(&world).next(), Some(entity));
    /// assert_eq!(reader.read(&world).next(), None);
    /// ```
    pub fn read<'a>(&'a mut self, world: &'a World) -> RemovedIter<'a> {
        self.read_in(self.list(world))
    }
}

impl<T: Component> RemovedValueReader<T> {
    /// Iterates over the values that entities have lost since the last read, in the order of the removals. Values that
    /// the iterator does not reach stay unread.
    ///
    /// # Panics
    ///
    /// If another world made the reader.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = world.removed_value_reader::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// world.despawn(entity);
    /// assert!(reader.read(&world).all(|(_, health)| health.0 == 3));
    /// ```
    pub fn read<'a>(&'a mut self, world: &'a World) -> RemovedValueIter<'a, T> {
        RemovedValues::from((world, self)).into_values()
    }
}
