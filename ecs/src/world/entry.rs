//! One component of an entity, which may be present or missing.
//!
//! Tests: tests/storage/immutable.rs, tests/storage/required/if_new.rs

use core::marker::PhantomData;

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use super::entity_ref::EntityMut;
use crate::component::{Component, MutableComponent};
use crate::entity::Entity;
use crate::query::change::Mut;
use crate::query::change::WriteEntity;
use crate::query::{QueryData, ReadOnlyQueryData};
use crate::storage::resource::Resource;

/// One component of an entity, which may be present or missing: returned by [`EntityWorldMut::entry`].
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let mut entity = world.spawn_empty();
/// for _ in 0..3 {
///     entity.entry::<Health>().and_modify(|mut health| health.0 += 1).or_insert(Health(10));
/// }
/// assert_eq!(entity.get(), Some(&Health(12)));
/// ```
#[derive(Debug)]
pub enum ComponentEntry<'w, 'a, T: Component> {
    /// The entity has the component.
    Occupied(OccupiedComponentEntry<'w, 'a, T>),
    /// The entity does not have the component.
    Vacant(VacantComponentEntry<'w, 'a, T>),
}

/// A component that an entity has.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::ComponentEntry;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Poison(u32);
///
/// let mut world = World::new();
/// let mut entity = world.spawn(Poison(2));
/// if let ComponentEntry::Occupied(mut poison) = entity.entry::<Poison>() {
///     poison.get_mut().0 -= 1;
///     if poison.get().0 == 1 {
///         assert_eq!(poison.take(), Poison(1));
///     }
/// }
/// assert!(!entity.contains::<Poison>());
/// ```
pub struct OccupiedComponentEntry<'w, 'a, T: Component> {
    entity: &'a mut EntityWorldMut<'w>,
    marker: PhantomData<fn(T) -> T>,
}

/// A component that an entity does not have.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::ComponentEntry;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Poison(u32);
///
/// let mut world = World::new();
/// let mut entity = world.spawn_empty();
/// if let ComponentEntry::Vacant(free) = entity.entry::<Poison>() {
///     free.insert(Poison(3));
/// }
/// assert_eq!(entity.get(), Some(&Poison(3)));
/// ```
pub struct VacantComponentEntry<'w, 'a, T: Component> {
    entity: &'a mut EntityWorldMut<'w>,
    marker: PhantomData<fn(T) -> T>,
}

impl<'w> EntityWorldMut<'w> {
    forward! {
        world:

        /// Returns a resource of the world.
        ///
        /// # Panics
        ///
        /// If the resource does not exist.
        #[track_caller]
        fn resource<R: Resource>(&self) -> &R;

        /// Returns a resource of the world; `None` if it does not exist.
        fn get_resource<R: Resource>(&self) -> Option<&R>;
    }

    /// Returns a resource of the world, borrowed mutably.
    ///
    /// # Panics
    ///
    /// If the resource does not exist.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, PartialEq)]
    /// # struct Spawned(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Spawned(0));
    /// world.spawn_empty().resource_mut::<Spawned>().0 += 1;
    /// assert_eq!(world.resource::<Spawned>(), &Spawned(1));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn resource_mut<R: Resource>(&mut self) -> Mut<'_, R> {
        World::from_store_mut(self.at.store_mut()).resource_mut()
    }

    /// Returns a resource of the world, borrowed mutably; `None` if it does not exist.
    #[must_use]
    pub fn get_resource_mut<R: Resource>(&mut self) -> Option<Mut<'_, R>> {
        World::from_store_mut(self.at.store_mut()).get_resource_mut()
    }

    /// Returns the read-only query item for the entity; see [`EntityRef::get_components`](super::EntityRef::get_components).
    #[must_use]
    #[track_caller]
    pub fn get_components<D: ReadOnlyQueryData>(&self) -> Option<D::Item<'_, 'static>> {
        self.world().entity(self.expect_target()).get_components::<D>()
    }

    /// Returns the query item for the entity; see [`EntityMut::get_components_mut`](super::EntityMut::get_components_mut).
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
    /// if let Some((mut health, mana)) = entity.get_components_mut::<(&mut Health, &Mana)>() {
    ///     health.0 += mana.0;
    /// }
    /// assert_eq!(entity.get(), Some(&Health(10)));
    /// ```
    #[must_use]
    pub fn get_components_mut<D: QueryData>(&mut self) -> Option<D::Item<'_, 'static>> {
        self.as_mutable().into_components_mut::<D>()
    }

    /// Returns the query item for the entity, like [`get_components_mut`](Self::get_components_mut), with the lifetime of the
    /// world.
    #[must_use]
    pub fn into_components_mut<D: QueryData>(self) -> Option<D::Item<'w, 'static>> {
        self.into_mutable().into_components_mut::<D>()
    }

    /// Returns a view with mutable access to the components of the entity, without structural changes.
    #[must_use]
    pub fn as_mutable(&mut self) -> EntityMut<'_> {
        let id = self.target();
        EntityMut(WriteEntity::new(self.at.store_mut(), id))
    }

    /// Calls a function with a mutable reference to a component, and returns the result; `None` if the entity does not
    /// have the component.
    ///
    /// Observers and hooks are notified as if another value was inserted ([`Discard`](crate::lifecycle::Discard) before
    /// the change, and [`Insert`](crate::lifecycle::Insert) after it). So this works for immutable components, too.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3));
    /// let before = entity.modify_component(|health: &mut Health| std::mem::replace(&mut health.0, 5));
    /// assert_eq!((before, entity.get()), (Some(3), Some(&Health(5))));
    /// ```
    #[track_caller]
    pub fn modify_component<T: Component, R>(&mut self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        let entity = self.target();
        let store = self.at.track_caller().store_mut();
        let id = store.structure.archetypes.components.id::<T>().filter(|&id| store.structure.has(entity, id))?;
        store.batched_replacement(entity, id, |store| {
            WriteEntity::new(store, entity).into_mut_told::<T>().map(|mut component| change(&mut component))
        })
    }

    /// Returns an entry for a component. With it, the component can be changed, or inserted if it is missing.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn_empty();
    /// entity.entry::<Health>().or_insert(Health(3)).get_mut().0 += 1;
    /// assert_eq!(entity.get(), Some(&Health(4)));
    /// ```
    #[doc(alias("ensure", "get_or_emplace"))]
    pub fn entry<'a, T: Component>(&'a mut self) -> ComponentEntry<'w, 'a, T> {
        if self.contains::<T>() {
            ComponentEntry::Occupied(OccupiedComponentEntry { entity: self, marker: PhantomData })
        } else {
            ComponentEntry::Vacant(VacantComponentEntry { entity: self, marker: PhantomData })
        }
    }
}

impl<'w, 'a, T: Component> ComponentEntry<'w, 'a, T> {
    /// Changes the component if it is present.
    #[must_use = "chain it with a method that inserts, or use `get_mut`"]
    #[track_caller]
    pub fn and_modify(mut self, change: impl FnOnce(Mut<'_, T>)) -> Self
    where
        T: MutableComponent,
    {
        if let Self::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }

    /// Inserts the component. If one is present, it is replaced.
    #[track_caller]
    pub fn insert_entry(self, component: T) -> OccupiedComponentEntry<'w, 'a, T> {
        match self {
            Self::Occupied(mut entry) => {
                entry.insert(component);
                entry
            }
            Self::Vacant(entry) => entry.insert(component),
        }
    }

    /// Inserts a component if it is missing.
    #[track_caller]
    pub fn or_insert(self, component: T) -> OccupiedComponentEntry<'w, 'a, T> {
        self.or_insert_with(|| component)
    }

    /// Inserts the result of a function if the component is missing.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3));
    /// entity.entry::<Health>().or_insert_with(|| unreachable!("there is one"));
    /// ```
    #[track_caller]
    pub fn or_insert_with(self, make: impl FnOnce() -> T) -> OccupiedComponentEntry<'w, 'a, T> {
        match self {
            Self::Occupied(entry) => entry,
            Self::Vacant(entry) => entry.insert(make()),
        }
    }

    /// Inserts the default of the component if it is missing.
    #[track_caller]
    pub fn or_default(self) -> OccupiedComponentEntry<'w, 'a, T>
    where
        T: Default,
    {
        self.or_insert_with(T::default)
    }
}

/// Returns the component of an occupied entry.
///
/// # Panics
///
/// If the entity does not have the component any more. The entry borrows the entity, but commands of hooks and
/// observers run after an insertion, and may remove the component.
#[track_caller]
fn expect_present<T, C>(component: Option<C>, id: Entity) -> C {
    match component {
        Some(component) => component,
        None => panic!(
            "entity {id} has no `{}` any more: a hook or observer of its insertion has removed it",
            core::any::type_name::<T>()
        ),
    }
}

impl<'a, T: Component> OccupiedComponentEntry<'_, 'a, T> {
    /// Returns the component.
    ///
    /// # Panics
    ///
    /// If a command of a hook or observer has removed the component since it was inserted by this entry.
    #[must_use]
    #[track_caller]
    pub fn get(&self) -> &T {
        expect_present::<T, _>(self.entity.get(), self.entity.id())
    }

    /// Returns the component, borrowed mutably.
    ///
    /// # Panics
    ///
    /// Same as [`get`](Self::get).
    #[must_use]
    #[track_caller]
    pub fn get_mut(&mut self) -> Mut<'_, T>
    where
        T: MutableComponent,
    {
        let id = self.entity.id();
        expect_present::<T, _>(self.entity.get_mut(), id)
    }

    /// Returns the component, borrowed mutably for as long as the entity is.
    ///
    /// # Panics
    ///
    /// Same as [`get`](Self::get).
    #[must_use]
    #[track_caller]
    pub fn into_mut(self) -> Mut<'a, T>
    where
        T: MutableComponent,
    {
        let id = self.entity.id();
        expect_present::<T, _>(self.entity.get_mut(), id)
    }

    /// Replaces the component. The old value is dropped.
    #[track_caller]
    pub fn insert(&mut self, component: T) {
        self.entity.insert(component);
    }

    /// Takes the component out of the entity.
    ///
    /// # Panics
    ///
    /// Same as [`get`](Self::get).
    #[must_use = "`remove` drops it"]
    #[track_caller]
    pub fn take(self) -> T {
        let id = self.entity.id();
        expect_present::<T, _>(self.entity.take(), id)
    }
}

impl<'w, 'a, T: Component> VacantComponentEntry<'w, 'a, T> {
    /// Inserts a component.
    #[track_caller]
    pub fn insert(self, component: T) -> OccupiedComponentEntry<'w, 'a, T> {
        self.entity.insert(component);
        OccupiedComponentEntry { entity: self.entity, marker: PhantomData }
    }
}

impl_debug!([T: Component] OccupiedComponentEntry<'_, '_, T> => |this, f|
    write!(f, "OccupiedComponentEntry<{}>({})", core::any::type_name::<T>(), this.entity.id()));

impl_debug!([T: Component] VacantComponentEntry<'_, '_, T> => |this, f|
    write!(f, "VacantComponentEntry<{}>({})", core::any::type_name::<T>(), this.entity.id()));
