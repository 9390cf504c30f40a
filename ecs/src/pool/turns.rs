//! Tasks that take turns in a few lanes, so that what they draw from is dealt out to few.
//!
//! Task *n* belongs to lane *n* mod [`LANES`]. The tasks of a lane run one at a time and in their order, each after all that
//! the one before it did; those of different lanes run at the same time. No thread waits for a lane: it takes the first task
//! of those whose lane is idle, and leaves if there is none. The thread that runs a task of a lane comes back for the next.

use super::LANES;
use super::sync::{AtomicUsize, Ordering};

/// In the state of a lane: one of its tasks runs.
const BUSY: usize = 1;

/// Which tasks have been taken. The state of a lane is the number of its next task, or of the one that runs, shifted, and
/// [`BUSY`].
pub(super) struct Turns {
    lanes: [AtomicUsize; LANES],
    /// No task from this one on is taken any more.
    end: AtomicUsize,
}

impl Turns {
    /// So many tasks, of which none has been taken.
    pub(super) fn new(tasks: usize) -> Self {
        Self { lanes: core::array::from_fn(|lane| AtomicUsize::new(lane << 1)), end: AtomicUsize::new(tasks) }
    }

    /// Takes the first task of those whose lane is idle. Everything that the earlier tasks of its lane did happened before.
    #[inline]
    pub(super) fn take(&self) -> Option<usize> {
        loop {
            let states = self.lanes.iter().map(|lane| (lane, lane.load(Ordering::Relaxed)));
            let (lane, state) = states.filter(|(_, state)| state & BUSY == 0).min_by_key(|(_, state)| *state)?;
            if state >> 1 >= self.end.load(Ordering::Relaxed) {
                return None;
            }
            // Acquire: the task before may have run on another thread.
            if lane.compare_exchange(state, state | BUSY, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return Some(state >> 1);
            }
        }
    }

    /// Notes that a task has finished. The thread that ran it must ask for another one, as others may have found its lane busy
    /// and left.
    #[inline]
    pub(super) fn finish(&self, task: usize) {
        self.lanes[task % LANES].store((task + LANES) << 1, Ordering::Release);
    }

    /// Has no task from this one on be taken any more. Those before it are.
    pub(super) fn end_before(&self, task: usize) {
        self.end.fetch_min(task, Ordering::Relaxed);
    }
}
