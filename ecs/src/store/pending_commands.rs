//! The commands of a world that wait.

use alloc::collections::VecDeque;

use super::failure::CommandErrors;
use crate::mailbox::Mailbox;
use crate::queue::{Pattern, Queue};

/// The commands of a world that wait to be applied, and what is known of those that have been.
pub(crate) struct PendingCommands<C: 'static> {
    /// Commands that were queued outside of systems.
    pub(crate) queue: Queue<C>,
    /// Commands that come back from where another world has taken the place of this one.
    pub(super) returned: Mailbox<Returned<C>>,
    pub(crate) errors: CommandErrors,
    /// The number of recorded commands that have been applied.
    pub(crate) applied: u64,
    /// Commands that are applied when the frame has ended, each in a queue of its own. They are not part of the world's state.
    pub(crate) after_frame: VecDeque<Queue<C>>,
    /// The pattern of the commands that were applied last.
    pub(super) last_pattern: Pattern<C>,
}

/// Commands that have come back to their world.
pub(super) struct Returned<C: 'static> {
    pub(super) queue: Queue<C>,
    /// Whose they are, for errors.
    pub(super) system: Option<&'static str>,
    /// Whose commands were applied before, if the application of these was broken off.
    pub(super) before: Option<Option<&'static str>>,
    /// Set if a scope of `with_deferred_events` has ended while the store was elsewhere: whether it has ended without a panic.
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
            last_pattern: Pattern::default(),
        }
    }
}
