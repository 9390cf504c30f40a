//! Arguments of `get_by_id` and `get_mut_by_id` of entities: the id of one component, or several ids.
//!
//! Tests: tests/storage/erased/several.rs

use alloc::vec::Vec;

use crate::component::{ComponentId, ErasedRef};
use crate::query::change::{ErasedMut, ReadEntity, WriteEntity};
use crate::structure::store::ErasedAccessError;

/// The ids by which [`EntityRef::get_by_id`](super::EntityRef::get_by_id) and
/// [`EntityMut::get_mut_by_id`](super::EntityMut::get_mut_by_id) fetch the values of an entity.
///
/// | ids | `get_by_id` returns | `get_mut_by_id` returns |
/// |---|---|---|
/// | `ComponentId` | [`ErasedRef`] | [`ErasedMut`] |
/// | `[ComponentId; N]`, `&[ComponentId; N]` | `[ErasedRef; N]` | `[ErasedMut; N]` |
/// | `&[ComponentId]` | `Vec<ErasedRef>` | `Vec<ErasedMut>` |
///
/// With `get_mut_by_id`, an id that occurs twice is an error. Checking this costs `O(ids²)`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Mana(u32);
///
/// let mut world = World::new();
/// let (health, mana) = (world.register_component::<Health>(), world.register_component::<Mana>());
/// let mut entity = world.spawn((Health(3), Mana(7)));
/// let [from, to] = entity.get_mut_by_id([health, mana]).unwrap();
/// to.deref_mut::<Mana>().0 += std::mem::take(&mut from.deref_mut::<Health>().0);
/// assert_eq!(entity.get(), Some(&Mana(10)));
/// assert!(entity.get_mut_by_id([mana, mana]).is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither the id of a component nor several of them",
    label = "not a component id",
    note = "components are fetched by `ComponentId`, `[ComponentId; N]` and `&[ComponentId]`"
)]
pub trait DynamicComponentFetch {
    /// The returned values, borrowed for reading.
    type Ref<'w>;
    /// The returned values, borrowed mutably.
    type Mut<'w>;

    #[doc(hidden)]
    fn fetch_ref(self, entity: ReadEntity<'_>) -> Result<Self::Ref<'_>, ErasedAccessError>;

    #[doc(hidden)]
    fn fetch_mut(self, entity: WriteEntity<'_>) -> Result<Self::Mut<'_>, ErasedAccessError>;
}

impl DynamicComponentFetch for ComponentId {
    type Ref<'w> = ErasedRef<'w>;
    type Mut<'w> = ErasedMut<'w>;

    fn fetch_ref(self, entity: ReadEntity<'_>) -> Result<Self::Ref<'_>, ErasedAccessError> {
        entity.store().structure.get_by_id(entity.id(), self)
    }

    fn fetch_mut(self, entity: WriteEntity<'_>) -> Result<Self::Mut<'_>, ErasedAccessError> {
        entity.into_mut_by_id(self)
    }
}

impl<const N: usize> DynamicComponentFetch for &[ComponentId; N] {
    type Ref<'w> = [ErasedRef<'w>; N];
    type Mut<'w> = [ErasedMut<'w>; N];

    fn fetch_ref(self, entity: ReadEntity<'_>) -> Result<Self::Ref<'_>, ErasedAccessError> {
        self[..].fetch_ref(entity).map(array)
    }

    fn fetch_mut(self, entity: WriteEntity<'_>) -> Result<Self::Mut<'_>, ErasedAccessError> {
        self[..].fetch_mut(entity).map(array)
    }
}

impl<const N: usize> DynamicComponentFetch for [ComponentId; N] {
    type Ref<'w> = [ErasedRef<'w>; N];
    type Mut<'w> = [ErasedMut<'w>; N];

    fn fetch_ref(self, entity: ReadEntity<'_>) -> Result<Self::Ref<'_>, ErasedAccessError> {
        (&self).fetch_ref(entity)
    }

    fn fetch_mut(self, entity: WriteEntity<'_>) -> Result<Self::Mut<'_>, ErasedAccessError> {
        (&self).fetch_mut(entity)
    }
}

impl DynamicComponentFetch for &[ComponentId] {
    type Ref<'w> = Vec<ErasedRef<'w>>;
    type Mut<'w> = Vec<ErasedMut<'w>>;

    fn fetch_ref(self, entity: ReadEntity<'_>) -> Result<Self::Ref<'_>, ErasedAccessError> {
        self.iter().map(|id| id.fetch_ref(entity)).collect()
    }

    fn fetch_mut(self, entity: WriteEntity<'_>) -> Result<Self::Mut<'_>, ErasedAccessError> {
        entity.into_each_by_id(self)?.collect()
    }
}

/// Converts a list of exactly `N` values to an array.
fn array<T, const N: usize>(values: Vec<T>) -> [T; N] {
    values.try_into().unwrap_or_else(|_| unreachable!("one value was fetched for each id"))
}
