//! Loops over many rows, cut into tasks that threads take one after the other.
//!
//! Where the cuts are depends on the number of rows only, so whatever is collected per task and joined in the order of
//! tasks comes out the same on any number of threads, and as in a plain loop.
//!
//! The thread that loops takes the tasks one by one, or several at once where each is little work and none records anything
//! (`Tasks::joined`), and looks at the clock now and then. When what is left is worth it, it calls helpers, which take tasks
//! too. What tasks record is joined in their order (`system/tasks.rs`). Tasks are taken in order, so when one fails, those
//! before it have been taken and will be finished, and the first error is found on any number of threads.

use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

#[cfg(not(feature = "parallel"))]
use super::alone::{Participant, Pool};
use super::clock::{Instant, nanoseconds};
#[cfg(feature = "parallel")]
use super::share::{Participant, Pool};
use super::turns::Turns;

/// How many nanoseconds of work must be left for each helper that is called: about what it takes until one has come.
const WORTH: u128 = 10_000;

/// How many nanoseconds pass each time that tasks are taken, whatever their rows take: about.
const TAKING: u64 = 50;

/// How many nanoseconds have to be over before they tell what a row takes, and not what it takes to begin.
const TELLING: u64 = 1_000;

/// How many nanoseconds of work are taken at a time at least, where several tasks may be taken at once: so much that taking
/// it costs next to nothing.
const TURN: u128 = 3_000;

/// How many rows have ticks in common.
const GROUP: usize = 64;

/// Rows from 0 to a number, cut into tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tasks {
    rows: usize,
    /// Where the first tasks end.
    head: &'static [usize],
    /// How many rows the others have.
    size: usize,
    /// Whether several may be taken at once, as one.
    is_joined: bool,
    /// Whether they take turns in lanes.
    in_lanes: bool,
}

impl Tasks {
    /// By the usual rule: few tasks for a loop of few rows, and 32 or more of the same size for one of many. The first has 8
    /// rows, so that it is soon known what a row costs, and the second goes up to row 64. The others begin at multiples of
    /// 64, as do the rows that have ticks in common.
    #[inline]
    pub(crate) fn of(rows: usize) -> Self {
        if rows > GROUP { Self::in_groups(rows, &[8, GROUP]) } else { Self::of_size(rows, 8) }
    }

    /// By the same rule, but all begin at multiples of 64.
    #[inline]
    pub(crate) fn of_groups(rows: usize) -> Self {
        if rows > GROUP { Self::in_groups(rows, &[GROUP]) } else { Self::of_size(rows, GROUP) }
    }

    fn in_groups(rows: usize, head: &'static [usize]) -> Self {
        Self { head, ..Self::of_size(rows, (rows / 32).next_multiple_of(GROUP).clamp(GROUP, 16_384)) }
    }

    /// Of the same size each, which must not be 0.
    #[inline]
    pub(crate) fn of_size(rows: usize, size: usize) -> Self {
        debug_assert!(size > 0, "tasks of no rows");
        Self { rows, head: &[], size, is_joined: false, in_lanes: false }
    }

    /// The same tasks for a loop in which it does not matter how rows are divided among threads: several may be taken at once
    /// where each is little work.
    #[inline]
    pub(crate) fn joined(self) -> Self {
        Self { is_joined: true, ..self }
    }

    /// The same tasks, taken one by one, in [`LANES`](super::LANES) lanes: of the tasks whose numbers have the same
    /// remainder one runs at a time, in their order.
    #[inline]
    pub(crate) fn in_lanes(self) -> Self {
        Self { is_joined: false, in_lanes: true, ..self }
    }

    /// The same cuts, moved to multiples of 64.
    pub(crate) fn rounded(self) -> Self {
        let size = self.size.checked_next_multiple_of(GROUP).unwrap_or(self.rows.max(1));
        Self { head: &[], size, ..self }
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.head.len() + (self.rows - self.head_rows()).div_ceil(self.size)
    }

    /// The rows of tasks. Empty if there are no such tasks.
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
    /// Has `work` take all tasks: on the calling thread, and on others too when there is enough to do. Each thread that
    /// takes part calls `work` once, which takes tasks until none are left. Tasks are taken in order, but for those in lanes,
    /// of which some may be taken before an earlier one whose lane is busy.
    ///
    /// # Panics
    ///
    /// If `work` panics on any thread. No task is taken then any more.
    pub(crate) fn work_off(&self, tasks: Tasks, work: impl Fn(&mut Taker<'_>) + Sync) {
        let (next, at_once) = (AtomicUsize::new(0), AtomicUsize::new(1));
        let turns = tasks.in_lanes.then(|| Turns::new(tasks.len()));
        self.share(|member| {
            let (owner, turns) = (member.is_owner().then(|| Pace::new(self, tasks)), turns.as_ref());
            work(&mut Taker { tasks, next: &next, at_once: &at_once, turns, member, pace: owner, at: None });
        });
    }
}

/// Takes one task after the other, as many as there are left.
pub(crate) struct Taker<'a> {
    tasks: Tasks,
    /// The next task that no thread has taken.
    next: &'a AtomicUsize,
    /// How many are taken at once.
    at_once: &'a AtomicUsize,
    /// Of tasks in lanes, which count in `next` as well.
    turns: Option<&'a Turns>,
    member: &'a Participant<'a>,
    /// Of the owner.
    pace: Option<Pace<'a>>,
    /// The tasks that were taken last and are not known to be done.
    at: Option<Range<usize>>,
}

impl Taker<'_> {
    /// No task behind the one that was taken last is taken any more. Those before it have been taken already, or will be.
    pub(crate) fn abandon_rest(&self) {
        match (self.turns, &self.at) {
            (Some(turns), Some(at)) => turns.end_before(at.start),
            _ => self.abandon(),
        }
    }

    /// No task is taken any more.
    fn abandon(&self) {
        self.next.store(self.tasks.len(), Ordering::Relaxed);
        if let Some(turns) = self.turns {
            turns.end_before(0);
        }
    }

    /// The next task: its number and its rows. Of several that are taken at once, the number is that of the first.
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
                pace.look(tasks, next, at_once, member);
            }
        }
        let count = if tasks.is_joined { at_once.load(Ordering::Relaxed) } else { 1 };
        // Nothing but the number is handed over: what tasks use was there before the share began.
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

/// A task that was not finished has panicked, so there is no use in the rest.
impl Drop for Taker<'_> {
    fn drop(&mut self) {
        if self.at.is_some() {
            self.abandon();
        }
    }
}

/// How fast the owner gets on, and how many helpers it has called.
struct Pace<'a> {
    pool: &'a Pool,
    /// When the loop began, if there are other threads to which that matters.
    start: Option<Instant>,
    /// What it has done, and how often it has taken something.
    tasks: usize,
    rows: usize,
    turns: u64,
    /// How many tasks it has done, at least, when it looks at the clock again.
    next_look: usize,
    called: usize,
}

impl<'a> Pace<'a> {
    #[inline]
    fn new(pool: &'a Pool, tasks: Tasks) -> Self {
        let looks = tasks.len() > 1;
        let next_look = if looks { 1 } else { usize::MAX };
        let start = (looks && cfg!(feature = "parallel")).then(Instant::now);
        Self { pool, start, tasks: 0, rows: 0, turns: 0, next_look, called: 0 }
    }

    /// Calls for help if what is left is worth it, and settles how much is taken at once.
    fn look(&mut self, tasks: Tasks, next: &AtomicUsize, at_once: &AtomicUsize, member: &Participant<'_>) {
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
            // Towards the end each thread should still have something to do.
            let turns = (estimate / TURN).max(4 * self.pool.threads() as u128);
            let turns = if estimate < WORTH { 1 } else { usize::try_from(turns).unwrap_or(usize::MAX) };
            // What has been done says little about rows that are many more.
            at_once.store((left / turns).clamp(1, self.tasks), Ordering::Relaxed);
        }
        // The memory of the first rows is cold, so they say more than the truth: if they say little, the truth is less.
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
