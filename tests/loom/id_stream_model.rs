//! Streams that numbers are taken from, tried in all orders of events: each number is taken once, a split hides the numbers that it skips,
//! and a concurrent reader sees each number as taken or not, and reads no memory that is not initialized yet.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

/// The very file of the core, on loom's types.
#[path = "../../ecs/src/entity/id_stream.rs"]
mod id_stream;

/// The replacement of the core's `entity::sync`.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
}

use id_stream::{CHUNK, IdStream, IdStreams};

/// Streams with these windows.
fn open(windows: &[u32]) -> IdStreams {
    let mut streams = IdStreams::default();
    streams.open(0, windows.iter().copied(), CHUNK, None);
    streams
}

/// The next position of a stream, if one of the first few is left.
fn take(stream: &IdStream) -> Option<u64> {
    stream.take_one(|nth| (nth < 100).then(|| stream.position(nth)))
}

/// The next position of a stream that is a part of another one.
fn take_part(part: &IdStream, of: &IdStream) -> Option<u64> {
    assert!(part.parent().is_some());
    part.take_one(|nth| Some(of.position(part.position(nth))))
}

/// Returns the taken numbers that closing the streams finds.
fn all(streams: &IdStreams) -> Vec<u64> {
    streams.iter().for_each(IdStream::join);
    let mut all = Vec::new();
    streams.iter().for_each(|stream| stream.for_each(|position| all.push(position)));
    let count: u64 = streams.iter().map(IdStream::count).sum();
    assert_eq!(count, all.len() as u64);
    let end = streams.end();
    assert!((0..end + 2).all(|position| streams.is_taken(position) == all.contains(&position)), "{all:?}");
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
fn two_threads_that_take_from_one_stream_get_different_numbers() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(|| {
        let streams = Arc::new(open(&[2, 1]));
        let other = Arc::clone(&streams);
        let helper = thread::spawn(move || {
            let stream = other.get(0).expect("a stream");
            [take(stream), stream.take(2, |position| position < 200).map(|nth| stream.position(nth))]
        });
        let (stream, last) = (streams.get(0).expect("a stream"), streams.last().expect("a stream"));
        let mut got = vec![take(stream).expect("a number"), take(last).expect("a number")];
        let [one, first] = helper.join().expect("the helper did not panic");
        got.extend(one);
        // If two numbers are taken at once, the second is the next of the stream.
        let all = all(&streams);
        let first = first.expect("a number");
        assert!(all.contains(&first));
        let rest: Vec<u64> = all.iter().copied().filter(|position| !got.contains(position)).collect();
        assert_eq!((rest.len(), rest[0]), (2, first));
        // The memory is kept for the next time, and given back when that is asked for.
        let mut streams = Arc::try_unwrap(streams).expect("the helper has ended");
        streams.clear();
        assert!(streams.is_empty() && streams.allocated_bytes() > 0);
        streams.shrink();
        assert_eq!(streams.allocated_bytes(), 0);
    });
}

#[test]
fn parts_of_a_split_take_at_the_same_time_while_another_thread_looks() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 10_000;
    builder.check(|| {
        let streams = Arc::new(open(&[4, 0]));
        let looked = Arc::new(AtomicUsize::new(0));
        let (other, seen) = (Arc::clone(&streams), Arc::clone(&looked));
        let looker = thread::spawn(move || {
            // A number that has been seen as taken stays so, whatever is split or joined.
            let first = other.is_taken(0);
            let part = other.is_taken(1);
            seen.store(usize::from(first) + usize::from(part), Ordering::Relaxed);
            assert!(!first || other.is_taken(0));
            assert!(!part || other.is_taken(1));
        });
        let stream = streams.get(0).expect("a stream");
        let mut got = vec![take(stream).expect("a number")];
        let node = stream.split(2, 1).expect("it is not split");
        assert!(stream.is_split() && stream.split(2, 1).is_none() && take(stream).is_none());
        for number in [1, 0] {
            got.push(take_part(node.streams.get(number).expect("a part"), stream).expect("a number"));
        }
        stream.join();
        assert!(!stream.is_split());
        got.push(take(stream).expect("a number"));
        looker.join().expect("the looker did not panic");
        assert!(looked.load(Ordering::Relaxed) <= 2);
        assert_same(got, all(&streams));
    });
}

#[test]
fn two_threads_that_split_one_stream_do_not_both() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 10_000;
    builder.check(|| {
        let streams = Arc::new(open(&[2, 0]));
        let use_it = |streams: &IdStreams| -> Vec<u64> {
            let stream = streams.get(0).expect("a stream");
            let Some(node) = stream.split(1, 1) else { return take(stream).into_iter().collect() };
            let got = take_part(node.streams.get(0).expect("a part"), stream);
            stream.join();
            got.into_iter().collect()
        };
        let other = Arc::clone(&streams);
        let helper = thread::spawn(move || use_it(&other));
        let mut got = use_it(&streams);
        got.extend(helper.join().expect("the helper did not panic"));
        assert_same(got, all(&streams));
    });
}
