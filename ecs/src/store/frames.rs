//! Frames: what is kept for a while is kept for so many frames of the world, and not for so many runs of schedules.
//!
//! A frame is begun and ended by name ([`World::frame`](crate::world::World::frame)), or it is *implicit*: it goes on until a
//! schedule that has run in it runs again. Runs within runs, and frames within runs or frames, belong to the outermost one.
//! At the end of a frame messages age, and the logs of removals drop what all readers have read.
//!
//! A schedule with readers of messages *holds* those that were written since its last run began: they do not go before it has run
//! once more, however many frames that takes, up to the bounds that [`Messages`](crate::message::Messages) keeps.
//!
//! A schedule is known by its label, or without one by its *seat*, an `Arc` that it has for the world that it is prepared
//! for. If the seat of a schedule that ran in the frame is gone, the next schedule that the frame has not seen ends it too,
//! so that schedules which are made for one run each do not make a frame without end. Runs and frames that go on are counted
//! behind an `Arc`: what begins while one goes on belongs to it, and what has begun ends in its own world, wherever that has
//! been put. A frame that ends elsewhere leaves a mark, which its world finds at the next beginning.
//!
//! A message is never dropped before each schedule that reads it has begun a run since it was written. The access of a
//! schedule says what it reads (`Access::message_readers`). The world keeps a number for each seat and list, from which on
//! messages are held: that of the oldest message when the readers are prepared, and of the next one whenever a run begins.
//! `Messages` bounds that: two numbers that are noted every 512 frames say what is too old, and a limit says how many there
//! may be. Seats that are gone hold nothing.

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::resource::{MessageNumbers, Renewed, ResourceId, Resources};

/// Identifies a schedule in the world that it was prepared for. The world holds weak references, which end when the schedule is dropped or
/// prepared for another world.
pub(crate) type Seat = Arc<()>;

/// A schedule that has run in the world.
#[derive(Clone)]
pub(super) struct RanSchedule {
    /// The number of its label, if it has one. Schedules with the same label are the same.
    pub(super) label: Option<u64>,
    pub(super) seat: Weak<()>,
    /// The frame in which it ran last.
    pub(super) ran: u64,
}

impl RanSchedule {
    #[inline]
    pub(super) fn is(&self, label: Option<u64>, seat: &Seat) -> bool {
        (label.is_some() && self.label == label) || core::ptr::eq(self.seat.as_ptr(), Arc::as_ptr(seat))
    }

    /// Whether it will never run again, as far as can be known.
    pub(super) fn is_gone(&self) -> bool {
        self.label.is_none() && self.seat.strong_count() == 0
    }
}

/// The part of a frame that its end can reach, wherever the world has been put meanwhile.
#[derive(Default)]
pub(super) struct SharedFrame {
    /// Whether a frame has ended while the world was elsewhere, and this is not known yet.
    pub(super) has_ended: AtomicBool,
}

/// A run, or a frame that was begun by name, goes on until this is dropped. The world counts them by their references to what they
/// share with it.
pub(crate) struct Ongoing(Arc<SharedFrame>);

impl Ongoing {
    /// Ends the frame of a world that is elsewhere.
    pub(crate) fn end_elsewhere(self) {
        self.0.has_ended.store(true, Relaxed);
    }
}

/// The messages that a schedule reads.
#[derive(Clone)]
pub(super) struct Holder {
    pub(super) seat: Weak<()>,
    pub(super) lists: Vec<Held>,
}

/// One list of messages, and the first message that the schedule may not have seen.
#[derive(Clone)]
pub(super) struct Held {
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
    /// How many frames have ended.
    pub(crate) fn number(&self) -> u64 {
        self.number + u64::from(self.shared.has_ended.load(Relaxed))
    }

    /// Lets messages go that were written before the last time, but for those that a schedule holds.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a message does. The others have gone all the same.
    pub(crate) fn age_messages(&mut self, resources: &mut Resources) {
        self.holders.retain(|holder| holder.seat.strong_count() > 0);
        resources.age_messages(|messages, numbers| self.held_from(messages, numbers));
    }

    /// Sets which lists of messages a schedule reads. Messages that it may not have read are retained.
    pub(crate) fn hold_messages(&mut self, resources: &mut Resources, seat: &Seat, lists: &[ResourceId]) {
        let is_of = |holder: &Holder| core::ptr::eq(holder.seat.as_ptr(), Arc::as_ptr(seat));
        let at = match self.holders.iter().position(is_of) {
            Some(at) => at,
            None if lists.is_empty() => return,
            None => {
                self.holders.push(Holder { seat: Arc::downgrade(seat), lists: Vec::new() });
                self.holders.len() - 1
            }
        };
        let held = &mut self.holders[at].lists;
        held.retain(|held| lists.contains(&held.messages));
        for &messages in lists {
            if !held.iter().any(|held| held.messages == messages) {
                let (origin, from) = resources.message_numbers(messages).map_or((0, 0), |now| (now.origin, now.start));
                held.push(Held { messages, origin, from });
            }
        }
    }

    /// Notes that a schedule begins a run. Its readers see all messages up to now, so only later ones are retained for it.
    pub(crate) fn offer_messages(&mut self, resources: &mut Resources, seat: &Seat) {
        let is_of = |holder: &&mut Holder| core::ptr::eq(holder.seat.as_ptr(), Arc::as_ptr(seat));
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

    /// Counts a run or a frame until the returned guard is dropped: runs and frames that begin meanwhile belong to it.
    pub(crate) fn enter(&self) -> Ongoing {
        Ongoing(Arc::clone(&self.shared))
    }

    /// Whether the run of a schedule that runs by itself is the first one of another frame. `at` is the place of the schedule
    /// among the members.
    #[inline]
    pub(super) fn ends_before(&self, at: Option<usize>) -> bool {
        let has_run = |at: usize| self.members[at].ran == self.number;
        let is_gone = |member: &RanSchedule| member.ran == self.number && member.is_gone();
        self.any_ran && (at.is_some_and(has_run) || self.members.iter().any(is_gone))
    }

    /// Adds a schedule that runs in this frame.
    #[cold]
    pub(super) fn add_member(&mut self, label: Option<u64>, seat: &Seat) {
        let ran = self.number;
        // Those of this frame say that it may end.
        self.members.retain(|member| member.ran == ran || !member.is_gone());
        self.members.push(RanSchedule { label, seat: Arc::downgrade(seat), ran });
    }

    /// From which message on a list is held.
    pub(super) fn held_from(&self, messages: ResourceId, numbers: MessageNumbers) -> u64 {
        let lists = self.holders.iter().flat_map(|holder| &holder.lists).filter(|held| held.messages == messages);
        let from = |held: &Held| if held.origin == numbers.origin { held.from } else { numbers.start };
        lists.map(from).min().unwrap_or(u64::MAX)
    }
}

/// The frame of a world.
#[derive(Clone, Default)]
pub(crate) struct FramesCopy {
    pub(crate) number: u64,
    /// Schedules that have run in this frame, and others.
    pub(super) members: Vec<RanSchedule>,
    /// Whether any has run in this frame.
    pub(crate) any_ran: bool,
    holders: Vec<Holder>,
}

impl FramesCopy {
    /// So many frames have ended. If schedules have run in this one, and no labels of these are known, it ends when the next schedule runs.
    pub(super) fn of(number: u64, any_ran: bool, labels: &[u64]) -> Self {
        let ran = |label| RanSchedule { label, seat: Weak::new(), ran: number };
        let members = match any_ran && labels.is_empty() {
            true => alloc::vec![ran(None)],
            false => labels.iter().map(|label| ran(Some(*label))).collect(),
        };
        Self { number, members, any_ran, holders: Vec::new() }
    }

    /// The labels of the schedules that have run in the frame; none if not all of them have one.
    pub(crate) fn labels(&self) -> Option<Vec<u64>> {
        let ran = self.members.iter().filter(|member| self.any_ran && member.ran == self.number);
        ran.map(|member| member.label).collect()
    }

    /// A schedule holds lists of messages, each from a number on.
    pub(super) fn hold(&mut self, seat: Weak<()>, lists: impl Iterator<Item = (ResourceId, MessageNumbers, u64)>) {
        let held = |(messages, MessageNumbers { origin, .. }, from)| Held { messages, origin, from };
        self.holders.push(Holder { seat, lists: lists.map(held).collect() });
    }

    /// The lists of messages that a schedule holds, each from a number on, and which list it was.
    pub(super) fn held_by(&self, seat: &Weak<()>) -> impl Iterator<Item = (ResourceId, usize, u64)> {
        let of_it = self.holders.iter().filter(|holder| holder.seat.ptr_eq(seat)).flat_map(|holder| &holder.lists);
        of_it.map(|held| (held.messages, held.origin, held.from))
    }
}

impl Frames {
    /// It is the frame of a copy, in which some lists of messages have got other origins.
    pub(super) fn become_copy(&mut self, copy: FramesCopy, renewed: &[(ResourceId, Renewed)]) {
        self.state = copy;
        for held in self.holders.iter_mut().flat_map(|holder| &mut holder.lists) {
            let is_it = |(id, renewed): &&(ResourceId, Renewed)| *id == held.messages && renewed.before == held.origin;
            if let Some((_, renewed)) = renewed.iter().find(is_it) {
                held.origin = renewed.now;
            }
        }
    }
}
