//! What values of a component need, without its type: the same in every world.

use alloc::vec::Vec;
use core::alloc::Layout;
use core::any::{TypeId, type_name};

use super::cloner::CloneFn;
use super::constructor::Constructor;
use super::drop_glue::{DropFn, drop_fn_of};
use super::{ChangeTracking, Component, RequirementList, StorageType, TypeSlot};

/// A component type as data. All of it belongs to one type: it is made by [`Kind::of`] alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(super) name: &'static str,
    pub(super) type_id: TypeId,
    pub(super) layout: Layout,
    pub(super) drop: Option<DropFn>,
    pub(super) clone: Option<CloneFn>,
    pub(super) storage: StorageType,
    pub(super) track: ChangeTracking,
    /// The number of the type in this process, for those that have one.
    pub(super) slot: Option<u32>,
    /// Adds what the type requires by its definition.
    pub(super) requirements: fn(&mut Requirements),
}

/// The components that one requires by its definition, and how their values are made.
#[derive(Default)]
pub(crate) struct Requirements {
    list: Vec<(Kind, Constructor)>,
}

impl RequirementList for Requirements {
    fn add<C: Component, F: Fn() -> C + Copy + Send + Sync + 'static>(&mut self, make: F) {
        self.list.push((Kind::of::<C>(), Constructor::new(make)));
    }
}

impl Kind {
    /// That of `C`.
    pub(crate) fn of<C: Component>() -> Self {
        Self {
            name: type_name::<C>(),
            type_id: TypeId::of::<C>(),
            layout: Layout::new::<C>(),
            drop: const { drop_fn_of::<C>() },
            clone: C::cloner().map(|cloner| cloner.function()),
            storage: C::STORAGE,
            track: C::TRACK,
            slot: C::slot().map(TypeSlot::number_or_assign),
            requirements: C::requirements::<Requirements>,
        }
    }

    /// The full name of the type.
    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }

    /// The type.
    pub(crate) const fn type_id(&self) -> TypeId {
        self.type_id
    }

    /// Size and alignment of one value.
    pub(crate) const fn layout(&self) -> Layout {
        self.layout
    }

    /// What the type requires by its definition, each with a way to make its values.
    pub(super) fn requirements(&self) -> Vec<(Self, Constructor)> {
        let mut requirements = Requirements::default();
        (self.requirements)(&mut requirements);
        requirements.list
    }

    /// Whether this is the type `C`.
    pub(crate) fn is<C: Component>(&self) -> bool {
        self.type_id == TypeId::of::<C>()
    }

    /// Whether the values are stored outside the tables.
    pub(crate) fn is_sparse(&self) -> bool {
        self.storage == StorageType::Sparse
    }
}
