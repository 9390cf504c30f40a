//! Clones of some of an entity's components.
//!
//! Tests: tests/storage/cloning.rs, tests/relationships/clones.rs

mod entity_methods;

use alloc::vec::Vec;

use super::cast::World;
use super::links::{LinkedTree, linked_tree, move_sources, rename, take_others};
use crate::component::ComponentId;
use crate::entity::{Entity, EntityHashSet};
use crate::structure::bundle::{Bundle, InsertMode};
use crate::structure::graph::ChangeStep;
use crate::structure::store::{
    CloneError, EntityBuilder, Store, StoreEntityMut, bundle_components, clone_linked, clone_pairs, clone_some,
    put_linked, relate_clones, spawn_clone_of_some, take_linked,
};

/// Clones all components but those that were [denied](EntityClonerBuilder::deny), and those that require a denied one.
#[derive(Clone, Debug)]
pub struct OptOut {
    denied: Vec<ComponentId>,
    /// The denied components for which the components that require them are denied, too.
    denied_with_requiring: Vec<ComponentId>,
    with_requiring: bool,
    keeps: bool,
}

/// Clones the components that were [allowed](EntityClonerBuilder::allow), and those that they require.
#[derive(Clone, Debug)]
pub struct OptIn {
    allowed: Vec<AllowedComponent>,
    with_required: bool,
}

/// A component that was allowed.
#[derive(Clone, Copy, Debug)]
struct AllowedComponent {
    id: ComponentId,
    /// Whether the component is cloned only if the target lacks it.
    keeps: bool,
    /// Whether the components that this one requires are allowed with it.
    with_required: bool,
}

/// Copies components of one entity to another one. [`EntityCloner::build_opt_out`] and [`EntityCloner::build_opt_in`]
/// make a cloner, which can only be used with the world for which it was made.
///
/// Components that the target already has are replaced, unless [`InsertMode::Keep`] is set. The source keeps its
/// components. If a cloned component requires another one that is neither cloned nor present in the target, the
/// required component is constructed, as by an insertion; so all requirements hold afterwards. [`World::clone_entity`]
/// makes an exact copy: a component that the source lacks is not constructed.
///
/// With [`linked_cloning`](EntityClonerBuilder::linked_cloning) the descendants of the source are cloned, too.
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
    /// Whether components are moved to the target instead of cloned.
    moves: bool,
    /// Whether required components are not constructed.
    is_exact: bool,
}

#[derive(Clone, Debug)]
#[doc(hidden)]
pub enum Choice {
    OptOut(OptOut),
    OptIn(OptIn),
}

impl Choice {
    /// Returns whether the component `id` of `source` is cloned. `target` is the existing entity that receives it, if
    /// there is one.
    fn has(&self, store: &Store, source: Entity, target: Option<Entity>, id: ComponentId) -> bool {
        let is_there = |id| target.is_some_and(|target| store.structure.has(target, id));
        match self {
            Self::OptOut(OptOut { keeps, .. }) => self.can_have(store, id) && !(*keeps && is_there(id)),
            Self::OptIn(OptIn { allowed, .. }) => {
                let is_cloned = |allowed: &AllowedComponent| !(allowed.keeps && is_there(allowed.id));
                if let Some(explicit) = allowed.iter().find(|allowed| allowed.id == id) {
                    return is_cloned(explicit);
                }
                let requires = |allowed: &&AllowedComponent| allowed.with_required && requires(store, allowed.id, id);
                let mut requiring = allowed.iter().filter(requires);
                !is_there(id) && requiring.any(|allowed| store.structure.has(source, allowed.id) && is_cloned(allowed))
            }
        }
    }

    /// Returns whether a component may be cloned, for some source and target.
    fn can_have(&self, store: &Store, id: ComponentId) -> bool {
        match self {
            Self::OptOut(OptOut { denied, denied_with_requiring, .. }) => {
                !denied.contains(&id) && !denied_with_requiring.iter().any(|&denied| requires(store, id, denied))
            }
            Self::OptIn(OptIn { allowed, .. }) => {
                let is_meant = |allowed: &AllowedComponent| {
                    allowed.id == id || allowed.with_required && requires(store, allowed.id, id)
                };
                allowed.iter().any(is_meant)
            }
        }
    }
}

/// Returns whether a component requires another one, directly or through others.
fn requires(store: &Store, id: ComponentId, required: ComponentId) -> bool {
    let info = store.structure.archetypes.components.info(id);
    info.is_some_and(|info| info.required().iter().any(|other| other.id == required))
}

/// Builds an [`EntityCloner`], or uses it directly.
#[derive(Debug)]
#[must_use = "a builder clones nothing by itself"]
pub struct EntityClonerBuilder<'w, Mode> {
    world: &'w mut World,
    mode: Mode,
    is_linked: bool,
    moves: bool,
}

impl EntityCloner {
    /// Builds a cloner of all components except the denied ones and those that require a denied one. See
    /// [`EntityCloner`] for an example.
    pub fn build_opt_out(world: &mut World) -> EntityClonerBuilder<'_, OptOut> {
        let mode = OptOut { denied: Vec::new(), denied_with_requiring: Vec::new(), with_requiring: true, keeps: false };
        EntityClonerBuilder { world, mode, is_linked: false, moves: false }
    }

    /// Builds a cloner of the allowed components, and of those of their required components that the target lacks. See
    /// [`EntityCloner`] for an example.
    pub fn build_opt_in(world: &mut World) -> EntityClonerBuilder<'_, OptIn> {
        let mode = OptIn { allowed: Vec::new(), with_required: true };
        EntityClonerBuilder { world, mode, is_linked: false, moves: false }
    }

    /// Copies components of `source` to `target`.
    ///
    /// # Errors
    ///
    /// If the source or the target is not alive, or if a chosen component cannot be cloned. Then nothing has changed.
    pub fn clone_entity(&mut self, world: &mut World, source: Entity, target: Entity) -> Result<(), CloneError> {
        let store = &mut world.store;
        store.flush();
        store.structure.entities.locate(target)?;
        if self.moves {
            return self.move_tree(store, source, Some(target)).map(drop);
        }
        if self.is_linked {
            return self.clone_tree(store, source, Some(target)).map(drop);
        }
        let mut clones = clone_some(store, source, |id| self.choice.has(store, source, Some(target), id))?;
        let pairs = clone_pairs(store, source, |store, id| self.choice.has(store, source, None, id), &|_| false)?;
        let mut insert = |store: &mut Store| {
            let mut at = StoreEntityMut::find(store, target)?;
            let inserted = if self.is_exact { at.insert_exactly(&mut clones) } else { at.insert_dynamic(&mut clones) };
            inserted.unwrap_or_else(|error| error.raise());
            Ok(())
        };
        if pairs.is_empty() {
            return insert(store);
        }
        store.batched(|store| {
            insert(store)?;
            relate_clones(store, target, pairs);
            Ok(())
        })
    }

    /// Spawns an entity with copies of components of `source`.
    ///
    /// # Errors
    ///
    /// If the source is not alive, or a chosen component cannot be cloned. Then nothing is spawned.
    pub fn spawn_clone(&mut self, world: &mut World, source: Entity) -> Result<Entity, CloneError> {
        if self.moves || self.is_linked {
            let store = &mut world.store;
            store.flush();
            return if self.moves { self.move_tree(store, source, None) } else { self.clone_tree(store, source, None) };
        }
        let is_meant = |store: &Store, id| self.choice.has(store, source, None, id);
        spawn_clone_of_some(&mut world.store, source, is_meant, ChangeStep::Insert)
    }

    /// Returns whether the entities that are linked to the source are cloned, too: see
    /// [`EntityClonerBuilder::linked_cloning`].
    #[must_use]
    pub fn linked_cloning(&self) -> bool {
        self.is_linked
    }

    /// Clones an entity and all entities that are linked to it, and returns the clone of `root`.
    fn clone_tree(&self, store: &mut Store, root: Entity, target: Option<Entity>) -> Result<Entity, CloneError> {
        store.structure.entities.locate(root)?;
        let tree = linked_tree(store, root, |store, id| self.choice.can_have(store, id));
        let is_meant = self.meant(&tree, target);
        // A list that the target already has stays, with its other fields.
        let stays = |store: &Store, id| target.is_some_and(|target| store.structure.has(target, id));
        let lists = |store: &Store, entity: Entity| {
            tree.lists.iter().copied().filter(|&id| entity != root || !stays(store, id)).collect()
        };
        let clones = clone_linked(store, &tree.entities, is_meant, lists)?;
        Ok(put_linked(store, clones, target, rename)[0])
    }

    /// Returns a function that decides whether a component of an entity of the tree is cloned. `target` is the existing
    /// entity that receives the clones of the root's components, if there is one.
    fn meant(&self, tree: &LinkedTree, target: Option<Entity>) -> impl Fn(&Store, Entity, ComponentId) -> bool {
        let root = tree.entities[0];
        let all = EntityHashSet::from_iter(tree.entities.iter().copied());
        move |store: &Store, entity: Entity, id: ComponentId| {
            let target = target.filter(|_| entity == root);
            self.choice.has(store, entity, target, id)
                // A relationship to an entity of the tree is always chosen: it makes the entity part of the tree.
                || (tree.relationships.contains(&id)
                    && store.events.links.target(id, entity).is_some_and(|target| all.contains(&target)))
        }
    }

    /// Moves the components of an entity as one operation. With linked cloning, the components of all entities that are
    /// linked to it are moved, too. Returns the entity that has received the components of `root`.
    fn move_tree(&self, store: &mut Store, root: Entity, target: Option<Entity>) -> Result<Entity, CloneError> {
        store.structure.entities.locate(root)?;
        let tree = match self.is_linked {
            true => linked_tree(store, root, |store, id| self.choice.can_have(store, id)),
            false => LinkedTree { entities: alloc::vec![root], relationships: Vec::new(), lists: Vec::new() },
        };
        let is_meant = self.meant(&tree, target);
        Ok(store.batched(|store| {
            let mut lists = Vec::new();
            let moved = take_linked(store, &tree.entities, |store, entity| {
                let components = &store.structure.archetypes.components;
                let ids: Vec<ComponentId> = store
                    .structure
                    .components_of(entity)
                    .filter(|&id| is_meant(store, entity, id) && !components.is_of_pairs(id))
                    .collect();
                let (listing, ids): (Vec<_>, Vec<_>) = ids.into_iter().partition(|&id| components.lists_sources(id));
                let mut others = EntityBuilder::new();
                for &list in &listing {
                    // A list that the target already has stays, with its other fields.
                    let stays = entity == root && target.is_some_and(|target| store.structure.has(target, list));
                    if !stays {
                        take_others(store, list, entity, &mut others);
                    }
                }
                lists.push(listing);
                (ids, others)
            });
            let new = put_linked(store, moved, target, rename);
            for ((&from, &to), lists) in tree.entities.iter().zip(&new).zip(lists) {
                lists.into_iter().for_each(|list| move_sources(store, list, from, to));
            }
            new[0]
        }))
    }
}

/// The components that a cloner copies: all except the denied ones ([`OptOut`]), or only the allowed ones ([`OptIn`]).
pub trait CloneMode: Sealed {}

pub trait Sealed {
    #[doc(hidden)]
    fn choice(&self) -> Choice;
}

impl<Mode: Sealed> CloneMode for Mode {}

impl Sealed for OptOut {
    fn choice(&self) -> Choice {
        Choice::OptOut(self.clone())
    }
}

impl Sealed for OptIn {
    fn choice(&self) -> Choice {
        Choice::OptIn(self.clone())
    }
}

impl<Mode: CloneMode> EntityClonerBuilder<'_, Mode> {
    /// Returns the configured cloner.
    pub fn finish(&self) -> EntityCloner {
        EntityCloner { choice: self.mode.choice(), is_linked: self.is_linked, moves: self.moves, is_exact: false }
    }

    /// Copies components of `source` to `target`, like [`EntityCloner::clone_entity`].
    ///
    /// # Errors
    ///
    /// Same as [`EntityCloner::clone_entity`].
    pub fn clone_entity(&mut self, source: Entity, target: Entity) -> Result<&mut Self, CloneError> {
        self.finish().clone_entity(self.world, source, target)?;
        Ok(self)
    }
}

impl<Mode> EntityClonerBuilder<'_, Mode> {
    /// Sets whether the entities that are linked to the source are cloned, too, and recursively the entities that are
    /// linked to these. Only relationships with [`linked_spawn`](crate::relationship::RelationshipTarget) are followed,
    /// such as the one between an entity and its children. Pairs of a [`Relation`](crate::relation::Relation) are not
    /// followed. The default is false.
    ///
    /// - The links between the clones correspond to the links between the originals. A list of sources contains its
    ///   clones in the order of the tree, level by level. So children keep their order, unless other relationships with
    ///   `linked_spawn` lead to them as well.
    /// - The clone of the source is linked to the same target as the source: the clone of a child is another child of
    ///   the same parent. To prevent that, deny the component, for instance [`ChildOf`](crate::hierarchy::ChildOf).
    ///   This affects only the source.
    /// - A relationship is followed if the component that lists its sources, such as
    ///   [`Children`](crate::hierarchy::Children), is cloned: it is not denied or, if only some components are allowed,
    ///   it is allowed.
    /// - Ids of entities inside of values, in [mapped](crate::entity::MapEntities) fields, are replaced by the ids of
    ///   their clones if these entities are part of the tree. This includes the targets of
    ///   [pairs](crate::relation::Relation), and ids inside of the values of pairs.
    /// - A component that lists sources may have other fields. They are cloned with it if the component is `Clone`.
    /// - If the target already has children, it keeps them, and the clones are appended.
    /// - If a component of one of the entities cannot be cloned, or if a `Clone` or `MapEntities` panics, nothing is
    ///   cloned.
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

    /// Sets whether the chosen components are moved to the target instead of cloned. The default is false. Components
    /// that cannot be cloned can be moved. So the only possible error is that the source or the target is not alive.
    ///
    /// - Hooks and observers are notified of the removal from the source and the insertion into the target, as one operation.
    /// - If a relationship of the source is chosen, the target receives it.
    /// - If a component that lists sources is chosen, the sources are linked to the target, and the other fields of the
    ///   component are moved. [`Children`](crate::hierarchy::Children) is chosen unless it is denied.
    /// - With [`linked_cloning`](Self::linked_cloning), the chosen components of each linked entity move to a new
    ///   entity. The linked entity stays alive without them.
    /// - [Pairs](crate::relation::Relation) of the source stay with it.
    /// - If a hook or an observer of the removal panics, the components that were to be moved are dropped.
    ///
    /// ```
    /// use strata_ecs::entity::EntityCloner;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Socket;
    ///
    /// let mut world = World::new();
    /// let caterpillar = world.spawn((Health(3), Socket, children![()])).id();
    /// let child = world.get::<Children>(caterpillar).unwrap()[0];
    /// let butterfly = world.spawn_empty().id();
    /// EntityCloner::build_opt_out(&mut world).move_components(true).clone_entity(caterpillar, butterfly).unwrap();
    /// assert_eq!((world.get(butterfly), world.get(butterfly)), (Some(&Health(3)), Some(&Socket)));
    /// assert_eq!(world.get(child), Some(&ChildOf(butterfly)));
    /// assert_eq!(world.entity(caterpillar).components().count(), 0);
    /// ```
    pub fn move_components(&mut self, enable: bool) -> &mut Self {
        self.moves = enable;
        self
    }
}

impl EntityClonerBuilder<'_, OptOut> {
    /// Excludes the components of a bundle, and all components that require one of them.
    ///
    /// ```
    /// use strata_ecs::entity::EntityCloner;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq, Default)]
    /// # struct Health(u32);
    /// # #[derive(Component, Clone)]
    /// # struct Mana;
    /// #[derive(Component, Clone)]
    /// #[require(Health)]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// let source = world.spawn((Monster, Health(3), Mana)).id();
    /// let target = world.spawn_empty().id();
    /// EntityCloner::build_opt_out(&mut world).deny::<Health>().clone_entity(source, target).unwrap();
    /// assert!(world.entity(target).contains::<Mana>() && !world.entity(target).contains::<Monster>());
    /// ```
    pub fn deny<B: Bundle>(&mut self) -> &mut Self {
        let ids = bundle_components::<B>(&mut self.world.store).0;
        self.deny_by_ids(ids)
    }

    /// Excludes components by id, like [`deny`](Self::deny).
    pub fn deny_by_ids(&mut self, ids: impl IntoIterator<Item = ComponentId>) -> &mut Self {
        let first = self.mode.denied.len();
        self.mode.denied.extend(ids);
        if self.mode.with_requiring {
            self.mode.denied_with_requiring.extend_from_slice(&self.mode.denied[first..]);
        }
        self
    }

    /// Calls a function that denies components, without denying the components that require them. If a cloned component
    /// requires a denied one that the target lacks, the denied component is constructed.
    ///
    /// ```
    /// use strata_ecs::entity::EntityCloner;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// #[derive(Component, Clone)]
    /// #[require(Health(10))]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// let wounded = world.spawn((Monster, Health(3))).id();
    /// let mut builder = EntityCloner::build_opt_out(&mut world);
    /// let mut cloner = builder.without_required_by_components(|builder| _ = builder.deny::<Health>()).finish();
    /// let fresh = cloner.spawn_clone(&mut world, wounded).unwrap();
    /// assert_eq!((world.entity(fresh).contains::<Monster>(), world.get(fresh)), (true, Some(&Health(10))));
    /// ```
    pub fn without_required_by_components(&mut self, deny: impl FnOnce(&mut Self)) -> &mut Self {
        let before = core::mem::replace(&mut self.mode.with_requiring, false);
        deny(self);
        self.mode.with_requiring = before;
        self
    }

    /// Sets whether components that the target already has are replaced or kept. By default they are replaced.
    ///
    /// ```
    /// use strata_ecs::bundle::InsertMode;
    /// use strata_ecs::entity::EntityCloner;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let source = world.spawn((Health(3), Mana(7))).id();
    /// let target = world.spawn(Health(5)).id();
    /// EntityCloner::build_opt_out(&mut world).insert_mode(InsertMode::Keep).clone_entity(source, target).unwrap();
    /// assert_eq!((world.get(target), world.get(target)), (Some(&Health(5)), Some(&Mana(7))));
    /// ```
    pub fn insert_mode(&mut self, insert_mode: InsertMode) -> &mut Self {
        self.mode.keeps = insert_mode == InsertMode::Keep;
        self
    }
}

impl EntityClonerBuilder<'_, OptIn> {
    /// Allows the components of a bundle, and the components that they require. A required component is cloned only if
    /// the source has the component that requires it, and the target lacks the required one.
    pub fn allow<B: Bundle>(&mut self) -> &mut Self {
        let ids = bundle_components::<B>(&mut self.world.store).0;
        self.allow_by_ids(ids)
    }

    /// Allows components by id, like [`allow`](Self::allow).
    pub fn allow_by_ids(&mut self, ids: impl IntoIterator<Item = ComponentId>) -> &mut Self {
        ids.into_iter().for_each(|id| self.allow_one(id, false));
        self
    }

    /// Allows those components of a bundle that the target lacks, and the components that these require. A component
    /// that is also [allowed](Self::allow) is cloned in any case.
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
    /// let target = world.spawn((Health(5), Mana(9))).id();
    /// EntityCloner::build_opt_in(&mut world).allow_if_new::<Health>().allow::<Mana>().clone_entity(source, target).unwrap();
    /// assert_eq!((world.get(target), world.get(target)), (Some(&Health(5)), Some(&Mana(7))));
    /// ```
    pub fn allow_if_new<B: Bundle>(&mut self) -> &mut Self {
        let ids = bundle_components::<B>(&mut self.world.store).0;
        self.allow_by_ids_if_new(ids)
    }

    /// Allows components by id, like [`allow_if_new`](Self::allow_if_new).
    pub fn allow_by_ids_if_new(&mut self, ids: impl IntoIterator<Item = ComponentId>) -> &mut Self {
        ids.into_iter().for_each(|id| self.allow_one(id, true));
        self
    }

    /// Allows a component. If it was allowed before, the less restrictive value of each setting applies.
    fn allow_one(&mut self, id: ComponentId, keeps: bool) {
        let new = AllowedComponent { id, keeps, with_required: self.mode.with_required };
        match self.mode.allowed.iter_mut().find(|allowed| allowed.id == id) {
            Some(AllowedComponent { keeps, with_required, .. }) => {
                *keeps &= new.keeps;
                *with_required |= new.with_required;
            }
            None => self.mode.allowed.push(new),
        }
    }

    /// Calls a function that allows components, without allowing the components that they require. Required components that the target
    /// lacks are constructed.
    ///
    /// ```
    /// use strata_ecs::entity::EntityCloner;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// #[derive(Component, Clone)]
    /// #[require(Health(10))]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// let source = world.spawn((Monster, Health(3))).id();
    /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    /// EntityCloner::build_opt_in(&mut world).allow::<Monster>().clone_entity(source, a).unwrap();
    /// let mut builder = EntityCloner::build_opt_in(&mut world);
    /// builder.without_required_components(|builder| _ = builder.allow::<Monster>()).clone_entity(source, b).unwrap();
    /// assert_eq!((world.get(a), world.get::<Health>(b)), (Some(&Health(3)), Some(&Health(10))));
    /// ```
    pub fn without_required_components(&mut self, allow: impl FnOnce(&mut Self)) -> &mut Self {
        let before = core::mem::replace(&mut self.mode.with_required, false);
        allow(self);
        self.mode.with_required = before;
        self
    }
}
