//! Frames. Retention periods count frames of the world, not runs of schedules.
//!
//! A frame is begun and ended explicitly ([`World::frame`](crate::world::World::frame)), or it is *implicit*: it goes on until a schedule
//! that has run in it runs again. Nested runs and frames belong to the outermost run or frame. At the end of a frame messages age, and the
//! removal logs drop the entries that all readers have read.
//!
//! A schedule with readers of messages *holds* the messages that were written since its last run began: they are not dropped before its
//! next run, however many frames later that is, up to the limits of [`Messages`](crate::message::Messages).
//!
//! A schedule is identified by its label or, if it has no label, by its [`ScheduleSlot`]: an `Arc` that the schedule has for the world that
//! it is prepared for. If the slot of a schedule that ran in the frame has been dropped, the frame also ends when a schedule runs that has
//! not run in the frame; otherwise schedules that are made for one run each would never end a frame. Runs and frames in progress are
//! counted by an `Arc`: a run that begins during another run belongs to that run, and each run ends in its own world, even if the world has
//! been moved. A frame that ends while another world is in the place of its world sets a flag, which the world reads when the next run or
//! frame begins.
//!
//! A message is never dropped before each schedule that reads it has begun a run since it was written. The access of a schedule lists the
//! messages that it reads (`Access::message_readers`). For each slot and list the world keeps the number of the first held message: the
//! number of the oldest message when the readers are prepared, and the next number whenever a run begins. `Messages` limits this: two
//! numbers that are noted every 512 frames determine which messages are too old, and there is a maximum count. Dropped slots hold nothing.
//!
//! Tests: tests/changes/frames.rs

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::storage::resource::{MessageNumbers, RenewedList, ResourceId, Resources};

/// Identifies a schedule in the world that it was prepared for. The world holds weak references, which end when the schedule is dropped or
/// prepared for another world.
pub(crate) type ScheduleSlot = Arc<()>;

/// A schedule that has run in the world.
#[derive(Clone)]
pub(super) struct RanSchedule {
    /// The number of the label of the schedule, if it has one. Schedules with the same label count as one.
    pub(super) label: Option<u64>,
    pub(super) seat: Weak<()>,
    /// The number of the frame in which the schedule ran last.
    pub(super) ran: u64,
}

impl RanSchedule {
    #[inline]
    pub(super) fn is(&self, label: Option<u64>, seat: &ScheduleSlot) -> bool {
        (label.is_some() && self.label == label) || core::ptr::eq(self.seat.as_ptr(), Arc::as_ptr(seat))
    }

    /// Returns whether it is certain that the schedule never runs again: it has no label and its slot has been dropped.
    pub(super) fn is_gone(&self) -> bool {
        self.label.is_none() && self.seat.strong_count() == 0
    }
}

/// The part of a frame that the end of a run can access even if the world has been moved.
#[derive(Default)]
pub(super) struct SharedFrame {
    /// Whether a frame has ended while another world was in the place of its world, and the world has not handled that yet.
    pub(super) has_ended: AtomicBool,
}

/// A guard: a run or an explicit frame is in progress until the guard is dropped. The world counts the guards by the references to the
/// shared state.
pub(crate) struct FrameGuard(Arc<SharedFrame>);

impl FrameGuard {
    /// Ends the frame while another world is in the place of its world: sets the flag that the world reads later.
    pub(crate) fn end_elsewhere(self) {
        self.0.has_ended.store(true, Relaxed);
    }
}

/// A schedule and the lists of messages that it reads.
#[derive(Clone)]
pub(super) struct MessageHolder {
    pub(super) seat: Weak<()>,
    pub(super) lists: Vec<UnseenMessages>,
}

/// One list of messages, and the first message that the schedule may not have seen.
#[derive(Clone)]
pub(super) struct UnseenMessages {
    pub(super) messages: ResourceId,
    pub(super) origin: usize,
    pub(super) from: u64,
}

/// The frames of a world.
#[derive(Default)]
pub(crate) struct Frames {
    pub(super) shared: Arc<SharedFrame>,
    pub(super) state: FramesCopy,
}

impl_deref_mut!([] Frames => FramesCopy, |this| this.state);

impl Frames {
    /// Returns the number of frames that have ended.
    pub(crate) fn number(&self) -> u64 {
        self.number + u64::from(self.shared.has_ended.load(Relaxed))
    }

    /// Drops the messages that were written before the last call, except those that a schedule holds.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a message panics. All others have been dropped.
    pub(crate) fn age_messages(&mut self, resources: &mut Resources) {
        self.holders.retain(|holder| holder.seat.strong_count() > 0);
        resources.age_messages(|messages, numbers| self.held_from(messages, numbers));
    }

    /// Sets which lists of messages a schedule reads. Messages that the schedule may not have read are retained.
    pub(crate) fn hold_messages(&mut self, resources: &mut Resources, seat: &ScheduleSlot, lists: &[ResourceId]) {
        let is_of = |holder: &MessageHolder| core::ptr::eq(holder.seat.as_ptr(), Arc::as_ptr(seat));
        let at = match self.holders.iter().position(is_of) {
            Some(at) => at,
            None if lists.is_empty() => return,
            None => {
                self.holders.push(MessageHolder { seat: Arc::downgrade(seat), lists: Vec::new() });
                self.holders.len() - 1
            }
        };
        let held = &mut self.holders[at].lists;
        held.retain(|held| lists.contains(&held.messages));
        for &messages in lists {
            if !held.iter().any(|held| held.messages == messages) {
                let (origin, from) = resources.message_numbers(messages).map_or((0, 0), |now| (now.origin, now.start));
                held.push(UnseenMessages { messages, origin, from });
            }
        }
    }

    /// Must be called when a schedule begins a run. The readers of the schedule see all messages up to now, so only later messages are
    /// retained for it.
    pub(crate) fn offer_messages(&mut self, resources: &mut Resources, seat: &ScheduleSlot) {
        let is_of = |holder: &&mut MessageHolder| core::ptr::eq(holder.seat.as_ptr(), Arc::as_ptr(seat));
        if let Some(holder) = self.holders.iter_mut().find(is_of) {
            for held in &mut holder.lists {
                if let Some(MessageNumbers { origin, end, .. }) = resources.message_numbers(held.messages) {
                    (held.origin, held.from) = (origin, end);
                }
            }
        }
    }

    pub(super) fn goes_on(&self) -> bool {
        Arc::strong_count(&self.shared) > 1
    }

    /// Counts a run or a frame until the returned guard is dropped. Runs and frames that begin in the meantime belong to it.
    pub(crate) fn enter(&self) -> FrameGuard {
        FrameGuard(Arc::clone(&self.shared))
    }

    /// Returns whether the current frame ends before the run of a schedule that is not nested in another run or frame. `at` is the index of
    /// the schedule in `members`.
    #[inline]
    pub(super) fn ends_before(&self, at: Option<usize>) -> bool {
        let has_run = |at: usize| self.members[at].ran == self.number;
        let is_gone = |member: &RanSchedule| member.ran == self.number && member.is_gone();
        self.any_ran && (at.is_some_and(has_run) || self.members.iter().any(is_gone))
    }

    /// Adds a schedule that runs in this frame.
    #[cold]
    pub(super) fn add_member(&mut self, label: Option<u64>, seat: &ScheduleSlot) {
        let ran = self.number;
        // Schedules that ran in this frame are kept even if they no longer exist, because that may end the frame: see `ends_before`.
        self.members.retain(|member| member.ran == ran || !member.is_gone());
        self.members.push(RanSchedule { label, seat: Arc::downgrade(seat), ran });
    }

    /// Returns the number of the first held message of a list.
    pub(super) fn held_from(&self, messages: ResourceId, numbers: MessageNumbers) -> u64 {
        let lists = self.holders.iter().flat_map(|holder| &holder.lists).filter(|held| held.messages == messages);
        let from = |held: &UnseenMessages| if held.origin == numbers.origin { held.from } else { numbers.start };
        lists.map(from).min().unwrap_or(u64::MAX)
    }
}

/// The frame state of a world. Copies of the world contain it too.
#[derive(Clone, Default)]
pub(crate) struct FramesCopy {
    pub(crate) number: u64,
    /// The schedules that have run in this frame or in earlier ones.
    pub(super) members: Vec<RanSchedule>,
    /// Whether any schedule has run in this frame.
    pub(crate) any_ran: bool,
    holders: Vec<MessageHolder>,
}

impl FramesCopy {
    /// Creates the state after `number` ended frames. If schedules have run in the current frame and no labels are given, the frame ends
    /// when the next schedule runs.
    pub(super) fn of(number: u64, any_ran: bool, labels: &[u64]) -> Self {
        let ran = |label| RanSchedule { label, seat: Weak::new(), ran: number };
        let members = match any_ran && labels.is_empty() {
            true => alloc::vec![ran(None)],
            false => labels.iter().map(|label| ran(Some(*label))).collect(),
        };
        Self { number, members, any_ran, holders: Vec::new() }
    }

    /// Returns the labels of the schedules that have run in the frame; `None` if one of them has no label.
    pub(crate) fn labels(&self) -> Option<Vec<u64>> {
        let ran = self.members.iter().filter(|member| self.any_ran && member.ran == self.number);
        ran.map(|member| member.label).collect()
    }

    /// Adds the lists of messages that a schedule holds, each with the number of the first held message.
    pub(super) fn hold(&mut self, seat: Weak<()>, lists: impl Iterator<Item = (ResourceId, MessageNumbers, u64)>) {
        let held = |(messages, MessageNumbers { origin, .. }, from)| UnseenMessages { messages, origin, from };
        self.holders.push(MessageHolder { seat, lists: lists.map(held).collect() });
    }

    /// Returns the lists of messages that a schedule holds, each with its origin and the number of the first held message.
    pub(super) fn held_by(&self, seat: &Weak<()>) -> impl Iterator<Item = (ResourceId, usize, u64)> {
        let of_it = self.holders.iter().filter(|holder| holder.seat.ptr_eq(seat)).flat_map(|holder| &holder.lists);
        of_it.map(|held| (held.messages, held.origin, held.from))
    }
}

impl Frames {
    /// Restores the frame state from a copy. `renewed` are the lists of messages whose origins have changed.
    pub(super) fn restore_from(&mut self, copy: FramesCopy, renewed: &[(ResourceId, RenewedList)]) {
        self.state = copy;
        for held in self.holders.iter_mut().flat_map(|holder| &mut holder.lists) {
            let is_it =
                |(id, renewed): &&(ResourceId, RenewedList)| *id == held.messages && renewed.before == held.origin;
            if let Some((_, renewed)) = renewed.iter().find(is_it) {
                held.origin = renewed.now;
            }
        }
    }
}
