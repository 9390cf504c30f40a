//! Spawning of many entities from columns, and reserving memory for entities.
//!
//! Tests: tests/storage/columns.rs

use super::cast::World;
use super::spawn_batch::SpawnBatchIter;
use crate::entity::Entity;
use crate::structure::bundle::{Bundle, ColumnBundle, ColumnLengthError, OneColumnOfEach};
use crate::structure::store::{SpawnColumnsError, reserve_bundles, spawn_columns, spawn_columns_at};
use crate::util::alloc_error::AllocError;

impl World {
    /// Spawns an entity for each row of some columns, and returns the ids in the order of the rows. The columns are a
    /// [`ColumnBatch`](crate::bundle::ColumnBatch), a single column, or a tuple of up to 16 columns. A single column is
    /// a `Vec<C>`, `Box<[C]>`, `[C; N]`, [`repeat_n(component, count)`](core::iter::repeat_n), or
    /// `(0..count).map(make)`, where `make` gets the position in the batch.
    ///
    /// This is the fastest way to spawn entities: values are moved a whole column at a time, or written directly to their rows.
    /// `O(rows)`, and at most one allocation per column if the table has to grow.
    ///
    /// # Errors
    ///
    /// If the columns have different lengths. Nothing is spawned, and all values are dropped.
    ///
    /// # Panics
    ///
    /// If two columns belong to one component, if not enough entity ids are left, or if a component was made at run
    /// time and another component of this world has its name. Also if `Clone` panics while a value is repeated, or if a
    /// function that makes a value panics: then nothing is spawned, and the values are dropped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::iter::repeat_n;
    ///
    /// #[derive(Component)]
    /// struct Position(f32);
    /// #[derive(Component, Clone)]
    /// struct Velocity(f32);
    ///
    /// let mut world = World::new();
    /// let positions: Vec<Position> = (0..100).map(|x| Position(x as f32)).collect();
    /// let ids: Vec<Entity> = world.spawn_columns((positions, repeat_n(Velocity(0.5), 100))).unwrap().collect();
    /// assert_eq!(world.get::<Position>(ids[42]).unwrap().0, 42.0);
    ///
    /// // Without a vector: each value is written where it belongs.
    /// world.spawn_columns(((0..100).map(|x| Position(x as f32)), repeat_n(Velocity(0.5), 100))).unwrap();
    ///
    /// let error = world.spawn_columns((vec![Position(0.0)], repeat_n(Velocity(0.5), 2))).unwrap_err();
    /// assert!(error.to_string().contains("has length 2, but"));
    /// ```
    #[doc(alias("spawn_column_batch", "spawn_soa"))]
    #[track_caller]
    pub fn spawn_columns<C: ColumnBundle>(&mut self, columns: C) -> Result<SpawnBatchIter<'_>, ColumnLengthError> {
        let () = OneColumnOfEach::<C>::COMPONENTS;
        OneColumnOfEach::check(&columns);
        let (table, first) = self.store.track_caller().defer_events(|store| spawn_columns(store, columns))?;
        Ok(SpawnBatchIter::made(self, table, first))
    }

    /// Spawns entities with the given ids from the rows of some columns, for loading. Either all of them are spawned or
    /// none.
    ///
    /// Equivalent to [`World::spawn_at`] for each row, but much faster: `O(rows + free indexes)`, where single calls
    /// take `O(free indexes)` each.
    ///
    /// # Errors
    ///
    /// - If the columns have different lengths.
    /// - If the number of ids differs from the number of rows.
    /// - If two ids have the same index, or an entity with one of the indexes is alive.
    /// - If a generation has been used already.
    /// - If more than 2^20 unused indexes would lie below the highest one.
    /// - If an allocation fails.
    ///
    /// In each case the world has not changed, and all values are dropped.
    ///
    /// # Panics
    ///
    /// If two columns belong to one component, or if a component was made at run time and another component of this world has its name.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let saved = [Entity::from_bits((3 << 32) | 12), Entity::from_bits((1 << 32) | 4)];
    /// world.spawn_columns_at(&saved, vec![Health(1), Health(2)]).unwrap();
    /// assert_eq!(world.get(saved[1]), Some(&Health(2)));
    /// assert!(world.spawn_columns_at(&saved, vec![Health(1), Health(2)]).is_err());
    /// ```
    #[doc(alias("spawn_column_batch_at"))]
    #[track_caller]
    pub fn spawn_columns_at<C: ColumnBundle>(
        &mut self,
        entities: &[Entity],
        columns: C,
    ) -> Result<(), SpawnColumnsError> {
        let () = OneColumnOfEach::<C>::COMPONENTS;
        OneColumnOfEach::check(&columns);
        spawn_columns_at(self.store.track_caller(), entities, columns)
    }

    /// Reserves memory for `additional` more entities that are spawned with a bundle, so that spawning them does not allocate.
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice, or if the number of entities exceeds the limit of ids.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.reserve::<Health>(1000);
    /// let before = world.allocated_bytes();
    /// world.spawn_batch((0..1000).map(Health));
    /// assert_eq!(world.allocated_bytes(), before);
    /// ```
    pub fn reserve<B: Bundle>(&mut self, additional: usize) {
        self.try_reserve::<B>(additional).unwrap_or_else(|error| error.raise());
    }

    /// Reserves memory for `additional` more entities that are spawned with a bundle, or returns an error.
    ///
    /// # Errors
    ///
    /// If an allocation fails, or if the number of entities exceeds the limit of ids. Entities stay as they were.
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// assert!(world.try_reserve::<Health>(1000).is_ok());
    /// assert!(world.try_reserve::<Health>(usize::MAX).is_err());
    /// ```
    pub fn try_reserve<B: Bundle>(&mut self, additional: usize) -> Result<(), AllocError> {
        reserve_bundles::<B>(&mut self.store, additional)
    }
}

/// Spawns an entity for each bundle, like [`World::spawn_batch`].
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// world.extend((0..10).map(Health));
/// assert_eq!(world.len(), 10);
/// ```
impl<B: Bundle> Extend<B> for World {
    #[cfg_attr(feature = "track_location", track_caller)]
    fn extend<I: IntoIterator<Item = B>>(&mut self, bundles: I) {
        let _ids = self.spawn_batch(bundles);
    }
}
