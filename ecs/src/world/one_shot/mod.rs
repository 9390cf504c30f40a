//! Systems that are run one at a time, by an id or by their function, in a world or by a command.

mod id;
mod running;
mod worlds;
mod commands;

pub use self::id::{RegisteredSystemError, SystemId};

use core::any::TypeId;

use crate::component::ComponentDescriptor;

/// Whether a resource is that in which a world keeps systems by their ids.
pub(super) fn is_kept_in(descriptor: &ComponentDescriptor) -> bool {
    descriptor.value_type_id() == Some(TypeId::of::<running::OneShots>())
}
