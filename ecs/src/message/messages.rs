//! The messages of one type, and their numbers.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::mem;
use core::ops::Range;
use core::slice;
use core::sync::atomic::{self, AtomicUsize};

use super::Message;
use crate::component::ComponentKey;
use crate::guard::for_each_despite_panics;
use crate::resource::Resource;

/// All messages of one type that are still there, in the order in which they were written. A resource.
///
/// There are two lists: what was written since the last [`update`](Self::update), and what was written between that and the
/// one before. An update drops the older list. [`Schedule::run`](crate::schedule::Schedule::run) begins with one for every
/// `Messages` of the world, however it came there, so
///
/// - what a system writes in one run can be read until the end of the next run, by every system, wherever it stands;
/// - what is written between two runs can be read in the next one.
///
/// So a reader that reads in each run sees each message once. One that comes too late is told of how many:
/// [`MessageReader::missed`](crate::system::MessageReader::missed).
///
/// [`Schedule::set_message_updates`](crate::schedule::Schedule::set_message_updates) turns the updates off, for schedules that
/// run within others or that run more often; [`World::update_messages`](crate::world::World::update_messages) does one.
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
pub struct Messages<M> {
    /// Written before the last update.
    old: Vec<M>,
    /// Written since then.
    new: Vec<M>,
    /// The number of the first new one. Those of the old ones lie right below.
    new_start: u64,
    /// Tells these from other messages of the type: a cursor can meet both.
    origin: usize,
}

static NEXT_ORIGIN: AtomicUsize = AtomicUsize::new(1);

impl<M> Default for Messages<M> {
    fn default() -> Self {
        let order = atomic::Ordering::Relaxed;
        let Ok(origin) = NEXT_ORIGIN.fetch_update(order, order, |origin| origin.checked_add(1)) else {
            panic!("more lists of messages were made than there are numbers")
        };
        Self { old: Vec::new(), new: Vec::new(), new_start: 0, origin }
    }
}

#[diagnostic::do_not_recommend]
impl<M: Message> Resource for Messages<M> {
    const KEY: Option<ComponentKey> = match M::KEY {
        Some(key) => Some(key.messages()),
        None => None,
    };
    const UPDATE: Option<fn(&mut Self)> = Some(Self::update);
}

/// More rows than that are not made room for because an iterator says that they will come.
const TRUSTED: usize = 1 << 20;

/// From here on count the numbers of messages that have none yet.
const UNNUMBERED: u64 = 1 << 63;

/// What tasks of a parallel loop write.
impl<M> Messages<M> {
    /// For one task: no cursor ever sees it.
    pub(crate) fn of_task() -> Self {
        Self { old: Vec::new(), new: Vec::new(), new_start: UNNUMBERED, origin: 0 }
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

    pub(super) fn origin(&self) -> usize {
        self.origin
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
        let start = self.end();
        let messages = messages.into_iter();
        if messages.size_hint().0 <= TRUSTED {
            self.new.extend(messages);
        } else {
            messages.for_each(|message| self.new.push(message));
        }
        WriteBatchIds { numbers: start..self.end(), marker: PhantomData }
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

    /// Drops what was written before the last update. What has been written since is dropped by the next.
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

    /// Makes the new list the old one. What was old lies in the new list then, and counts as gone: it has to be taken out.
    fn turn(&mut self) {
        self.new_start = self.end();
        mem::swap(&mut self.old, &mut self.new);
    }

    /// Drops all messages. Who has not read them has missed them.
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

    /// Takes all messages out, the oldest first. Who has not read them has missed them. What is left when the iterator is
    /// dropped is dropped with it.
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
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write_batch(["first", "second"]);
    /// assert_eq!(messages.len(), 2);
    /// ```
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
        match id.number.checked_sub(self.new_start) {
            Some(at) => self.new.get(usize::try_from(at).ok()?),
            None => self.old.get(usize::try_from(id.number.checked_sub(self.start())?).ok()?),
        }
    }

    /// What has been written since the last update. It does not matter who has read it.
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

impl<M: fmt::Debug> fmt::Debug for Messages<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").field("old", &self.old).field("new", &self.new).finish_non_exhaustive()
    }
}

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
    number: u64,
    marker: PhantomData<fn() -> M>,
}

impl<M> MessageId<M> {
    pub(super) fn new(number: u64) -> Self {
        Self { number, marker: PhantomData }
    }

    /// The number, from 0.
    ///
    /// ```
    /// use strata_ecs::message::Messages;
    ///
    /// let mut messages = Messages::default();
    /// messages.write("first");
    /// messages.clear();
    /// assert_eq!(messages.write("second").id(), 1);
    /// ```
    #[must_use]
    pub fn id(self) -> u64 {
        self.number
    }
}

impl<M> Clone for MessageId<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for MessageId<M> {}

impl<M> PartialEq for MessageId<M> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<M> Eq for MessageId<M> {}

impl<M> PartialOrd for MessageId<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> Ord for MessageId<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }
}

impl<M> Hash for MessageId<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl<M> fmt::Debug for MessageId<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MessageId").field(&self.number).finish()
    }
}

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

impl<M> fmt::Debug for WriteBatchIds<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WriteBatchIds").field(&self.numbers).finish()
    }
}
