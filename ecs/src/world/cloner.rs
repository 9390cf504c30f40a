//! Clones of some of an entity's components.

use alloc::vec::Vec;

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use super::links::{linked_tree, rename, target_of};
use crate::bundle::Bundle;
use crate::command::EntityCommands;
use crate::component::ComponentId;
use crate::entity::{Entity, EntityHashSet};
use crate::store::{CloneError, Store};

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
/// With [`linked_cloning`](EntityClonerBuilder::linked_cloning) the children of the source, and all below them, are cloned along.
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
pub struct EntityCloner {
    choice: Choice,
    is_linked: bool,
}

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
    is_linked: bool,
}

impl EntityCloner {
    /// A cloner of all components but those that are denied. See [`EntityCloner`] for an example.
    pub fn build_opt_out(world: &mut World) -> EntityClonerBuilder<'_, OptOut> {
        EntityClonerBuilder { world, mode: OptOut::default(), is_linked: false }
    }

    /// A cloner of those components that are allowed, and of what they require unless the target has it. See [`EntityCloner`] for an
    /// example.
    pub fn build_opt_in(world: &mut World) -> EntityClonerBuilder<'_, OptIn> {
        let mode = OptIn { allowed: Vec::new(), required: Vec::new(), with_required: true };
        EntityClonerBuilder { world, mode, is_linked: false }
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
        if self.is_linked {
            return self.clone_tree(store, source, Some(target)).map(drop);
        }
        let mut clones = store.clone_some(source, |id| self.choice.has(id, |id| store.has(target, id)))?;
        let pairs = store.clone_pairs(source, |id| self.choice.has(id, |_| false), &|_| false)?;
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
        if self.is_linked {
            world.store.flush();
            return self.clone_tree(&mut world.store, source, None);
        }
        world.store.spawn_clone_of_some(source, |id| self.choice.has(id, |_| false))
    }

    /// Whether entities that are linked to the source are cloned along: see [`EntityClonerBuilder::linked_cloning`].
    #[must_use]
    pub fn linked_cloning(&self) -> bool {
        self.is_linked
    }

    /// Clones an entity with all that is linked to it, and returns its clone.
    fn clone_tree(&self, store: &mut Store, root: Entity, target: Option<Entity>) -> Result<Entity, CloneError> {
        store.entities.locate(root)?;
        let tree = linked_tree(store, root, |id| self.choice.has(id, |_| false));
        let all = EntityHashSet::from_iter(tree.entities.iter().copied());
        let is_meant = |store: &Store, entity: Entity, id: ComponentId| {
            let target = target.filter(|_| entity == root);
            self.choice.has(id, |id| target.is_some_and(|target| store.has(target, id)))
                // What makes it a part of the tree.
                || (tree.relationships.contains(&id)
                    && target_of(store, id, entity).is_some_and(|target| all.contains(&target)))
        };
        // A list that the target has already stays, with its other fields.
        let stays = |store: &Store, id| target.is_some_and(|target| store.has(target, id));
        let lists = |store: &Store, entity: Entity| {
            tree.lists.iter().copied().filter(|&id| entity != root || !stays(store, id)).collect()
        };
        let clones = store.clone_linked(&tree.entities, is_meant, lists)?;
        Ok(store.put_linked(clones, target, rename))
    }
}

impl<Mode> EntityClonerBuilder<'_, Mode> {
    /// Whether the entities are cloned along that are linked to the source by a relationship with
    /// [`linked_spawn`](crate::relationship::RelationshipTarget), as its children are, those that are linked to these, and so on. They are
    /// not, unless this is called. Pairs of a [`Relation`](crate::relation::Relation) do not lead on.
    ///
    /// - The links between the clones are those between the originals. A list of sources has its clones in the order of the tree, level by
    ///   level; so children are in the same order, unless other relationships with `linked_spawn` lead to them as well. The source itself stays linked to what it names: the
    ///   clone of a child is another child of the same parent. Where that is not meant, deny the component, for instance
    ///   [`ChildOf`](crate::hierarchy::ChildOf): below the source it is cloned all the same.
    /// - A relationship leads on if the component that lists its sources is chosen, as [`Children`](crate::hierarchy::Children) is if it is
    ///   not denied, or is allowed.
    /// - Of entities inside of values, in fields that are [mapped](crate::entity::MapEntities), those of which there is a clone are replaced by
    ///   that, wherever in the tree they are. So are the targets of [pairs](crate::relation::Relation), and entities inside of their values.
    /// - Other fields of a component that lists sources are cloned with it if it is `Clone`.
    /// - If the target has children it keeps them; those that are cloned come behind them.
    /// - If a component of one of the entities cannot be cloned, nothing is. If a `Clone` or `MapEntities` panics, neither.
    ///
    /// `O(entities and their components)`.
    ///
    /// ```
    /// use strata_ecs::entity::EntityCloner;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone, Debug, PartialEq)]
    /// struct Part(&'static str);
    ///
    /// /// A pointer from one part of a ship to another one.
    /// #[derive(Component, Clone)]
    /// struct PoweredBy(Entity);
    ///
    /// let mut world = World::new();
    /// let ship = world.spawn((Part("ship"), children![(Part("turret"), children![Part("barrel")]), Part("reactor")])).id();
    /// let [turret, reactor] = **world.get::<Children>(ship).unwrap() else { unreachable!() };
    /// world.entity_mut(turret).insert(PoweredBy(reactor));
    ///
    /// let mut cloner = EntityCloner::build_opt_out(&mut world).linked_cloning(true).finish();
    /// let clone = cloner.spawn_clone(&mut world, ship).unwrap();
    /// assert_eq!(world.query::<&Part>().iter(&world).count(), 8);
    /// let [new_turret, new_reactor] = **world.get::<Children>(clone).unwrap() else { unreachable!() };
    /// assert_eq!(world.get(new_turret), Some(&Part("turret")));
    /// assert_eq!(world.get::<PoweredBy>(new_turret).unwrap().0, new_reactor);
    /// ```
    pub fn linked_cloning(&mut self, linked_cloning: bool) -> &mut Self {
        self.is_linked = linked_cloning;
        self
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
        EntityCloner { choice: Choice::OptOut(self.mode.clone()), is_linked: self.is_linked }
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
        EntityCloner { choice: Choice::OptIn(self.mode.clone()), is_linked: self.is_linked }
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
