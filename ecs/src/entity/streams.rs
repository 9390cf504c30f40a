//! Streams of ids: what each of several tasks reserves while they run at the same time.
//!
//! With one cursor for all, which task gets which id would depend on which one comes first. So the ids that can be had next
//! are a sequence of positions, which is dealt out to streams (see `allocator/reservation.rs` and `id_stream.rs`). There are few
//! streams: tasks that share one run one after the other, in the order of the schedule. Which ids a task gets depends on how
//! many streams there are, on their windows, and on how many ids the tasks of its stream reserve (see `forecast.rs`). One more
//! stream is for other reservations, through `&World`; it promises no order. When the streams are closed the ids are made
//! pending stream by stream, and the indexes that were passed over are free.
//!
//! What is taken beyond a window passes over as many indexes for each other stream, and each of these has a slot. That is why
//! there are few: the slots are at most [`STREAMS`] + 1 times as many as the ids, however many tasks there are.
//!
//! An id is handed out at once and never changes, so the position of a stream's nth id cannot depend on what other streams
//! will reserve. Each position that a stream uses beyond its window therefore costs one position for each other stream. A
//! parallel loop deals the rest of its stream out to `LANES` lanes in the same way: tasks that share a lane run one after
//! the other, and no thread waits for a lane (`pool/turns.rs`). If one task of a loop takes all ids, the loop uses `LANES`
//! times as many slots.

use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::{iter, mem};

use super::allocator::Entities;
use super::error::{EntityError, EntityIdsExhausted};
use super::id_stream::{CHUNK, IdStream, StreamParts};
use super::slot::{Slot, TableId};
use super::{Entity, Location};
use crate::alloc_error::{AllocError, try_reserve};

/// How many streams the tasks of a stage have at most: so many tasks that reserve ids run at the same time.
pub(crate) const STREAMS: u32 = 4;

impl Entities {
    /// Opens streams of ids, as many as there are windows, for tasks that run at the same time. Nothing may be reserved at
    /// this time.
    ///
    /// Until [`Entities::close_streams`] is called, nothing but reserving may be done. Allocates only if there were never
    /// so many streams. What is reserved beyond a window costs as many indexes for each other stream, which are free
    /// afterwards.
    pub(crate) fn open_streams(&mut self, windows: impl Iterator<Item = u32>) {
        debug_assert!(!self.needs_flush(), "flush before opening streams");
        self.streams.open(0, windows.chain(iter::once(0)), CHUNK, None);
    }

    /// The ids of a task. If no streams are open, those of the shared stream.
    #[inline]
    pub(crate) fn stream(&self, number: u32) -> Ids<'_> {
        Ids { entities: self, stream: self.streams.get(number) }
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

    /// An id from elsewhere, if the stream is split at present.
    #[cold]
    fn refused(&self, stream: &IdStream) -> Result<Entity, EntityIdsExhausted> {
        if stream.is_split() { self.reserve() } else { Err(EntityIdsExhausted) }
    }

    /// Ends the streams, and makes all ids that were reserved pending, stream by stream. They are added to a list, and the
    /// caller places them.
    ///
    /// Free indexes that were not taken stay free, in their order. New ones below the highest that was taken are free too, and
    /// are the next to be used, the lowest first. `O(streams)` if nothing was reserved.
    ///
    /// # Errors
    ///
    /// If there is no memory for the new slots. The streams have ended then, and none of the ids is alive or pending.
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

    /// Makes room for everything that [`Entities::make_pending`] adds to.
    fn make_room(&mut self, end: u64, pending: &mut Vec<Entity>) -> Result<(), AllocError> {
        let taken: u64 = self.streams.iter().map(IdStream::count).sum();
        let slots = self.bound_after(end) - self.slots.len();
        try_reserve(&mut self.slots, slots)?;
        try_reserve(&mut self.free, (end - taken) as usize)?;
        try_reserve(pending, taken as usize)
    }

    /// How many slots there are when each position before `end` has an index with a slot.
    fn bound_after(&self, end: u64) -> usize {
        match end.checked_sub(self.free.len() as u64 + 1) {
            Some(last) => self.retired.pass_over(self.slots.len(), last) as usize + 1,
            None => self.slots.len(),
        }
    }

    /// Makes what was taken from the streams pending. All of it is before the position `end`. There is room.
    fn make_pending(&mut self, end: u64, pending: &mut Vec<Entity>) {
        /// In the list of free indexes, for a moment: it was taken. No index has the highest number.
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
                // The generation of a free index is never zero.
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

/// Where a caller reserves ids: from a stream of a task, from a part of one, or from the shared stream.
#[derive(Clone, Copy)]
pub(crate) struct Ids<'w> {
    entities: &'w Entities,
    stream: Option<&'w IdStream>,
}

impl<'w> Ids<'w> {
    /// As `stream` says; it is one of the entities' own.
    #[inline]
    pub(crate) fn new(entities: &'w Entities, stream: Option<&'w IdStream>) -> Self {
        Self { entities, stream }
    }

    /// What [`Ids::new`] takes besides the entities.
    #[inline]
    pub(crate) fn stream(self) -> Option<&'w IdStream> {
        self.stream
    }

    /// How many ids have been taken from the stream, and passed over between the parts of a split.
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

    /// Where a live entity is.
    ///
    /// # Errors
    ///
    /// Says why, if it is not alive.
    #[inline]
    pub(crate) fn locate(self, entity: Entity) -> Result<Location, EntityError> {
        self.entities.locate(entity)
    }

    /// StreamSplits the stream into parts, for tasks that are done before the stream is used again; each has a window of so many
    /// ids. Ids that are reserved from the stream itself meanwhile come from the shared stream, in no certain order.
    ///
    /// If these ids have no stream, or are a part or split already, all parts are these very ids. Allocates.
    pub(crate) fn split(self, parts: u32, window: u32) -> SplitStream<'w> {
        SplitStream { ids: self, node: self.stream.and_then(|stream| stream.split(parts, window)) }
    }
}

impl_debug!([] Ids<'_> => |this, f| f.debug_tuple("Ids").field(&this.stream).finish());

/// A stream that is split into parts. When it is dropped, the stream goes on behind the ids that the parts have reserved.
#[derive(Debug)]
pub(crate) struct SplitStream<'w> {
    ids: Ids<'w>,
    node: Option<&'w StreamParts>,
}

impl SplitStream<'_> {
    /// The ids of a part.
    ///
    /// # Panics
    ///
    /// If there are not so many parts.
    #[inline]
    pub(crate) fn part(&self, number: u32) -> Ids<'_> {
        let Some(node) = self.node else { return self.ids };
        let stream = node.streams.get(number);
        assert!(stream.is_some(), "part {number} of a stream of ids that has fewer");
        Ids { stream, ..self.ids }
    }

    #[cfg(test)]
    /// The most that one part has reserved, for the window of the next split.
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
