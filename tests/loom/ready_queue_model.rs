//! The ready queue of a stage, tried in all orders of events: each unit is run once, after all that it waits for, and the owner ends.

use std::sync::Mutex as StdMutex;

use loom::cell::UnsafeCell;
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

/// The very file of the core, on loom's types.
#[path = "../../ecs/src/schedule/ready_queue.rs"]
mod ready_queue;

/// The replacement of the core's `schedule::sync`.
mod sync {
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
}

use ready_queue::ReadyQueue;

/// A stage: by unit, those before it, and whether only the owner may run it.
struct Stage {
    before: &'static [&'static [u32]],
    owners: &'static [bool],
    /// A unit that panics.
    panics: Option<u32>,
}

impl Stage {
    const fn of(before: &'static [&'static [u32]], owners: &'static [bool]) -> Self {
        Self { before, owners, panics: None }
    }

    fn successors(&self) -> Vec<Vec<u32>> {
        let after = |unit: u32| (0..self.len()).filter(|later| self.before[*later as usize].contains(&unit)).collect();
        (0..self.len()).map(after).collect()
    }

    fn len(&self) -> u32 {
        self.before.len() as u32
    }
}

/// The data that the threads of a stage share: the ready queue, and memory that loom checks, with a cell for each unit.
struct Work {
    stage: &'static Stage,
    ready_queue: ReadyQueue<'static>,
    cells: Vec<UnsafeCell<u32>>,
    /// Which thread has run which unit. No synchronisation that loom knows of: it would hide what is missing.
    ran: StdMutex<Vec<(u32, bool)>>,
}

/// The lists that the ready queue borrows. They are created once for each stage, because loom runs a test many thousand times.
type Lists = (&'static [Vec<u32>], &'static [bool]);

impl Work {
    fn new(stage: &'static Stage, (successors, owners): Lists) -> Self {
        let waiting = stage.before.iter().map(|before| before.len() as u32).collect();
        Self {
            stage,
            ready_queue: ReadyQueue::new(waiting, successors, owners),
            cells: (0..stage.len()).map(|_| UnsafeCell::new(0)).collect(),
            ran: StdMutex::default(),
        }
    }

    /// The work of a member of the share. `call` is called when there is more work than the member can do itself.
    fn work(&self, is_owner: bool, mut call: impl FnMut(usize)) {
        while let Some(turn) = self.ready_queue.take(is_owner) {
            if turn.more > 0 {
                call(turn.more);
            }
            self.run(turn.unit, is_owner);
            if self.stage.panics == Some(turn.unit) {
                self.ready_queue.stop();
            } else {
                self.ready_queue.finish(turn.unit);
            }
        }
    }

    fn run(&self, unit: u32, is_owner: bool) {
        assert!(is_owner || !self.stage.owners[unit as usize], "unit {unit} belongs to the owner");
        // The writes of earlier units are visible without further synchronization.
        for before in self.stage.before[unit as usize] {
            self.cells[*before as usize].with(|cell| {
                // SAFETY: loom fails the test if another thread may write the cell at this time.
                assert_eq!(unsafe { *cell }, before + 1, "unit {unit} came before unit {before}");
            });
        }
        self.cells[unit as usize].with_mut(|cell| {
            // SAFETY: loom fails the test if another thread may use the cell at this time.
            let cell = unsafe { &mut *cell };
            assert_eq!(*cell, 0, "unit {unit} was run twice");
            *cell = unit + 1;
        });
        self.ran.lock().expect("no panic poisons it").push((unit, is_owner));
    }
}

/// An owner and helpers that are called in the beginning; each of them leaves when nothing is ready.
fn share(stage: &'static Stage, lists: Lists, helpers: usize) {
    let work = Arc::new(Work::new(stage, lists));
    let helpers: Vec<_> = (0..helpers)
        .map(|_| {
            let work = Arc::clone(&work);
            thread::spawn(move || work.work(false, |_| ()))
        })
        .collect();
    work.work(true, |_| ());
    // As at the end of a share: the owner waits for the helpers inside.
    helpers.into_iter().for_each(|helper| helper.join().expect("helpers end well"));
    check_ran(&work);
}

fn check_ran(work: &Work) {
    let mut ran: Vec<u32> = work.ran.lock().expect("no panic poisons it").iter().map(|(unit, _)| *unit).collect();
    ran.sort_unstable();
    match work.stage.panics {
        None => assert_eq!(ran, (0..work.stage.len()).collect::<Vec<u32>>(), "each unit is run once"),
        Some(panics) => {
            let after = work.stage.before.iter().zip(0..).filter(|(before, _)| before.contains(&panics));
            after.for_each(|(_, unit)| assert!(!ran.contains(&unit), "unit {unit} waits for one that panicked"));
            ran.dedup();
            assert_eq!(ran.len(), work.ran.lock().expect("no panic poisons it").len(), "no unit is run twice");
        }
    }
}

/// Tries all orders of events with so many preemptions.
fn model(preemptions: usize, helpers: usize, stage: &'static Stage) {
    let lists: Lists = (Vec::leak(stage.successors()), stage.owners);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || share(stage, lists, helpers));
}

/// 0, then 1 and 2, then 3.
const SPLIT_AND_JOIN: Stage = Stage::of(&[&[], &[0], &[0], &[1, 2]], &[false; 4]);
/// Two for the owner only, of which the second waits for one that any thread may run.
const OWNER_WAITS: Stage = Stage::of(&[&[], &[], &[1]], &[true, false, true]);

/// 0 before 1, and both before 2.
static CHAIN: Stage = Stage::of(&[&[], &[0], &[0, 1]], &[false; 3]);
static DIAMOND: Stage = SPLIT_AND_JOIN;
/// Two that are independent, and one after both.
static JOIN: Stage = Stage::of(&[&[], &[], &[0, 1]], &[false; 3]);
/// Units for the owner wait for units for any thread, and the other way round.
static OWNED: Stage = Stage::of(&[&[], &[0], &[1]], &[false, true, false]);
static TWICE_OWNED: Stage = OWNER_WAITS;
/// All of it is the owner's.
static ALL_OWNED: Stage = Stage::of(&[&[], &[0]], &[true; 2]);

#[test]
fn units_in_a_row() {
    model(4, 1, &CHAIN);
    model(3, 2, &CHAIN);
}

#[test]
fn units_side_by_side_between_two_others() {
    model(4, 1, &DIAMOND);
    model(3, 2, &DIAMOND);
}

#[test]
fn a_unit_that_waits_for_two() {
    model(4, 1, &JOIN);
    model(3, 2, &JOIN);
}

#[test]
fn units_that_only_the_owner_may_run() {
    model(4, 1, &OWNED);
    model(3, 2, &OWNED);
    model(4, 1, &TWICE_OWNED);
    model(3, 2, &TWICE_OWNED);
    model(4, 1, &ALL_OWNED);
}

#[test]
fn a_panic_ends_the_stage_on_whichever_thread_the_unit_runs() {
    static FIRST: Stage = Stage { panics: Some(0), ..SPLIT_AND_JOIN };
    static MIDDLE: Stage = Stage { panics: Some(1), ..SPLIT_AND_JOIN };
    static OF_OWNER: Stage = Stage { panics: Some(0), ..OWNER_WAITS };
    static BEFORE_OWNER: Stage = Stage { panics: Some(1), ..OWNER_WAITS };
    for stage in [&FIRST, &MIDDLE, &OF_OWNER, &BEFORE_OWNER] {
        model(4, 1, stage);
        model(3, 2, stage);
    }
}

/// Helpers come only when they are called: the thread that takes a unit calls as many as there are others ready.
#[test]
fn helpers_that_are_called_when_there_is_more() {
    static STAGE: Stage = Stage::of(&[&[], &[0], &[0], &[1, 2]], &[false, false, true, false]);
    let lists: Lists = (Vec::leak(STAGE.successors()), STAGE.owners);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let work = Arc::new(Work::new(&STAGE, lists));
        let mut helpers = Vec::new();
        work.work(true, |more| {
            if helpers.len() < more.min(2) {
                let work = Arc::clone(&work);
                helpers.push(thread::spawn(move || work.work(false, |_| ())));
            }
        });
        helpers.into_iter().for_each(|helper| helper.join().expect("helpers end well"));
        check_ran(&work);
    });
}

/// An owner and two helpers. Units that wait for another one, if they are run by a helper, do not wait for ever if the other
/// one is ready: the owner is woken for it although a helper still runs a unit.
fn wakes_the_owner(stage: &'static Stage, waits: &'static [u32], for_unit: u32) {
    let lists: Lists = (Vec::leak(stage.successors()), stage.owners);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let work = Arc::new((Work::new(stage, lists), Mutex::new(false), Condvar::new()));
        let act = move |work: &(Work, Mutex<bool>, Condvar), is_owner: bool| {
            let (work, has_begun, changed) = work;
            while let Some(turn) = work.ready_queue.take(is_owner) {
                if turn.unit == for_unit {
                    *has_begun.lock().expect("no panic poisons it") = true;
                    changed.notify_all();
                } else if waits.contains(&turn.unit) && !is_owner {
                    let mut has_begun = has_begun.lock().expect("no panic poisons it");
                    while !*has_begun {
                        has_begun = changed.wait(has_begun).expect("no panic poisons it");
                    }
                }
                work.run(turn.unit, is_owner);
                work.ready_queue.finish(turn.unit);
            }
        };
        let helpers = [(); 2].map(|()| {
            let work = Arc::clone(&work);
            thread::spawn(move || act(&work, false))
        });
        act(&work, true);
        helpers.into_iter().for_each(|helper| helper.join().expect("helpers end well"));
        check_ran(&work.0);
    });
}

#[test]
fn the_owner_is_woken_for_what_only_it_may_run() {
    static STAGE: Stage = Stage::of(&[&[], &[0], &[]], &[false, true, false]);
    wakes_the_owner(&STAGE, &[2], 1);
}

#[test]
fn the_owner_is_woken_for_a_unit_that_the_finishing_thread_leaves() {
    static STAGE: Stage = Stage::of(&[&[], &[0], &[0], &[]], &[false; 4]);
    wakes_the_owner(&STAGE, &[1, 3], 2);
}
