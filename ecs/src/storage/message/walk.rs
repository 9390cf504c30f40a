//! Iterators over messages that record the position of the reader.
//!
//! Tests: tests/changes/messages/lifetimes.rs

use core::iter::FusedIterator;
use core::mem;
use core::slice;

use super::messages::MessageId;

/// Chains two iterators, and records the number of the next message in each step. So it needs no `Drop`, and a reader can be used again
/// while an iterator that is no longer used still exists.
pub(super) struct RecordingIter<'a, I: ExactSizeIterator + Default> {
    first: I,
    /// The second iterator. It replaces `first` when `first` is exhausted.
    second: I,
    /// The number of the next message.
    number: u64,
    next: &'a mut u64,
}

impl<'a, I: ExactSizeIterator + Default> RecordingIter<'a, I> {
    /// Iterates over `first` and then `second`. The first message has the number `next`.
    #[inline]
    pub(super) fn new(next: &'a mut u64, first: I, second: I) -> Self {
        Self { first, second, number: *next, next }
    }

    #[inline]
    fn len(&self) -> usize {
        self.first.len() + self.second.len()
    }

    /// Returns the number of the next message.
    #[inline]
    fn number(&self) -> u64 {
        self.number
    }

    /// Records that `count` more messages have been read.
    #[inline]
    fn note(&mut self, count: usize) {
        self.number += count as u64;
        *self.next = self.number;
    }

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        let item = match self.first.next() {
            None => {
                self.first = mem::take(&mut self.second);
                self.first.next()?
            }
            Some(item) => item,
        };
        self.note(1);
        Some(item)
    }

    fn nth(&mut self, n: usize) -> Option<I::Item> {
        self.note(self.len().min(n.saturating_add(1)));
        let len = self.first.len();
        if n < len {
            return self.first.nth(n);
        }
        self.first = mem::take(&mut self.second);
        self.first.nth(n - len)
    }

    /// Skips all remaining messages, and returns their number.
    fn pass(&mut self) -> usize {
        let len = self.len();
        self.note(len);
        (self.first, self.second) = (I::default(), I::default());
        len
    }
}

/// Defines an iterator `$name` over one or two `slice::$inner`: for each `$message` with the number `$number`, it yields `$item`.
macro_rules! walks {
    ($($(#[$doc:meta])* $name:ident, $inner:ident, $Item:ty, |$number:ident, $message:ident| $item:expr;)*) => { $(
        $(#[$doc])*
        pub struct $name<'a, M>(pub(super) RecordingIter<'a, slice::$inner<'a, M>>);

        impl<'a, M> Iterator for $name<'a, M> {
            type Item = $Item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let $number = self.0.number();
                self.0.next().map(|$message| $item)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.0.len(), Some(self.0.len()))
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<Self::Item> {
                // The number wraps around only if there is no such message.
                let $number = self.0.number().wrapping_add(n as u64);
                self.0.nth(n).map(|$message| $item)
            }

            fn count(mut self) -> usize {
                self.0.pass()
            }

            fn last(mut self) -> Option<Self::Item> {
                let last = self.0.len().checked_sub(1)?;
                self.nth(last)
            }
        }

        impl<M> ExactSizeIterator for $name<'_, M> {}
        impl<M> FusedIterator for $name<'_, M> {}

        impl_debug!([M] $name<'_, M> => |this, f|
            f.debug_struct(stringify!($name)).field("len", &this.0.len()).finish_non_exhaustive());
    )* };
}

walks! {
    /// Iterates over the messages that a reader has not seen: see [`MessageCursor::read`](crate::message::MessageCursor::read).
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write_batch(0..3);
    /// assert_eq!(cursor.read(&messages).last(), Some(&2));
    /// ```
    MessageIterator, Iter, &'a M, |_number, message| message;

    /// Iterates over the messages that a reader has not seen, with their ids: see
    /// [`MessageCursor::read_with_id`](crate::message::MessageCursor::read_with_id).
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write_batch(0..3);
    /// assert!(cursor.read_with_id(&messages).all(|(number, id)| id.id == *number));
    /// ```
    MessageIteratorWithId, Iter, (&'a M, MessageId<M>), |number, message| (message, MessageId::new(number));

    /// Iterates mutably over the messages that a reader has not seen: see
    /// [`MessageCursor::read_mut`](crate::message::MessageCursor::read_mut).
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write(3);
    /// *cursor.read_mut(&mut messages).next().unwrap() += 1;
    /// assert_eq!(messages.drain().next(), Some(4));
    /// ```
    MessageMutIterator, IterMut, &'a mut M, |_number, message| message;

    /// Iterates mutably over the messages that a reader has not seen, with their ids: see
    /// [`MessageCursor::read_mut_with_id`](crate::message::MessageCursor::read_mut_with_id).
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let mut cursor = messages.get_cursor();
    /// messages.write_batch(0..3);
    /// let (number, id) = cursor.read_mut_with_id(&mut messages).nth(1).unwrap();
    /// assert_eq!((*number, id.id), (1, 1));
    /// ```
    MessageMutIteratorWithId, IterMut, (&'a mut M, MessageId<M>), |number, message| (message, MessageId::new(number));
}
