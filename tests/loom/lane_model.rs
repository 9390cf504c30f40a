//! Lanes that numbers are taken from, tried in all orders of events: each number is given once, a split hides what it passes
//! over, and whoever looks meanwhile sees a number as taken or not, and no memory that is not there yet.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

/// The very file of the core, on loom's types.
#[path = "../../ecs/src/entity/lane.rs"]
mod lane;

/// What stands in the place of the core's `entity::sync`.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
}

use lane::{CHUNK, Lane, Lanes};

/// Lanes with these windows.
fn open(windows: &[u32]) -> Lanes {
    let mut lanes = Lanes::default();
    lanes.open(0, windows.iter().copied(), CHUNK, None);
    lanes
}

/// The next position of a lane, if one of the first few is left.
fn take(lane: &Lane) -> Option<u64> {
    lane.take_one(|nth| (nth < 100).then(|| lane.position(nth)))
}

/// The next position of a lane that is a part of another one.
fn take_part(part: &Lane, of: &Lane) -> Option<u64> {
    assert!(part.parent().is_some());
    part.take_one(|nth| Some(of.position(part.position(nth))))
}

/// What has been taken, as closing the lanes finds it.
fn all(lanes: &Lanes) -> Vec<u64> {
    lanes.iter().for_each(Lane::join);
    let mut all = Vec::new();
    lanes.iter().for_each(|lane| lane.for_each(|position| all.push(position)));
    let count: u64 = lanes.iter().map(Lane::count).sum();
    assert_eq!(count, all.len() as u64);
    let end = lanes.end();
    assert!((0..end + 2).all(|position| lanes.is_taken(position) == all.contains(&position)), "{all:?}");
    all
}

fn assert_same(mut got: Vec<u64>, mut all: Vec<u64>) {
    got.sort_unstable();
    all.sort_unstable();
    assert_eq!(got, all);
    got.dedup();
    assert_eq!(got.len(), all.len(), "a number was given twice");
}

#[test]
fn two_threads_that_take_from_one_lane_get_different_numbers() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(|| {
        let lanes = Arc::new(open(&[2, 1]));
        let other = Arc::clone(&lanes);
        let helper = thread::spawn(move || {
            let lane = other.get(0).expect("a lane");
            [take(lane), lane.take(2, |position| position < 200).map(|nth| lane.position(nth))]
        });
        let (lane, last) = (lanes.get(0).expect("a lane"), lanes.last().expect("a lane"));
        let mut got = vec![take(lane).expect("a number"), take(last).expect("a number")];
        let [one, first] = helper.join().expect("the helper did not panic");
        got.extend(one);
        // Of two that are taken at once, the second is the next of the lane.
        let all = all(&lanes);
        let first = first.expect("a number");
        assert!(all.contains(&first));
        let rest: Vec<u64> = all.iter().copied().filter(|position| !got.contains(position)).collect();
        assert_eq!((rest.len(), rest[0]), (2, first));
        // The memory is kept for the next time, and given back when that is asked for.
        let mut lanes = Arc::try_unwrap(lanes).expect("the helper has ended");
        lanes.clear();
        assert!(lanes.is_empty() && lanes.allocated_bytes() > 0);
        lanes.shrink();
        assert_eq!(lanes.allocated_bytes(), 0);
    });
}

#[test]
fn parts_of_a_split_take_at_the_same_time_while_another_thread_looks() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 10_000;
    builder.check(|| {
        let lanes = Arc::new(open(&[4, 0]));
        let looked = Arc::new(AtomicUsize::new(0));
        let (other, seen) = (Arc::clone(&lanes), Arc::clone(&looked));
        let looker = thread::spawn(move || {
            // A number that has been seen as taken stays so, whatever is split or joined.
            let first = other.is_taken(0);
            let part = other.is_taken(1);
            seen.store(usize::from(first) + usize::from(part), Ordering::Relaxed);
            assert!(!first || other.is_taken(0));
            assert!(!part || other.is_taken(1));
        });
        let lane = lanes.get(0).expect("a lane");
        let mut got = vec![take(lane).expect("a number")];
        let node = lane.split(2, 1).expect("it is not split");
        assert!(lane.is_split() && lane.split(2, 1).is_none() && take(lane).is_none());
        for number in [1, 0] {
            got.push(take_part(node.lanes.get(number).expect("a part"), lane).expect("a number"));
        }
        lane.join();
        assert!(!lane.is_split());
        got.push(take(lane).expect("a number"));
        looker.join().expect("the looker did not panic");
        assert!(looked.load(Ordering::Relaxed) <= 2);
        assert_same(got, all(&lanes));
    });
}

#[test]
fn two_threads_that_split_one_lane_do_not_both() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 10_000;
    builder.check(|| {
        let lanes = Arc::new(open(&[2, 0]));
        let use_it = |lanes: &Lanes| -> Vec<u64> {
            let lane = lanes.get(0).expect("a lane");
            let Some(node) = lane.split(1, 1) else { return take(lane).into_iter().collect() };
            let got = take_part(node.lanes.get(0).expect("a part"), lane);
            lane.join();
            got.into_iter().collect()
        };
        let other = Arc::clone(&lanes);
        let helper = thread::spawn(move || use_it(&other));
        let mut got = use_it(&lanes);
        got.extend(helper.join().expect("the helper did not panic"));
        assert_same(got, all(&lanes));
    });
}
