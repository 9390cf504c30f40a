//! Values that belong to one entity.
//!
//! Tests: tests/observers/entities.rs

use alloc::boxed::Box;

use super::Entity;

/// A value that belongs to one entity: the id of the entity, a reference to the entity, or a wrapper of one of these. The target of an
/// [`EntityEvent`](crate::event::EntityEvent) may be such a value.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// struct Bomb(Entity);
///
/// impl ContainsEntity for Bomb {
///     fn entity(&self) -> Entity {
///         self.0
///     }
/// }
///
/// #[derive(EntityEvent)]
/// struct Explode(Bomb);
///
/// let mut world = World::new();
/// let bomb = world.spawn_empty().observe(|_: On<Explode>, mut commands: Commands| _ = commands.spawn_empty()).id();
/// world.trigger(Explode(Bomb(bomb)));
/// assert_eq!(world.len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no entity, and does not say to which one it belongs: implement `ContainsEntity` for it",
    label = "not an entity"
)]
pub trait ContainsEntity {
    /// Returns the entity to which the value belongs.
    fn entity(&self) -> Entity;
}

impl ContainsEntity for Entity {
    #[inline]
    fn entity(&self) -> Entity {
        *self
    }
}

impl<T: ContainsEntity + ?Sized> ContainsEntity for &T {
    fn entity(&self) -> Entity {
        (**self).entity()
    }
}

impl<T: ContainsEntity + ?Sized> ContainsEntity for &mut T {
    fn entity(&self) -> Entity {
        (**self).entity()
    }
}

impl<T: ContainsEntity + ?Sized> ContainsEntity for Box<T> {
    fn entity(&self) -> Entity {
        (**self).entity()
    }
}
