//! Reading messages on several threads.

use core::fmt;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::messages::MessageId;

/// Unread messages, to be read on the threads of the current pool of the library `rayon`. Made by
/// [`MessageCursor::par_read`](super::MessageCursor::par_read) and
/// [`MessageReader::par_read`](crate::system::MessageReader::par_read).
///
/// They count as read at once, whatever happens then. In which order they are read nobody knows.
///
/// ```
/// use strata_ecs::prelude::*;
/// use std::sync::atomic::{AtomicU32, Ordering};
/// # #[derive(Message)] struct Hit(u32);
///
/// fn read(mut hits: MessageReader<Hit>) {
///     let total = AtomicU32::new(0);
///     hits.par_read().for_each(|hit| _ = total.fetch_add(hit.0, Ordering::Relaxed));
///     assert_eq!(total.into_inner(), 45);
/// }
///
/// let mut world = World::new();
/// world.write_message_batch((0..10).map(Hit));
/// world.run_system_once(read).unwrap();
/// ```
pub struct MessageParIter<'a, M> {
    pub(super) first: &'a [M],
    pub(super) second: &'a [M],
    /// That of the first message.
    pub(super) number: u64,
}

impl<M: Send + Sync> MessageParIter<'_, M> {
    /// How many messages there are.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write_batch(0..3);
    /// assert_eq!(cursor.par_read(&messages).len(), 3);
    /// assert!(cursor.par_read(&messages).is_empty());
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len() + self.second.len()
    }

    /// Whether there are none.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let messages = Messages::<u32>::default();
    /// assert!(messages.get_cursor().par_read(&messages).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls a function with each message, on several threads. If it panics for one, this panics when the others are done or
    /// given up.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write_batch(0..1000);
    /// let sum = AtomicU32::new(0);
    /// cursor.par_read(&messages).for_each(|number| _ = sum.fetch_add(*number, Ordering::Relaxed));
    /// assert_eq!(sum.into_inner(), 499_500);
    /// ```
    pub fn for_each(self, each: impl Fn(&M) + Send + Sync) {
        self.first.par_iter().chain(self.second.par_iter()).for_each(each);
    }

    /// Calls a function with each message and its id, on several threads.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write_batch(0..1000_u64);
    /// cursor.par_read(&messages).for_each_with_id(|number, id| assert_eq!(*number, id.id()));
    /// ```
    pub fn for_each_with_id(self, each: impl Fn(&M, MessageId<M>) + Send + Sync) {
        let number = self.number;
        let all = self.first.par_iter().chain(self.second.par_iter()).enumerate();
        all.for_each(|(nth, message)| each(message, MessageId::new(number + nth as u64)));
    }
}

impl<M> fmt::Debug for MessageParIter<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageParIter").field("len", &(self.first.len() + self.second.len())).finish_non_exhaustive()
    }
}
