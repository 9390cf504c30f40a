//! Commands as a parameter.

use crate::cell::Cell;
use crate::command::{self, CommandQueue, Commands};
use crate::store::Store;
use crate::system::base::{ParamError, SystemMeta};
use crate::system::param::{ParamSource, SystemParam};

/// How [`Commands`] are fetched.
#[doc(hidden)]
pub struct CommandsSource;

// SAFETY: borrows only the entity index, to reserve ids, which any number of threads may do.
unsafe impl ParamSource for CommandsSource {
    type State = CommandQueue;
    type Got<'w, 's> = Commands<'w, 's>;

    const COUNT: usize = 1;

    fn init(_: &mut Store, meta: &mut SystemMeta) -> CommandQueue {
        meta.next_param();
        meta.add_deferred();
        CommandQueue::default()
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut CommandQueue, cell: Cell<'w>) -> Result<Commands<'w, 's>, ParamError> {
        Ok(Commands::from_parts(&mut state.queue, &cell.store().entities, cell.span().system))
    }

    #[inline]
    fn apply(state: &mut CommandQueue, meta: &SystemMeta, store: &mut Store) {
        if !state.queue.is_empty() {
            command::apply(&mut state.queue, store, Some(meta.name()));
        }
    }

    #[cold]
    fn discard(state: &mut CommandQueue) {
        *state = CommandQueue::default();
    }
}

impl SystemParam for Commands<'_, '_> {
    type Source = CommandsSource;
    type Item<'w, 's> = Commands<'w, 's>;

    #[inline]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        got
    }
}
