//! The position of a reader in a list of messages.
//!
//! Tests: tests/changes/messages/lifetimes.rs, tests/changes/messages/model.rs

use core::marker::PhantomData;

use super::messages::Messages;
use super::parallel::MessageParIter;
use super::walk::{
    MessageIterator, MessageIteratorWithId, MessageMutIterator, MessageMutIteratorWithId, RecordingIter,
};

/// The position of a reader of messages: the next message to read, and the number of missed messages.
///
/// [`MessageReader`](crate::system::MessageReader) and [`MessageMutator`](crate::system::MessageMutator) use a cursor that the system
/// keeps. To read messages outside of systems, create a cursor.
///
/// A message counts as read when the iterator has yielded it. If an iterator is dropped, the messages that it has not yielded stay unread.
///
/// A new cursor, from [`Messages::get_cursor`] or by [`Default`], begins with the oldest message of the list. If a cursor is used with
/// another [`Messages`] than before, for instance because the resource was replaced, it begins with the oldest message of the new list.
/// Unread messages of the previous list do not count as missed.
///
/// ```
/// use strata_ecs::message::Messages;
///
/// let mut messages = Messages::default();
/// let mut cursor = messages.get_cursor();
/// messages.write_batch(0..3);
/// assert_eq!(cursor.read(&messages).next(), Some(&0));
/// assert_eq!(cursor.read(&messages).collect::<Vec<_>>(), [&1, &2]);
/// assert!(cursor.is_empty(&messages));
/// ```
#[doc(alias("EventCursor", "ReaderId", "ManualEventReader"))]
pub struct MessageCursor<M> {
    /// The origin of the list that the cursor has read. It is 0 before the first read, since no list has the origin 0.
    origin: usize,
    /// The number of the next message to read.
    next: u64,
    /// The number of messages that were dropped before the cursor could read them.
    missed: u64,
    marker: PhantomData<fn(&M)>,
}

impl<M> MessageCursor<M> {
    fn at(origin: usize, next: u64) -> Self {
        Self { origin, next, missed: 0, marker: PhantomData }
    }

    /// Returns the origin of the list, the number of the next message, and the number of missed messages.
    pub(crate) fn parts_mut(&mut self) -> (&mut usize, &mut u64, &mut u64) {
        (&mut self.origin, &mut self.next, &mut self.missed)
    }

    /// Returns the number of the next message that the cursor can read.
    fn position(&self, messages: &Messages<M>) -> u64 {
        let start = messages.start();
        if self.origin == messages.origin { self.next.max(start) } else { start }
    }

    /// Moves the cursor to the next message that it can read. Counts the dropped messages before this message as missed.
    fn catch_up(&mut self, messages: &Messages<M>) {
        let position = self.position(messages);
        self.missed = self.missed(messages);
        self.origin = messages.origin;
        self.next = position;
    }

    /// Iterates over the messages that the cursor has not read, the oldest first.
    ///
    /// Each message counts as read when the iterator yields it.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write("hello");
    /// assert_eq!(cursor.read(&messages).count(), 1);
    /// assert_eq!(cursor.read(&messages).count(), 0);
    /// ```
    #[inline]
    pub fn read<'a>(&'a mut self, messages: &'a Messages<M>) -> MessageIterator<'a, M> {
        self.catch_up(messages);
        let (first, second) = messages.since(self.next);
        MessageIterator(RecordingIter::new(&mut self.next, first.iter(), second.iter()))
    }

    /// Iterates over the messages that the cursor has not read, each with its id.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// let id = messages.write("hello");
    /// assert_eq!(cursor.read_with_id(&messages).next(), Some((&"hello", id)));
    /// ```
    pub fn read_with_id<'a>(&'a mut self, messages: &'a Messages<M>) -> MessageIteratorWithId<'a, M> {
        self.catch_up(messages);
        let (first, second) = messages.since(self.next);
        MessageIteratorWithId(RecordingIter::new(&mut self.next, first.iter(), second.iter()))
    }

    /// Iterates mutably over the messages that the cursor has not read. Later readers see the changes.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let [mut first, mut second] = [messages.get_cursor(), messages.get_cursor()];
    /// messages.write(3);
    /// first.read_mut(&mut messages).for_each(|number| *number += 1);
    /// assert_eq!(second.read(&messages).next(), Some(&4));
    /// ```
    pub fn read_mut<'a>(&'a mut self, messages: &'a mut Messages<M>) -> MessageMutIterator<'a, M> {
        self.catch_up(messages);
        let (first, second) = messages.since_mut(self.next);
        MessageMutIterator(RecordingIter::new(&mut self.next, first.iter_mut(), second.iter_mut()))
    }

    /// Iterates mutably over the messages that the cursor has not read, each with its id.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// let id = messages.write(3);
    /// assert_eq!(cursor.read_mut_with_id(&mut messages).next(), Some((&mut 3, id)));
    /// ```
    pub fn read_mut_with_id<'a>(&'a mut self, messages: &'a mut Messages<M>) -> MessageMutIteratorWithId<'a, M> {
        self.catch_up(messages);
        let (first, second) = messages.since_mut(self.next);
        MessageMutIteratorWithId(RecordingIter::new(&mut self.next, first.iter_mut(), second.iter_mut()))
    }

    /// Returns the unread messages, to be read on several threads. All of them count as read afterwards.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write_batch(0..3);
    /// cursor.par_read(&messages).for_each(|number| assert!(*number < 3));
    /// assert!(cursor.is_empty(&messages));
    /// ```
    pub fn par_read<'a>(&mut self, messages: &'a Messages<M>) -> MessageParIter<'a, M> {
        self.catch_up(messages);
        let (first, second) = messages.since(self.next);
        let number = core::mem::replace(&mut self.next, messages.end());
        MessageParIter { first, second, number }
    }

    /// Returns the number of messages that the cursor has not read.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let cursor = messages.get_cursor();
    /// messages.write("hello");
    /// assert_eq!(cursor.len(&messages), 1);
    /// ```
    #[must_use]
    pub fn len(&self, messages: &Messages<M>) -> usize {
        (messages.end() - self.position(messages)) as usize
    }

    /// Returns whether the cursor has read all messages.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let cursor = messages.get_cursor();
    /// assert!(cursor.is_empty(&messages));
    /// messages.write("hello");
    /// assert!(!cursor.is_empty(&messages));
    /// ```
    #[must_use]
    pub fn is_empty(&self, messages: &Messages<M>) -> bool {
        self.len(messages) == 0
    }

    /// Skips all unread messages. They do not count as missed.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write("hello");
    /// cursor.clear(&messages);
    /// assert!(cursor.is_empty(&messages));
    /// ```
    pub fn clear(&mut self, messages: &Messages<M>) {
        self.catch_up(messages);
        self.next = messages.end();
    }

    /// Returns the number of messages that were dropped before this cursor could read them. It counts from the creation of the cursor or
    /// from the last [`take_missed`](Self::take_missed). Reading other messages does not change the number.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write_batch(["too", "late"]);
    /// messages.update();
    /// messages.write("in time");
    /// messages.update();
    /// assert_eq!(cursor.read(&messages).collect::<Vec<_>>(), [&"in time"]);
    /// assert_eq!(cursor.missed(&messages), 2);
    /// ```
    #[must_use]
    pub fn missed(&self, messages: &Messages<M>) -> u64 {
        let now = if self.origin == messages.origin { messages.start().saturating_sub(self.next) } else { 0 };
        self.missed + now
    }

    /// Returns [`missed`](Self::missed) and resets it to 0.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write("too late");
    /// messages.clear();
    /// assert_eq!(cursor.take_missed(&messages), 1);
    /// assert_eq!(cursor.take_missed(&messages), 0);
    /// ```
    pub fn take_missed(&mut self, messages: &Messages<M>) -> u64 {
        self.catch_up(messages);
        core::mem::take(&mut self.missed)
    }
}

impl<M> Default for MessageCursor<M> {
    fn default() -> Self {
        Self::at(0, 0)
    }
}

/// Returns a cursor at the same position, which then moves independently.
impl<M> Clone for MessageCursor<M> {
    fn clone(&self) -> Self {
        Self { origin: self.origin, next: self.next, missed: self.missed, marker: PhantomData }
    }
}

impl_debug_of_fields! { [M] MessageCursor<M> { next, missed } }

/// Constructors of cursors for this list.
impl<M> Messages<M> {
    /// Returns a cursor that begins with the oldest message of the list.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write("hello");
    /// assert_eq!(messages.get_cursor().len(&messages), 1);
    /// ```
    #[must_use]
    pub fn get_cursor(&self) -> MessageCursor<M> {
        MessageCursor::at(self.origin, self.start())
    }

    /// Returns a cursor that begins with the next message that is written.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write("hello");
    /// let mut cursor = messages.get_cursor_current();
    /// messages.write("world");
    /// assert_eq!(cursor.read(&messages).collect::<Vec<_>>(), [&"world"]);
    /// ```
    #[must_use]
    pub fn get_cursor_current(&self) -> MessageCursor<M> {
        MessageCursor::at(self.origin, self.end())
    }
}
