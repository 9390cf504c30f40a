//! A value that is settled by the first of several readers, tried in all orders of events: it is settled once, and no reader sees it
//! before.

use loom::sync::Arc;
use loom::thread;

/// The very file of the core, on loom's types.
#[path = "../../ecs/src/relations/relationship/settled.rs"]
mod settled;

/// What stands in the place of the core's `relationship::sync`.
mod sync {
    pub(super) use loom::cell::UnsafeCell;
    pub(super) use loom::sync::atomic::{AtomicU8, Ordering};
    pub(super) use loom::thread::yield_now as pause;
}

use settled::{SETTLED, Settled};

/// Numbers of which those that are odd are holes, as the entities of a list are.
fn numbers(count: u32) -> Settled<Vec<u32>> {
    Settled::new(sync::UnsafeCell::new((0..count).collect()), sync::AtomicU8::new(SETTLED))
}

/// Closes the holes. A second time it would find none, and would say so.
fn close(numbers: &mut Vec<u32>) {
    let count = numbers.len();
    numbers.retain(|number| number % 2 == 0);
    assert_ne!(numbers.len(), count, "settled a second time");
}

/// So many threads read at once, this one among them.
fn read_by(threads: usize, numbers: Arc<Settled<Vec<u32>>>, expected: &'static [u32]) -> Settled<Vec<u32>> {
    let others: Vec<_> = (1..threads)
        .map(|_| {
            let numbers = Arc::clone(&numbers);
            thread::spawn(move || assert_eq!(*numbers.get(close), expected))
        })
        .collect();
    assert_eq!(*numbers.get(close), expected);
    // What has been read once can be read again.
    assert_eq!(*numbers.get(close), expected);
    others.into_iter().for_each(|other| other.join().expect("the other reader did not panic"));
    Arc::try_unwrap(numbers).unwrap_or_else(|_| panic!("all readers have ended"))
}

#[test]
fn one_of_two_readers_settles_a_value() {
    loom::model(|| {
        let mut all = numbers(4);
        all.open();
        let mut all = read_by(2, Arc::new(all), &[0, 2]);
        assert!(all.is_settled());
        // It may change again, and is settled again.
        all.get_mut().extend([3, 4]);
        all.open();
        let mut all = read_by(2, Arc::new(all), &[0, 2, 4]);
        assert_eq!(*all.settled_mut(close), [0, 2, 4]);
    });
}

#[test]
fn one_of_three_readers_settles_a_value() {
    let mut builder = loom::model::Builder::new();
    // Two that wait would let each other go first for ever.
    builder.preemption_bound = Some(1);
    builder.check(|| {
        let mut all = numbers(2);
        all.open();
        read_by(3, Arc::new(all), &[0]);
    });
}

#[test]
fn what_is_settled_stays_as_it_is() {
    loom::model(|| {
        let mut all = read_by(2, Arc::new(numbers(3)), &[0, 1, 2]);
        assert_eq!(*all.settled_mut(close), [0, 1, 2]);
    });
}
