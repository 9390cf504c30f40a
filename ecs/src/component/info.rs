//! The components that a world knows.

use alloc::vec::Vec;
use core::alloc::Layout;
use core::any::TypeId;

use super::drop_glue::DropFn;
use super::kind::Kind;
use super::{Component, ComponentId, SlotMap, StorageType};

/// What the storage must know of a component.
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
    id: ComponentId,
    /// What is the same in every world.
    kind: Kind,
    /// The number of the sparse storage, for those that have one.
    sparse: u32,
}

impl ComponentInfo {
    /// The number of the component in its world.
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

    /// The full name of the type, as in `my_game::Position`.
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
    pub const fn name(&self) -> &'static str {
        self.kind.name
    }

    /// The type.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.type_id(), std::any::TypeId::of::<Health>());
    /// ```
    #[must_use]
    pub const fn type_id(&self) -> TypeId {
        self.kind.type_id
    }

    /// Size and alignment of one value.
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
        self.kind.layout
    }

    /// Whether dropping a value does anything.
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
        self.kind.drop.is_some()
    }

    /// Where the values are stored.
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
        self.kind.storage
    }

    /// Whether values can be cloned, as `World::clone_entity` does.
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
    /// let can_clone: Vec<bool> = world.components().iter().map(|info| info.can_clone()).collect();
    /// assert_eq!(can_clone, [true, false]);
    /// ```
    #[must_use]
    pub const fn can_clone(&self) -> bool {
        self.kind.clone.is_some()
    }

    /// What is the same in every world.
    pub(crate) const fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) const fn drop_fn(&self) -> Option<DropFn> {
        self.kind.drop
    }

    /// The number of the type in this process, if it has one.
    pub(crate) const fn slot(&self) -> Option<u32> {
        self.kind.slot
    }

    /// The number of the sparse storage. Only for sparse components.
    #[inline]
    pub(crate) fn sparse_index(&self) -> usize {
        debug_assert!(self.kind.storage == StorageType::Sparse);
        self.sparse as usize
    }
}

/// Every component that a world has met.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Mana(u32);
///
/// let mut world = World::new();
/// world.spawn((Health(3), Mana(7)));
/// let components = world.components();
/// assert_eq!(components.len(), 2);
/// assert!(components.id::<Mana>().is_some());
/// ```
#[derive(Default)]
pub struct Components {
    infos: Vec<ComponentInfo>,
    ids: SlotMap,
    sparse: Vec<ComponentId>,
}

impl Components {
    /// The number of `T`, if this world has met it. `O(1)`, without hashing for types without parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert_eq!(world.components().id::<Health>(), Some(id));
    /// assert_eq!(world.components().id::<Mana>(), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn id<T: Component>(&self) -> Option<ComponentId> {
        self.ids.get::<T>(T::slot()).map(ComponentId)
    }

    /// The number of the component with this `TypeId`, if this world has met it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let type_id = std::any::TypeId::of::<Health>();
    /// assert_eq!(world.components().get_id(type_id), Some(id));
    /// ```
    #[must_use]
    pub fn get_id(&self, type_id: TypeId) -> Option<ComponentId> {
        self.ids.get_by_type(type_id).map(ComponentId)
    }

    /// The number of `T`, which is registered now if need be.
    ///
    /// ```
    /// use strata_ecs::component::Components;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut components = Components::default();
    /// let id = components.register::<Health>();
    /// assert_eq!(components.register::<Health>(), id);
    /// assert_eq!(components.len(), 1);
    /// ```
    #[inline]
    pub fn register<T: Component>(&mut self) -> ComponentId {
        match self.id::<T>() {
            Some(id) => id,
            None => self.register_new::<T>(),
        }
    }

    #[cold]
    fn register_new<T: Component>(&mut self) -> ComponentId {
        self.adopt(&Kind::of::<T>())
    }

    /// The number of a component whose type is known as data only, which is registered now if need be.
    pub(crate) fn adopt(&mut self, kind: &Kind) -> ComponentId {
        if let Some(number) = kind.slot.and_then(|slot| self.ids.get_by_slot(slot)) {
            return ComponentId(number);
        }
        let id = ComponentId(self.ids.insert_by_type(kind.type_id, kind.slot, self.infos.len() as u32));
        if id.index() < self.infos.len() {
            return id;
        }
        let sparse = if kind.is_sparse() { self.sparse.len() as u32 } else { u32::MAX };
        self.infos.push(ComponentInfo { id, kind: *kind, sparse });
        if kind.is_sparse() {
            self.sparse.push(id);
        }
        id
    }

    /// What is known of a component; `None` if the number is another world's.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert!(world.components().info(id).is_some());
    /// assert!(World::new().components().info(id).is_none());
    /// ```
    #[inline]
    #[must_use]
    pub fn info(&self, id: ComponentId) -> Option<&ComponentInfo> {
        self.infos.get(id.index())
    }

    /// The full name of a component's type, for messages.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert!(world.components().name(id).ends_with("Health"));
    /// assert_eq!(World::new().components().name(id), "an unknown component");
    /// ```
    #[must_use]
    pub fn name(&self, id: ComponentId) -> &'static str {
        self.info(id).map_or("an unknown component", ComponentInfo::name)
    }

    /// How many components this world has met.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.register_component::<Health>();
    /// assert_eq!(world.components().len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether this world has met no component.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// assert!(world.components().is_empty());
    /// world.spawn(Health(3));
    /// assert!(!world.components().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// Everything that is known, in the order of registration.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(3), Mana(7)));
    /// let names: Vec<&str> = world.components().iter().map(|info| info.name()).collect();
    /// assert!(names[0].ends_with("Health") && names[1].ends_with("Mana"));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ComponentInfo> {
        self.infos.iter()
    }

    /// The components with sparse storage, in the order of their storages.
    pub(crate) fn sparse(&self) -> &[ComponentId] {
        &self.sparse
    }
}
