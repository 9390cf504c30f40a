//! Asking for what is not known.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Whether somebody has asked for the changes of a column of which nothing is known.
#[derive(Default)]
pub(crate) struct Demand(AtomicBool);

/// How often anybody has done so, in any world.
static DEMANDS: AtomicUsize = AtomicUsize::new(0);

impl Demand {
    /// Asks for them: they are known from the next run of a system on.
    #[inline]
    pub(crate) fn ask(&self) {
        if !self.0.swap(true, Relaxed) {
            DEMANDS.fetch_add(1, Relaxed);
        }
    }

    /// Whether somebody has asked.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Relaxed)
    }

    /// How often anybody has asked.
    #[inline]
    pub(crate) fn count() -> usize {
        DEMANDS.load(Relaxed)
    }
}
