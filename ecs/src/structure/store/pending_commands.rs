//! The pending commands of a world.
//!
//! Tests: tests/hazards/exchanged_worlds.rs, tests/commands/commands.rs

use alloc::collections::VecDeque;

use super::failure::CommandErrors;
use crate::structure::queue::{Queue, StepPattern};
use crate::util::mailbox::Mailbox;

/// The pending commands of a world, and the state of their application.
pub(crate) struct PendingCommands<C: 'static> {
    /// Commands that were queued outside of systems.
    pub(crate) queue: Queue<C>,
    /// Commands that were sent back because another world has taken the place of this one.
    pub(super) returned: Mailbox<ReturnedCommands<C>>,
    pub(crate) errors: CommandErrors,
    /// The number of recorded commands that have been applied.
    pub(crate) applied: u64,
    /// Commands that are applied when the frame has ended, each in a queue of its own. They are not part of a snapshot of the world.
    pub(crate) after_frame: VecDeque<Queue<C>>,
    /// The pattern of the commands that were applied last.
    pub(super) last_pattern: StepPattern<C>,
}

/// Commands that were sent back to their world.
pub(super) struct ReturnedCommands<C: 'static> {
    pub(super) queue: Queue<C>,
    /// The system that recorded the commands, for errors.
    pub(super) system: Option<&'static str>,
    /// If the application of these commands was broken off: the system whose commands were being applied before.
    pub(super) before: Option<Option<&'static str>>,
    /// Set if a scope of `with_deferred_events` has ended while another store was in the place of its store: true if the scope did not
    /// panic.
    pub(super) deferral: Option<bool>,
}

impl<C> Default for PendingCommands<C> {
    fn default() -> Self {
        Self {
            queue: Queue::default(),
            returned: Mailbox::new(),
            errors: CommandErrors::default(),
            applied: 0,
            after_frame: VecDeque::new(),
            last_pattern: StepPattern::default(),
        }
    }
}
