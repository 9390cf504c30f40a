//! Views of one entity that exclude the components of a bundle.
//!
//! Tests: tests/queries/whole_entities.rs

use core::any::TypeId;
use core::marker::PhantomData;

use super::entity_ref::{EntityRef, debug_entity};
use crate::access::term::ConstTerm;
use crate::component::{Component, ComponentId, MutableComponent};
use crate::entity::Entity;
use crate::query::change::{Mut, ReadEntity, Ref, WriteEntity};
use crate::query::{Fetch, Kept, QueryData, ReadAllBut, WriteAllBut};
use crate::structure::bundle::{Bundle, BundleParts};
use crate::structure::store::Store;

/// Returns whether a component is one of those that a term lists.
fn is_named(term: &ConstTerm, store: &Store, id: ComponentId) -> bool {
    match term {
        ConstTerm::Component(_, component) => (component.find)(&store.structure.archetypes.components) == Some(id),
        ConstTerm::Group(_, members) => members.iter().any(|member| is_named(member, store, id)),
        _ => false,
    }
}

/// Returns whether a view that excludes `B` gives access to `T`.
fn is_given<B: Bundle, T: Component>(store: &Store) -> bool {
    let id = store.structure.archetypes.components.id::<T>();
    id.is_some_and(|id| !is_named(&<B::Parts as BundleParts>::COMPONENTS, store, id))
}

/// Read access to all components of an entity except those of a bundle. Unlike an [`EntityRef`](super::EntityRef), it
/// can be combined with a query that writes the excluded components.
///
/// It matches every entity, whether it has the excluded components or not. Each access searches the list of excluded components.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::EntityRefExcept;
///
/// #[derive(Component)]
/// struct Total(u32);
/// #[derive(Component)]
/// struct Health(u32);
///
/// fn sum(all: Query<EntityRefExcept<Total>>, mut totals: Query<&mut Total>) {
///     for mut total in &mut totals {
///         total.0 = all.iter().filter_map(|entity| entity.get::<Health>()).map(|health| health.0).sum();
///     }
/// }
///
/// let mut world = World::new();
/// let total = world.spawn((Total(0), Health(1))).id();
/// world.spawn(Health(2));
/// world.run_system_once(sum).unwrap();
/// assert_eq!(world.get::<Total>(total).unwrap().0, 3);
/// ```
pub struct EntityRefExcept<'w, 's, B: Bundle> {
    entity: ReadEntity<'w>,
    marker: PhantomData<(&'s (), fn() -> B)>,
}

impl_copy! { [B: Bundle] EntityRefExcept<'_, '_, B>; }

queried! {
    [B: Bundle] EntityRefExcept<'_, '_, B>, ReadAllBut<B>, Self,
        |'w, 's| EntityRefExcept<'w, 's, B> = |fetched, _| EntityRefExcept::new(fetched);

    ['a, 'b, B: Bundle] EntityMutExcept<'a, 'b, B>, WriteAllBut<B>, EntityRefExcept<'a, 'b, B>,
        |'w, 's| EntityMutExcept<'w, 's, B> = |fetched, _| EntityMutExcept { entity: fetched, marker: PhantomData };
}

impl<'w, B: Bundle> EntityRefExcept<'w, '_, B> {
    fn new(entity: ReadEntity<'w>) -> Self {
        Self { entity, marker: PhantomData }
    }

    /// Returns the view of all components of the entity, including the excluded ones.
    fn whole(&self) -> EntityRef<'w> {
        EntityRef(self.entity)
    }

    /// Returns a component; `None` if the entity does not have it, or if it is excluded.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::world::EntityRefExcept;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)] struct Mana(u32);
    /// # let mut world = World::new();
    /// world.spawn((Health(3), Mana(7)));
    /// let mut query = world.query::<EntityRefExcept<Mana>>();
    /// let entity = query.single(&world).unwrap();
    /// assert_eq!(entity.get(), Some(&Health(3)));
    /// assert_eq!(entity.get::<Mana>(), None);
    /// ```
    #[must_use]
    pub fn get<T: Component>(&self) -> Option<&'w T> {
        is_given::<B, T>(self.entity.store()).then(|| self.entity.get()).flatten()
    }

    /// Returns a component with its change ticks; `None` if the entity does not have it, or if it is excluded.
    #[must_use]
    pub fn get_ref<T: Component>(&self) -> Option<Ref<'w, T>> {
        is_given::<B, T>(self.entity.store()).then(|| self.entity.get_ref()).flatten()
    }

    forward! {
        whole:

        /// Returns the id of the entity.
        fn id(&self) -> Entity;

        /// Returns whether the entity has a component, excluded or not.
        fn contains<T: Component>(&self) -> bool;

        /// Returns whether the entity has the component with this id, excluded or not.
        fn contains_id(&self, id: ComponentId) -> bool;

        /// Returns whether the entity has the component of the type with this `TypeId`, excluded or not.
        fn contains_type_id(&self, type_id: TypeId) -> bool;
    }
}

/// Mutable access to all components of an entity except those of a bundle. Unlike an [`EntityMut`](super::EntityMut),
/// it can be combined with a query that borrows the excluded components.
///
/// It matches every entity, whether it has the excluded components or not. Each access searches the list of excluded components.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::EntityMutExcept;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Poison(u32);
///
/// fn hurt(mut all: Query<(EntityMutExcept<Poison>, &Poison)>) {
///     for (mut entity, poison) in &mut all {
///         if let Some(mut health) = entity.get_mut::<Health>() {
///             health.0 -= poison.0;
///         }
///     }
/// }
///
/// let mut world = World::new();
/// let id = world.spawn((Health(5), Poison(2))).id();
/// world.run_system_once(hurt).unwrap();
/// assert_eq!(world.get::<Health>(id).unwrap().0, 3);
/// ```
pub struct EntityMutExcept<'w, 's, B: Bundle> {
    entity: WriteEntity<'w>,
    marker: PhantomData<(&'s (), fn() -> B)>,
}

impl<'w, 's, B: Bundle> EntityMutExcept<'w, 's, B> {
    /// Borrows the view again, with a shorter lifetime.
    #[must_use]
    pub fn reborrow(&mut self) -> EntityMutExcept<'_, 's, B> {
        EntityMutExcept { entity: self.entity.reborrow(), marker: PhantomData }
    }

    /// Returns a read-only view of the entity.
    #[must_use]
    pub fn as_readonly(&self) -> EntityRefExcept<'_, 's, B> {
        EntityRefExcept::new(self.entity.as_readonly())
    }

    /// Converts the view to a read-only one with the full lifetime.
    #[must_use]
    pub fn into_readonly(self) -> EntityRefExcept<'w, 's, B> {
        EntityRefExcept::new(self.entity.into_readonly())
    }

    /// Returns a component, borrowed mutably; `None` if the entity does not have it, or if it is excluded.
    #[must_use]
    pub fn get_mut<T: MutableComponent>(&mut self) -> Option<Mut<'_, T>> {
        is_given::<B, T>(self.entity.as_readonly().store()).then(|| self.entity.reborrow().into_mut()).flatten()
    }

    forward! {
        as_readonly:

        /// Returns the id of the entity.
        fn id(&self) -> Entity;

        /// Returns a component; `None` if the entity does not have it, or if it is excluded.
        fn get<T: Component>(&self) -> Option<&T>;

        /// Returns a component with its change ticks; `None` if the entity does not have it, or if it is excluded.
        fn get_ref<T: Component>(&self) -> Option<Ref<'_, T>>;

        /// Returns whether the entity has a component, excluded or not.
        fn contains<T: Component>(&self) -> bool;

        /// Returns whether the entity has the component with this id, excluded or not.
        fn contains_id(&self, id: ComponentId) -> bool;

        /// Returns whether the entity has the component of the type with this `TypeId`, excluded or not.
        fn contains_type_id(&self, type_id: TypeId) -> bool;
    }
}

impl_debug!([B: Bundle] EntityRefExcept<'_, '_, B> => |this, f| {
    let is_given = |id| !is_named(&<B::Parts as BundleParts>::COMPONENTS, this.entity.store(), id);
    debug_entity(this.entity, is_given, f)
});

impl_debug!([B: Bundle] EntityMutExcept<'_, '_, B> => |this, f| this.as_readonly().fmt(f));
