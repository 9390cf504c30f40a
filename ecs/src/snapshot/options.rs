//! What a snapshot leaves out.

use alloc::vec::Vec;
use core::any::TypeId;

use crate::component::ComponentDescriptor;
use crate::resource::Resource;

/// What a [snapshot](super) leaves out.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::SnapshotOptions;
///
/// #[derive(Resource)]
/// struct Window;
/// #[derive(Resource, Clone)]
/// struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Window);
/// world.insert_resource(Score(3));
/// assert!(world.snapshot().is_err()); // A window cannot be cloned.
///
/// let options = SnapshotOptions::new().without_resource::<Window>();
/// let snapshot = world.snapshot_with(&options).unwrap();
/// world.resource_mut::<Score>().0 = 7;
/// world.restore(&snapshot).unwrap();
/// assert_eq!(world.resource::<Score>().0, 3);
/// assert!(world.contains_resource::<Window>());
/// ```
#[derive(Clone, Default, Debug)]
pub struct SnapshotOptions {
    resources: Vec<TypeId>,
    uncloneable: bool,
    pub(super) observers: bool,
}

impl SnapshotOptions {
    /// Nothing is left out.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves a resource out: it stays as it is when the world is restored.
    #[must_use]
    pub fn without_resource<R: Resource>(mut self) -> Self {
        self.resources.push(TypeId::of::<R>());
        self
    }

    /// Leaves all resources out that cannot be cloned, and messages and non-send values that cannot be.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotOptions;
    ///
    /// #[derive(Resource)]
    /// struct Window;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Window);
    /// assert!(world.snapshot_with(&SnapshotOptions::new().without_uncloneable_resources()).is_ok());
    /// ```
    #[must_use]
    pub fn without_uncloneable_resources(mut self) -> Self {
        self.uncloneable = true;
        self
    }

    /// Leaves out which observers there are of single entities: those that there are when the world is restored stay. An observer of an
    /// entity that the world then has again is told of what happens to it, if it has not been
    /// [removed](crate::world::World::remove_observer) meanwhile.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotOptions;
    ///
    /// #[derive(EntityEvent)]
    /// struct Hit(Entity);
    ///
    /// let mut world = World::new();
    /// world.spawn_empty().observe(|_: On<Hit>| {});
    /// assert!(world.snapshot().is_err());
    /// assert!(world.snapshot_with(&SnapshotOptions::new().without_entity_observers()).is_ok());
    /// ```
    #[must_use]
    pub fn without_entity_observers(mut self) -> Self {
        self.observers = true;
        self
    }

    /// Whether a resource is left out.
    pub(super) fn leave_out(&self, descriptor: &ComponentDescriptor) -> bool {
        let is_named = descriptor.value_type_id().is_some_and(|type_id| self.resources.contains(&type_id));
        is_named || (self.uncloneable && descriptor.functions().clone_fn().is_none())
    }
}
