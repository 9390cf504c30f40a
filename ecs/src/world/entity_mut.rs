//! Exclusive access to one entity, including structural changes.
//!
//! Tests: tests/storage/world.rs, tests/model/edits.rs

use core::any::TypeId;

use super::cast::World;
use super::entity_ref::EntityRef;
use crate::component::{Component, ComponentId, MutableComponent};
use crate::entity::{ContainsEntity, Entity, Location};
use crate::query::change::Mut;
use crate::structure::bundle::{Bundle, OneOfEach};
use crate::structure::store::{CloneError, EntityBuilder, Store, StoreEntityMut, clone_components};
use crate::util::origin::Origin;

/// An entity together with its world: returned by [`World::spawn`] and [`World::entity_mut`].
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Shield;
///
/// let mut world = World::new();
/// let mut entity = world.spawn(Health(3));
/// entity.insert(Shield).remove::<Shield>();
/// entity.get_mut::<Health>().unwrap().0 += 1;
/// assert_eq!(entity.take::<Health>(), Some(Health(4)));
/// entity.despawn();
/// ```
#[doc(alias("EntityView", "EntityManager", "Entry"))]
pub struct EntityWorldMut<'w> {
    pub(super) at: StoreEntityMut<'w>,
}

impl<'w> EntityWorldMut<'w> {
    #[inline]
    pub(super) fn new(at: StoreEntityMut<'w>) -> Self {
        Self { at }
    }

    /// Returns the store, without restrictions on what the caller may change.
    pub(crate) fn store_mut(&mut self) -> &mut Store {
        self.at.store_mut()
    }

    /// Returns the id of the entity. If the world has been replaced by another one, returns an id that no entity has.
    #[inline]
    pub(super) fn target(&self) -> Entity {
        self.at.target()
    }

    /// Returns the id of the entity, for an operation on the world.
    ///
    /// # Panics
    ///
    /// If the world has been replaced by another one.
    #[inline]
    #[track_caller]
    pub(crate) fn expect_target(&self) -> Entity {
        self.at.expect_target()
    }

    /// Returns the id of the entity.
    #[inline]
    #[must_use]
    pub fn id(&self) -> Entity {
        self.at.id()
    }

    /// Adds the components of a bundle. Values of components that the entity already has are replaced. The old values
    /// are dropped at the end.
    ///
    /// Moves the entity to another table, unless it already has all of the components or they are sparse.
    /// `O(components)` of the entity.
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice, or if the entity was despawned through [`EntityWorldMut::world_scope`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3));
    /// entity.insert((Health(4), Mana(7)));
    /// assert_eq!(entity.get::<Health>(), Some(&Health(4)));
    /// assert_eq!(entity.get::<Mana>(), Some(&Mana(7)));
    /// ```
    // `inline(always)` is not used in debug builds: the stack frame of the caller would permanently hold the copies of a large bundle.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    #[doc(alias("add", "set", "insert_one", "AddComponent", "AddComponentData", "emplace", "add_component"))]
    pub fn insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.at.insert(bundle);
        self
    }

    /// Adds those components of a bundle that the entity does not have. The other values are dropped, and their
    /// required components are not added.
    ///
    /// # Panics
    ///
    /// Same as [`EntityWorldMut::insert`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3));
    /// entity.insert_if_new((Health(4), Mana(7)));
    /// assert_eq!(entity.get::<Health>(), Some(&Health(3)));
    /// assert_eq!(entity.get::<Mana>(), Some(&Mana(7)));
    /// ```
    #[track_caller]
    #[doc(alias("ensure"))]
    pub fn insert_if_new<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.at.track_caller().insert_if_new_for_origin(bundle);
        self
    }

    /// Adds the components of a builder. Afterwards the builder is empty. Values of components that the entity already
    /// has are replaced.
    ///
    /// # Panics
    ///
    /// If the entity was despawned through [`EntityWorldMut::world_scope`], or if a component of the builder was made at run time
    /// and another component of this world has its name.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Mana(7));
    /// let mut entity = world.spawn(Health(3));
    /// entity.insert_dynamic(&mut builder);
    /// assert!(entity.contains::<Health>() && entity.contains::<Mana>());
    /// ```
    #[track_caller]
    pub fn insert_dynamic(&mut self, builder: &mut EntityBuilder) -> &mut Self {
        self.at.track_caller().insert_dynamic(builder).unwrap_or_else(|error| error.raise());
        self
    }

    /// Removes those components of a bundle that the entity has, and drops them.
    ///
    /// # Panics
    ///
    /// If the entity was despawned through [`EntityWorldMut::world_scope`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3));
    /// entity.remove::<(Health, Mana)>();
    /// assert!(!entity.contains::<Health>());
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias("remove_one", "RemoveComponent", "erase", "remove_component"))]
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        OneOfEach::<B>::check();
        self.at.remove::<B>();
        self
    }

    /// Takes the components of a bundle out of the entity. If one of them is missing, returns `None` and changes nothing.
    ///
    /// # Panics
    ///
    /// If the entity was despawned through [`EntityWorldMut::world_scope`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3));
    /// assert_eq!(entity.take::<(Health, Mana)>(), None);
    /// assert_eq!(entity.take::<Health>(), Some(Health(3)));
    /// assert!(!entity.contains::<Health>());
    /// ```
    #[must_use = "`remove` drops the components"]
    #[track_caller]
    #[doc(alias("remove_one"))]
    pub fn take<B: Bundle>(&mut self) -> Option<B> {
        OneOfEach::<B>::check();
        self.at.take()
    }

    /// Removes those components of one bundle that the entity has, and adds the components of another bundle, in one
    /// move instead of two. The removed components are dropped; [`EntityWorldMut::exchange`] returns them.
    ///
    /// # Panics
    ///
    /// Same as [`EntityWorldMut::insert`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3));
    /// entity.replace::<Health, _>(Mana(7));
    /// assert!(!entity.contains::<Health>());
    /// assert_eq!(entity.get::<Mana>(), Some(&Mana(7)));
    /// ```
    #[track_caller]
    pub fn replace<Old: Bundle, New: Bundle>(&mut self, new: New) -> &mut Self {
        OneOfEach::<Old>::check();
        let () = OneOfEach::<New>::COMPONENTS;
        OneOfEach::<New>::check();
        self.at.replace::<Old, New>(new);
        self
    }

    /// Takes the components of one bundle out of the entity and adds those of another bundle, in one move instead of
    /// two.
    ///
    /// # Errors
    ///
    /// If one of the old components is missing. Then nothing changes, and the error contains the new bundle.
    ///
    /// # Panics
    ///
    /// Same as [`EntityWorldMut::insert`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3));
    /// assert_eq!(entity.exchange::<Health, Mana>(Mana(7)), Ok(Health(3)));
    /// assert_eq!(entity.exchange::<Health, Mana>(Mana(8)), Err(Mana(8)));
    /// assert_eq!(entity.get::<Mana>(), Some(&Mana(7)));
    /// ```
    #[track_caller]
    #[doc(alias("exchange_one"))]
    pub fn exchange<Old: Bundle, New: Bundle>(&mut self, new: New) -> Result<Old, New> {
        OneOfEach::<Old>::check();
        let () = OneOfEach::<New>::COMPONENTS;
        OneOfEach::<New>::check();
        self.at.exchange(new)
    }

    /// Removes all components except those of a bundle and those that these require, and drops them, in one move. The
    /// entity need not have the components of the bundle.
    ///
    /// # Panics
    ///
    /// If the entity was despawned through [`EntityWorldMut::world_scope`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn((Health(3), Mana(7)));
    /// entity.retain::<Mana>();
    /// assert!(!entity.contains::<Health>() && entity.contains::<Mana>());
    /// ```
    #[track_caller]
    pub fn retain<B: Bundle>(&mut self) -> &mut Self {
        self.at.retain::<B>();
        self
    }

    /// Removes all components and drops them; the entity stays.
    ///
    /// # Panics
    ///
    /// If the entity was despawned through [`EntityWorldMut::world_scope`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn((Health(3), Mana(7)));
    /// entity.clear();
    /// assert_eq!(entity.as_readonly().components().count(), 0);
    /// ```
    #[track_caller]
    #[doc(alias("remove_all"))]
    pub fn clear(&mut self) -> &mut Self {
        self.retain::<()>()
    }

    /// Takes all components out of the entity, which stays alive without components. `O(components)` of the entity,
    /// with one allocation per component.
    ///
    /// The returned builder can be spawned in any world. Ids of entities inside of components are not changed.
    ///
    /// # Panics
    ///
    /// If the entity was despawned through [`EntityWorldMut::world_scope`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let (mut here, mut there) = (World::new(), World::new());
    /// let mut traveller = here.spawn((Health(3), Mana(7)));
    /// let mut luggage = traveller.take_all();
    /// assert!(!traveller.contains::<Health>());
    /// traveller.despawn();
    /// assert_eq!(there.spawn_dynamic(&mut luggage).get(), Some(&Mana(7)));
    /// ```
    #[must_use = "the components are dropped with the builder"]
    #[track_caller]
    pub fn take_all(&mut self) -> EntityBuilder {
        self.at.track_caller().take_values(None)
    }

    /// Clones all components into a builder. `O(components)` of the entity, with one allocation per component.
    ///
    /// Ids of entities inside of components are copied as they are.
    ///
    /// # Errors
    ///
    /// If a component cannot be cloned; the error lists all components that cannot.
    /// [`#[derive(Component)]`](derive@crate::prelude::Component) describes which components can be cloned. Also if the
    /// entity was despawned through [`EntityWorldMut::world_scope`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone, Debug, PartialEq)]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut clones = world.spawn(Health(3)).clone_components().unwrap();
    /// assert_eq!(World::new().spawn_dynamic(&mut clones).get(), Some(&Health(3)));
    /// ```
    pub fn clone_components(&self) -> Result<EntityBuilder, CloneError> {
        clone_components(self.at.store(), self.target())
    }

    /// Spawns an entity with clones of all components, and returns its id, like [`World::clone_entity`].
    ///
    /// # Errors
    ///
    /// If a component cannot be cloned; the error lists all components that cannot, and nothing is spawned. Also if the
    /// entity was despawned through [`EntityWorldMut::world_scope`].
    ///
    /// # Panics
    ///
    /// If no entity ids are left.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone, Debug, PartialEq)]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let twin = world.spawn(Health(3)).clone_and_spawn().unwrap();
    /// assert_eq!(world.get(twin), Some(&Health(3)));
    /// ```
    #[track_caller]
    #[doc(alias("prefab", "Instantiate"))]
    pub fn clone_and_spawn(&mut self) -> Result<Entity, CloneError> {
        self.at.clone_and_spawn()
    }

    /// Despawns the entity and drops its components.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let id = world.spawn_empty().id();
    /// world.entity_mut(id).despawn();
    /// assert!(!world.contains(id));
    /// ```
    #[track_caller]
    #[doc(alias("destruct", "delete"))]
    pub fn despawn(self) {
        let entity = self.expect_target();
        self.into_world_mut().despawn(entity);
    }

    /// Returns a component; `None` if the entity does not have it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3));
    /// assert_eq!(entity.get::<Health>(), Some(&Health(3)));
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("get_component"))]
    pub fn get<T: Component>(&self) -> Option<&T> {
        self.world().get(self.target())
    }

    /// Returns a component, borrowed mutably; `None` if the entity does not have it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3));
    /// if let Some(mut health) = entity.get_mut::<Health>() {
    ///     health.0 += 1;
    /// }
    /// assert_eq!(entity.get(), Some(&Health(4)));
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("try_get_mut", "get_component_mut"))]
    pub fn get_mut<T: MutableComponent>(&mut self) -> Option<Mut<'_, T>> {
        let entity = self.target();
        World::from_store_mut(self.at.store_mut()).get_mut(entity)
    }

    /// Returns where in the program the entity was spawned. It is recorded only with the feature `track_location`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty();
    /// println!("spawned at {}", entity.spawned_by());
    /// ```
    #[must_use]
    pub fn spawned_by(&self) -> Origin {
        self.at.store().structure.entities.entity_get_spawned_or_despawned_by(self.target())
    }

    /// Returns the location of the entity's table-stored components.
    ///
    /// # Panics
    ///
    /// If the entity was despawned through [`EntityWorldMut::world_scope`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn_empty();
    /// let before = entity.location();
    /// assert_ne!(entity.insert(Health(3)).location().table, before.table);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn location(&self) -> Location {
        self.at.location()
    }

    /// Returns a read-only view of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3));
    /// let view = entity.as_readonly();
    /// assert_eq!(view.components().count(), 1);
    /// ```
    #[must_use]
    pub fn as_readonly(&self) -> EntityRef<'_> {
        EntityRef::new(self.world().read(), self.target())
    }

    forward! {
        as_readonly:

        /// Returns whether the entity has a component.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component, Debug, PartialEq)]
        /// # struct Health(u32);
        /// # #[derive(Component, Debug, PartialEq)]
        /// # struct Mana(u32);
        ///
        /// let mut world = World::new();
        /// let entity = world.spawn(Health(3));
        /// assert!(entity.contains::<Health>() && !entity.contains::<Mana>());
        /// ```
        fn contains<T: Component>(&self) -> bool;

        /// Returns whether the entity has the component with this id.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component, Debug, PartialEq)]
        /// # struct Health(u32);
        /// # #[derive(Component, Debug, PartialEq)]
        /// # struct Mana(u32);
        ///
        /// let mut world = World::new();
        /// let mana = world.register_component::<Mana>();
        /// let mut entity = world.spawn(Health(3));
        /// assert!(!entity.contains_id(mana));
        /// assert!(entity.insert(Mana(7)).contains_id(mana));
        /// ```
        fn contains_id(&self, id: ComponentId) -> bool;

        /// Returns whether the entity has the component of the type with this `TypeId`.
        fn contains_type_id(&self, type_id: TypeId) -> bool;

        /// Returns where in the program a component was last changed, if the entity has the component. It is
        /// recorded only with the feature `track_location`.
        fn get_changed_by<T: Component>(&self) -> Option<Origin>;
    }
}

impl ContainsEntity for EntityWorldMut<'_> {
    fn entity(&self) -> Entity {
        self.id()
    }
}

impl_debug!([] EntityWorldMut<'_> => |this, f| this.as_readonly().fmt(f));
