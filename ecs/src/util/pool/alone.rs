//! The pool without the feature `parallel`: all work runs on the calling thread.

use core::marker::PhantomData;

/// A pool without helper threads.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pool(());

impl Pool {
    /// Returns the number of threads that may work at the same time, including the calling thread.
    pub(crate) fn threads(&self) -> usize {
        1
    }

    /// Runs `work` on the calling thread.
    #[inline]
    pub(crate) fn share<W: Fn(&Participant<'_>) + Sync>(&self, work: W) {
        work(&Participant(PhantomData));
    }
}

/// A thread that takes part in a share. It is passed to the work.
pub(crate) struct Participant<'a>(PhantomData<&'a ()>);

impl Participant<'_> {
    /// Returns whether this is the thread that shares its work.
    #[inline]
    pub(crate) fn is_owner(&self) -> bool {
        true
    }

    /// Does nothing and returns 0, because this pool has no helpers.
    #[inline]
    pub(crate) fn call_helpers(&self, _count: usize) -> usize {
        0
    }
}
