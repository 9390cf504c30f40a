//! Tasks that take turns in lanes, tried in all orders of events: each runs once, those of a lane one after the other, and
//! none is left although no thread waits.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// The very file of the core, on loom's types.
#[path = "../../ecs/src/util/pool/turns.rs"]
mod turns;

/// The replacement of the core's `pool::sync`.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicUsize, Ordering};
}

use turns::Turns;

/// Fewer than in the core, as each look at a lane may come before or after what another thread does.
const LANES: usize = 2;

/// The data that the tasks of a lane share, which loom checks, and for each task the number of its runs.
struct Work {
    turns: Turns,
    lanes: Vec<UnsafeCell<Vec<usize>>>,
    fails_at: usize,
}

impl Work {
    fn new(tasks: usize, fails_at: usize) -> Arc<Self> {
        let lanes = (0..LANES).map(|_| UnsafeCell::new(Vec::new())).collect();
        Arc::new(Self { turns: Turns::new(tasks), lanes, fails_at })
    }

    /// The work of each thread: it ends when no task can be taken.
    fn work(&self) {
        while let Some(task) = self.turns.take() {
            self.lanes[task % LANES].with_mut(|lane| {
                // SAFETY: loom fails the test if another thread uses the cell at this time.
                unsafe { (*lane).push(task) }
            });
            if task == self.fails_at {
                self.turns.end_before(task);
            }
            self.turns.finish(task);
        }
    }

    /// Which tasks ran, by lane.
    fn ran(&self) -> Vec<Vec<usize>> {
        let lane = |cell: &UnsafeCell<Vec<usize>>| {
            // SAFETY: all threads have ended; loom would say if one had not.
            cell.with(|lane| unsafe { (*lane).clone() })
        };
        self.lanes.iter().map(lane).collect()
    }
}

/// Runs all tasks on two threads, one of which loom soon considers blocked.
fn check(tasks: usize, fails_at: usize) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 10_000;
    builder.check(move || {
        let work = Work::new(tasks, fails_at);
        let other = Arc::clone(&work);
        let helper = thread::spawn(move || other.work());
        work.work();
        helper.join().expect("the helper did not panic");
        let ran = work.ran();
        for (number, lane) in ran.iter().enumerate() {
            let in_order: Vec<usize> = (0..lane.len()).map(|nth| number + nth * LANES).collect();
            assert_eq!(*lane, in_order, "the tasks of a lane, each once and in order");
        }
        // All tasks before a failed task have run; some of the others may have run.
        let must = tasks.min(fails_at.saturating_add(1));
        assert!((0..must).all(|task| ran[task % LANES].contains(&task)), "a task was left: {ran:?}");
        assert!(ran.iter().flatten().all(|task| *task < tasks));
    });
}

#[test]
fn each_task_runs_once_and_after_the_one_before_it_in_its_lane() {
    check(1, usize::MAX);
    check(4, usize::MAX);
}

#[test]
fn tasks_before_one_that_fails_are_not_left() {
    for fails_at in [0, 1, 2] {
        check(4, fails_at);
    }
}
