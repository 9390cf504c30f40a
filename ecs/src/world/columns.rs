//! Making many entities at once, and making room for them.

use super::cast::World;
use super::entities::SpawnBatchIter;
use crate::alloc_error::AllocError;
use crate::bundle::{Bundle, ColumnBundle, ColumnLengthError, OneColumnOfEach};
use crate::entity::Entity;
use crate::store::{SpawnColumnsError, reserve_bundles, spawn_columns, spawn_columns_at};

impl World {
    /// Makes an entity of each row of some columns, and returns their ids in order. The columns are a `Vec<C>`,
    /// `Box<[C]>`, `[C; N]`, [`repeat_n(component, count)`](core::iter::repeat_n), or `(0..count).map(make)`, where `make` gets the
    /// position in the batch; a tuple of up to 16 of these; or a [`ColumnBatch`](crate::bundle::ColumnBatch).
    ///
    /// The fastest way to make entities: values are moved a whole column at a time, or written where they belong. `O(rows)`, and at
    /// most one allocation a column if the table has to grow.
    ///
    /// # Errors
    ///
    /// If the columns are not equally long. Nothing is spawned, and all values are dropped.
    ///
    /// # Panics
    ///
    /// If there are two columns of one component, if not enough entity ids are left, or if a component that was made at run time has the
    /// name of another one in this world. If `Clone` panics while a value is being repeated, or a function that makes one, nothing is
    /// spawned, and the values are dropped.
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
        let (table, first) = self.store.by_caller().defer_events(|store| spawn_columns(store, columns))?;
        Ok(SpawnBatchIter::made(self, table, first))
    }

    /// Makes entities with these very ids of the rows of some columns, for loading: all of them or none.
    ///
    /// As [`World::spawn_at`] for each row, and much faster: `O(rows + free indexes)`, where single calls take
    /// `O(free indexes)` each.
    ///
    /// # Errors
    ///
    /// If the columns are not equally long, if there is not one id for each row, if two ids have one index, if an entity
    /// with an index of the list is alive, if a generation is past, if more than 2^20 unused indexes would come to be below
    /// the highest one, or if there is no memory. The world is as it was before, and all values are dropped.
    ///
    /// # Panics
    ///
    /// If there are two columns of one component, or if a component that was made at run time has the name of another one in this world.
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
        spawn_columns_at(self.store.by_caller(), entities, columns)
    }

    /// Makes room for `additional` more entities that are spawned with a bundle, so that spawning them allocates nothing.
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice, or if there can never be so many entities.
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

    /// Makes room for `additional` more entities that are spawned with a bundle, or says that there is none.
    ///
    /// # Errors
    ///
    /// If there is no memory, or if there can never be so many entities. Entities stay as they were.
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

/// As [`World::spawn_batch`].
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
