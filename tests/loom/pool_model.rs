//! The gate of a share of work, tried in all orders of events that its atomics allow.

use std::any::Any;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// The very file of the core, on loom's types.
#[path = "../../ecs/src/util/pool/gate.rs"]
mod gate;

/// The replacement of the core's `pool::sync`.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicUsize, Ordering};
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};

    /// Once is enough to try that path.
    pub(super) const LOOKS: u32 = 1;

    pub(super) fn pause() {
        loom::thread::yield_now();
    }
}

use gate::Gate;

/// The data that an owner shares: memory that loom checks, with a cell for each helper.
struct Lent {
    gate: Gate,
    cells: [UnsafeCell<u32>; 2],
}

impl Lent {
    fn new() -> Arc<Self> {
        Arc::new(Self { gate: Gate::new(), cells: [UnsafeCell::new(0), UnsafeCell::new(0)] })
    }

    /// The work of a helper that was called.
    fn help(&self, helper: usize, panic: bool) {
        if self.gate.enter() {
            self.cells[helper].with_mut(|cell| {
                // SAFETY: loom fails the test if another thread uses the cell at this time.
                unsafe { *cell += 1 }
            });
            self.gate.leave(panic.then(|| Box::new(helper) as Box<dyn Any + Send>));
        }
    }

    /// The work of the owner at the end. Loom checks that the writes of helpers happen before it, and that none happens after it.
    fn end(&self) -> (u32, Option<usize>) {
        let panic = self.gate.close();
        let helped = self.cells.iter().map(|cell| {
            cell.with_mut(|cell| {
                // SAFETY: loom fails the test if a helper uses the cell at this time.
                unsafe { *cell }
            })
        });
        (helped.sum(), panic.map(|helper| *helper.downcast().expect("a helper's number")))
    }
}

fn model(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(test);
}

/// An owner and helpers, of which some panic.
fn share(panics: &'static [bool]) {
    let lent = Lent::new();
    assert_eq!(lent.gate.call(5, panics.len()), panics.len());
    let helpers: Vec<_> = panics
        .iter()
        .enumerate()
        .map(|(helper, panic)| {
            let lent = Arc::clone(&lent);
            thread::spawn(move || lent.help(helper, *panic))
        })
        .collect();
    let (helped, panic) = lent.end();
    match panic {
        Some(helper) => assert!(panics[helper]),
        None => assert!(helped < panics.len() as u32 || panics.iter().all(|panic| !panic)),
    }
    for helper in helpers {
        helper.join().expect("helpers end well");
    }
    assert_eq!(lent.end().0, helped, "no helper came in later");
}

#[test]
fn one_helper() {
    model(4, || share(&[false]));
    model(4, || share(&[true]));
}

#[test]
fn two_helpers() {
    model(3, || share(&[false, false]));
}

#[test]
fn two_helpers_of_which_one_panics() {
    model(2, || share(&[false, true]));
}

#[test]
fn two_helpers_that_panic() {
    model(2, || share(&[true, true]));
}

#[test]
fn a_helper_that_calls_the_next() {
    model(3, || {
        let lent = Lent::new();
        assert_eq!(lent.gate.call(1, 2), 1);
        let helper = {
            let lent = Arc::clone(&lent);
            thread::spawn(move || {
                let next = (lent.gate.call(3, 2) == 1).then(|| {
                    let lent = Arc::clone(&lent);
                    thread::spawn(move || lent.help(1, false))
                });
                lent.help(0, false);
                next
            })
        };
        let (helped, _) = lent.end();
        if let Some(next) = helper.join().expect("it ends well") {
            next.join().expect("it ends well");
        }
        assert_eq!(lent.end().0, helped);
    });
}

#[test]
fn no_more_are_called_than_there_is_room_for() {
    model(3, || {
        let lent = Lent::new();
        let other = {
            let lent = Arc::clone(&lent);
            thread::spawn(move || lent.gate.call(2, 2))
        };
        let here = lent.gate.call(2, 2);
        assert_eq!(here + other.join().expect("it ends well"), 2);
    });
}
