//! One entity, to change everything about it.

use core::fmt;
use core::mem::MaybeUninit;

use super::cast::World;
use super::entity_ref::EntityRef;
use crate::bundle::{Bundle, give};
use crate::change::Mut;
use crate::component::{Component, ComponentId};
use crate::entity::{Entity, EntityError, Location};
use crate::origin::Origin;
use crate::store::{CloneError, EntityBuilder};

/// An entity and the world that it lives in: [`World::spawn`] and [`World::entity_mut`] return it.
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
pub struct EntityWorldMut<'w> {
    world: &'w mut World,
    entity: Entity,
    /// Where the entity is, while that is known for certain. It is forgotten whenever user code could change it, and
    /// before an operation that a panicking `Drop` could leave half way.
    location: Option<Location>,
}

/// What every method that needs a live entity says if there is none.
#[cold]
#[track_caller]
pub(super) fn gone(error: EntityError) -> ! {
    panic!("{error}")
}

impl<'w> EntityWorldMut<'w> {
    #[inline]
    pub(super) fn new(world: &'w mut World, entity: Entity) -> Self {
        Self { world, entity, location: None }
    }

    /// An entity that is at this location.
    #[inline]
    pub(super) fn at(world: &'w mut World, entity: Entity, location: Location) -> Self {
        debug_assert_eq!(world.store.entities.get(entity), Some(location));
        Self { world, entity, location: Some(location) }
    }

    /// Where the entity is; what was known of it is forgotten.
    #[inline]
    #[track_caller]
    fn take_location(&mut self) -> Location {
        self.world.store.by_caller();
        match self.location.take() {
            Some(location) => location,
            None => {
                self.world.store.flush();
                self.world.store.entities.locate(self.entity).unwrap_or_else(|error| gone(error))
            }
        }
    }

    /// The id of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let id = world.spawn_empty().id();
    /// assert_eq!(world.entity_mut(id).id(), id);
    /// ```
    #[inline]
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// Adds the components of a bundle. Values that the entity has already are replaced, and dropped at the end.
    ///
    /// Unless all of them are there already or sparse, this moves the entity to another table: `O(its components)`.
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
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let location = self.take_location();
        // SAFETY: the entity is there.
        let now = give(bundle, |bundle| unsafe { self.world.store.insert_at(self.entity, location, bundle) });
        self.location = Some(now);
        self
    }

    /// Adds those components of a bundle that the entity does not have; the others are dropped.
    ///
    /// # Panics
    ///
    /// As [`EntityWorldMut::insert`].
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
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_if_new<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let location = self.take_location();
        // SAFETY: the entity is there.
        let now = give(bundle, |bundle| unsafe { self.world.store.insert_if_new_at(self.entity, location, bundle) });
        self.location = Some(now);
        self
    }

    /// Adds the components of a builder, which is empty afterwards. Values that the entity has already are replaced.
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
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Mana(7));
    /// let mut entity = world.spawn(Health(3));
    /// entity.insert_dynamic(&mut builder);
    /// assert!(entity.contains::<Health>() && entity.contains::<Mana>());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_dynamic(&mut self, builder: &mut EntityBuilder) -> &mut Self {
        self.location = None;
        if let Err(error) = self.world.store.by_caller().insert_dynamic(self.entity, builder) {
            gone(error);
        }
        self
    }

    /// Removes the components of a bundle, as far as the entity has them, and drops them.
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
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        let location = self.take_location();
        // SAFETY: the entity is there.
        unsafe { self.world.store.remove_at::<B>(self.entity, location) };
        self
    }

    /// Takes the components of a bundle out of the entity. `None`, and nothing happens, if one of them is missing.
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
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn take<B: Bundle>(&mut self) -> Option<B> {
        self.location = None;
        let mut taken = MaybeUninit::<B>::uninit();
        // SAFETY: the address is that of room for a bundle.
        match unsafe { self.world.store.by_caller().take::<B>(self.entity, taken.as_mut_ptr()) } {
            // SAFETY: the bundle has been taken, so it is there.
            Ok(true) => Some(unsafe { taken.assume_init() }),
            Ok(false) => None,
            Err(error) => gone(error),
        }
    }

    /// Removes the components of one bundle, as far as the entity has them, and adds those of another: one move instead of
    /// two. What is removed is dropped; to get it, use [`EntityWorldMut::exchange`].
    ///
    /// # Panics
    ///
    /// As [`EntityWorldMut::insert`].
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
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn replace<Old: Bundle, New: Bundle>(&mut self, new: New) -> &mut Self {
        let location = self.take_location();
        // SAFETY: the entity is there.
        give(new, |new| unsafe { self.world.store.replace_at::<Old, New>(self.entity, location, new) });
        self
    }

    /// Takes the components of one bundle out of the entity and adds those of another: one move instead of two.
    ///
    /// # Errors
    ///
    /// If one of the old components is missing. Nothing happens, and the new ones are given back.
    ///
    /// # Panics
    ///
    /// As [`EntityWorldMut::insert`].
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
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn exchange<Old: Bundle, New: Bundle>(&mut self, new: New) -> Result<Old, New> {
        self.location = None;
        let mut old = MaybeUninit::<Old>::uninit();
        // SAFETY: the address is that of room for the old bundle.
        match unsafe { self.world.store.by_caller().exchange::<Old, New>(self.entity, new, old.as_mut_ptr()) } {
            // SAFETY: nothing was given back, so the old bundle has been taken.
            Ok(None) => Ok(unsafe { old.assume_init() }),
            Ok(Some(new)) => Err(new),
            Err(error) => gone(error),
        }
    }

    /// Removes all components but those of a bundle, and drops them: one move. Those of the bundle need not be there.
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
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn retain<B: Bundle>(&mut self) -> &mut Self {
        let location = self.take_location();
        // SAFETY: the entity is there.
        unsafe { self.world.store.retain_at::<B>(self.entity, location) };
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
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clear(&mut self) -> &mut Self {
        self.retain::<()>()
    }

    /// Takes all components out of the entity, which stays alive without any. `O(its components)`, one allocation each.
    ///
    /// The builder can be spawned anywhere, in another world as well. Ids of entities inside of components stay what they
    /// are.
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
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn take_all(&mut self) -> EntityBuilder {
        self.location = None;
        self.world.store.by_caller().take_all(self.entity).unwrap_or_else(|error| gone(error))
    }

    /// Clones all components into a builder. `O(its components)`, one allocation each.
    ///
    /// Ids of entities inside of components are copied as they are.
    ///
    /// # Errors
    ///
    /// If a component cannot be cloned; the error names all of these. See
    /// [`#[derive(Component)]`](derive@crate::prelude::Component) for which can. Also if the entity was despawned through
    /// [`EntityWorldMut::world_scope`].
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
        self.world.store.clone_components(self.entity)
    }

    /// Makes another entity with clones of all components, and returns its id. As [`World::clone_entity`].
    ///
    /// # Errors
    ///
    /// If a component cannot be cloned; the error names all of these, and nothing is spawned. Also if the entity was
    /// despawned through [`EntityWorldMut::world_scope`].
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
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_and_spawn(&mut self) -> Result<Entity, CloneError> {
        self.world.store.by_caller().clone_entity(self.entity)
    }

    /// Removes the entity and drops its components.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let id = world.spawn_empty().id();
    /// world.entity_mut(id).despawn();
    /// assert!(!world.contains(id));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn despawn(self) {
        self.world.despawn(self.entity);
    }

    /// A component; `None` if the entity does not have it.
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
    pub fn get<T: Component>(&self) -> Option<&T> {
        self.world.get(self.entity)
    }

    /// A component, to change it; `None` if the entity does not have it.
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
    pub fn get_mut<T: Component>(&mut self) -> Option<Mut<'_, T>> {
        self.world.get_mut(self.entity)
    }

    /// Whether the entity has a component.
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
    #[must_use]
    pub fn contains<T: Component>(&self) -> bool {
        self.as_readonly().contains::<T>()
    }

    /// Whether the entity has the component with this number.
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
    #[must_use]
    pub fn contains_id(&self, id: ComponentId) -> bool {
        self.as_readonly().contains_id(id)
    }

    /// Who spawned the entity. Known with the feature `track_location` only.
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
        self.world.store.entities.entity_get_spawned_or_despawned_by(self.entity)
    }

    /// Where its table-stored components are.
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
    pub fn location(&self) -> Location {
        self.world.store.entities.locate(self.entity).unwrap_or_else(|error| gone(error))
    }

    /// The entity, to read.
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
        EntityRef::new(&self.world.store, self.entity)
    }

    /// The world, to read.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty();
    /// assert_eq!(entity.world().len(), 1);
    /// ```
    #[must_use]
    pub fn world(&self) -> &World {
        self.world
    }

    /// Does something with the whole world, and then goes on with the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn_empty();
    /// let other = entity.world_scope(|world| world.spawn(Health(3)).id());
    /// entity.insert(Health(4));
    /// assert_eq!(world.get(other), Some(&Health(3)));
    /// ```
    pub fn world_scope<T>(&mut self, scope: impl FnOnce(&mut World) -> T) -> T {
        self.location = None;
        scope(self.world)
    }

    /// The world, instead of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn spawn_two(world: &mut World) -> &mut World {
    ///     world.spawn_empty().into_world_mut().spawn_empty().into_world_mut()
    /// }
    ///
    /// assert_eq!(spawn_two(&mut World::new()).len(), 2);
    /// ```
    #[must_use]
    pub fn into_world_mut(self) -> &'w mut World {
        self.world
    }
}

impl fmt::Debug for EntityWorldMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_readonly().fmt(f)
    }
}
