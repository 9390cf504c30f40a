//! Frames, begun and ended by runs of schedules and by name: see `frames`.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;

use super::Store;
use super::frames::{Held, Holder, Ongoing, RanSchedule, Seat};
use crate::guard::for_each_until_all_had_their_turn;
use crate::queue::Queue;
use crate::resource::{MessageNumbers, ResourceId};

impl Store {
    /// How many frames have ended.
    pub(crate) fn frame_number(&self) -> u64 {
        self.frames.number + u64::from(self.frames.shared.has_ended.load(Relaxed))
    }

    /// Begins the run of a schedule, given with the number of its label; none if it has no part in frames. If anything in it may have
    /// the store mutably, it is to be said that [it goes on](Self::run_goes_on).
    ///
    /// # Panics
    ///
    /// If a frame ends and a value that is dropped then panics. The frame has ended.
    #[inline]
    pub(crate) fn begin_run_in_frame(&mut self, schedule: Option<(Option<u64>, &Seat)>) {
        self.notice_ended_frame();
        if let Some((label, seat)) = schedule {
            let at = self.frames.members.iter().position(|member| member.is(label, seat));
            if !self.frames.goes_on() && self.frames.ends_before(at) {
                self.end_frame();
            }
            self.frames.any_ran = true;
            match at {
                Some(at) => self.frames.members[at].ran = self.frames.number,
                None => self.frames.add_member(label, seat),
            }
        }
    }

    /// Says that the run that has begun goes on until what is returned is dropped: what begins meanwhile belongs to its frame.
    pub(crate) fn run_goes_on(&self) -> Ongoing {
        self.frames.enter()
    }

    /// Begins a frame by name, unless a run or a frame goes on, to which it belongs then.
    ///
    /// # Panics
    ///
    /// As [`Store::end_frame`]: an implicit frame in which schedules have run ends here.
    pub(crate) fn begin_frame(&mut self) -> Option<Ongoing> {
        self.notice_ended_frame();
        if self.frames.goes_on() {
            return None;
        }
        if self.frames.any_ran {
            self.end_frame();
        }
        Some(self.frames.enter())
    }

    /// Commands that are applied when the frame has ended, each in a queue of its own.
    pub(crate) fn commands_after_frame(&mut self) -> &mut VecDeque<Queue<Self>> {
        &mut self.after_frame
    }

    /// Whether commands that wait for the end of the frame are applied now: the next frame is about to begin, by name or with the run of a
    /// schedule, given by its label and seat. An implicit frame that is open then ends.
    ///
    /// # Panics
    ///
    /// As [`Store::end_frame`].
    #[inline]
    pub(crate) fn ends_frame_for_commands(&mut self, schedule: Option<(Option<u64>, Option<&Seat>)>) -> bool {
        !self.after_frame.is_empty() && self.ends_implicit_frame(schedule)
    }

    #[cold]
    fn ends_implicit_frame(&mut self, schedule: Option<(Option<u64>, Option<&Seat>)>) -> bool {
        self.notice_ended_frame();
        if self.frames.goes_on() {
            return false;
        }
        if let Some((label, seat)) = schedule {
            let is_it = |member: &RanSchedule| match seat {
                Some(seat) => member.is(label, seat),
                None => label.is_some() && member.label == label,
            };
            let at = self.frames.members.iter().position(is_it);
            if self.frames.any_ran && !self.frames.ends_before(at) {
                return false;
            }
        }
        if self.frames.any_ran {
            self.end_frame();
        }
        true
    }

    pub(super) fn notice_ended_frame(&mut self) {
        // A run that goes on elsewhere belongs to the frame.
        if self.frames.shared.has_ended.load(Relaxed) && !self.frames.goes_on() {
            self.frames.shared.has_ended.store(false, Relaxed);
            self.end_frame();
        }
    }

    /// Ends the frame: all that is kept for some frames is one older.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a value that is let go of does. All the rest has been done.
    pub(crate) fn end_frame(&mut self) {
        self.frames.number += 1;
        self.frames.any_ran = false;
        if !self.resources.has_messages() {
            return self.tidy_removals();
        }
        let both: [fn(&mut Self); 2] = [Self::age_messages, Self::tidy_removals];
        for_each_until_all_had_their_turn(both.into_iter(), |part| part(self));
    }

    /// Lets messages go that were written before the last time, but for those that a schedule holds.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a message does. The others have gone all the same.
    pub(crate) fn age_messages(&mut self) {
        let Self { frames, resources, .. } = self;
        frames.holders.retain(|holder| holder.seat.strong_count() > 0);
        resources.age_messages(|messages, numbers| frames.held_from(messages, numbers));
    }

    /// Has a schedule hold the messages that are there and those that will be written to these lists, and to no others.
    pub(crate) fn hold_messages(&mut self, seat: &Seat, lists: &[ResourceId]) {
        let Self { frames, resources, .. } = self;
        let is_of = |holder: &Holder| core::ptr::eq(holder.seat.as_ptr(), Arc::as_ptr(seat));
        let at = match frames.holders.iter().position(is_of) {
            Some(at) => at,
            None if lists.is_empty() => return,
            None => {
                frames.holders.push(Holder { seat: Arc::downgrade(seat), lists: Vec::new() });
                frames.holders.len() - 1
            }
        };
        let held = &mut frames.holders[at].lists;
        held.retain(|held| lists.contains(&held.messages));
        for &messages in lists {
            if !held.iter().any(|held| held.messages == messages) {
                let (origin, from) = resources.message_numbers(messages).map_or((0, 0), |now| (now.origin, now.start));
                held.push(Held { messages, origin, from });
            }
        }
    }

    /// Notes that a schedule begins a run, in which its readers come to the messages that are there.
    pub(crate) fn offer_messages(&mut self, seat: &Seat) {
        let Self { frames, resources, .. } = self;
        let is_of = |holder: &&mut Holder| core::ptr::eq(holder.seat.as_ptr(), Arc::as_ptr(seat));
        if let Some(holder) = frames.holders.iter_mut().find(is_of) {
            for held in &mut holder.lists {
                if let Some(MessageNumbers { origin, end, .. }) = resources.message_numbers(held.messages) {
                    (held.origin, held.from) = (origin, end);
                }
            }
        }
    }
}
