//! Commands: changes to the world that systems record and that are applied later.
//!
//! A system cannot change the structure of the world while it borrows parts of it. It records changes in a
//! [`CommandQueue`] through [`Commands`]; the schedule applies the queue before the first system that is ordered after
//! this one, and at the latest at the end of the run, in the order of recording. The id of a new entity is available
//! immediately, so that later commands can use it.
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
