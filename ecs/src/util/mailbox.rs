//! Returns lent values to their owner, even if the owner has been moved.
//!
//! Parts of a world may be lent out: a resource, a schedule that runs, or the remaining commands. While a part is lent out, user code with
//! `&mut World` may replace the world by another one. So a lent value must not simply be returned to the world that is at this address now.
//! Instead the owner keeps a [`Mailbox`], and the code with the lent value keeps a [`Sender`] to the mailbox.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Receives returned values. Each owner has a mailbox, and only the owner takes values out.
pub(crate) struct Mailbox<T>(Arc<MailboxList<T>>);

/// Sends values to a mailbox.
pub(crate) struct Sender<T>(Arc<MailboxList<T>>);

struct MailboxList<T> {
    /// The node that was added last, or null.
    newest: AtomicPtr<MailboxNode<T>>,
    /// Whether the mailbox still exists.
    is_open: AtomicBool,
}

struct MailboxNode<T> {
    value: T,
    /// The node that was added before this node, or null.
    older: *mut Self,
}

// SAFETY: the values of letters are sent from one thread to another (`T: Send`), and the owner of the mailbox may share
// received values with other threads (`T: Sync`). The list itself is changed by atomic operations only.
unsafe impl<T: Send + Sync> Send for MailboxList<T> {}
// SAFETY: through a shared reference values are sent (`T: Send`) and read (`T: Sync`); the list itself is changed by
// atomic operations only.
unsafe impl<T: Send + Sync> Sync for MailboxList<T> {}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Mailbox<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::new(MailboxList { newest: AtomicPtr::new(ptr::null_mut()), is_open: AtomicBool::new(true) }))
    }

    /// Creates a sender to this mailbox.
    pub(crate) fn sender(&self) -> Sender<T> {
        Sender(Arc::clone(&self.0))
    }

    /// Returns whether the sender sends to this mailbox.
    pub(crate) fn is_of(&self, sender: &Sender<T>) -> bool {
        Arc::ptr_eq(&self.0, &sender.0)
    }

    /// Returns whether no sender exists. If so, all values that were sent have arrived.
    pub(crate) fn expects_nothing(&mut self) -> bool {
        Arc::get_mut(&mut self.0).is_some()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.newest.load(Ordering::Acquire).is_null()
    }

    /// Returns the value that has arrived last; `None` if all values have been taken.
    pub(crate) fn newest(&self) -> Option<&T> {
        // SAFETY: a letter is complete before it is in the list (`Release` in `send`). It is not changed until `take` or
        // the drop of the mailbox, both of which require that nothing borrows `self`.
        unsafe { self.0.newest.load(Ordering::Acquire).as_ref() }.map(|letter| &letter.value)
    }

    /// Takes out all values that have arrived, the oldest first.
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
    /// If the mailbox no longer exists, with the value. If the mailbox is dropped at the same time, `send` may still return `Ok`, and the
    /// value is dropped.
    pub(crate) fn send(&self, value: T) -> Result<(), T> {
        if !self.0.is_open.load(Ordering::Relaxed) {
            return Err(value);
        }
        let letter = Box::into_raw(Box::new(MailboxNode { value, older: ptr::null_mut() }));
        let mut older = self.0.newest.load(Ordering::Relaxed);
        loop {
            // SAFETY: `letter` comes from `Box::into_raw`, and no other code has the pointer yet.
            unsafe { (*letter).older = older };
            // Release publishes this letter. The older letters are not read here, so nothing has to be acquired.
            match self.0.newest.compare_exchange_weak(older, letter, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return Ok(()),
                Err(newer) => older = newer,
            }
        }
    }
}

impl<T> MailboxList<T> {
    /// Takes all values out of the list, the oldest first.
    fn take(&self) -> Vec<T> {
        let mut next = self.newest.swap(ptr::null_mut(), Ordering::Acquire);
        let mut values = Vec::new();
        while !next.is_null() {
            // SAFETY: the letter came from `Box::into_raw` in `send`, and the swap has removed it and all older ones
            // from the list, so nothing else frees them. Their contents are visible, because each `Release` exchange of
            // the list continues the release sequence of the earlier ones.
            let letter = *unsafe { Box::from_raw(next) };
            values.push(letter.value);
            next = letter.older;
        }
        values.reverse();
        values
    }
}

impl<T> Drop for MailboxList<T> {
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
