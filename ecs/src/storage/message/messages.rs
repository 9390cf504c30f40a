//! The messages of one type, and their numbers.
//!
//! Message numbers only increase. `Messages` stores the number of the first message of its newer list and counts from there, so a message
//! is stored without its number. A cursor holds the number of the next message to read. If the oldest message of the list has a higher
//! number, the difference is the number of missed messages. Each list has an origin, a number that is never used twice, so that a cursor
//! detects a replaced list. Each message resource has a function that ages it (`Resource::AGEING`), so every list is aged.
//!
//! Tests: tests/changes/messages/lifetimes.rs, tests/changes/messages/panics.rs

use alloc::vec::Vec;
use core::any::type_name;
use core::cmp::Ordering;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::mem;
use core::ops::Range;
use core::slice;
use core::sync::atomic::{self, AtomicUsize};

use super::Message;
use crate::component::{ComponentKey, Description, Persistence};
use crate::storage::resource::{Ageing, MessageNumbers, RenewedList, Resource};
use crate::util::guard::for_each_despite_panics;
use crate::util::trace;

/// The resource with all messages of one type that have not been dropped, in the order in which they were written.
///
/// Messages age with the [frames](crate::world::World::frame) of the world, regardless of the number of schedules in each frame, and
/// of how the list was inserted into the world:
///
/// - every system can read a message in the frame in which it was written and in the next one, regardless of the order of the
///   systems;
/// - a message is not dropped before every schedule with a reader of its type has run since the message was written, however many frames
///   that takes. Readers are [`MessageReader`](crate::system::MessageReader)s and [`MessageMutator`](crate::system::MessageMutator)s of
///   systems and conditions. Only the run of the schedule counts: a system that is skipped by its condition does not keep messages.
///
/// So a reader that reads whenever its schedule runs sees each message once, even in a schedule with a fixed time step that skips
/// frames. [`MessageReader::missed`](crate::system::MessageReader::missed) returns the number of messages that a reader has missed.
///
/// Memory is bounded even if a schedule never runs again: a message is kept for a schedule for at least 512 and fewer than 1,024
/// frames, and at most 1,048,576 messages are kept ([`set_limit`](Self::set_limit)). Schedules that were dropped, or removed from
/// the world, keep no messages.
///
/// A message stays at least until the end of the frame after the one in which it was written. If a program never ends a frame, its messages
/// are never dropped. When more than 1,048,576 messages are written in one frame, and again whenever their number has doubled, a warning
/// prints their type and their number.
///
/// There are two lists: the messages of this frame, and older messages. A program may call [`update`](Self::update) to swap the lists
/// manually. This drops the older messages, even if schedules have not read them.
///
/// Writing costs the same as [`Vec::push`]. The memory of both lists is reused. Message numbers have 64 bits and do not wrap.
///
/// ```
/// use strata_ecs::message::Messages;
///
/// let mut messages = Messages::default();
/// messages.write("first");
/// messages.update();
/// messages.write("second");
/// assert_eq!(messages.len(), 2);
/// messages.update();
/// assert_eq!(messages.drain().collect::<Vec<_>>(), ["second"]);
/// ```
#[doc(alias("Events", "EventQueue"))]
pub struct Messages<M> {
    /// Messages written before the last update.
    old: Vec<M>,
    /// Messages written since the last update.
    new: Vec<M>,
    /// The number of the first message in `new`. The messages in `old` have the numbers directly below it.
    new_start: u64,
    /// Distinguishes this list from other lists of the type, since a cursor can be used with several lists.
    pub(super) origin: usize,
    /// The number of times that the list has aged.
    ages: u32,
    /// The number of the next message at the last two times when `ages` was a multiple of [`HELD_AGES`]. The older one comes first.
    checkpoints: [u64; 2],
    /// The maximum number of messages that are kept for schedules that have not run since they were written.
    limit: usize,
}

/// The minimum number of frames for which a message is kept for a schedule that does not run. The message is dropped before twice as many
/// frames have ended.
const HELD_AGES: u32 = 512;

/// The default of `limit`.
const LIMIT: usize = 1 << 20;

static NEXT_ORIGIN: AtomicUsize = AtomicUsize::new(1);

impl<M> Default for Messages<M> {
    fn default() -> Self {
        Self { origin: next_origin(), ..Self::starting_at(0) }
    }
}

/// Returns an origin that no other list has had.
fn next_origin() -> usize {
    let order = atomic::Ordering::Relaxed;
    let Ok(origin) = NEXT_ORIGIN.fetch_update(order, order, |origin| origin.checked_add(1)) else {
        panic!("more lists of messages were made than there are numbers")
    };
    origin
}

#[diagnostic::do_not_recommend]
impl<M: Message> Resource for Messages<M> {
    const KEY: Option<ComponentKey> = match M::KEY {
        Some(key) => Some(key.messages()),
        None => None,
    };
    const DESCRIPTION: Description<Self> = Self::DESCRIBED;
    const MISSING: &'static str =
        "call `World::register_message::<{}>()`, or have a system with a `MessageReader` or `MessageWriter`";
    const AGEING: Option<Ageing<Self>> = Some(Ageing { numbers: Self::numbers, age: Self::age, renew: Self::renew });

    fn persistence() -> Persistence<Self> {
        match M::persistence() {
            Persistence::Listed => Persistence::Listed,
            Persistence::Text(_) => Persistence::Text(Self::TEXT_FORM),
            Persistence::Skipped => Persistence::Skipped,
            Persistence::Transient => Persistence::Transient,
        }
    }
}

/// The maximum number of messages for which memory is reserved by the size hint of an iterator.
const TRUSTED: usize = 1 << 20;

/// The number of the first message in the list of a task. Messages get their final numbers when they are moved to the list of the world.
const UNNUMBERED: u64 = 1 << 63;

/// Lists of the messages that the tasks of a parallel loop write.
impl<M> Messages<M> {
    /// Returns a list for one task. No cursor ever reads it.
    pub(crate) fn unnumbered() -> Self {
        Self::starting_at(UNNUMBERED)
    }

    fn starting_at(new_start: u64) -> Self {
        let (old, new, checkpoints) = (Vec::new(), Vec::new(), [0; 2]);
        Self { old, new, new_start, origin: 0, ages: 0, checkpoints, limit: LIMIT }
    }

    /// Moves the messages of a task to the end of the list.
    pub(crate) fn take_over(&mut self, task: &mut Self) {
        self.new.append(&mut task.new);
    }
}

impl<M> Messages<M> {
    /// Returns the number of the oldest message in the list.
    pub(super) fn start(&self) -> u64 {
        self.new_start - self.old.len() as u64
    }

    /// Returns the number of the next message.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.new_start + self.new.len() as u64
    }

    /// Returns the messages from this number on. The number must not be below [`start`](Self::start).
    #[inline]
    pub(super) fn since(&self, number: u64) -> (&[M], &[M]) {
        match number.checked_sub(self.new_start) {
            None => (&self.old[(number - self.start()) as usize..], &self.new),
            Some(at) => (&self.new[at as usize..], &[]),
        }
    }

    /// Returns the messages from this number on, borrowed mutably. The number must not be below [`start`](Self::start).
    pub(super) fn since_mut(&mut self, number: u64) -> (&mut [M], &mut [M]) {
        let start = self.start();
        match number.checked_sub(self.new_start) {
            None => (&mut self.old[(number - start) as usize..], &mut self.new),
            Some(at) => (&mut self.new[at as usize..], &mut []),
        }
    }

    /// Adds a message and returns its id.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let id = messages.write("hello");
    /// assert_eq!(messages.get_message(id), Some(&"hello"));
    /// ```
    #[inline]
    pub fn write(&mut self, message: M) -> MessageId<M> {
        let id = MessageId::new(self.end());
        // `push` makes the same comparison to decide whether to grow, so the compiler can merge the two.
        if self.new.len() == self.new.capacity() {
            self.warn_of_growth();
        }
        self.new.push(message);
        id
    }

    /// Adds messages and returns their ids. If the iterator panics, the messages that it has already yielded stay.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let ids = messages.write_batch(0..10);
    /// assert_eq!((ids.len(), messages.len()), (10, 10));
    /// ```
    pub fn write_batch(&mut self, messages: impl IntoIterator<Item = M>) -> WriteBatchIds<M> {
        let (start, room) = (self.end(), self.new.capacity());
        let messages = messages.into_iter();
        if messages.size_hint().0 <= TRUSTED {
            self.new.extend(messages);
        } else {
            messages.for_each(|message| self.new.push(message));
        }
        if self.new.capacity() != room {
            self.warn_of_growth();
        }
        WriteBatchIds { numbers: start..self.end(), marker: PhantomData }
    }

    /// Prints a warning if so many messages were written in one frame that the program probably never ends a frame. Called when the memory
    /// for messages is about to grow, or has just grown.
    #[cold]
    #[inline(never)]
    fn warn_of_growth(&self) {
        let count = self.new.len();
        if count >= LIMIT {
            let name = type_name::<M>();
            trace::warn(&format_args!(
                "{count} messages `{name}` were written in one frame and are kept; end frames with `World::frame`, `App::update` or \
                 `World::update_messages`, or run schedules"
            ));
        }
    }

    /// Adds the default message and returns its id.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::<u32>::default();
    /// let id = messages.write_default();
    /// assert_eq!(messages.get_message(id), Some(&0));
    /// ```
    pub fn write_default(&mut self) -> MessageId<M>
    where
        M: Default,
    {
        self.write(M::default())
    }

    /// Drops the messages that were written before the last update. The last update was the last call of this method or the end of the last
    /// frame. Messages that were written since then are dropped by the next update.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a message panics. The other messages are still dropped, and the update is complete.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write("hello");
    /// messages.update();
    /// assert_eq!(messages.len(), 1);
    /// messages.update();
    /// assert!(messages.is_empty());
    /// ```
    pub fn update(&mut self) {
        self.turn();
        // `clear` sets the length to zero before it drops the messages, so the list is consistent if a destructor panics.
        self.new.clear();
    }

    /// Like [`Messages::update`], but returns an iterator over the messages that `update` would drop. Dropping the iterator drops the
    /// messages that it has not yielded.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write("hello");
    /// messages.update();
    /// assert_eq!(messages.update_drain().collect::<Vec<_>>(), ["hello"]);
    /// ```
    pub fn update_drain(&mut self) -> impl Iterator<Item = M> {
        self.turn();
        self.new.drain(..)
    }

    /// Gives the list a new origin.
    fn renew(&mut self) -> RenewedList {
        let now = next_origin();
        RenewedList { before: mem::replace(&mut self.origin, now), now }
    }

    /// Returns a list with these messages, and with the origin and the numbers of this list.
    pub(super) fn with(&self, old: Vec<M>, new: Vec<M>) -> Self {
        Self { old, new, ..*self }
    }

    /// Returns the state that determines when messages are dropped: `new_start`, `ages`, `checkpoints` and `limit`.
    pub(super) fn age_state(&self) -> (u64, u32, [u64; 2], usize) {
        (self.new_start, self.ages, self.checkpoints, self.limit)
    }

    /// Returns a list with deserialized messages; `None` if no list can have these numbers.
    pub(super) fn from_state(
        new_start: u64,
        (ages, checkpoints, limit): (u32, [u64; 2], usize),
        old: Vec<M>,
        new: Vec<M>,
    ) -> Option<Self> {
        let start = new_start.checked_sub(old.len() as u64)?;
        let end = new_start.checked_add(new.len() as u64).filter(|end| *end < UNNUMBERED)?;
        let are_in_order = checkpoints[0] <= checkpoints[1] && checkpoints[1] <= end && start <= end;
        are_in_order.then(|| Self { old, new, new_start, origin: next_origin(), ages, checkpoints, limit })
    }

    /// Returns the messages, the older ones first.
    pub(super) fn lists(&self) -> [&[M]; 2] {
        [&self.old, &self.new]
    }

    fn numbers(&self) -> MessageNumbers {
        MessageNumbers { origin: self.origin, start: self.start(), end: self.end() }
    }

    /// Ages the messages at the end of a frame. Like [`Messages::update`], but keeps the messages from the number `held_from` on, within
    /// the limits on their age and number.
    fn age(&mut self, held_from: u64) {
        self.ages = self.ages.wrapping_add(1);
        if self.ages.is_multiple_of(HELD_AGES) {
            self.checkpoints = [self.checkpoints[1], self.end()];
        }
        let kept_from = held_from.max(self.checkpoints[0]).max(self.end().saturating_sub(self.limit as u64));
        let gone = kept_from.saturating_sub(self.start()).min(self.old.len() as u64) as usize;
        if gone == self.old.len() {
            self.update();
        } else {
            // The memory is reserved first: if this panics for lack of memory, the list is unchanged.
            self.old.reserve(self.new.len());
            self.new_start = self.end();
            self.old.append(&mut self.new);
            self.old.drain(..gone);
        }
    }

    /// Swaps the two lists. Afterwards `new` contains the older messages, which count as dropped: the caller has to remove them.
    fn turn(&mut self) {
        self.new_start = self.end();
        mem::swap(&mut self.old, &mut self.new);
    }

    /// Sets the maximum number of messages that are kept for schedules that have not run since they were written: 1,048,576 by
    /// default. Messages that were written in this frame or the last one are kept regardless.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit;
    /// # let mut world = World::new();
    /// world.init_resource::<Messages<Hit>>();
    /// world.resource_mut::<Messages<Hit>>().set_limit(1000);
    /// ```
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Drops all messages. Messages that a reader has not read count as missed.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a message panics. The other messages are still dropped.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write("hello");
    /// messages.clear();
    /// assert!(messages.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.new_start = self.end();
        for_each_despite_panics([&mut self.old, &mut self.new].into_iter(), Vec::clear);
    }

    /// Removes and returns all messages, the oldest first. Messages that a reader has not read count as missed. Dropping the iterator drops
    /// the messages that it has not yielded.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write_batch(["first", "second"]);
    /// assert_eq!(messages.drain().collect::<Vec<_>>(), ["first", "second"]);
    /// assert!(messages.is_empty());
    /// ```
    pub fn drain(&mut self) -> impl Iterator<Item = M> {
        self.new_start = self.end();
        self.old.drain(..).chain(self.new.drain(..))
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.old.len() + self.new.len()
    }

    /// Returns whether the list is empty.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// assert!(messages.is_empty());
    /// messages.write("hello");
    /// assert!(!messages.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the message with this id; `None` if it has been dropped.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// let id = messages.write("hello");
    /// assert_eq!(messages.get_message(id), Some(&"hello"));
    /// messages.clear();
    /// assert_eq!(messages.get_message(id), None);
    /// ```
    #[must_use]
    pub fn get_message(&self, id: MessageId<M>) -> Option<&M> {
        match id.id.checked_sub(self.new_start) {
            Some(at) => self.new.get(usize::try_from(at).ok()?),
            None => self.old.get(usize::try_from(id.id.checked_sub(self.start())?).ok()?),
        }
    }

    /// Iterates over the messages that were written since the last update, whether or not readers have read them.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write("first");
    /// messages.update();
    /// messages.write("second");
    /// assert_eq!(messages.iter_current_update_messages().collect::<Vec<_>>(), [&"second"]);
    /// ```
    pub fn iter_current_update_messages(&self) -> slice::Iter<'_, M> {
        self.new.iter()
    }
}

impl<M> Extend<M> for Messages<M> {
    fn extend<I: IntoIterator<Item = M>>(&mut self, messages: I) {
        self.write_batch(messages);
    }
}

impl_debug_of_fields! { [M: fmt::Debug] Messages<M> { old, new } }

/// The number of a message among all messages of its type that a [`Messages`] has held. Later messages have higher numbers.
///
/// ```
/// use strata_ecs::message::Messages;
///
/// let mut messages = Messages::default();
/// let [first, second] = ["first", "second"].map(|message| messages.write(message));
/// assert!(first < second);
/// ```
pub struct MessageId<M> {
    /// The number, counted from 0.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write("first");
    /// messages.clear();
    /// assert_eq!(messages.write("second").id, 1);
    /// ```
    pub id: u64,
    marker: PhantomData<fn() -> M>,
}

impl<M> MessageId<M> {
    pub(super) fn new(number: u64) -> Self {
        Self { id: number, marker: PhantomData }
    }
}

impl_copy! { [M] MessageId<M>; }

impl_eq!([M] MessageId<M>, id);

impl<M> PartialOrd for MessageId<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> Ord for MessageId<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl_debug!([M] MessageId<M> => |this, f| f.debug_tuple("MessageId").field(&this.id).finish());

/// The ids of messages that were written together.
///
/// ```
/// use strata_ecs::message::Messages;
///
/// let mut messages = Messages::default();
/// let mut ids = messages.write_batch(["first", "second"]);
/// assert_eq!(messages.get_message(ids.next().unwrap()), Some(&"first"));
/// ```
pub struct WriteBatchIds<M> {
    numbers: Range<u64>,
    marker: PhantomData<fn() -> M>,
}

impl<M> Iterator for WriteBatchIds<M> {
    type Item = MessageId<M>;

    fn next(&mut self) -> Option<MessageId<M>> {
        self.numbers.next().map(MessageId::new)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.size_hint()
    }
}

// The messages were all in memory, so their number fits into `usize`.
impl<M> ExactSizeIterator for WriteBatchIds<M> {}
impl<M> FusedIterator for WriteBatchIds<M> {}

impl_debug!([M] WriteBatchIds<M> => |this, f| f.debug_tuple("WriteBatchIds").field(&this.numbers).finish());
