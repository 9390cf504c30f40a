//! The type itself, and how a store is seen as a world.

use crate::cell::ReadCell;
use crate::store::Store;

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
    /// A store as a world: for code below that is given user code to run on worlds.
    #[inline]
    pub(crate) fn from_store(store: &Store) -> &Self {
        // SAFETY: `World` is a transparent wrapper of `Store`, so both have the same layout and validity.
        unsafe { &*core::ptr::from_ref(store).cast::<Self>() }
    }

    /// A store as a world: for code below that is given user code to run on worlds.
    #[inline]
    pub(crate) fn from_store_mut(store: &mut Store) -> &mut Self {
        // SAFETY: `World` is a transparent wrapper of `Store`, so both have the same layout and validity.
        unsafe { &mut *core::ptr::from_mut(store).cast::<Self>() }
    }

    /// The right to read all values.
    #[inline]
    pub(crate) fn read(&self) -> ReadCell<'_> {
        // SAFETY: a borrowed world is the right to read all of it, and all code that changes values of a world that is borrowed so
        // has borrowed it mutably before, or says that it changes them and is kept apart.
        unsafe { ReadCell::new(&self.store) }
    }
}
