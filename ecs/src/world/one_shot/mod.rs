//! Systems that are run one at a time, by an id or by their function, in a world or by a command.

mod id;
mod running;
mod worlds;
mod commands;

pub use self::id::{RegisteredSystemError, SystemId};
pub(super) use self::running::OneShots;
