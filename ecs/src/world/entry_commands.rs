//! Commands for one component of an entity.
//!
//! Tests: tests/commands/own.rs

use core::any::type_name;
use core::marker::PhantomData;

use super::entity_mut::EntityWorldMut;
use super::own_commands::EntityCommand;
use super::systems::FromWorld;
use crate::component::{Component, MutableComponent};
use crate::query::change::Mut;
use crate::structure::bundle::InsertMode;
use crate::system::commands::EntityCommands;

impl EntityCommands<'_> {
    /// Borrows the commands again, with a shorter lifetime. Use it to pass the commands by value to a function.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Armour(u32);
    ///
    /// fn equip(mut entity: EntityCommands) {
    ///     entity.insert(Armour(2));
    /// }
    /// let mut world = World::new();
    /// let id = world.spawn_empty().id();
    /// let mut commands = world.commands();
    /// let mut entity = commands.entity(id);
    /// equip(entity.reborrow());
    /// entity.insert(Health(1));
    /// world.flush();
    /// assert_eq!(world.entity(id).components().count(), 2);
    /// ```
    pub fn reborrow(&mut self) -> EntityCommands<'_> {
        let entity = self.id();
        self.commands_mut().entity(entity)
    }
}

impl<'a> EntityCommands<'a> {
    /// Returns an entry for a component. With it, the component can be changed, or inserted if it is missing when the
    /// commands are applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Level(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// for _ in 0..3 {
    ///     world.commands().entity(entity).entry::<Level>().and_modify(|mut level| level.0 += 1).or_insert(Level(1));
    ///     world.flush();
    /// }
    /// assert_eq!(world.get(entity), Some(&Level(3)));
    /// ```
    pub fn entry<'b, T: Component>(&'b mut self) -> EntityEntryCommands<'a, 'b, T> {
        EntityEntryCommands { commands: self, marker: PhantomData }
    }
}

/// Inserts the result of a function. With [`InsertMode::Keep`], if the component is present, it stays and the function
/// is not called.
pub fn insert_with<T: Component, F>(make: F, mode: InsertMode) -> impl EntityCommand
where
    F: FnOnce() -> T + Send + 'static,
{
    move |mut entity: EntityWorldMut<'_>| {
        if mode == InsertMode::Replace || !entity.contains::<T>() {
            entity.insert(make());
        }
    }
}

/// Inserts a value made by [`FromWorld`]. With [`InsertMode::Keep`], if the component is present, it stays and no value
/// is made.
#[must_use]
pub fn insert_from_world<T: Component + FromWorld>(mode: InsertMode) -> impl EntityCommand {
    move |mut entity: EntityWorldMut<'_>| {
        if mode == InsertMode::Replace || !entity.contains::<T>() {
            let made = entity.world_scope(T::from_world);
            // `T::from_world` may have despawned the entity.
            if !entity.is_despawned() {
                entity.insert(made);
            }
        }
    }
}

/// Commands for one component of an entity, from [`EntityCommands::entry`].
pub struct EntityEntryCommands<'a, 'b, T> {
    commands: &'b mut EntityCommands<'a>,
    marker: PhantomData<fn() -> T>,
}

impl<'a, T: Component> EntityEntryCommands<'a, '_, T> {
    /// Changes the component if it is present.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn and_modify(&mut self, change: impl FnOnce(Mut<'_, T>) + Send + 'static) -> &mut Self
    where
        T: MutableComponent,
    {
        self.commands.queue(|mut entity: EntityWorldMut<'_>| {
            if let Some(component) = entity.get_mut() {
                change(component);
            }
        });
        self
    }

    /// Inserts the component if it is missing.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn or_insert(&mut self, component: T) -> &mut Self {
        self.commands.insert_if_new(component);
        self
    }

    /// Inserts the component if it is missing, like [`or_insert`](Self::or_insert), but reports nothing if the entity
    /// is not alive.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn or_try_insert(&mut self, component: T) -> &mut Self {
        self.commands.try_insert_if_new(component);
        self
    }

    /// Inserts the result of a function if the component is missing. The function is called when the commands are
    /// applied.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn or_insert_with(&mut self, make: impl FnOnce() -> T + Send + 'static) -> &mut Self {
        self.commands.queue(insert_with(make, InsertMode::Keep));
        self
    }

    /// Inserts the result of a function if the component is missing, like [`or_insert_with`](Self::or_insert_with), but
    /// reports nothing if the entity is not alive.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn or_try_insert_with(&mut self, make: impl FnOnce() -> T + Send + 'static) -> &mut Self {
        self.commands.queue_silenced(insert_with(make, InsertMode::Keep));
        self
    }

    /// Inserts the default of the component if it is missing.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn or_default(&mut self) -> &mut Self
    where
        T: Default,
    {
        self.or_insert_with(T::default)
    }

    /// Inserts a value made by [`FromWorld`] if the component is missing.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn or_from_world(&mut self) -> &mut Self
    where
        T: FromWorld,
    {
        self.commands.queue(insert_from_world::<T>(InsertMode::Keep));
        self
    }

    /// Returns the commands for the entity.
    pub fn entity(&mut self) -> &mut EntityCommands<'a> {
        self.commands
    }

    /// Borrows the entry again, with a shorter lifetime. Use it to pass the entry by value to a function.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::world::EntityEntryCommands;
    /// # #[derive(Component, Debug, PartialEq)] struct Level(u32);
    ///
    /// fn raise(mut level: EntityEntryCommands<Level>) {
    ///     level.and_modify(|mut level| level.0 += 1);
    /// }
    /// let mut world = World::new();
    /// let id = world.spawn(Level(1)).id();
    /// let mut commands = world.commands();
    /// let mut entity = commands.entity(id);
    /// let mut entry = entity.entry();
    /// raise(entry.reborrow());
    /// raise(entry.reborrow());
    /// world.flush();
    /// assert_eq!(world.get(id), Some(&Level(3)));
    /// ```
    pub fn reborrow(&mut self) -> EntityEntryCommands<'a, '_, T> {
        EntityEntryCommands { commands: self.commands, marker: PhantomData }
    }
}

impl_debug!([T] EntityEntryCommands<'_, '_, T> => |this, f|
    write!(f, "EntityEntryCommands<{}>({:?})", type_name::<T>(), this.commands));
