//! Commands: changes to the world that systems record and that are applied later.
//!
//! A system cannot change the structure of the world while it borrows parts of it. It records changes in a
//! [`CommandQueue`] through [`Commands`]. The schedule applies the changes in the order of recording, before any system
//! runs that is ordered after the recording system, and at the latest at the end of the run. The id of a new entity is
//! available immediately, so that later commands can use it.
// Tests: tests/commands

mod queue;

mod api;

mod many;

mod erased;

pub use self::api::{Commands, EntityCommands};
pub use self::many::SelectionCommands;
pub use self::queue::CommandQueue;
pub(crate) use self::queue::{
    apply, apply_after_frame, apply_observer_commands, defer_world_commands, flush_own_queue,
};
