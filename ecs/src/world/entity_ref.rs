//! Views of one entity.

use core::fmt;
use core::ptr::NonNull;

use crate::cell::StoreCell;
use crate::change::{ErasedMut, Mut, Ticks};
use crate::component::{Component, ComponentId, ErasedRefMut};
use crate::entity::{Entity, Location, UniqueEntityArray, UniqueEntityVec};
use crate::origin::Origin;
use crate::query::{QueryData, QueryState, ReadOnlyQueryData};
use crate::store::{ErasedAccessError, Store};
use crate::table::Table;

/// The number of every component that an entity has: those of its table, then the sparse ones.
pub(super) fn components_of(store: &Store, entity: Entity) -> impl Iterator<Item = ComponentId> {
    let table = store.entities.get(entity).and_then(|location| store.archetypes.tables.get(location.table));
    let sparse = store.archetypes.components.sparse().iter().copied();
    table.map_or(&[][..], Table::components).iter().copied().chain(sparse.filter(move |&id| store.has(entity, id)))
}

/// An entity, to read. It is alive for as long as this exists.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Mana(u32);
///
/// let mut world = World::new();
/// let id = world.spawn(Health(3)).id();
/// let entity = world.entity(id);
/// assert_eq!(entity.get::<Health>().unwrap().0, 3);
/// assert!(!entity.contains::<Mana>());
/// ```
#[derive(Clone, Copy)]
pub struct EntityRef<'w> {
    pub(super) store: &'w Store,
    entity: Entity,
}

impl<'w> EntityRef<'w> {
    #[inline]
    pub(super) fn new(store: &'w Store, entity: Entity) -> Self {
        Self { store, entity }
    }

    /// The id of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let id = world.spawn_empty().id();
    /// assert_eq!(world.entity(id).id(), id);
    /// ```
    #[inline]
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// What spawned the entity. Known with the feature `track_location` only.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// println!("spawned at {}", world.entity(entity).spawned_by());
    /// ```
    #[must_use]
    pub fn spawned_by(&self) -> Origin {
        self.store.entities.entity_get_spawned_or_despawned_by(self.entity)
    }

    /// Where its table-stored components are.
    ///
    /// # Panics
    ///
    /// Never: the entity is alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch([Health(1), Health(2)]).collect();
    /// let locations = [ids[0], ids[1]].map(|id| world.entity(id).location());
    /// assert_eq!(locations[0].table, locations[1].table);
    /// assert_eq!(locations[1].row, 1);
    /// ```
    #[must_use]
    pub fn location(&self) -> Location {
        match self.store.entities.get(self.entity) {
            Some(location) => location,
            None => unreachable!("the entity is alive"),
        }
    }

    /// A component; `None` if the entity does not have it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// let entity = world.entity(id);
    /// assert_eq!(entity.get::<Health>(), Some(&Health(3)));
    /// assert_eq!(entity.get::<Mana>(), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn get<T: Component>(&self) -> Option<&'w T> {
        let value: Option<NonNull<T>> = self.store.value::<T>(self.entity);
        // SAFETY: the address is that of a value of `T`; the store is borrowed for 'w, so it does not change.
        value.map(|value| unsafe { value.as_ref() })
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
    /// let id = world.spawn(Health(3)).id();
    /// let entity = world.entity(id);
    /// assert!(entity.contains::<Health>() && !entity.contains::<Mana>());
    /// ```
    #[must_use]
    pub fn contains<T: Component>(&self) -> bool {
        self.store.value::<T>(self.entity).is_some()
    }

    /// Whether the entity has the component with this number.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// let health = world.component_id::<Health>().unwrap();
    /// assert!(world.entity(id).contains_id(health));
    /// ```
    #[must_use]
    pub fn contains_id(&self, id: ComponentId) -> bool {
        self.store.has(self.entity, id)
    }

    /// The number of every component that the entity has: those in its table, then the sparse ones.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn((Health(3), Mana(7))).id();
    /// let entity = world.entity(id);
    /// let names: Vec<&str> = entity.components().map(|id| world.components().name(id)).collect();
    /// assert!(names[0].ends_with("Health") && names[1].ends_with("Mana"));
    /// ```
    pub fn components(&self) -> impl Iterator<Item = ComponentId> + use<'w> {
        components_of(self.store, self.entity)
    }

    /// What a query would yield for the entity; `None` if it does not match. It costs as much as making a query does: for
    /// many entities make one query.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn((Health(3), Mana(7))).id();
    /// let (health, mana) = world.entity(id).get_components::<(&Health, &Mana)>().unwrap();
    /// assert_eq!((health.0, mana.0), (3, 7));
    /// ```
    #[must_use]
    pub fn get_components<D: ReadOnlyQueryData>(&self) -> Option<D::Item<'w>> {
        let () = QueryState::<D>::BORROWS_AGREE;
        let mut state = QueryState::<D>::find(self.store)?;
        state.update(self.store);
        // SAFETY: the state is up to date, and the store is borrowed for 'w; only reading.
        unsafe { query_one(self.store, &state, self.entity) }
    }
}

/// # Safety
///
/// - The state is up to date with the store, and its access to the entity is allowed for `'w`.
pub(super) unsafe fn query_one<'w, D: QueryData>(
    store: &'w Store,
    state: &QueryState<D>,
    entity: Entity,
) -> Option<D::Item<'w>> {
    // SAFETY: the caller's promise.
    let query = unsafe { crate::query::Query::new(StoreCell::shared(store), state) };
    query.get_inner(entity).ok()
}

impl fmt::Debug for EntityRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.components().map(|id| self.store.archetypes.components.name(id));
        write!(f, "{} ", self.entity)?;
        f.debug_set().entries(names).finish()
    }
}

/// An entity, to change its components, but not which it has.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let id = world.spawn(Health(3)).id();
/// for mut entity in world.iter_entities_mut() {
///     entity.get_mut::<Health>().unwrap().0 += 1;
/// }
/// assert_eq!(world.get(id), Some(&Health(4)));
/// ```
pub struct EntityMut<'w> {
    pub(super) store: &'w Store,
    entity: Entity,
}

impl<'w> EntityMut<'w> {
    /// # Safety
    ///
    /// - The entity is alive, and no other code has access to its components for `'w`.
    pub(super) unsafe fn new(store: &'w Store, entity: Entity) -> Self {
        Self { store, entity }
    }

    /// An entity of a store that nothing else uses meanwhile.
    #[inline]
    pub(super) fn of(store: &'w mut Store, entity: Entity) -> Self {
        Self { store, entity }
    }

    /// Several entities of a store that nothing else uses meanwhile.
    pub(super) fn each<const N: usize>(store: &'w mut Store, entities: UniqueEntityArray<N>) -> [Self; N] {
        let store = &*store;
        entities.into_inner().map(|entity| Self { store, entity })
    }

    /// The same, of a list.
    pub(super) fn all(store: &'w mut Store, entities: UniqueEntityVec) -> impl Iterator<Item = Self> {
        let store = &*store;
        entities.into_iter().map(move |entity| Self { store, entity })
    }

    /// The same entity for a shorter time.
    #[inline]
    pub(super) fn short(&mut self) -> EntityMut<'_> {
        EntityMut { store: self.store, entity: self.entity }
    }

    /// A component, to change it.
    #[inline]
    pub(super) fn into_mut<T: Component>(self) -> Option<Mut<'w, T>> {
        let (mut value, column, row) = self.store.place::<T>(self.entity)?;
        let run_ticks = self.store.run_ticks();
        column.visit(run_ticks.this_run);
        // SAFETY: the address is that of a value of `T` in this row; nothing else has access to it for 'w, as promised to `new`.
        Some(unsafe { Mut::new(value.as_mut(), Ticks::of(column, row, T::TRACK, run_ticks)) })
    }

    /// A component, to change it.
    pub(super) fn into_mut_by_id(self, id: ComponentId) -> Result<ErasedMut<'w>, ErasedAccessError> {
        let (store, entity) = (self.store, self.entity);
        let (value, column, row) = store.place_by_id(entity, id).ok_or_else(|| store.why_no_value(entity, id))?;
        let descriptor = store.component_by_id(entity, id)?.descriptor();
        let run_ticks = store.run_ticks();
        column.visit(run_ticks.this_run);
        // SAFETY: the address is that of a value of this component in this row; nothing else has access to it for 'w, as promised
        // to `new`.
        Ok(unsafe {
            let ticks = Ticks::of(column, row, descriptor.tracking(), run_ticks);
            ErasedMut::new(ErasedRefMut::new(descriptor, value), ticks)
        })
    }

    /// The id of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let id = world.spawn_empty().id();
    /// assert!(world.iter_entities_mut().all(|entity| entity.id() == id));
    /// ```
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// The same entity, to read.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let entity = world.iter_entities_mut().next().unwrap();
    /// assert_eq!(entity.as_readonly().components().count(), 1);
    /// ```
    #[must_use]
    pub fn as_readonly(&self) -> EntityRef<'_> {
        EntityRef::new(self.store, self.entity)
    }

    /// A component; `None` if the entity does not have it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let entity = world.iter_entities_mut().next().unwrap();
    /// assert_eq!(entity.get::<Health>(), Some(&Health(3)));
    /// ```
    #[must_use]
    pub fn get<T: Component>(&self) -> Option<&T> {
        self.as_readonly().get()
    }

    /// A component, to change it; `None` if the entity does not have it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// let mut entity = world.iter_entities_mut().next().unwrap();
    /// if let Some(mut health) = entity.get_mut::<Health>() {
    ///     health.0 = 0;
    /// }
    /// assert_eq!(world.get(id), Some(&Health(0)));
    /// ```
    #[must_use]
    pub fn get_mut<T: Component>(&mut self) -> Option<Mut<'_, T>> {
        self.short().into_mut()
    }

    /// What a query would yield for the entity, to read; see [`EntityRef::get_components`].
    #[must_use]
    pub fn get_components<D: ReadOnlyQueryData>(&self) -> Option<D::Item<'_>> {
        self.as_readonly().get_components::<D>()
    }

    /// What a query would yield for the entity; `None` if it does not match. It costs as much as making a query does: for
    /// many entities make one query.
    ///
    /// That it borrows no component twice is checked when the program is compiled.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn((Health(3), Mana(7))).into_mutable();
    /// let (mut health, mut mana) = entity.get_components_mut::<(&mut Health, &mut Mana)>().unwrap();
    /// (health.0, mana.0) = (mana.0, health.0);
    /// assert_eq!(entity.get(), Some(&Health(7)));
    /// ```
    #[must_use]
    pub fn get_components_mut<D: QueryData>(&mut self) -> Option<D::Item<'_>> {
        self.short().into_components_mut::<D>()
    }

    /// As [`get_components_mut`](Self::get_components_mut), for as long as the entity is borrowed.
    #[must_use]
    pub fn into_components_mut<D: QueryData>(self) -> Option<D::Item<'w>> {
        let () = QueryState::<D>::BORROWS_AGREE;
        let mut state = QueryState::<D>::find(self.store)?;
        state.update(self.store);
        // SAFETY: the state is up to date; nothing else has access to the entity's components for 'w, as promised to `new`, and the
        // query gives access to those of this entity only.
        unsafe { query_one(self.store, &state, self.entity) }
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
    /// world.spawn(Health(3));
    /// let entity = world.iter_entities_mut().next().unwrap();
    /// assert!(entity.contains::<Health>() && !entity.contains::<Mana>());
    /// ```
    #[must_use]
    pub fn contains<T: Component>(&self) -> bool {
        self.as_readonly().contains::<T>()
    }
}

impl fmt::Debug for EntityMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_readonly().fmt(f)
    }
}
