//! Conversions between views of one entity by `From`, for functions that accept any of them.
//!
//! Tests: tests/queries/filtered.rs

use super::entity_mut::EntityWorldMut;
use super::entity_ref::{EntityMut, EntityRef};
use super::filtered_entity::{FilteredEntityMut, FilteredEntityRef};

/// Implements `From` for a view: from types that are converted by value, and from types that are borrowed.
macro_rules! conversions {
    ($($(#[$doc:meta])* $Of:ty => $To:ty: |$entity:ident| $made:expr;)*) => {$(
        $(#[$doc])*
        impl<'w> From<$Of> for $To {
            #[inline]
            fn from($entity: $Of) -> Self {
                $made
            }
        }
    )*};
}

conversions! {
    EntityMut<'w> => EntityRef<'w>: |entity| entity.into_readonly();
    &'w EntityMut<'_> => EntityRef<'w>: |entity| entity.as_readonly();
    EntityWorldMut<'w> => EntityRef<'w>: |entity| entity.into_mutable().into_readonly();
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
    ///
    /// fn health<'w>(entity: impl Into<EntityRef<'w>>) -> u32 {
    ///     entity.into().get::<Health>().map_or(0, |health| health.0)
    /// }
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3));
    /// assert_eq!(health(&entity), 3);
    /// let id = entity.id();
    /// assert_eq!(health(world.entity(id)), 3);
    /// ```
    &'w EntityWorldMut<'_> => EntityRef<'w>: |entity| entity.as_readonly();
    &'w mut EntityMut<'_> => EntityMut<'w>: |entity| entity.reborrow();
    EntityWorldMut<'w> => EntityMut<'w>: |entity| entity.into_mutable();
    &'w mut EntityWorldMut<'_> => EntityMut<'w>: |entity| entity.as_mutable();
}

/// Implements `From` for filtered entities, from views with all components.
macro_rules! filtered {
    ($($Of:ty => $Filtered:ident, $Whole:ident;)*) => {$(
        /// All components are accessible.
        impl<'w> From<$Of> for $Filtered<'w, '_> {
            #[inline]
            fn from(entity: $Of) -> Self {
                Self::of_all($Whole::from(entity).0)
            }
        }
    )*};
}

filtered! {
    EntityRef<'w> => FilteredEntityRef, EntityRef;
    EntityMut<'w> => FilteredEntityRef, EntityRef;
    &'w EntityMut<'_> => FilteredEntityRef, EntityRef;
    EntityWorldMut<'w> => FilteredEntityRef, EntityRef;
    &'w EntityWorldMut<'_> => FilteredEntityRef, EntityRef;
    EntityMut<'w> => FilteredEntityMut, EntityMut;
    &'w mut EntityMut<'_> => FilteredEntityMut, EntityMut;
    EntityWorldMut<'w> => FilteredEntityMut, EntityMut;
    &'w mut EntityWorldMut<'_> => FilteredEntityMut, EntityMut;
}

impl<'w> From<&EntityRef<'w>> for FilteredEntityRef<'w, '_> {
    fn from(entity: &EntityRef<'w>) -> Self {
        Self::from(*entity)
    }
}

impl<'w, 's> From<FilteredEntityMut<'w, 's>> for FilteredEntityRef<'w, 's> {
    fn from(entity: FilteredEntityMut<'w, 's>) -> Self {
        entity.into_readonly()
    }
}

impl<'w, 's> From<&'w FilteredEntityMut<'_, 's>> for FilteredEntityRef<'w, 's> {
    fn from(entity: &'w FilteredEntityMut<'_, 's>) -> Self {
        entity.as_readonly()
    }
}

impl<'w, 's> From<&'w mut FilteredEntityMut<'_, 's>> for FilteredEntityMut<'w, 's> {
    fn from(entity: &'w mut FilteredEntityMut<'_, 's>) -> Self {
        entity.reborrow()
    }
}
