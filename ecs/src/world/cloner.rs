//! Clones of some of an entity's components.

use alloc::vec::Vec;

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use crate::bundle::Bundle;
use crate::command::EntityCommands;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::store::CloneError;

/// Which components a clone gets: all but those that were [denied](EntityClonerBuilder::deny).
#[derive(Clone, Default, Debug)]
pub struct OptOut {
    denied: Vec<ComponentId>,
}

/// Which components a clone gets: those that were [allowed](EntityClonerBuilder::allow), and what these require.
#[derive(Clone, Debug)]
pub struct OptIn {
    allowed: Vec<ComponentId>,
    /// Those that the target gets unless it has them.
    required: Vec<ComponentId>,
    with_required: bool,
}

/// Copies components of one entity to another one. Made by [`EntityCloner::build_opt_out`] and
/// [`EntityCloner::build_opt_in`]; belongs to the world that it was made for.
///
/// Components that the target has already are replaced. The source keeps its own. Nothing else is inserted: what the cloned
/// components require, and the target lacks, is not made.
///
/// ```
/// use strata_ecs::entity::EntityCloner;
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Clone, Debug, PartialEq)]
/// # struct Health(u32);
/// # #[derive(Component, Clone, Debug, PartialEq)]
/// # struct Mana(u32);
///
/// let mut world = World::new();
/// let source = world.spawn((Health(3), Mana(7))).id();
/// let targets = [(); 2].map(|()| world.spawn_empty().id());
///
/// let mut cloner = EntityCloner::build_opt_out(&mut world).deny::<Mana>().finish();
/// for target in targets {
///     cloner.clone_entity(&mut world, source, target).unwrap();
/// }
/// assert_eq!((world.get(targets[1]), world.get::<Mana>(targets[1])), (Some(&Health(3)), None));
///
/// EntityCloner::build_opt_in(&mut world).allow::<Mana>().clone_entity(source, targets[0]).unwrap();
/// assert_eq!(world.get(targets[0]), Some(&Mana(7)));
/// ```
#[derive(Clone, Debug)]
pub struct EntityCloner(Choice);

#[derive(Clone, Debug)]
enum Choice {
    OptOut(OptOut),
    OptIn(OptIn),
}

impl Choice {
    /// Whether a component is cloned for an entity that has these, if it has any.
    fn has(&self, id: ComponentId, target: impl FnOnce(ComponentId) -> bool) -> bool {
        match self {
            Self::OptOut(OptOut { denied }) => !denied.contains(&id),
            Self::OptIn(OptIn { allowed, required, .. }) => {
                allowed.contains(&id) || (required.contains(&id) && !target(id))
            }
        }
    }
}

/// Makes an [`EntityCloner`], or uses it at once.
#[derive(Debug)]
#[must_use = "a builder clones nothing by itself"]
pub struct EntityClonerBuilder<'w, Mode> {
    world: &'w mut World,
    mode: Mode,
}

impl EntityCloner {
    /// A cloner of all components but those that are denied. See [`EntityCloner`] for an example.
    pub fn build_opt_out(world: &mut World) -> EntityClonerBuilder<'_, OptOut> {
        EntityClonerBuilder { world, mode: OptOut::default() }
    }

    /// A cloner of those components that are allowed, and of what they require unless the target has it. See [`EntityCloner`] for an
    /// example.
    pub fn build_opt_in(world: &mut World) -> EntityClonerBuilder<'_, OptIn> {
        let mode = OptIn { allowed: Vec::new(), required: Vec::new(), with_required: true };
        EntityClonerBuilder { world, mode }
    }

    /// Copies components of `source` to `target`.
    ///
    /// # Errors
    ///
    /// If one of the two is not alive, or a component that was chosen cannot be cloned. Nothing has changed then.
    pub fn clone_entity(&mut self, world: &mut World, source: Entity, target: Entity) -> Result<(), CloneError> {
        let store = &mut world.store;
        store.flush();
        store.entities.locate(target)?;
        let mut clones = store.clone_some(source, |id| self.0.has(id, |id| store.has(target, id)))?;
        let pairs = store.clone_pairs(source, |id| self.0.has(id, |_| false))?;
        if let Err(error) = store.at(target)?.insert_exactly(&mut clones) {
            error.raise();
        }
        store.relate_clones(target, pairs);
        Ok(())
    }

    /// Makes an entity with copies of components of `source`.
    ///
    /// # Errors
    ///
    /// If the source is not alive, or a component that was chosen cannot be cloned. Nothing is spawned then.
    pub fn spawn_clone(&mut self, world: &mut World, source: Entity) -> Result<Entity, CloneError> {
        world.store.spawn_clone_of_some(source, |id| self.0.has(id, |_| false))
    }
}

impl EntityClonerBuilder<'_, OptOut> {
    /// Leaves the components of a bundle out.
    pub fn deny<B: Bundle>(&mut self) -> &mut Self {
        let ids = self.world.store.bundle_components::<B>().0;
        self.mode.denied.extend(ids);
        self
    }

    /// Leaves components out, by number.
    pub fn deny_by_ids(&mut self, ids: impl IntoIterator<Item = ComponentId>) -> &mut Self {
        self.mode.denied.extend(ids);
        self
    }

    /// The cloner.
    pub fn finish(&mut self) -> EntityCloner {
        EntityCloner(Choice::OptOut(self.mode.clone()))
    }

    /// Copies components of `source` to `target`, as [`EntityCloner::clone_entity`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn clone_entity(&mut self, source: Entity, target: Entity) -> Result<&mut Self, CloneError> {
        self.finish().clone_entity(self.world, source, target)?;
        Ok(self)
    }
}

impl EntityClonerBuilder<'_, OptIn> {
    /// Takes the components of a bundle, and those that they require unless the target has them.
    pub fn allow<B: Bundle>(&mut self) -> &mut Self {
        let (ids, required) = self.world.store.bundle_components::<B>();
        self.mode.allowed.extend(ids);
        if self.mode.with_required {
            self.mode.required.extend(required);
        }
        self
    }

    /// Takes components, by number, without those that they require.
    pub fn allow_by_ids(&mut self, ids: impl IntoIterator<Item = ComponentId>) -> &mut Self {
        self.mode.allowed.extend(ids);
        self
    }

    /// Calls a function that allows components, and takes nothing for being required by them.
    ///
    /// ```
    /// use strata_ecs::entity::EntityCloner;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq, Default)]
    /// # struct Health(u32);
    /// #[derive(Component, Clone)]
    /// #[require(Health)]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// let source = world.spawn((Monster, Health(3))).id();
    /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    /// EntityCloner::build_opt_in(&mut world).allow::<Monster>().clone_entity(source, a).unwrap();
    /// let mut builder = EntityCloner::build_opt_in(&mut world);
    /// builder.without_required_components(|builder| _ = builder.allow::<Monster>()).clone_entity(source, b).unwrap();
    /// assert_eq!((world.get(a), world.get::<Health>(b)), (Some(&Health(3)), None));
    /// ```
    pub fn without_required_components(&mut self, allow: impl FnOnce(&mut Self)) -> &mut Self {
        let before = core::mem::replace(&mut self.mode.with_required, false);
        allow(self);
        self.mode.with_required = before;
        self
    }

    /// The cloner.
    pub fn finish(&mut self) -> EntityCloner {
        EntityCloner(Choice::OptIn(self.mode.clone()))
    }

    /// Copies components of `source` to `target`, as [`EntityCloner::clone_entity`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn clone_entity(&mut self, source: Entity, target: Entity) -> Result<&mut Self, CloneError> {
        self.finish().clone_entity(self.world, source, target)?;
        Ok(self)
    }
}

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
        let source = self.id();
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
        let source = self.id();
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
        let source = self.id();
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
        let source = self.id();
        self.world_scope(|world| opt_in(world, config).spawn_clone(world, source))
    }
}

impl EntityCommands<'_> {
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
    /// for it. If something cannot be cloned it is spawned without components.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_and_spawn(&mut self) -> EntityCommands<'_> {
        self.clone_and_spawn_with_opt_out(|_| {})
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
