//! Batch operations on entities that are given as a list or by a query, with the names that they have in bevy_ecs.
//!
//! Tests: tests/commands/made.rs

use alloc::vec::Vec;
use core::any::type_name;

use super::cast::World;
use crate::component::Component;
use crate::entity::{Entity, EntityError, EntityHashSet};
use crate::query::{QueryData, QueryFilter};
use crate::structure::bundle::{Bundle, OneOfEach};
use crate::structure::store::{Store, StoreEntityMut};
use crate::system::commands::Commands;

/// Error: some entities of a batch are not alive, and their bundles were dropped. The others have received their bundles.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
///
/// let mut world = World::new();
/// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
/// world.despawn(a);
/// let error = world.try_insert_batch([(a, Health(3)), (b, Health(4))]).unwrap_err();
/// assert_eq!((error.entities, world.get(b)), (vec![a], Some(&Health(4))));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TryInsertBatchError {
    /// The type of the bundles.
    pub bundle_type: &'static str,
    /// The entities that are not alive, in the order of the list.
    pub entities: Vec<Entity>,
}

impl_error!([] TryInsertBatchError => |this, f| {
    let Self { bundle_type, entities } = this;
    write!(f, "bundles `{bundle_type}` were not inserted into entities that are not alive: {entities:?}")
});

impl World {
    /// Inserts a separate bundle into each entity of a list, and returns the number of entities that received a bundle.
    /// If an entity is not alive, it is skipped and its bundle is dropped.
    ///
    /// If the iterator panics, the insertions so far stay. Hooks and observers are notified of each entity separately,
    /// as by single insertions. If a hook or an observer panics, the batch ends with that entity. [`World::many`]
    /// inserts one bundle into all entities of a list and notifies once.
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
    /// let [a, b] = [world.spawn_empty().id(), world.spawn_empty().id()];
    /// assert_eq!(world.insert_batch([(a, Health(3)), (b, Health(4))]), 2);
    /// assert_eq!(world.get(b), Some(&Health(4)));
    /// ```
    #[track_caller]
    #[doc(alias("insert_or_spawn_batch"))]
    pub fn insert_batch<B: Bundle>(&mut self, batch: impl IntoIterator<Item = (Entity, B)>) -> usize {
        self.insert_each::<B, false>(batch, |_| ())
    }

    /// Inserts bundles like [`insert_batch`](Self::insert_batch), but components that an entity already has keep their values.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [world.spawn_empty().id(), world.spawn(Health(9)).id()];
    /// world.insert_batch_if_new([(a, Health(3)), (b, Health(4))]);
    /// assert_eq!([a, b].map(|id| world.get::<Health>(id).unwrap().0), [3, 9]);
    /// ```
    #[track_caller]
    pub fn insert_batch_if_new<B: Bundle>(&mut self, batch: impl IntoIterator<Item = (Entity, B)>) -> usize {
        self.insert_each::<B, true>(batch, |_| ())
    }

    /// Inserts bundles like [`insert_batch`](Self::insert_batch), but returns an error if some entities are not alive.
    ///
    /// # Errors
    ///
    /// If some of the entities are not alive. The others have received their bundles.
    #[track_caller]
    pub fn try_insert_batch<B: Bundle>(
        &mut self,
        batch: impl IntoIterator<Item = (Entity, B)>,
    ) -> Result<(), TryInsertBatchError> {
        let mut gone = Vec::new();
        self.insert_each::<B, false>(batch, |entity| gone.push(entity));
        all_were_alive::<B>(gone)
    }

    /// Inserts bundles like [`insert_batch_if_new`](Self::insert_batch_if_new), but returns an error if some entities are not alive.
    ///
    /// # Errors
    ///
    /// If some of the entities are not alive. The others have received their bundles.
    #[track_caller]
    pub fn try_insert_batch_if_new<B: Bundle>(
        &mut self,
        batch: impl IntoIterator<Item = (Entity, B)>,
    ) -> Result<(), TryInsertBatchError> {
        let mut gone = Vec::new();
        self.insert_each::<B, true>(batch, |entity| gone.push(entity));
        all_were_alive::<B>(gone)
    }

    /// Inserts the bundles, returns the number of entities that received one, and calls `gone` for each entity that is not alive.
    #[track_caller]
    fn insert_each<B: Bundle, const KEEP: bool>(
        &mut self,
        batch: impl IntoIterator<Item = (Entity, B)>,
        mut gone: impl FnMut(Entity),
    ) -> usize {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        let mut count = 0;
        // `#[track_caller]` does not reach into a closure, so the caller is set before the loop.
        let mut insert = |store: &mut Store, (entity, bundle): (Entity, B)| match StoreEntityMut::find(store, entity) {
            Ok(mut entity) => {
                if KEEP {
                    entity.insert_if_new_for_origin(bundle);
                } else {
                    entity.insert_for_origin(bundle);
                }
                count += 1;
            }
            Err(_) => gone(entity),
        };
        let mut batch = batch.into_iter();
        if self.store.events.is_quiet() {
            let store = self.store.track_caller();
            batch.for_each(|item| insert(store, item));
            return count;
        }
        // An operation ends where the batch names an entity a second time, so that observers see each value of that entity. Commands of
        // observers are applied between operations. They may exchange the world; then the rest of the batch is not inserted.
        let (id, mut named) = (self.id(), EntityHashSet::default());
        let mut next = batch.next();
        while next.is_some() && self.id() == id {
            self.store.track_caller().batched(|store| {
                named.clear();
                while let Some(item) = next.take_if(|(entity, _)| named.insert(*entity)) {
                    insert(store, item);
                    next = batch.next();
                }
            });
        }
        count
    }

    /// Despawns all entities that match a filter, like `all::<F>().despawn()`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Enemy, Enemy]);
    /// world.spawn_empty();
    /// world.despawn_all::<With<Enemy>>();
    /// assert_eq!(world.len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn despawn_all<F: QueryFilter>(&mut self) {
        self.all::<F>().despawn();
    }

    /// Despawns the entities of a query for which a function returns true. The function is called for all entities
    /// before the first is despawned.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Health(0), Health(3)]);
    /// world.despawn_all_where::<&Health, ()>(|health| health.0 == 0);
    /// assert_eq!(world.len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn despawn_all_where<D: QueryData, F: QueryFilter>(
        &mut self,
        mut is_meant: impl FnMut(D::Item<'_, '_>) -> bool,
    ) {
        let mut query = self.query_filtered::<(Entity, D), F>();
        let found = query.query_mut(self).into_iter();
        let meant: Vec<Entity> = found.filter_map(|(id, item)| is_meant(item).then_some(id)).collect();
        self.many(&meant).despawn();
    }

    /// Calls a function with a mutable reference to a component of an entity, and returns the result; `None` if the
    /// entity does not have the component.
    ///
    /// # Errors
    ///
    /// If the entity is not alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let before = world.modify_component(entity, |health: &mut Health| std::mem::replace(&mut health.0, 5));
    /// assert_eq!((before, world.get(entity)), (Ok(Some(3)), Some(&Health(5))));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn modify_component<T: Component, R>(
        &mut self,
        entity: Entity,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<Option<R>, EntityError> {
        Ok(self.get_entity_mut(entity)?.modify_component(change))
    }
}

fn all_were_alive<B>(gone: Vec<Entity>) -> Result<(), TryInsertBatchError> {
    if gone.is_empty() {
        return Ok(());
    }
    Err(TryInsertBatchError { bundle_type: type_name::<B>(), entities: gone })
}

/// Writes methods that queue a batch of inserts.
macro_rules! batches {
    ($($(#[$meta:meta])* fn $name:ident = $queue:ident($insert:ident);)*) => { $(
        $(#[$meta])*
        #[track_caller]
        pub fn $name<I, B>(&mut self, batch: I)
        where
            I: IntoIterator<Item = (Entity, B)> + Send + 'static,
            B: Bundle,
        {
            let () = OneOfEach::<B>::COMPONENTS;
            OneOfEach::<B>::check();
            self.$queue(move |world: &mut World| world.$insert(batch));
        }
    )* };
}

impl Commands<'_, '_> {
    batches! {
        /// Inserts a separate bundle into each entity of a list when the command is applied. Entities that are not
        /// alive are reported: see [`World::try_insert_batch`].
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
        ///
        /// let mut world = World::new();
        /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
        /// world.commands().insert_batch([(a, Health(3)), (b, Health(4))]);
        /// world.flush();
        /// assert_eq!(world.get(b), Some(&Health(4)));
        /// ```
        fn insert_batch = queue(try_insert_batch);

        /// Inserts bundles like [`insert_batch`](Self::insert_batch), but components that an entity already has keep their values.
        fn insert_batch_if_new = queue(try_insert_batch_if_new);

        /// Inserts a separate bundle into each entity, like [`insert_batch`](Self::insert_batch), but reports nothing.
        fn try_insert_batch = queue_silenced(try_insert_batch);

        /// Inserts a separate bundle into each entity, like [`insert_batch_if_new`](Self::insert_batch_if_new), but reports nothing.
        fn try_insert_batch_if_new = queue_silenced(try_insert_batch_if_new);
    }
}
