//! The type [`World`], and conversions from a store to a world.
//!
//! Tests: tests/storage/world.rs

use crate::structure::cell::ReadCell;
use crate::structure::store::Store;

/// Entities with their components, and resources.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// let mut world = World::new();
/// let entity = world.spawn((Position(0.0), Velocity(1.5))).id();
///
/// let mut query = world.query::<(&mut Position, &Velocity)>();
/// for (mut position, velocity) in query.iter_mut(&mut world) {
///     position.0 += velocity.0;
/// }
/// assert_eq!(world.get::<Position>(entity).unwrap().0, 1.5);
///
/// world.despawn(entity);
/// assert!(world.get::<Position>(entity).is_none());
/// ```
#[repr(transparent)]
#[doc(alias("EntityManager", "Registry", "registry", "Universe"))]
pub struct World {
    pub(crate) store: Store,
}

impl World {
    /// Casts a store to a world. Lower modules use this to call user code with a world.
    #[inline]
    pub(crate) fn from_store(store: &Store) -> &Self {
        // SAFETY: `World` is a transparent wrapper of `Store`, so both have the same layout and validity.
        unsafe { &*core::ptr::from_ref(store).cast::<Self>() }
    }

    /// Casts a store to a world. Lower modules use this to call user code with a world.
    #[inline]
    pub(crate) fn from_store_mut(store: &mut Store) -> &mut Self {
        // SAFETY: `World` is a transparent wrapper of `Store`, so both have the same layout and validity.
        unsafe { &mut *core::ptr::from_mut(store).cast::<Self>() }
    }

    /// Returns a cell with the right to read all values of the world.
    #[inline]
    pub(crate) fn read(&self) -> ReadCell<'_> {
        // SAFETY: `&self` permits reading all of the world. Code that changes values of a world that is borrowed in this way has
        // borrowed it mutably before, or has declared the access and is kept from running at the same time.
        unsafe { ReadCell::new(&self.store) }
    }
}
