//! Methods of entities, and of commands for them, that clone and move components.

use super::{EntityCloner, EntityClonerBuilder, OptIn, OptOut};
use crate::bundle::Bundle;
use crate::command::EntityCommands;
use crate::entity::Entity;
use crate::store::CloneError;
use crate::world::cast::World;
use crate::world::entity_mut::EntityWorldMut;

/// The cloner that a function of the user sets up.
fn opt_out(world: &mut World, config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>)) -> EntityCloner {
    let mut builder = EntityCloner::build_opt_out(world);
    config(&mut builder);
    builder.finish()
}

/// The cloner that a function of the user sets up.
fn opt_in(world: &mut World, config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>)) -> EntityCloner {
    let mut builder = EntityCloner::build_opt_in(world);
    config(&mut builder);
    builder.finish()
}

impl EntityWorldMut<'_> {
    /// Copies all components but those that a function denies to another entity.
    ///
    /// # Errors
    ///
    /// As [`EntityCloner::clone_entity`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component)]
    /// # struct Connection;
    ///
    /// let mut world = World::new();
    /// let target = world.spawn_empty().id();
    /// let mut source = world.spawn((Health(3), Connection)); // A connection cannot be cloned.
    /// source.clone_with_opt_out(target, |builder| _ = builder.deny::<Connection>()).unwrap();
    /// assert_eq!(world.get(target), Some(&Health(3)));
    /// ```
    pub fn clone_with_opt_out(
        &mut self,
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>),
    ) -> Result<&mut Self, CloneError> {
        let source = self.expect_target();
        self.world_scope(|world| opt_out(world, config).clone_entity(world, source, target))?;
        Ok(self)
    }

    /// Copies those components that a function allows to another entity, and what they require unless that has it.
    ///
    /// # Errors
    ///
    /// As [`EntityCloner::clone_entity`].
    pub fn clone_with_opt_in(
        &mut self,
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>),
    ) -> Result<&mut Self, CloneError> {
        let source = self.expect_target();
        self.world_scope(|world| opt_in(world, config).clone_entity(world, source, target))?;
        Ok(self)
    }

    /// Makes an entity with clones of all components but those that a function denies, and returns its id.
    ///
    /// # Errors
    ///
    /// As [`EntityCloner::spawn_clone`].
    pub fn clone_and_spawn_with_opt_out(
        &mut self,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>),
    ) -> Result<Entity, CloneError> {
        let source = self.expect_target();
        self.world_scope(|world| opt_out(world, config).spawn_clone(world, source))
    }

    /// Makes an entity with clones of those components that a function allows and of what they require, and returns its id.
    ///
    /// # Errors
    ///
    /// As [`EntityCloner::spawn_clone`].
    pub fn clone_and_spawn_with_opt_in(
        &mut self,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>),
    ) -> Result<Entity, CloneError> {
        let source = self.expect_target();
        self.world_scope(|world| opt_in(world, config).spawn_clone(world, source))
    }
}

impl EntityWorldMut<'_> {
    /// Moves those components of a bundle that the entity has to another one, and what they require unless that has it: see
    /// [`EntityClonerBuilder::move_components`].
    ///
    /// # Errors
    ///
    /// If one of the two is not alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Sword(u32);
    ///
    /// let mut world = World::new();
    /// let heir = world.spawn_empty().id();
    /// let mut knight = world.spawn(Sword(3));
    /// knight.move_components::<Sword>(heir).unwrap();
    /// assert!(!knight.contains::<Sword>());
    /// assert_eq!(world.get(heir), Some(&Sword(3)));
    /// ```
    pub fn move_components<B: Bundle>(&mut self, target: Entity) -> Result<&mut Self, CloneError> {
        self.clone_with_opt_in(target, |builder| _ = builder.allow::<B>().move_components(true))
    }
}

impl EntityCommands<'_> {
    /// Moves those components of a bundle that the entity has to another one: as [`EntityWorldMut::move_components`]. An error is reported
    /// as other errors of commands are.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn move_components<B: Bundle>(&mut self, target: Entity) -> &mut Self {
        self.clone_with_opt_in(target, |builder| _ = builder.allow::<B>().move_components(true))
    }

    /// Spawns an entity, and records what gives it its components.
    #[cfg_attr(feature = "track_location", track_caller)]
    fn spawn_clone(
        &mut self,
        clone: impl FnOnce(&mut World, Entity, Entity) -> Result<(), CloneError> + Send + 'static,
    ) -> EntityCommands<'_> {
        let (source, commands) = (self.id(), self.commands_mut());
        let target = commands.spawn_empty().id();
        commands.queue(move |world: &mut World| clone(world, source, target));
        commands.entity(target)
    }

    /// Copies all components but those that a function denies to another entity. What cannot be cloned is reported as other errors
    /// of commands are; nothing has changed then.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Clone)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let target = world.spawn_empty().id();
    /// let mut commands = world.commands();
    /// commands.spawn((Health(3), Mana(7))).clone_with_opt_out(target, |builder| _ = builder.deny::<Mana>());
    /// world.flush();
    /// assert_eq!((world.get(target), world.entity(target).contains::<Mana>()), (Some(&Health(3)), false));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_with_opt_out(
        &mut self,
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>) + Send + 'static,
    ) -> &mut Self {
        self.queue(move |mut entity: EntityWorldMut<'_>| entity.clone_with_opt_out(target, config).map(drop))
    }

    /// Copies those components that a function allows to another entity; as [`clone_with_opt_out`](Self::clone_with_opt_out).
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_with_opt_in(
        &mut self,
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>) + Send + 'static,
    ) -> &mut Self {
        self.queue(move |mut entity: EntityWorldMut<'_>| entity.clone_with_opt_in(target, config).map(drop))
    }

    /// Makes an entity with clones of all components, as [`clone_with_opt_out`](Self::clone_with_opt_out), and returns the commands
    /// for it. If something cannot be cloned it is spawned without components. It lacks what the original lacks, as with
    /// [`World::clone_entity`].
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_and_spawn(&mut self) -> EntityCommands<'_> {
        self.spawn_clone(|world, source, target| {
            let mut cloner = EntityCloner::build_opt_out(world).finish();
            cloner.is_exact = true;
            cloner.clone_entity(world, source, target)
        })
    }

    /// Makes an entity with clones of all components but those that a function denies; as
    /// [`clone_and_spawn`](Self::clone_and_spawn).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Clone)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let source = world.spawn((Health(3), Mana(7))).id();
    /// let mut commands = world.commands();
    /// let mut source = commands.entity(source);
    /// let clone = source.clone_and_spawn_with_opt_out(|builder| _ = builder.deny::<Mana>()).id();
    /// world.flush();
    /// assert_eq!((world.get(clone), world.entity(clone).contains::<Mana>()), (Some(&Health(3)), false));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_and_spawn_with_opt_out(
        &mut self,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>) + Send + 'static,
    ) -> EntityCommands<'_> {
        self.spawn_clone(|world, source, target| opt_out(world, config).clone_entity(world, source, target))
    }

    /// Makes an entity with clones of those components that a function allows, and of what they require; as
    /// [`clone_and_spawn`](Self::clone_and_spawn).
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_and_spawn_with_opt_in(
        &mut self,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>) + Send + 'static,
    ) -> EntityCommands<'_> {
        self.spawn_clone(|world, source, target| opt_in(world, config).clone_entity(world, source, target))
    }
}
