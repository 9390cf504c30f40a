//! Runs tasks in a few lanes, so that the resources that they use are divided among few users.
//!
//! Task *n* belongs to lane *n* mod [`LANES`]. The tasks of a lane run one at a time and in their order, and each task sees the effects of
//! the task before it. Tasks of different lanes may run at the same time. No thread waits for a lane. A thread takes the first task whose
//! lane is idle; if all lanes are busy, it leaves. A thread that has finished a task must try to take another task, so that the remaining
//! tasks of the lane are run.
//!
//! Tests: tests/loom/turns_model.rs

use super::LANES;
use super::sync::{AtomicUsize, Ordering};

/// The bit of the state of a lane that is set while a task of the lane runs.
const BUSY: usize = 1;

/// Records which tasks have been taken. The state of a lane is the number of its next or running task, shifted by one bit, and the bit
/// [`BUSY`].
pub(super) struct Turns {
    lanes: [AtomicUsize; LANES],
    /// Only tasks with numbers below this one are taken.
    end: AtomicUsize,
}

impl Turns {
    /// Creates lanes for `tasks` tasks. No task has been taken yet.
    pub(super) fn new(tasks: usize) -> Self {
        Self { lanes: core::array::from_fn(|lane| AtomicUsize::new(lane << 1)), end: AtomicUsize::new(tasks) }
    }

    /// Takes the first task whose lane is idle; `None` if there is no such task. The caller sees the effects of the earlier tasks of the
    /// lane.
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

    /// Records that a task has finished. The thread that ran the task must then try to take another task, because other threads may have
    /// found the lane busy and left.
    #[inline]
    pub(super) fn finish(&self, task: usize) {
        self.lanes[task % LANES].store((task + LANES) << 1, Ordering::Release);
    }

    /// Prevents this task and all later tasks from being taken. Earlier tasks can still be taken.
    pub(super) fn end_before(&self, task: usize) {
        self.end.fetch_min(task, Ordering::Relaxed);
    }
}
