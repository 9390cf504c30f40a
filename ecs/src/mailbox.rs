//! The way back for what was taken out of a place for a while, wherever the place is by then.
//!
//! User code that has a whole world may exchange it for another one while something of it is lent out: a resource, a schedule that
//! runs, the rest of its commands. So what is lent does not go back to "the world that is here now". The place keeps a
//! [`Mailbox`], and what is lent has a [`Sender`] to it.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Where values come back. There is one for each place; nothing but its owner takes values out.
pub(crate) struct Mailbox<T>(Arc<Letters<T>>);

/// The way to a mailbox.
pub(crate) struct Sender<T>(Arc<Letters<T>>);

struct Letters<T> {
    /// The one that came last.
    newest: AtomicPtr<Letter<T>>,
    /// Whether the mailbox exists.
    is_open: AtomicBool,
}

struct Letter<T> {
    value: T,
    /// The one that came before it, or null.
    older: *mut Self,
}

// SAFETY: letters are values that are handed over, so they are sent; the owner of the mailbox may share what has come with other
// threads. The list itself is changed by atomic operations only.
unsafe impl<T: Send + Sync> Send for Letters<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Letters<T> {}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Mailbox<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Letters { newest: AtomicPtr::new(ptr::null_mut()), is_open: AtomicBool::new(true) }))
    }

    /// A way to this mailbox.
    pub(crate) fn sender(&self) -> Sender<T> {
        Sender(Arc::clone(&self.0))
    }

    /// Whether this is the mailbox that the sender sends to.
    pub(crate) fn is_of(&self, sender: &Sender<T>) -> bool {
        Arc::ptr_eq(&self.0, &sender.0)
    }

    /// Whether there is no sender. If so, all that was sent before has come.
    pub(crate) fn expects_nothing(&mut self) -> bool {
        Arc::get_mut(&mut self.0).is_some()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.newest.load(Ordering::Acquire).is_null()
    }

    /// What came last, if anything has come that has not been taken.
    pub(crate) fn newest(&self) -> Option<&T> {
        // SAFETY: a letter is complete before it is in the list (`Release` in `send`). It stays as it is until `take` or the end of
        // the mailbox, which both demand that nothing borrows `self`.
        unsafe { self.0.newest.load(Ordering::Acquire).as_ref() }.map(|letter| &letter.value)
    }

    /// Takes out all that has come, the oldest first.
    pub(crate) fn take(&mut self) -> Vec<T> {
        self.0.take()
    }
}

impl<T> Drop for Mailbox<T> {
    fn drop(&mut self) {
        self.0.is_open.store(false, Ordering::Relaxed);
    }
}

impl<T> Sender<T> {
    /// Sends a value back.
    ///
    /// # Errors
    ///
    /// With the value if there is no mailbox any more. One that goes away at the same time may get it all the same: then the
    /// value is dropped.
    pub(crate) fn send(&self, value: T) -> Result<(), T> {
        if !self.0.is_open.load(Ordering::Relaxed) {
            return Err(value);
        }
        let letter = Box::into_raw(Box::new(Letter { value, older: ptr::null_mut() }));
        let mut older = self.0.newest.load(Ordering::Relaxed);
        loop {
            // SAFETY: nothing else knows the letter yet.
            unsafe { (*letter).older = older };
            // What was there before is not looked at here, so it need not be visible.
            match self.0.newest.compare_exchange_weak(older, letter, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return Ok(()),
                Err(newer) => older = newer,
            }
        }
    }
}

impl<T> Letters<T> {
    /// Takes all letters out of the list, the oldest first.
    fn take(&self) -> Vec<T> {
        let mut next = self.newest.swap(ptr::null_mut(), Ordering::Acquire);
        let mut values = Vec::new();
        while !next.is_null() {
            // SAFETY: the letter came from `Box::into_raw` in `send`, and the list has just let go of it and of those behind it. Those
            // were made visible with it: each `Release` exchange of the list continues the ones before it.
            let letter = *unsafe { Box::from_raw(next) };
            values.push(letter.value);
            next = letter.older;
        }
        values.reverse();
        values
    }
}

impl<T> Drop for Letters<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl_debug!([T] Mailbox<T> => |this, f| f.debug_struct("Mailbox").field("is_empty", &this.is_empty()).finish());

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_comes_in_order_and_the_newest_can_be_seen() {
        let mut mailbox = Mailbox::new();
        assert!(mailbox.is_empty() && mailbox.newest().is_none() && mailbox.expects_nothing());
        let sender = mailbox.sender();
        assert!(mailbox.is_of(&sender) && !Mailbox::new().is_of(&sender) && !mailbox.expects_nothing());
        for number in 0..3 {
            assert_eq!(sender.send(Box::new(number)), Ok(()));
            assert_eq!(mailbox.newest(), Some(&Box::new(number)));
        }
        drop(sender);
        assert!(mailbox.expects_nothing() && !mailbox.is_empty());
        assert_eq!(mailbox.take(), [0, 1, 2].map(Box::new));
        assert!(mailbox.is_empty());
    }

    #[test]
    fn what_is_not_taken_is_dropped_once() {
        let value = Arc::new(());
        let mailbox = Mailbox::new();
        let [one, other] = [mailbox.sender(), mailbox.sender()];
        assert!(one.send(value.clone()).is_ok() && other.send(value.clone()).is_ok());
        drop((one, mailbox));
        assert!(other.send(value.clone()).is_err());
        assert_eq!(Arc::strong_count(&value), 3);
        drop(other);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn many_threads_may_send_while_the_owner_takes() {
        const EACH: usize = if cfg!(miri) { 20 } else { 2000 };
        let mut mailbox = Mailbox::new();
        let senders: [_; 3] = core::array::from_fn(|_| mailbox.sender());
        let mut all = Vec::new();
        std::thread::scope(|scope| {
            for (number, sender) in senders.into_iter().enumerate() {
                scope.spawn(move || (0..EACH).for_each(|n| sender.send(Box::new((number, n))).unwrap()));
            }
            while !mailbox.expects_nothing() {
                assert!(mailbox.newest().is_none_or(|newest| newest.1 < EACH));
                all.extend(mailbox.take());
            }
        });
        all.extend(mailbox.take());
        for number in 0..3 {
            let of_one = all.iter().filter(|letter| letter.0 == number).map(|letter| letter.1);
            assert!(of_one.eq(0..EACH));
        }
    }
}
