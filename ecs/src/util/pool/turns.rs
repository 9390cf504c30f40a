//! Tasks that take turns in a few lanes, so that the resources they use are divided among few users.
//!
//! Task *n* belongs to lane *n* mod [`LANES`]. The tasks of a lane run one at a time and in their order, each after the
//! effects of the one before it; tasks of different lanes run at the same time. No thread waits for a lane: it takes the
//! first task whose lane is idle, and leaves if all lanes are busy. The thread that runs a task of a lane comes back for
//! the next.
//!
//! Tests: tests/loom/turns_model.rs

use super::LANES;
use super::sync::{AtomicUsize, Ordering};

/// The bit of a lane's state that is set while one of its tasks runs.
const BUSY: usize = 1;

/// Tracks which tasks have been taken. The state of a lane is the number of its next or running task, shifted by one
/// bit, and [`BUSY`].
pub(super) struct Turns {
    lanes: [AtomicUsize; LANES],
    /// No task with this number or a greater one is taken.
    end: AtomicUsize,
}

impl Turns {
    /// Creates lanes for `tasks` tasks, of which no task has been taken.
    pub(super) fn new(tasks: usize) -> Self {
        Self { lanes: core::array::from_fn(|lane| AtomicUsize::new(lane << 1)), end: AtomicUsize::new(tasks) }
    }

    /// Takes the first task whose lane is idle. The effects of the earlier tasks of its lane happened before.
    #[inline]
    pub(super) fn take(&self) -> Option<usize> {
        loop {
            let states = self.lanes.iter().map(|lane| (lane, lane.load(Ordering::Relaxed)));
            let (lane, state) = states.filter(|(_, state)| state & BUSY == 0).min_by_key(|(_, state)| *state)?;
            if state >> 1 >= self.end.load(Ordering::Relaxed) {
                return None;
            }
            // Acquire: the previous task of the lane may have run on another thread, whose writes must be visible.
            if lane.compare_exchange(state, state | BUSY, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return Some(state >> 1);
            }
        }
    }

    /// Records that a task has finished. The thread that ran it must try to take another one, because others may have
    /// found its lane busy and left.
    #[inline]
    pub(super) fn finish(&self, task: usize) {
        self.lanes[task % LANES].store((task + LANES) << 1, Ordering::Release);
    }

    /// Prevents this task and all later ones from being taken. The tasks before it can still be taken.
    pub(super) fn end_before(&self, task: usize) {
        self.end.fetch_min(task, Ordering::Relaxed);
    }
}
