//! The entry of a component in the registry of a world.
//!
//! Tests: tests/storage/components.rs, tests/storage/erased/access.rs

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::alloc::Layout;
use core::any::TypeId;

use super::descriptor::ComponentDescriptor;
use super::functions::DropFn;
use super::hooks::Hooks;
use super::kinds::LifecycleMask;
use super::name::StableName;
use super::required::{ComponentRequirements, Required};
use super::watch::{TrackingRequest, TrackingState};
use super::{ChangeTracking, ComponentId, SlotAddress, StorageType};
use crate::util::origin::TRACKED;

/// The properties of a component in a world.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let id = world.register_component::<Health>();
/// let info = world.components().info(id).unwrap();
/// assert_eq!(info.id(), id);
/// assert!(info.name().ends_with("Health"));
/// ```
#[derive(Clone, Debug)]
pub struct ComponentInfo {
    pub(super) id: ComponentId,
    /// The properties that are equal in every world.
    pub(super) descriptor: &'static ComponentDescriptor,
    /// The index of the sparse storage of the component. Meaningful only for a sparse component.
    pub(super) sparse: u32,
    /// The components that this component requires, if any.
    pub(super) requires: Option<Box<ComponentRequirements>>,
    /// Whether the changes of the component are tracked, and by which consumers.
    pub(super) changes: TrackingState,
    /// The number of the removal log, if removals of the component are recorded.
    pub(super) removals: Option<u32>,
    /// The lifecycle events that observers of this component are notified of.
    pub(super) observed: LifecycleMask,
    /// The hooks of the component, including those of its definition.
    pub(super) hooks: Hooks,
    /// The kinds of the hooks and, if the component is a side of a relationship, the kinds of events that the store needs.
    pub(super) hooked: LifecycleMask,
}

/// Returns whether the changes of a component are tracked even without a consumer. With the feature `track_location` this holds for all
/// components that can be tracked, so that the origin of the last change is known.
pub(super) fn is_always_tracked(track: ChangeTracking) -> bool {
    track == ChangeTracking::Always || (TRACKED && track != ChangeTracking::Never)
}

impl ComponentInfo {
    /// Returns whether the changes of the component are tracked: a query or system uses them, or the definition of the component requires
    /// tracking.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert!(!world.components().info(id).unwrap().is_tracked());
    /// let changed = world.query_filtered::<Entity, Changed<Health>>();
    /// assert!(world.components().info(id).unwrap().is_tracked());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_tracked(&self) -> bool {
        self.changes.known
    }

    /// Returns whether an attribute gave the component its stable name.
    pub(super) fn has_given_name(&self) -> bool {
        self.descriptor.stable_name.is_some_and(|name| name.is_given())
    }

    /// Returns whether no component with this stable name can be in the same world as this component.
    pub(super) fn excludes(&self, name: &StableName) -> bool {
        self.descriptor.stable_name.is_some_and(|own| own.excludes(name))
    }

    /// Returns the flag by which a column of the component requests the tracking of changes.
    pub(crate) fn tracking_request(&self) -> &Arc<TrackingRequest> {
        self.changes.request()
    }

    /// Returns whether changes need not be tracked: there are no consumers, and the component is not always tracked.
    pub(crate) fn is_idle(&self) -> bool {
        !is_always_tracked(self.descriptor.track) && self.changes.is_idle()
    }

    /// Returns the id of the component in its world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.id(), id);
    /// ```
    #[must_use]
    pub const fn id(&self) -> ComponentId {
        self.id
    }

    /// Returns the full name of the type, as in `my_game::Position`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert!(info.name().ends_with("::Health"));
    /// ```
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.descriptor.name()
    }

    /// Returns the id of the type; `None` for a component that was made at run time.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.type_id(), Some(std::any::TypeId::of::<Health>()));
    /// ```
    #[must_use]
    pub const fn type_id(&self) -> Option<TypeId> {
        self.descriptor.type_id()
    }

    /// Returns the size and alignment of a value.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.layout(), std::alloc::Layout::new::<Health>());
    /// ```
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.descriptor.layout
    }

    /// Returns whether values need to be dropped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Name(String);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Name>();
    /// assert!(world.components().info(id).unwrap().needs_drop());
    /// ```
    #[must_use]
    pub const fn needs_drop(&self) -> bool {
        self.descriptor.functions.drop.is_some()
    }

    /// Returns where the values are stored.
    ///
    /// ```
    /// use strata_ecs::component::StorageType;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.storage(), StorageType::Table);
    /// ```
    #[must_use]
    pub const fn storage(&self) -> StorageType {
        if self.sparse == u32::MAX { StorageType::Table } else { StorageType::Sparse }
    }

    /// Same as [`storage`](Self::storage), under bevy_ecs's name.
    #[must_use]
    pub const fn storage_type(&self) -> StorageType {
        self.storage()
    }

    /// Returns whether values can be changed in place: true unless the component is `#[component(immutable)]`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(immutable)]
    /// struct Parent(Entity);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Parent>();
    /// assert!(!world.components().info(id).unwrap().mutable());
    /// ```
    #[must_use]
    pub const fn mutable(&self) -> bool {
        self.descriptor.mutable
    }

    /// Returns whether values can be cloned, for instance by `World::clone_entity`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// struct Connection;
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(3), Connection));
    /// let infos = world.components();
    /// let can_clone = |id: Option<_>| infos.info(id.unwrap()).unwrap().can_clone();
    /// assert!(can_clone(world.component_id::<Health>()));
    /// assert!(!can_clone(world.component_id::<Connection>()));
    /// ```
    #[must_use]
    pub const fn can_clone(&self) -> bool {
        self.descriptor.functions.clone_fn().is_some()
    }

    /// Returns the components that this component requires, directly or through others. Directly required components come first. See
    /// [`#[derive(Component)]`](derive@crate::prelude::Component).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Default)]
    /// # struct Health(u32);
    ///
    /// #[derive(Component)]
    /// #[require(Health)]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// let monster = world.register_component::<Monster>();
    /// let health = world.component_id::<Health>().unwrap();
    /// let info = world.components().info(monster).unwrap();
    /// assert!(info.required_components().eq([health]));
    /// ```
    pub fn required_components(&self) -> impl ExactSizeIterator<Item = ComponentId> {
        self.required().iter().map(|required| required.id)
    }

    /// Returns the components that this component requires, directly or through others, with their constructors.
    pub(crate) fn required(&self) -> &[Required] {
        self.requires.as_deref().map_or(&[], |requires| &requires.all)
    }

    /// Returns the descriptor, which is the same in every world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.descriptor().layout(), info.layout());
    /// ```
    #[must_use]
    pub const fn descriptor(&self) -> &'static ComponentDescriptor {
        self.descriptor
    }

    pub(crate) const fn drop_fn(&self) -> Option<DropFn> {
        self.descriptor.functions.drop
    }

    /// Returns the slot number of the component: see [`ComponentDescriptor::slot`].
    pub(crate) fn slot(&self) -> Option<u32> {
        self.descriptor.slot()
    }

    /// Returns the address of the slot of the type; `None` if the type has no slot.
    pub(crate) fn slot_address(&self) -> Option<SlotAddress> {
        self.descriptor.slot_address()
    }

    /// Returns the index of the sparse storage of the component. `None` if the component is stored in tables, or requires another
    /// component.
    pub(crate) fn sole_storage(&self) -> Option<usize> {
        (self.storage() == StorageType::Sparse && self.requires.is_none()).then(|| self.sparse_index())
    }

    /// Returns the index of the sparse storage of the component, which must be sparse.
    #[inline]
    pub(crate) fn sparse_index(&self) -> usize {
        debug_assert!(self.storage() == StorageType::Sparse);
        self.sparse as usize
    }
}
