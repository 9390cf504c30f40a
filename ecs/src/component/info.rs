//! The components that a world knows.

use alloc::vec::Vec;
use core::alloc::Layout;
use core::any::{TypeId, type_name};

use super::drop_glue::{DropFn, drop_fn_of};
use super::{Component, ComponentId, SlotMap, StorageType, TypeSlot};

/// What the storage must know of a component.
#[derive(Clone, Debug)]
pub struct ComponentInfo {
    id: ComponentId,
    name: &'static str,
    type_id: TypeId,
    layout: Layout,
    drop: Option<DropFn>,
    storage: StorageType,
    /// The number of the sparse storage, for those that have one.
    sparse: u32,
    /// The number of the type in this process, for those that have one.
    slot: Option<u32>,
}

impl ComponentInfo {
    /// The number of the component in its world.
    #[must_use]
    pub const fn id(&self) -> ComponentId {
        self.id
    }

    /// The full name of the type, as in `my_game::Position`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The type.
    #[must_use]
    pub const fn type_id(&self) -> TypeId {
        self.type_id
    }

    /// Size and alignment of one value.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Whether dropping a value does anything.
    #[must_use]
    pub const fn needs_drop(&self) -> bool {
        self.drop.is_some()
    }

    /// Where the values are stored.
    #[must_use]
    pub const fn storage(&self) -> StorageType {
        self.storage
    }

    pub(crate) const fn drop_fn(&self) -> Option<DropFn> {
        self.drop
    }

    /// The number of the type in this process, if it has one.
    pub(crate) const fn slot(&self) -> Option<u32> {
        self.slot
    }

    /// The number of the sparse storage. Only for sparse components.
    #[inline]
    pub(crate) fn sparse_index(&self) -> usize {
        debug_assert!(self.storage == StorageType::Sparse);
        self.sparse as usize
    }
}

/// Every component that a world has met.
#[derive(Default)]
pub struct Components {
    infos: Vec<ComponentInfo>,
    ids: SlotMap,
    sparse: Vec<ComponentId>,
}

impl Components {
    /// The number of `T`, if this world has met it. `O(1)`, without hashing for types without parameters.
    #[inline]
    #[must_use]
    pub fn id<T: Component>(&self) -> Option<ComponentId> {
        self.ids.get::<T>(T::slot()).map(ComponentId)
    }

    /// The number of the component with this `TypeId`, if this world has met it.
    #[must_use]
    pub fn get_id(&self, type_id: TypeId) -> Option<ComponentId> {
        self.ids.get_by_type(type_id).map(ComponentId)
    }

    /// The number of `T`, which is registered now if need be.
    #[inline]
    pub fn register<T: Component>(&mut self) -> ComponentId {
        match self.id::<T>() {
            Some(id) => id,
            None => self.register_new::<T>(),
        }
    }

    #[cold]
    fn register_new<T: Component>(&mut self) -> ComponentId {
        let id = ComponentId(self.ids.insert::<T>(T::slot(), self.infos.len() as u32));
        if id.index() < self.infos.len() {
            return id;
        }
        self.infos.push(ComponentInfo {
            id,
            name: type_name::<T>(),
            type_id: TypeId::of::<T>(),
            layout: Layout::new::<T>(),
            drop: const { drop_fn_of::<T>() },
            storage: T::STORAGE,
            sparse: if T::STORAGE == StorageType::Sparse { self.sparse.len() as u32 } else { u32::MAX },
            slot: T::slot().map(TypeSlot::number_or_assign),
        });
        if T::STORAGE == StorageType::Sparse {
            self.sparse.push(id);
        }
        id
    }

    /// What is known of a component; `None` if the number is another world's.
    #[inline]
    #[must_use]
    pub fn info(&self, id: ComponentId) -> Option<&ComponentInfo> {
        self.infos.get(id.index())
    }

    /// The full name of a component's type, for messages.
    #[must_use]
    pub fn name(&self, id: ComponentId) -> &'static str {
        self.info(id).map_or("an unknown component", ComponentInfo::name)
    }

    /// How many components this world has met.
    #[must_use]
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether this world has met no component.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// Everything that is known, in the order of registration.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ComponentInfo> {
        self.infos.iter()
    }

    /// The components with sparse storage, in the order of their storages.
    pub(crate) fn sparse(&self) -> &[ComponentId] {
        &self.sparse
    }
}
