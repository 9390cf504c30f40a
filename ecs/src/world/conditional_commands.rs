//! Commands that are recorded only if a condition holds, and commands that compare a value with the present one.
//!
//! Tests: tests/commands/made.rs, tests/commands/own.rs

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use crate::component::Component;
use crate::storage::resource::Resource;
use crate::structure::bundle::{Bundle, OneOfEach};
use crate::system::commands::{Commands, EntityCommands};

impl Commands<'_, '_> {
    /// Inserts a resource when the command is applied. If an equal resource is present, it stays, and does not count as
    /// changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, PartialEq)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// let before = world.get_resource_change_ticks::<Score>();
    /// world.increment_change_tick();
    /// world.commands().insert_resource_if_neq(Score(3));
    /// world.flush();
    /// assert_eq!(world.get_resource_change_ticks::<Score>(), before);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_resource_if_neq<R: Resource + PartialEq>(&mut self, resource: R) {
        self.queue(move |world: &mut World| {
            if world.get_resource::<R>() != Some(&resource) {
                world.insert_resource(resource);
            }
        });
    }
}

/// Writes methods that insert a bundle if a condition holds.
macro_rules! inserts {
    ($($(#[$doc:meta])* fn $name:ident => $insert:ident;)*) => { $(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<B: Bundle>(&mut self, bundle: B, condition: impl FnOnce() -> bool) -> &mut Self {
            let () = OneOfEach::<B>::COMPONENTS;
            OneOfEach::<B>::check();
            if condition() { self.$insert(bundle) } else { self }
        }
    )* };
}

impl EntityCommands<'_> {
    /// Removes the components of a bundle, like [`remove`](Self::remove), if the condition holds. The condition is
    /// evaluated immediately.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// world.commands().entity(entity).remove_if::<Health>(|| true);
    /// world.flush();
    /// assert!(!world.entity(entity).contains::<Health>());
    /// ```
    #[track_caller]
    pub fn remove_if<B: Bundle>(&mut self, condition: impl FnOnce() -> bool) -> &mut Self {
        OneOfEach::<B>::check();
        if condition() { self.remove::<B>() } else { self }
    }

    /// Inserts a component, like [`insert`](Self::insert). If the entity has an equal component, that one stays, and
    /// does not count as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, PartialEq)] #[component(track = "always")] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let before = world.entity(entity).get_change_ticks::<Health>();
    /// world.increment_change_tick();
    /// world.commands().entity(entity).insert_if_neq(Health(3));
    /// world.flush();
    /// assert_eq!(world.entity(entity).get_change_ticks::<Health>(), before);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_if_neq<T: Component + PartialEq>(&mut self, component: T) -> &mut Self {
        self.queue(move |mut entity: EntityWorldMut<'_>| {
            if entity.get::<T>() != Some(&component) {
                entity.insert(component);
            }
        })
    }

    /// Removes the components of a bundle, like [`try_remove`](Self::try_remove), if the condition holds. The condition
    /// is evaluated immediately.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn try_remove_if<B: Bundle>(&mut self, condition: impl FnOnce() -> bool) -> &mut Self {
        if condition() { self.try_remove::<B>() } else { self }
    }

    inserts! {
        /// Inserts a bundle, like [`insert`](Self::insert), if the condition holds. The condition is evaluated
        /// immediately. If it does not hold, the bundle is dropped.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component)] struct Health(u32);
        /// # let mut world = World::new();
        /// let entity = world.commands().spawn_empty().insert_if(Health(1), || false).id();
        /// world.flush();
        /// assert!(!world.entity(entity).contains::<Health>());
        /// ```
        fn insert_if => insert;

        /// Inserts a bundle, like [`insert_if_new`](Self::insert_if_new), if the condition holds. The condition is
        /// evaluated immediately.
        fn insert_if_new_and => insert_if_new;

        /// Inserts a bundle, like [`try_insert`](Self::try_insert), if the condition holds. The condition is evaluated
        /// immediately.
        fn try_insert_if => try_insert;

        /// Inserts a bundle, like [`try_insert_if_new`](Self::try_insert_if_new), if the condition holds. The condition
        /// is evaluated immediately.
        fn try_insert_if_new_and => try_insert_if_new;
    }
}
