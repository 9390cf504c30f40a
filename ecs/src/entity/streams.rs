//! Streams of ids: tasks that run at the same time reserve ids from different streams.
//!
//! With one shared cursor, the ids of a task would depend on timing. So the sequence of positions of the next ids is divided among streams
//! (see `allocator/reservation.rs` and `id_stream.rs`). There are few streams. Tasks that share a stream run one after the other, in the
//! order of the schedule. The ids of a task depend on the number of streams, on their windows (see `forecast.rs`), and on how many ids the
//! tasks of its stream reserve. One more stream, the *shared stream*, serves all other reservations, through `&World`; their order is
//! unspecified. When the streams are closed, the ids become pending stream by stream, and skipped indexes become free.
//!
//! An id beyond a window skips one index for each other stream, and each skipped index has a slot. To limit the number of slots, there are
//! few streams: there are at most [`STREAMS`] + 1 times as many slots as ids, independent of the number of tasks.
//!
//! An id is handed out at once and never changes, so the position of the nth id of a stream cannot depend on later reservations of other
//! streams. Each position that a stream uses beyond its window therefore costs one position for each other stream. A parallel loop divides
//! the rest of its stream among `LANES` lanes in the same way: tasks that share a lane run one after the other, and no thread waits for a
//! lane (`util/pool/turns.rs`). If one task of a loop takes all ids, the loop uses `LANES` times as many slots.

use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::{iter, mem};

use super::allocator::Entities;
use super::error::{EntityError, EntityIdsExhausted};
use super::id_stream::{CHUNK, IdStream, StreamParts};
use super::slot::{Slot, TableId};
use super::{Entity, Location};
use crate::util::alloc_error::{AllocError, try_reserve};

/// The maximum number of streams for the tasks of a stage. At most this number of tasks reserve ids at the same time.
pub(crate) const STREAMS: u32 = 4;

impl Entities {
    /// Opens one stream of ids per window, for tasks that run at the same time. No id may be reserved at this time.
    ///
    /// Until [`Entities::close_streams`] is called, only reservations are allowed. Allocates only if there were never as many streams
    /// before. Each reservation beyond a window skips one index for each other stream. Skipped indexes become free when the streams are
    /// closed.
    pub(crate) fn open_streams(&mut self, windows: impl Iterator<Item = u32>) {
        debug_assert!(!self.needs_flush(), "flush before opening streams");
        self.streams.open(0, windows.chain(iter::once(0)), CHUNK, None);
    }

    /// Returns the source of ids for the stream with this number. If no streams are open, returns the shared source.
    #[inline]
    pub(crate) fn stream(&self, number: u32) -> IdSource<'_> {
        IdSource { entities: self, stream: self.streams.get(number) }
    }

    /// Reserves an id from a stream.
    pub(super) fn reserve_in(&self, stream: &IdStream) -> Result<Entity, EntityIdsExhausted> {
        let id = |nth| {
            let position = stream.position(nth);
            match stream.parent() {
                None => self.at_position(position),
                Some(parent) => self.at_position(self.streams.get(parent)?.position(position)),
            }
        };
        stream.take_one(id).map_or_else(|| self.refused(stream), Ok)
    }

    /// Reserves an id from the shared stream if `stream` is split; otherwise returns the error.
    #[cold]
    fn refused(&self, stream: &IdStream) -> Result<Entity, EntityIdsExhausted> {
        if stream.is_split() { self.reserve() } else { Err(EntityIdsExhausted) }
    }

    /// Closes the streams, and makes all reserved ids pending, stream by stream. Adds them to `pending`; the caller must place them.
    ///
    /// Free indexes that were not taken stay free, in their order. New indexes below the highest taken index become free and are used next,
    /// the lowest first. `O(streams)` if nothing was reserved.
    ///
    /// # Errors
    ///
    /// If there is no memory for the new slots. Then the streams are closed, and none of the reserved ids becomes pending.
    pub(crate) fn close_streams(&mut self, pending: &mut Vec<Entity>) -> Result<(), AllocError> {
        self.streams.iter().for_each(IdStream::join);
        let end = self.streams.end();
        let room = if end > 0 { self.make_room(end, pending) } else { Ok(()) };
        if end > 0 && room.is_ok() {
            self.make_pending(end, pending);
        }
        self.streams.clear();
        room
    }

    /// Makes room in all lists to which [`Entities::make_pending`] adds.
    fn make_room(&mut self, end: u64, pending: &mut Vec<Entity>) -> Result<(), AllocError> {
        let taken: u64 = self.streams.iter().map(IdStream::count).sum();
        let slots = self.bound_after(end) - self.slots.len();
        try_reserve(&mut self.slots, slots)?;
        try_reserve(&mut self.free, (end - taken) as usize)?;
        try_reserve(pending, taken as usize)
    }

    /// Returns the number of slots that are needed so that each position before `end` has a slot.
    fn bound_after(&self, end: u64) -> usize {
        match end.checked_sub(self.free.len() as u64 + 1) {
            Some(last) => self.retired.pass_over(self.slots.len(), last) as usize + 1,
            None => self.slots.len(),
        }
    }

    /// Makes the ids that were taken from the streams pending. All taken positions must be before `end`, and [`Entities::make_room`] must
    /// have been called.
    fn make_pending(&mut self, end: u64, pending: &mut Vec<Entity>) {
        /// A temporary entry in the free list for an index that was taken. No index has this number.
        const TAKEN: u32 = u32::MAX;
        let (bound, again) = (self.slots.len(), self.free.len());
        let unused = Slot { generation: self.first_generation.get(), table: TableId::NONE, row: 0 };
        self.slots.resize(self.bound_after(end), unused);
        self.retired.mark(&mut self.slots, bound);
        let Self { slots, free, streams, retired, .. } = self;
        for stream in streams.iter() {
            stream.for_each(|position| {
                let index = match again.checked_sub(position as usize + 1) {
                    Some(at) => mem::replace(&mut free[at], TAKEN),
                    None => retired.pass_over(bound, position - again as u64) as u32,
                };
                let Some(slot) = slots.get_mut(index as usize) else {
                    debug_assert!(false, "an id was reserved twice");
                    return;
                };
                slot.table = TableId::PENDING;
                // The generation of a free index is never zero, so each index yields an id.
                let generation = NonZeroU32::new(slot.generation);
                pending.extend(generation.map(|generation| Entity::new(index, generation)));
            });
        }
        let first = again - again.min(end as usize);
        let mut kept = first;
        for at in first..again {
            if free[at] != TAKEN {
                free[kept] = free[at];
                kept += 1;
            }
        }
        free.truncate(kept);
        let skipped = |index: &u32| slots[*index as usize].is_free();
        free.extend((bound as u32..slots.len() as u32).rev().filter(skipped));
        *self.cursor.get_mut() = free.len() as i64;
        self.number_free(first..self.free.len());
        self.retired.forget(self.slots.len());
    }
}

/// The source of the ids of a caller: the stream of a task, a part of such a stream, or the shared stream.
#[derive(Clone, Copy)]
pub(crate) struct IdSource<'w> {
    entities: &'w Entities,
    stream: Option<&'w IdStream>,
}

impl<'w> IdSource<'w> {
    /// Returns the source for a stream, which must be a stream of `entities`. `None` stands for the shared stream.
    #[inline]
    pub(crate) fn new(entities: &'w Entities, stream: Option<&'w IdStream>) -> Self {
        Self { entities, stream }
    }

    /// Returns the stream; `None` for the shared stream.
    #[inline]
    pub(crate) fn stream(self) -> Option<&'w IdStream> {
        self.stream
    }

    /// Returns the number of ids that have been taken from the stream, including ids that a split has skipped. 0 for the shared stream.
    #[inline]
    pub(crate) fn taken(self) -> u64 {
        self.stream.map_or(0, IdStream::taken)
    }

    /// Reserves an id. The entity is alive after the next flush.
    ///
    /// # Errors
    ///
    /// If no index is left in this stream.
    pub(crate) fn reserve(self) -> Result<Entity, EntityIdsExhausted> {
        match self.stream {
            Some(stream) => self.entities.reserve_in(stream),
            None => self.entities.reserve(),
        }
    }

    /// Returns the location of a live entity.
    ///
    /// # Errors
    ///
    /// If the entity is not alive. The error gives the reason.
    #[inline]
    pub(crate) fn locate(self, entity: Entity) -> Result<Location, EntityError> {
        self.entities.locate(entity)
    }

    /// Splits the stream into parts, for tasks that finish before the stream is used again. Each part has a window of `window` ids. While
    /// the stream is split, ids that are reserved from the stream itself come from the shared stream, in unspecified order.
    ///
    /// If this source is the shared stream, a part, or already split, it cannot be split, and all parts share this source. Allocates.
    pub(crate) fn split(self, parts: u32, window: u32) -> SplitStream<'w> {
        SplitStream { ids: self, node: self.stream.and_then(|stream| stream.split(parts, window)) }
    }
}

impl_debug!([] IdSource<'_> => |this, f| f.debug_tuple("Ids").field(&this.stream).finish());

/// A stream that is split into parts. When it is dropped, the stream continues after the ids that the parts have reserved.
#[derive(Debug)]
pub(crate) struct SplitStream<'w> {
    ids: IdSource<'w>,
    node: Option<&'w StreamParts>,
}

impl SplitStream<'_> {
    /// Returns the source of ids of a part.
    ///
    /// # Panics
    ///
    /// If the number is not less than the number of parts.
    #[inline]
    pub(crate) fn part(&self, number: u32) -> IdSource<'_> {
        let Some(node) = self.node else { return self.ids };
        let stream = node.streams.get(number);
        assert!(stream.is_some(), "part {number} of a stream of ids that has fewer");
        IdSource { stream, ..self.ids }
    }

    #[cfg(test)]
    /// Returns the maximum number of ids that one part has reserved, for the window of the next split.
    pub(crate) fn most(&self) -> u32 {
        let taken = self.node.and_then(|node| node.streams.iter().map(IdStream::taken).max());
        taken.map_or(0, |taken| u32::try_from(taken).unwrap_or(u32::MAX))
    }
}

impl Drop for SplitStream<'_> {
    fn drop(&mut self) {
        if let (Some(stream), Some(_)) = (self.ids.stream, self.node) {
            stream.join();
        }
    }
}

#[cfg(test)]
mod tests;
