//! Numbers that several tasks take at the same time, each from a stream of its own.
//!
//! The numbers from `first` on are dealt out in advance: each stream has a window, one behind the other, and beyond these the
//! streams have chunks in turn. So what a stream gives depends on how much was taken from it, never on when. Each stream counts
//! for itself, in a cache line of its own.
//!
//! A stream may be *split*: what it would give from here on is dealt out to parts in the same way. Meanwhile it gives nothing
//! itself; afterwards it goes on behind all that the parts have taken. Which numbers those are stays known until the streams
//! are cleared. Nothing here knows what the numbers are for.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::{iter, ptr};

use super::sync::{AtomicPtr, AtomicU64, Ordering};

/// How many numbers a task gets at a time beyond its window, as a power of two.
pub(super) const CHUNK: u32 = 6;

/// The same for a part of a split. There may be many parts, most of which take nothing.
const CHUNK_OF_PART: u32 = 3;

/// In the count of a stream: it is split at present.
const SPLIT: u64 = 1 << 63;

/// In a stream: it belongs to no split.
const NO_PARENT: u32 = u32::MAX;

/// One of several streams.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct IdStream {
    /// How many have been taken, and [`SPLIT`].
    taken: AtomicU64,
    /// Where the window begins, and its length.
    start: u64,
    window: u64,
    /// Where the first chunk begins, and how far the next one is from there.
    overflow: u64,
    stride: u64,
    splits: StreamSplits,
    /// The length of a chunk, as a power of two.
    chunk: u32,
    number: u32,
    /// Of the stream that is split, if this is a part: the numbers are counts of that stream.
    parent: u32,
}

impl IdStream {
    /// Its nth number.
    #[inline]
    pub(super) fn position(&self, nth: u64) -> u64 {
        if nth < self.window {
            return self.start + nth;
        }
        let beyond = nth - self.window;
        let within = beyond & ((1 << self.chunk) - 1);
        (beyond >> self.chunk).saturating_mul(self.stride).saturating_add(self.overflow + within)
    }

    /// How many numbers have been taken, those that a split has passed over included.
    #[inline]
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed) & !SPLIT
    }

    /// Which stream this is a part of.
    #[inline]
    pub(super) fn parent(&self) -> Option<u32> {
        (self.parent != NO_PARENT).then_some(self.parent)
    }

    /// Whether it is split at present.
    #[inline]
    pub(super) fn is_split(&self) -> bool {
        self.taken.load(Ordering::Relaxed) & SPLIT != 0
    }

    /// Takes the next one and says the how manieth it is, unless `allowed` says no to that. None also while the stream is split.
    #[inline]
    pub(super) fn take_one<T>(&self, mut allowed: impl FnMut(u64) -> Option<T>) -> Option<T> {
        let mut taken = self.taken.load(Ordering::Relaxed);
        // Not an addition that is taken back if it was too much: others would count from the sum meanwhile.
        loop {
            if taken & SPLIT != 0 {
                return None;
            }
            let found = allowed(taken)?;
            match self.taken.compare_exchange_weak(taken, taken + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(found),
                Err(now) => taken = now,
            }
        }
    }

    /// Takes the next `count`, unless `allowed` says no to the last of these numbers, and says the how manieth is the first.
    pub(super) fn take(&self, count: u32, allowed: impl Fn(u64) -> bool) -> Option<u64> {
        let next = |taken: u64| {
            let after = taken + u64::from(count);
            let all = taken & SPLIT == 0 && (count == 0 || allowed(self.position(after - 1)));
            all.then_some(after)
        };
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()
    }

    /// Splits it, unless it is split already or is a part itself. If there is no memory, nothing has happened.
    pub(super) fn split(&self, parts: u32, window: u32) -> Option<&StreamParts> {
        if self.parent().is_some() {
            return None;
        }
        let mut split = StreamParts::with_room(parts as usize);
        // Acquire: the thread that split it before is done with the list.
        let mark = |taken: u64| (taken & SPLIT == 0).then_some(taken | SPLIT);
        let base = self.taken.fetch_update(Ordering::Acquire, Ordering::Relaxed, mark).ok()?;
        // From here on nothing needs memory: the mark stays until the split ends.
        split.streams.open(base, iter::repeat_n(window, parts as usize), CHUNK_OF_PART, Some(self.number));
        self.splits.push(split)
    }

    /// Ends the split, if it is split.
    pub(super) fn join(&self) {
        if let Some(node) = self.splits.iter().next().filter(|_| self.is_split()) {
            // No other thread changes the count while it is marked.
            self.taken.store(node.streams.end(), Ordering::Release);
        }
    }

    /// Whether the nth number has been taken. Once a thread has been told so, it is not told otherwise.
    fn is_taken(&self, nth: u64) -> bool {
        // Acquire, and before the list: a thread that sees that a split has ended sees what its parts have taken.
        let taken = self.taken.load(Ordering::Acquire) & !SPLIT;
        let node = self.splits.iter().find(|node| node.streams.first <= nth);
        match node.filter(|node| nth < node.streams.end()) {
            Some(node) => node.streams.is_taken(nth),
            None => nth < taken,
        }
    }

    /// How many numbers have been taken, without what a split has passed over. No thread takes any meanwhile.
    pub(super) fn count(&self) -> u64 {
        let passed = self.splits.iter().map(|StreamParts { streams, .. }| {
            let taken: u64 = streams.iter().map(Self::taken).sum();
            streams.end() - streams.first - taken
        });
        self.taken() - passed.sum::<u64>()
    }

    /// Calls a function with all numbers that have been taken: in order, those of parts one part after the other.
    pub(super) fn for_each(&self, mut each: impl FnMut(u64)) {
        let mut next = 0;
        if self.splits.iter().next().is_some() {
            let mut splits: Vec<&StreamParts> = self.splits.iter().collect();
            splits.reverse();
            for StreamParts { streams, .. } in splits {
                (next..streams.first).for_each(|nth| each(self.position(nth)));
                for part in &streams.streams {
                    (0..part.taken()).for_each(|nth| each(self.position(part.position(nth))));
                }
                next = streams.end();
            }
        }
        (next..self.taken()).for_each(|nth| each(self.position(nth)));
    }
}

/// Streams that numbers are dealt out to.
#[derive(Debug, Default)]
pub(crate) struct IdStreams {
    streams: Vec<IdStream>,
    /// The first number.
    first: u64,
    /// The first one behind all windows.
    overflow: u64,
    /// The length of a chunk, as a power of two.
    chunk: u32,
}

impl IdStreams {
    /// Deals the numbers from `first` on out to as many streams as there are windows. There were none.
    pub(super) fn open(&mut self, first: u64, windows: impl Iterator<Item = u32>, chunk: u32, parent: Option<u32>) {
        debug_assert!(self.is_empty(), "the streams were not cleared");
        let mut next = first;
        let parent = parent.unwrap_or(NO_PARENT);
        self.streams.extend(windows.zip(0..).map(|(window, number)| {
            let (start, window) = (next, u64::from(window));
            next += window;
            let (taken, splits) = (AtomicU64::new(0), StreamSplits::default());
            IdStream { taken, start, window, overflow: 0, stride: 0, splits, chunk, number, parent }
        }));
        (self.first, self.overflow, self.chunk) = (first, next, chunk);
        let stride = (self.streams.len() as u64) << chunk;
        for stream in &mut self.streams {
            (stream.overflow, stream.stride) = (next, stride);
            next += 1 << chunk;
        }
    }

    /// Ends all streams; their memory is kept.
    pub(super) fn clear(&mut self) {
        self.streams.clear();
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &IdStream> {
        self.streams.iter()
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&IdStream> {
        self.streams.get(number as usize)
    }

    #[inline]
    pub(super) fn last(&self) -> Option<&IdStream> {
        self.streams.last()
    }

    /// The first number behind all that were taken.
    pub(super) fn end(&self) -> u64 {
        let used = self.streams.iter().filter_map(|stream| Some(stream.position(stream.taken().checked_sub(1)?) + 1));
        used.max().unwrap_or(self.first)
    }

    /// Whether a number has been taken.
    pub(super) fn is_taken(&self, position: u64) -> bool {
        if position < self.first {
            return false;
        }
        let Some(beyond) = position.checked_sub(self.overflow) else {
            // The last stream that begins at or before it: streams without a window stand before those.
            let at = self.streams.partition_point(|stream| stream.start <= position);
            return at.checked_sub(1).is_some_and(|at| self.streams[at].is_taken(position - self.streams[at].start));
        };
        let (chunk, count) = (beyond >> self.chunk, self.streams.len() as u64);
        let within = beyond & ((1 << self.chunk) - 1);
        let stream = self.streams.get((chunk % count.max(1)) as usize);
        stream.is_some_and(|stream| stream.is_taken(stream.window + ((chunk / count) << self.chunk) + within))
    }

    /// The bytes that are allocated while nothing is split.
    pub(super) fn allocated_bytes(&self) -> usize {
        self.streams.capacity() * size_of::<IdStream>()
    }

    /// Gives back the memory.
    pub(super) fn shrink(&mut self) {
        self.streams.shrink_to_fit();
    }
}

/// What a stream was split into, once.
#[derive(Debug)]
pub(crate) struct StreamParts {
    pub(super) streams: IdStreams,
    /// The list of those before. It stays as it is.
    older: StreamSplits,
}

impl StreamParts {
    /// Not open yet, with room for so many.
    fn with_room(parts: usize) -> Box<Self> {
        let mut streams = IdStreams::default();
        streams.streams.reserve_exact(parts);
        Box::new(Self { streams, older: StreamSplits::default() })
    }
}

/// All splits of a stream, from the newest to the oldest. They live as long as the list.
#[derive(Debug)]
struct StreamSplits(AtomicPtr<StreamParts>);

impl Default for StreamSplits {
    fn default() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }
}

impl StreamSplits {
    /// Adds one. If several threads do so at the same time, all but one of the additions may be missing from the list, and leak.
    fn push(&self, split: Box<StreamParts>) -> Option<&StreamParts> {
        split.older.0.store(self.0.load(Ordering::Relaxed), Ordering::Relaxed);
        self.0.store(Box::into_raw(split), Ordering::Release);
        self.newest()
    }

    fn newest(&self) -> Option<&StreamParts> {
        // SAFETY: the pointer is null or comes from a box in `push`, which released what it had written. `drop` alone frees the box; it
        // owns the list. Nodes are only shared until then.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    fn iter(&self) -> impl Iterator<Item = &StreamParts> {
        iter::successors(self.newest(), |node| node.older.newest())
    }
}

impl Drop for StreamSplits {
    fn drop(&mut self) {
        let mut next = self.0.load(Ordering::Relaxed);
        while !next.is_null() {
            // SAFETY: it comes from a box in `push` and is in the list once. `&mut self` says that it is not shared any more.
            let node = unsafe { Box::from_raw(next) };
            // Nodes are freed one by one, since a list may be too long for a recursion.
            next = node.older.0.swap(ptr::null_mut(), Ordering::Relaxed);
        }
    }
}
