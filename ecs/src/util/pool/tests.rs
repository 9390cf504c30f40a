use alloc::sync::Arc;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;
use std::sync::{Barrier, Mutex};
use std::vec::Vec;

use rayon_core::{ThreadPool, ThreadPoolBuilder};

use super::{Pool, Tasks};

fn threads(count: usize) -> Arc<ThreadPool> {
    Arc::new(ThreadPoolBuilder::new().num_threads(count).build().unwrap())
}

fn pool(count: usize) -> Pool {
    Pool::of(threads(count))
}

fn message(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it panics");
    String::from(*panic.downcast::<&str>().expect("with a text"))
}

/// Yields to other threads until a condition holds.
fn wait_for(happened: impl Fn() -> bool) {
    while !happened() {
        std::thread::yield_now();
    }
}

#[test]
fn without_a_call_only_the_owner_works() {
    let pool = pool(4);
    let runs = AtomicUsize::new(0);
    let here = std::thread::current().id();
    pool.share(|member| {
        assert!(member.is_owner());
        assert_eq!(std::thread::current().id(), here);
        runs.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(runs.into_inner(), 1);
}

#[test]
fn helpers_work_beside_the_owner_and_are_seen() {
    let pool = pool(4);
    let written = [const { Mutex::new(0) }; 4];
    let (next, all) = (AtomicUsize::new(0), Barrier::new(4));
    pool.share(|member| {
        if member.is_owner() {
            assert_eq!(member.call_helpers(9), 3, "no more than there are threads");
            assert_eq!(member.call_helpers(1), 0);
        }
        all.wait();
        *written[next.fetch_add(1, Ordering::Relaxed)].lock().unwrap() = 7;
    });
    assert!(written.iter().all(|cell| *cell.lock().unwrap() == 7));
}

#[test]
fn a_helper_may_call_the_next() {
    let pool = pool(3);
    let inside = AtomicUsize::new(0);
    pool.share(|member| {
        inside.fetch_add(1, Ordering::SeqCst);
        if member.is_owner() {
            assert_eq!(member.call_helpers(1), 1);
        } else if inside.load(Ordering::SeqCst) == 2 {
            assert_eq!(member.call_helpers(5), 1);
        }
        wait_for(|| inside.load(Ordering::SeqCst) == 3);
    });
}

#[test]
fn a_helper_that_has_left_may_be_called_again() {
    let pool = pool(2);
    let helped = AtomicUsize::new(0);
    pool.share(|member| {
        if !member.is_owner() {
            helped.fetch_add(1, Ordering::SeqCst);
            return;
        }
        for times in 1..20 {
            wait_for(|| member.call_helpers(1) == 1);
            wait_for(|| helped.load(Ordering::SeqCst) == times);
        }
    });
}

#[test]
fn an_owner_does_not_wait_for_helpers_that_have_not_begun() {
    let threads = threads(2);
    let pool = Pool::of(Arc::clone(&threads));
    // Both threads are busy for as long as the share lasts.
    let (go_on, busy) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    for _ in 0..2 {
        let (go_on, busy) = (Arc::clone(&go_on), Arc::clone(&busy));
        threads.spawn(move || {
            busy.fetch_add(1, Ordering::SeqCst);
            wait_for(|| go_on.load(Ordering::SeqCst));
        });
    }
    wait_for(|| busy.load(Ordering::SeqCst) == 2);
    let runs = AtomicUsize::new(0);
    pool.share(|member| {
        runs.fetch_add(1, Ordering::SeqCst);
        assert_eq!(member.call_helpers(1), 1);
    });
    go_on.store(true, Ordering::SeqCst);
    // A job that is installed now runs after the late helper.
    threads.install(|| ());
    drop((pool, threads));
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[test]
fn shares_nest_and_follow_each_other_on_any_thread() {
    let threads = threads(3);
    for round in 0..200_u32 {
        let pool = Pool::of(Arc::clone(&threads));
        let sum = AtomicUsize::new(0);
        let outer = || {
            pool.work_off(Tasks::of_size(8, 1), |tasks| {
                while let Some((outer, _)) = tasks.take() {
                    pool.share(|member| {
                        member.call_helpers(2);
                        if member.is_owner() {
                            sum.fetch_add(outer, Ordering::Relaxed);
                        }
                    });
                }
            });
        };
        if round.is_multiple_of(2) {
            outer()
        } else {
            threads.install(outer)
        }
        assert_eq!(sum.into_inner(), 28);
    }
}

#[test]
fn a_pool_of_one_thread_has_no_helpers() {
    let pool = pool(1);
    assert_eq!(pool.threads(), 1);
    pool.share(|member| assert_eq!(member.call_helpers(3), 0));
}

#[test]
fn a_panic_of_the_owner_waits_for_helpers() {
    let pool = pool(2);
    let (inside, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let text = message(|| {
        pool.share(|member| {
            if member.is_owner() {
                member.call_helpers(1);
                wait_for(|| inside.load(Ordering::SeqCst));
                panic!("the owner");
            }
            inside.store(true, Ordering::SeqCst);
            done.store(true, Ordering::SeqCst);
            panic!("the helper");
        });
    });
    assert_eq!(text, "the owner");
    assert!(done.into_inner());
}

#[test]
fn a_panic_of_a_helper_comes_out_at_the_owner() {
    let pool = pool(2);
    let inside = AtomicBool::new(false);
    let text = message(|| {
        pool.share(|member| {
            if member.is_owner() {
                member.call_helpers(1);
                wait_for(|| inside.load(Ordering::SeqCst));
            } else {
                inside.store(true, Ordering::SeqCst);
                panic!("the helper");
            }
        });
    });
    assert_eq!(text, "the helper");
    // The pool still works.
    let both = Barrier::new(2);
    pool.share(|member| {
        member.call_helpers(1);
        both.wait();
    });
}

#[test]
fn tasks_cover_all_rows_in_order() {
    for rows in (0..700).chain([4096, 4097, 100_000, 600_000, 10_000_000]) {
        for tasks in [Tasks::of(rows), Tasks::of_size(rows, 3), Tasks::of_size(rows, usize::MAX)] {
            let mut end = 0;
            for task in 0..tasks.len() {
                let range = tasks.rows(task..task + 1);
                assert_eq!(range.start, end, "{tasks:?}");
                assert!(!range.is_empty(), "{tasks:?}");
                end = range.end;
            }
            assert_eq!(end, rows, "{tasks:?}");
            assert!(tasks.rows(tasks.len()..tasks.len() + 1).is_empty(), "{tasks:?}");
        }
        let tasks = Tasks::of(rows);
        assert!(rows <= 64 || (2..tasks.len()).all(|task| tasks.rows(task..task + 1).start.is_multiple_of(64)));
    }
}

#[test]
fn each_task_is_taken_once() {
    for count in 1..4 {
        let pool = pool(count);
        let taken: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        pool.work_off(Tasks::of_size(1000, 1), |tasks| {
            while let Some((task, rows)) = tasks.take() {
                assert_eq!(rows, task..task + 1);
                taken[task].fetch_add(1, Ordering::Relaxed);
                for _ in 0..1000 {
                    core::hint::spin_loop();
                }
            }
        });
        assert!(taken.iter().all(|times| times.load(Ordering::Relaxed) == 1));
    }
}

#[test]
fn tasks_that_are_taken_at_once_cover_all_rows_in_order() {
    for (count, rows) in [(1, 10_000), (2, 10_000), (3, 1_000_000), (1, 9)] {
        let taken: Mutex<Vec<(usize, Range<usize>)>> = Mutex::default();
        pool(count).work_off(Tasks::of(rows).joined(), |tasks| {
            while let Some(task) = tasks.take() {
                taken.lock().unwrap().push(task);
            }
        });
        let mut taken = taken.into_inner().unwrap();
        taken.sort_unstable_by_key(|(task, _)| *task);
        let end = taken.iter().fold(0, |end, (task, rows)| {
            assert_eq!(rows.start, end, "task {task}");
            rows.end
        });
        assert_eq!(end, rows);
    }
}

#[test]
fn no_task_is_taken_after_a_panic() {
    let pool = pool(1);
    let taken = AtomicUsize::new(0);
    let text = message(|| {
        pool.work_off(Tasks::of_size(10, 1), |tasks| {
            let first = tasks.take();
            taken.fetch_add(1, Ordering::Relaxed);
            assert!(first.is_none(), "enough");
        });
    });
    assert_eq!((text.as_str(), taken.into_inner()), ("enough", 1));
}
