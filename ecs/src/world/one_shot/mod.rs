//! Running single systems, by id or by function, in a world or by a command.
//!
//! Tests: tests/systems/one_shot

mod id;
mod running;
mod worlds;
mod commands;

pub use self::id::{RegisteredSystemError, SystemId};
pub(super) use self::running::OneShots;
