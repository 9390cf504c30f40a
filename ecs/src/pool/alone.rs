//! The pool of a build without threads: the caller does everything itself.

use core::marker::PhantomData;

/// The threads that may be asked for help: none.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pool(());

impl Pool {
    /// How many threads may work at the same time, the calling one included.
    pub(crate) fn threads(&self) -> usize {
        1
    }

    /// Runs `work` on the calling thread.
    #[inline]
    pub(crate) fn share<W: Fn(&Participant<'_>) + Sync>(&self, work: W) {
        work(&Participant(PhantomData));
    }
}

/// The thread that takes part in a share, as the work sees it.
pub(crate) struct Participant<'a>(PhantomData<&'a ()>);

impl Participant<'_> {
    /// Whether this is the thread that shares its work.
    #[inline]
    pub(crate) fn is_owner(&self) -> bool {
        true
    }

    /// Calls helpers. There are none.
    #[inline]
    pub(crate) fn call_helpers(&self, _count: usize) -> usize {
        0
    }
}
