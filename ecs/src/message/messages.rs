//! The messages of one type, and their numbers.
//!
//! The numbers go up without end. `Messages` knows the number of the first message of its newer list and counts from there,
//! so a message is stored without its number. A cursor is the number of the next message to read; what it missed is the
//! distance to the oldest that is there. A list has an origin, a number that is never used twice, so that a cursor notices
//! when its messages were replaced. Resources that are messages know how they age (`Resource::AGEING`), so no list is
//! overlooked.

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
use crate::guard::for_each_despite_panics;
use crate::resource::{Ageing, MessageNumbers, Renewed, Resource};
use crate::trace;

/// All messages of one type that are still there, in the order in which they were written. A resource.
///
/// Messages age with the [frames](crate::world::World::frame) of the world, however many schedules run in each, and however the
/// list came into the world:
///
/// - a message can be read in the frame that it was written in and in the next one, by every system, wherever it stands;
/// - it does not go before every schedule with a reader of it has run since it was written, however many frames that takes.
///   Readers are [`MessageReader`](crate::system::MessageReader)s and [`MessageMutator`](crate::system::MessageMutator)s of
///   systems and conditions. It is the schedule that counts: a system that its condition keeps from running holds nothing back.
///
/// So a reader that reads whenever its schedule runs sees each message once, also in a schedule for a fixed step that skips
/// frames. One that comes too late is told of how many: [`MessageReader::missed`](crate::system::MessageReader::missed).
///
/// Memory is bounded although a schedule may never run again: for a schedule a message is held for 512 frames at least and less
/// than 1,024, and no more than 1,048,576 messages ([`set_limit`](Self::set_limit)) are. What is dropped, or removed from the
/// world, holds nothing.
///
/// What is written in a frame stays until that frame and the next one end. If a program never ends a frame, its messages stay for
/// ever: when more than 1,048,576 are written in one frame, and again whenever their number has doubled, a warning names their type
/// and says how many there are.
///
/// There are two lists: what was written in this frame, and what was written before. [`update`](Self::update) turns them over
/// by hand and drops the older one, whatever schedules have yet to run.
///
/// Writing costs what [`Vec::push`] costs. The memory of both lists is used again. The numbers of messages have 64 bits and
/// do not wrap.
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
    /// Written before the last update.
    old: Vec<M>,
    /// Written since then.
    new: Vec<M>,
    /// The number of the first new one. Those of the old ones lie right below.
    new_start: u64,
    /// Tells these from other messages of the type: a cursor can meet both.
    pub(super) origin: usize,
    /// How often they have aged.
    ages: u32,
    /// The number of the next message when `ages` was a multiple of [`HELD_AGES`] for the last time but one, and for the last
    /// time.
    checkpoints: [u64; 2],
    /// How many messages are held at most for schedules that have not run since they were written.
    limit: usize,
}

/// For how many frames a message is held at least for a schedule that does not run. It goes before twice as many have ended.
const HELD_AGES: u32 = 512;

/// How many messages are held, if nothing else is set.
const LIMIT: usize = 1 << 20;

static NEXT_ORIGIN: AtomicUsize = AtomicUsize::new(1);

impl<M> Default for Messages<M> {
    fn default() -> Self {
        Self { origin: next_origin(), ..Self::starting_at(0) }
    }
}

/// An origin that no list has had.
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

/// More rows than that are not made room for because an iterator says that they will come.
const TRUSTED: usize = 1 << 20;

/// From here on count the numbers of messages that have none yet.
const UNNUMBERED: u64 = 1 << 63;

/// What tasks of a parallel loop write.
impl<M> Messages<M> {
    /// For one task: no cursor ever sees it.
    pub(crate) fn unnumbered() -> Self {
        Self::starting_at(UNNUMBERED)
    }

    fn starting_at(new_start: u64) -> Self {
        let (old, new, checkpoints) = (Vec::new(), Vec::new(), [0; 2]);
        Self { old, new, new_start, origin: 0, ages: 0, checkpoints, limit: LIMIT }
    }

    /// Adds what a task has written.
    pub(crate) fn take_over(&mut self, task: &mut Self) {
        self.new.append(&mut task.new);
    }
}

impl<M> Messages<M> {
    /// The number of the oldest message that is there.
    pub(super) fn start(&self) -> u64 {
        self.new_start - self.old.len() as u64
    }

    /// The number of the next message.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.new_start + self.new.len() as u64
    }

    /// The messages from this number on. It is none of those that are gone.
    #[inline]
    pub(super) fn since(&self, number: u64) -> (&[M], &[M]) {
        match number.checked_sub(self.new_start) {
            None => (&self.old[(number - self.start()) as usize..], &self.new),
            Some(at) => (&self.new[at as usize..], &[]),
        }
    }

    /// The same, to change them.
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
        // The vector compares the same to find out whether it has to grow.
        if self.new.len() == self.new.capacity() {
            self.warn_of_growth();
        }
        self.new.push(message);
        id
    }

    /// Adds messages and returns their ids. If the iterator panics, those that it has given are there.
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

    /// Warns of a frame in which so many messages have been written that it may never end. The caller is about to get more memory for
    /// messages, or has just got it.
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

    /// Drops what was written before the last update, by hand or at the end of a frame. What has been written since is dropped
    /// by the next.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a message does. The others are dropped all the same, and the update is done.
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
        // Takes the length back before it drops anything.
        self.new.clear();
    }

    /// As [`Messages::update`], but hands out what it would drop. What is left of that when the iterator is dropped is dropped
    /// with it.
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

    /// The list gets another origin.
    fn renew(&mut self) -> Renewed {
        let now = next_origin();
        Renewed { before: mem::replace(&mut self.origin, now), now }
    }

    /// An equal list, which has the same origin, of these messages.
    pub(super) fn with(&self, old: Vec<M>, new: Vec<M>) -> Self {
        Self { old, new, ..*self }
    }

    /// What decides when messages go, besides the messages: the number of the first new one, how often they have aged, two numbers of
    /// before, and the limit.
    pub(super) fn age_state(&self) -> (u64, u32, [u64; 2], usize) {
        (self.new_start, self.ages, self.checkpoints, self.limit)
    }

    /// A list with messages that were read from somewhere; `None` if no list has such numbers.
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

    /// The messages, first those that are about to go.
    pub(super) fn lists(&self) -> [&[M]; 2] {
        [&self.old, &self.new]
    }

    fn numbers(&self) -> MessageNumbers {
        MessageNumbers { origin: self.origin, start: self.start(), end: self.end() }
    }

    /// At the end of a frame: as [`Messages::update`], but messages from a number on stay, as far as the bounds allow.
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
            // There may be no memory; then nothing has happened.
            self.old.reserve(self.new.len());
            self.new_start = self.end();
            self.old.append(&mut self.new);
            self.old.drain(..gone);
        }
    }

    /// Makes the new list the old one. What was old lies in the new list then, and counts as gone: it has to be taken out.
    fn turn(&mut self) {
        self.new_start = self.end();
        mem::swap(&mut self.old, &mut self.new);
    }

    /// Sets how many messages are kept at most for schedules that have not run since they were written: 1,048,576 by default.
    /// What was written in this frame or the last one does not go before its time.
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

    /// Drops all messages. A reader that has not read them has missed them.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a message does. The others are dropped all the same.
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

    /// Takes all messages out, the oldest first. A reader that has not read them has missed them. What is left when the
    /// iterator is dropped is dropped with it.
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

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.old.len() + self.new.len()
    }

    /// Whether there are none.
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

    /// The message with this id, if it is still there.
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

    /// What has been written since the last update. It does not matter which readers have read it.
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

/// The number of a message among all messages of its type that a [`Messages`] has had. Later ones have higher numbers.
///
/// ```
/// use strata_ecs::message::Messages;
///
/// let mut messages = Messages::default();
/// let [first, second] = ["first", "second"].map(|message| messages.write(message));
/// assert!(first < second);
/// ```
pub struct MessageId<M> {
    /// The number, from 0.
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

// As many messages have been in memory.
impl<M> ExactSizeIterator for WriteBatchIds<M> {}
impl<M> FusedIterator for WriteBatchIds<M> {}

impl_debug!([M] WriteBatchIds<M> => |this, f| f.debug_tuple("WriteBatchIds").field(&this.numbers).finish());
