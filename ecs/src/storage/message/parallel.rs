//! Reading messages on several threads.
//!
//! Tests: tests/changes/messages/params.rs

use super::messages::MessageId;
use crate::util::pool::{Pool, Tasks};

/// Unread messages, to be read on several threads. Returned by [`MessageCursor::par_read`](super::MessageCursor::par_read) and
/// [`MessageReader::par_read`](crate::system::MessageReader::par_read).
///
/// All of them count as read at once, even if the loop panics. The calling thread starts alone. If the loop takes long enough, other
/// threads join: threads of the pool of the calling thread or, if it is in no pool, of the global pool of `rayon`. The order in which
/// messages are read is unspecified. Without the feature `parallel` the calling thread reads all messages in order.
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
    /// The number of the first message.
    pub(super) number: u64,
}

impl<M: Sync> MessageParIter<'_, M> {
    /// Returns the number of messages.
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

    /// Returns whether there are no messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls a function with each message, on several threads. If the function panics for a message, this method panics when the other
    /// calls have finished or were cancelled.
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
        self.for_each_with_id(|message, _| each(message));
    }

    /// Calls a function with each message and its id, on several threads.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write_batch(0..1000_u64);
    /// cursor.par_read(&messages).for_each_with_id(|number, id| assert_eq!(*number, id.id));
    /// ```
    pub fn for_each_with_id(self, each: impl Fn(&M, MessageId<M>) + Send + Sync) {
        Pool::default().work_off(Tasks::of(self.len()).joined(), |tasks| {
            while let Some((_, nths)) = tasks.take() {
                let border = self.first.len();
                let first = &self.first[nths.start.min(border)..nths.end.min(border)];
                let second = &self.second[nths.start.max(border) - border..nths.end.max(border) - border];
                for (nth, message) in nths.zip(first.iter().chain(second)) {
                    each(message, MessageId::new(self.number + nth as u64));
                }
            }
        });
    }
}

impl_debug!([M] MessageParIter<'_, M> => |this, f|
    f.debug_struct("MessageParIter").field("len", &(this.first.len() + this.second.len())).finish_non_exhaustive());
