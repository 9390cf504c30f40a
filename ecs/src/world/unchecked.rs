//! Methods that skip borrow checks in bevy_ecs, with the same names. Here the compiler checks the borrows, so they call
//! the safe methods.
//!
//! Tests: tests/storage/inspect.rs

use super::entity_mut::EntityWorldMut;
use super::entity_ref::EntityMut;
use crate::query::QueryData;

impl<'w> EntityMut<'w> {
    /// Calls [`get_components_mut`](Self::get_components_mut).
    #[must_use]
    #[track_caller]
    #[deprecated(note = "use `get_components_mut`: the compiler checks that it borrows no component twice")]
    pub fn get_components_mut_unchecked<D: QueryData>(&mut self) -> Option<D::Item<'_, 'static>> {
        self.get_components_mut::<D>()
    }

    /// Calls [`into_components_mut`](Self::into_components_mut).
    #[must_use]
    #[track_caller]
    #[deprecated(note = "use `into_components_mut`: the compiler checks that it borrows no component twice")]
    pub fn into_components_mut_unchecked<D: QueryData>(self) -> Option<D::Item<'w, 'static>> {
        self.into_components_mut::<D>()
    }
}

impl<'w> EntityWorldMut<'w> {
    /// Calls [`get_components_mut`](Self::get_components_mut).
    #[must_use]
    #[deprecated(note = "use `get_components_mut`: the compiler checks that it borrows no component twice")]
    pub fn get_components_mut_unchecked<D: QueryData>(&mut self) -> Option<D::Item<'_, 'static>> {
        self.get_components_mut::<D>()
    }

    /// Calls [`into_components_mut`](Self::into_components_mut).
    #[must_use]
    #[deprecated(note = "use `into_components_mut`: the compiler checks that it borrows no component twice")]
    pub fn into_components_mut_unchecked<D: QueryData>(self) -> Option<D::Item<'w, 'static>> {
        self.into_components_mut::<D>()
    }
}
