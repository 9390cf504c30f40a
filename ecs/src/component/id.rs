//! The id of a component.
//!
//! Tests: tests/storage/components.rs, tests/storage/erased/errors.rs

/// The id of a component in its world. Ids are numbered in the order of registration.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Mana(u32);
///
/// let mut world = World::new();
/// let health = world.register_component::<Health>();
/// let mana = world.register_component::<Mana>();
/// assert!(health < mana);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ComponentId(pub(crate) u32);

impl ComponentId {
    /// Returns the id as an index.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
