//! Divides loops over many rows into tasks, which threads take one after the other.
//!
//! The boundaries of the tasks depend only on the number of rows. So if results are collected per task and joined in the order of tasks,
//! they do not depend on the number of threads, and are equal to the results of a plain loop.
//!
//! The thread that runs the loop takes the tasks one by one. It takes several tasks at once if each is little work and none records
//! anything (`Tasks::joined`). It reads the clock at intervals. If the remaining work is long enough, it calls helpers, which also take
//! tasks. Commands and messages that tasks record are joined in the order of tasks (`system/tasks.rs`). Tasks are taken in order. So when a
//! task fails, all earlier tasks have been taken and will be finished, and the first error does not depend on the number of threads.
//!
//! Tests: ecs/src/util/pool/tests.rs

use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

#[cfg(not(feature = "parallel"))]
use super::alone::{Participant, Pool};
use super::clock::{Instant, nanoseconds};
#[cfg(feature = "parallel")]
use super::share::{Participant, Pool};
use super::turns::Turns;

/// A helper is called only if the remaining work is at least this number of nanoseconds per helper. This is about the time until a called
/// helper begins.
const WORTH: u128 = 10_000;

/// The approximate overhead of one call of `take`, in nanoseconds. It does not depend on the number of taken tasks.
const TAKING: u64 = 50;

/// The minimum work, in nanoseconds, after which the time per row is meaningful. After less work it is dominated by the startup.
const TELLING: u64 = 1_000;

/// The minimum work that is taken at once, in nanoseconds, if several tasks may be taken at once. With this amount of work the overhead of
/// taking it is negligible.
const TURN: u128 = 3_000;

/// The number of rows that share ticks.
const GROUP: usize = 64;

/// A range of rows from 0, divided into tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tasks {
    rows: usize,
    /// The ends of the first tasks.
    head: &'static [usize],
    /// The number of rows of each of the other tasks.
    size: usize,
    /// Whether several tasks may be taken at once, as one.
    is_joined: bool,
    /// Whether the tasks take turns in lanes.
    in_lanes: bool,
}

impl Tasks {
    /// Divides rows by the default rule. Up to 64 rows are divided into tasks of 8 rows. For more rows, the first task has 8 rows, so that
    /// the cost of a row is measured soon, and the second task ends at row 64. The others have the same size and begin at multiples of 64,
    /// like the groups of rows that share ticks. A loop over many rows has 32 or more such tasks.
    #[inline]
    pub(crate) fn of(rows: usize) -> Self {
        if rows > GROUP { Self::in_groups(rows, &[8, GROUP]) } else { Self::of_size(rows, 8) }
    }

    /// Divides rows by the default rule, but all tasks begin at multiples of 64.
    #[inline]
    pub(crate) fn of_groups(rows: usize) -> Self {
        if rows > GROUP { Self::in_groups(rows, &[GROUP]) } else { Self::of_size(rows, GROUP) }
    }

    fn in_groups(rows: usize, head: &'static [usize]) -> Self {
        Self { head, ..Self::of_size(rows, (rows / 32).next_multiple_of(GROUP).clamp(GROUP, 16_384)) }
    }

    /// Divides rows into tasks of the same size, which must not be 0.
    #[inline]
    pub(crate) fn of_size(rows: usize, size: usize) -> Self {
        debug_assert!(size > 0, "tasks of no rows");
        Self { rows, head: &[], size, is_joined: false, in_lanes: false }
    }

    /// Allows several small tasks to be taken at once. This is for loops whose result does not depend on how rows are divided among
    /// threads.
    #[inline]
    pub(crate) fn joined(self) -> Self {
        Self { is_joined: true, ..self }
    }

    /// Makes the tasks take turns in [`LANES`](super::LANES) lanes. The lane of a task is its number modulo `LANES`. The tasks of a lane
    /// run one at a time, in their order.
    #[inline]
    pub(crate) fn in_lanes(self) -> Self {
        Self { is_joined: false, in_lanes: true, ..self }
    }

    /// Moves the boundaries of the tasks to multiples of 64.
    pub(crate) fn rounded(self) -> Self {
        let size = self.size.checked_next_multiple_of(GROUP).unwrap_or(self.rows.max(1));
        Self { head: &[], size, ..self }
    }

    /// Returns the number of tasks.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.head.len() + (self.rows - self.head_rows()).div_ceil(self.size)
    }

    /// Returns the rows of a range of tasks; empty if there are no such tasks.
    #[inline]
    pub(crate) fn rows(&self, tasks: Range<usize>) -> Range<usize> {
        self.start(tasks.start)..self.start(tasks.end)
    }

    fn head_rows(&self) -> usize {
        self.head.last().copied().unwrap_or(0)
    }

    fn start(&self, task: usize) -> usize {
        match task.checked_sub(self.head.len()) {
            Some(nth) => nth.saturating_mul(self.size).saturating_add(self.head_rows()).min(self.rows),
            None if task == 0 => 0,
            None => self.head[task - 1],
        }
    }
}

impl Pool {
    /// Runs `work` until all tasks have been taken: on the calling thread and, if there is enough work, on helpers. Each of these threads
    /// calls `work` once, and `work` takes tasks in a loop. Tasks are taken in order. Tasks in lanes are an exception: a task may be taken
    /// before an earlier task whose lane is busy.
    ///
    /// # Panics
    ///
    /// If `work` panics on any thread. Then no further tasks are taken.
    pub(crate) fn work_off(&self, tasks: Tasks, work: impl Fn(&mut TaskTaker<'_>) + Sync) {
        let (next, at_once) = (AtomicUsize::new(0), AtomicUsize::new(1));
        let turns = tasks.in_lanes.then(|| Turns::new(tasks.len()));
        self.share(|member| {
            let (owner, turns) = (member.is_owner().then(|| OwnerPace::new(self, tasks)), turns.as_ref());
            work(&mut TaskTaker { tasks, next: &next, at_once: &at_once, turns, member, pace: owner, at: None });
        });
    }
}

/// Takes tasks for one thread, one after the other, until all tasks are taken.
pub(crate) struct TaskTaker<'a> {
    tasks: Tasks,
    /// The next task that no thread has taken.
    next: &'a AtomicUsize,
    /// The number of tasks that are taken at once.
    at_once: &'a AtomicUsize,
    /// The lanes, if the tasks take turns in lanes. `next` counts such tasks, too.
    turns: Option<&'a Turns>,
    member: &'a Participant<'a>,
    /// The pace of the owner; `None` for helpers.
    pace: Option<OwnerPace<'a>>,
    /// The tasks that this thread took last and has not finished yet.
    at: Option<Range<usize>>,
}

impl TaskTaker<'_> {
    /// Prevents the tasks after the current task from being taken. All tasks before the current task have been taken already, or can still
    /// be taken.
    pub(crate) fn abandon_rest(&self) {
        match (self.turns, &self.at) {
            (Some(turns), Some(at)) => turns.end_before(at.start),
            _ => self.abandon(),
        }
    }

    /// Prevents all further tasks from being taken.
    fn abandon(&self) {
        self.next.store(self.tasks.len(), Ordering::Relaxed);
        if let Some(turns) = self.turns {
            turns.end_before(0);
        }
    }

    /// Takes the next task and returns its number and its rows; `None` if no task is left. If several tasks are taken at once, returns the
    /// number of the first task and the rows of all of them.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(usize, Range<usize>)> {
        let Self { tasks, next, at_once, member, turns, .. } = *self;
        let done = self.at.take();
        if let (Some(turns), Some(done)) = (turns, &done) {
            turns.finish(done.start);
        }
        if let (Some(pace), Some(done)) = (&mut self.pace, done) {
            pace.rows += tasks.rows(done.clone()).len();
            pace.tasks += done.len();
            pace.turns += 1;
            if pace.tasks >= pace.next_look {
                pace.update_helpers(tasks, next, at_once, member);
            }
        }
        let count = if tasks.is_joined { at_once.load(Ordering::Relaxed) } else { 1 };
        // Relaxed, because only the number is passed on: the data that tasks use existed before the share began.
        let counted = next.fetch_add(count, Ordering::Relaxed);
        let task = match turns {
            Some(turns) => turns.take()?,
            None => counted,
        };
        if task >= tasks.len() {
            return None;
        }
        let taken = task..task + count;
        self.at = Some(taken.clone());
        Some((task, tasks.rows(taken)))
    }
}

/// If a task was not finished, it has panicked. Then the remaining tasks are not taken.
impl Drop for TaskTaker<'_> {
    fn drop(&mut self) {
        if self.at.is_some() {
            self.abandon();
        }
    }
}

/// Measures the speed of the owner, and counts the helpers that it has called.
struct OwnerPace<'a> {
    pool: &'a Pool,
    /// The time at which the loop started; `None` if there can be no helpers.
    start: Option<Instant>,
    /// The number of tasks that the owner has finished. The next two fields are the number of their rows, and of the calls of `take` for
    /// them.
    tasks: usize,
    rows: usize,
    turns: u64,
    /// The number of finished tasks at which the clock is read next.
    next_look: usize,
    called: usize,
}

impl<'a> OwnerPace<'a> {
    #[inline]
    fn new(pool: &'a Pool, tasks: Tasks) -> Self {
        let looks = tasks.len() > 1;
        let next_look = if looks { 1 } else { usize::MAX };
        let start = (looks && cfg!(feature = "parallel")).then(Instant::now);
        Self { pool, start, tasks: 0, rows: 0, turns: 0, next_look, called: 0 }
    }

    /// Calls helpers if the remaining work is long enough, and sets the number of tasks that are taken at once.
    fn update_helpers(&mut self, tasks: Tasks, next: &AtomicUsize, at_once: &AtomicUsize, member: &Participant<'_>) {
        let next = next.load(Ordering::Relaxed).min(tasks.len());
        let left = tasks.len().saturating_sub(next);
        if left == 0 {
            return;
        }
        let rows_left = (tasks.rows - tasks.start(next)) as u128;
        let time = self.start.map_or(0, |start| nanoseconds(start.elapsed()));
        let spent = time.saturating_sub(TAKING * self.turns);
        if spent < TELLING {
            self.next_look = self.tasks * 2;
            return at_once.store(self.tasks.min(left), Ordering::Relaxed);
        }
        let estimate = u128::from(spent) * rows_left / self.rows.max(1) as u128;
        if tasks.is_joined {
            // Threads take fewer tasks at once towards the end, so that each thread still has work.
            let turns = (estimate / TURN).max(4 * self.pool.threads() as u128);
            let turns = if estimate < WORTH { 1 } else { usize::try_from(turns).unwrap_or(usize::MAX) };
            // A thread takes at most `self.tasks` tasks at once: the few tasks that are finished do not predict the cost of many more.
            at_once.store((left / turns).clamp(1, self.tasks), Ordering::Relaxed);
        }
        // The first rows are not cached, so the estimate from them is too high: if it is low, the real cost is even
        // lower.
        let (doubt, pause) = if self.tasks == 1 && left > 1 { (4, 4) } else { (1, 2) };
        self.next_look = self.tasks * if estimate < WORTH { pause } else { 2 };
        if estimate < WORTH * doubt {
            return;
        }
        let most = self.pool.threads() - 1;
        let wanted = most.min(left).min(usize::try_from(estimate / WORTH).unwrap_or(usize::MAX));
        if wanted > self.called {
            self.called += member.call_helpers(wanted - self.called);
        }
        if self.called == most {
            self.next_look = usize::MAX;
        }
    }
}
