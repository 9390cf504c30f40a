//! Streams of numbers. Several tasks take numbers at the same time, each from its own stream.
//!
//! The numbers from `first` on are divided among the streams in advance. First comes a window of consecutive numbers for each stream, in
//! order. After the windows, chunks of numbers belong to the streams in rotation. So the numbers that a stream yields depend only on how
//! many were taken from it, never on timing. Each stream has its own counter, in its own cache line.
//!
//! A stream can be *split*: its remaining numbers are divided among parts in the same way. While a stream is split, the stream itself
//! yields no numbers. After the split it continues after the numbers that the parts have taken. The set of taken numbers is kept until the
//! streams are cleared. In this crate the numbers are positions of entity ids (`allocator/reservation.rs`), but this module does not depend
//! on that.
//!
//! Tests: tests/loom/id_stream_model.rs, ecs/src/entity/streams/tests.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::{iter, ptr};

use super::sync::{AtomicPtr, AtomicU64, Ordering};

/// The base-2 logarithm of the length of a chunk.
pub(super) const CHUNK: u32 = 6;

/// The base-2 logarithm of the length of a chunk of a part. It is small because there may be many parts, and most of them take nothing.
const CHUNK_OF_PART: u32 = 3;

/// A bit in the counter of a stream. It is set while the stream is split.
const SPLIT: u64 = 1 << 63;

/// The value of `parent` for a stream that is not a part of a split.
const NO_PARENT: u32 = u32::MAX;

/// One of several streams.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct IdStream {
    /// The number of taken numbers, and the bit [`SPLIT`].
    taken: AtomicU64,
    /// The start and the length of the window.
    start: u64,
    window: u64,
    /// The start of the first chunk, and the distance between chunks.
    overflow: u64,
    stride: u64,
    splits: StreamSplits,
    /// The base-2 logarithm of the length of a chunk.
    chunk: u32,
    number: u32,
    /// If this stream is a part, the index of the split stream. Then the numbers of this stream are indexes into the split stream.
    parent: u32,
}

impl IdStream {
    /// Returns the number with index `nth` in this stream.
    #[inline]
    pub(super) fn position(&self, nth: u64) -> u64 {
        if nth < self.window {
            return self.start + nth;
        }
        let beyond = nth - self.window;
        let within = beyond & ((1 << self.chunk) - 1);
        (beyond >> self.chunk).saturating_mul(self.stride).saturating_add(self.overflow + within)
    }

    /// Returns how many numbers have been taken, including numbers that a split has skipped.
    #[inline]
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed) & !SPLIT
    }

    /// Returns the index of the stream of which this stream is a part; `None` if it is not a part.
    #[inline]
    pub(super) fn parent(&self) -> Option<u32> {
        (self.parent != NO_PARENT).then_some(self.parent)
    }

    /// Returns whether the stream is split.
    #[inline]
    pub(super) fn is_split(&self) -> bool {
        self.taken.load(Ordering::Relaxed) & SPLIT != 0
    }

    /// Takes the next number, if `allowed` returns a value for its index, and returns this value. Otherwise, and while the stream is split,
    /// takes no number and returns `None`.
    #[inline]
    pub(super) fn take_one<T>(&self, mut allowed: impl FnMut(u64) -> Option<T>) -> Option<T> {
        let mut taken = self.taken.load(Ordering::Relaxed);
        // A compare-exchange loop, not a `fetch_add` that is reverted if it exceeds the limit: other threads would see the excessive sum in
        // between.
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

    /// Takes the next `count` numbers, if `allowed` accepts the last of them, and returns the index of the first of them. Otherwise, and
    /// while the stream is split, takes no number and returns `None`.
    pub(super) fn take(&self, count: u32, allowed: impl Fn(u64) -> bool) -> Option<u64> {
        let next = |taken: u64| {
            let after = taken + u64::from(count);
            let all = taken & SPLIT == 0 && (count == 0 || allowed(self.position(after - 1)));
            all.then_some(after)
        };
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()
    }

    /// Splits the stream into parts with windows of `window` numbers. Returns `None` if the stream is already split, or is a part itself.
    /// If the allocation fails, nothing has changed.
    pub(super) fn split(&self, parts: u32, window: u32) -> Option<&StreamParts> {
        if self.parent().is_some() {
            return None;
        }
        let mut split = StreamParts::with_room(parts as usize);
        // Acquire pairs with the release in `join`: the thread that split the stream before has finished with the list of splits.
        let mark = |taken: u64| (taken & SPLIT == 0).then_some(taken | SPLIT);
        let base = self.taken.fetch_update(Ordering::Acquire, Ordering::Relaxed, mark).ok()?;
        // From here on nothing may fail, because the bit stays set until the split ends. No memory is needed.
        split.streams.open(base, iter::repeat_n(window, parts as usize), CHUNK_OF_PART, Some(self.number));
        self.splits.push(split)
    }

    /// Ends the split, if there is one.
    pub(super) fn join(&self) {
        if let Some(node) = self.splits.iter().next().filter(|_| self.is_split()) {
            // No other thread changes the counter while the bit is set, so a store suffices.
            self.taken.store(node.streams.end(), Ordering::Release);
        }
    }

    /// Returns whether the number with index `nth` has been taken. If a call returns true, later calls of the same thread return true, too.
    fn is_taken(&self, nth: u64) -> bool {
        // Acquire, and loaded before the list is read: a thread that sees the end of a split also sees the numbers that its parts have
        // taken.
        let taken = self.taken.load(Ordering::Acquire) & !SPLIT;
        let node = self.splits.iter().find(|node| node.streams.first <= nth);
        match node.filter(|node| nth < node.streams.end()) {
            Some(node) => node.streams.is_taken(nth),
            None => nth < taken,
        }
    }

    /// Returns how many numbers have been taken, excluding numbers that a split has skipped. No thread may take numbers during the call.
    pub(super) fn count(&self) -> u64 {
        let passed = self.splits.iter().map(|StreamParts { streams, .. }| {
            let taken: u64 = streams.iter().map(Self::taken).sum();
            streams.end() - streams.first - taken
        });
        self.taken() - passed.sum::<u64>()
    }

    /// Calls a function with all taken numbers, in order. The numbers of a split are visited part by part.
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

/// Streams among which numbers are divided.
#[derive(Debug, Default)]
pub(crate) struct IdStreams {
    streams: Vec<IdStream>,
    /// The first number.
    first: u64,
    /// The first number after all windows.
    overflow: u64,
    /// The base-2 logarithm of the length of a chunk.
    chunk: u32,
}

impl IdStreams {
    /// Divides the numbers from `first` on among streams, one stream per window. There must be no open streams.
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

    /// Returns the first number after all taken numbers.
    pub(super) fn end(&self) -> u64 {
        let used = self.streams.iter().filter_map(|stream| Some(stream.position(stream.taken().checked_sub(1)?) + 1));
        used.max().unwrap_or(self.first)
    }

    /// Returns whether a number has been taken.
    pub(super) fn is_taken(&self, position: u64) -> bool {
        if position < self.first {
            return false;
        }
        let Some(beyond) = position.checked_sub(self.overflow) else {
            // A stream without a window begins at the position at which the next one begins. So the last stream that begins at or before
            // the position contains it.
            let at = self.streams.partition_point(|stream| stream.start <= position);
            return at.checked_sub(1).is_some_and(|at| self.streams[at].is_taken(position - self.streams[at].start));
        };
        let (chunk, count) = (beyond >> self.chunk, self.streams.len() as u64);
        let within = beyond & ((1 << self.chunk) - 1);
        let stream = self.streams.get((chunk % count.max(1)) as usize);
        stream.is_some_and(|stream| stream.is_taken(stream.window + ((chunk / count) << self.chunk) + within))
    }

    /// Returns the number of bytes that are allocated while no stream is split.
    pub(super) fn allocated_bytes(&self) -> usize {
        self.streams.capacity() * size_of::<IdStream>()
    }

    /// Frees the memory.
    pub(super) fn shrink(&mut self) {
        self.streams.shrink_to_fit();
    }
}

/// The parts of one split of a stream.
#[derive(Debug)]
pub(crate) struct StreamParts {
    pub(super) streams: IdStreams,
    /// The list of earlier splits of the same stream. It does not change.
    older: StreamSplits,
}

impl StreamParts {
    /// Creates parts that are not open yet.
    fn with_room(parts: usize) -> Box<Self> {
        let mut streams = IdStreams::default();
        streams.streams.reserve_exact(parts);
        Box::new(Self { streams, older: StreamSplits::default() })
    }
}

/// The list of all splits of a stream, from the newest to the oldest. A split in the list lives as long as the list.
#[derive(Debug)]
struct StreamSplits(AtomicPtr<StreamParts>);

impl Default for StreamSplits {
    fn default() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }
}

impl StreamSplits {
    /// Adds a split. Only one thread at a time may call this; otherwise added splits may be lost and leak.
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
            // Nodes are freed in a loop, since the list may be too long for recursion.
            next = node.older.0.swap(ptr::null_mut(), Ordering::Relaxed);
        }
    }
}
