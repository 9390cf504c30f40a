//! Messages as parameters.
//!
//! Tests: tests/changes/messages/params.rs

use super::resource::{Reads, ResourceSourceWith, ResourceState, Writes};
use crate::storage::message::MessageParIter;
use crate::storage::message::{
    Message, MessageCursor, MessageId, MessageIterator, MessageIteratorWithId, MessageMutIterator,
    MessageMutIteratorWithId, Messages, WriteBatchIds,
};
use crate::system::memory::StateVisitor;

/// Defines the methods that parameters with a cursor share.
macro_rules! cursor_methods {
    ($($Param:ident),*) => { $(
        impl<M> $Param<'_, '_, M> {
            /// Returns the number of messages that the system has not read.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Message)] struct Hit;
            ///
            #[doc = concat!(" fn count(hits: ", stringify!($Param), "<Hit>) -> usize {")]
            ///     hits.len()
            /// }
            /// # let mut world = World::new();
            /// world.write_message_batch([Hit, Hit]);
            /// assert_eq!(world.run_system_once(count).unwrap(), 2);
            /// ```
            #[must_use]
            pub fn len(&self) -> usize {
                self.cursor.len(self.messages)
            }

            /// Returns whether the system has read all messages.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Message)] struct Hit;
            ///
            #[doc = concat!(" fn unhurt(hits: ", stringify!($Param), "<Hit>) -> bool {")]
            ///     hits.is_empty()
            /// }
            /// assert!(World::new().run_system_once(unhurt).unwrap());
            /// ```
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.cursor.is_empty(self.messages)
            }

            /// Skips all unread messages. They do not count as missed.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Message)] struct Hit;
            ///
            #[doc = concat!(" fn ignore(mut hits: ", stringify!($Param), "<Hit>) {")]
            ///     hits.clear();
            ///     assert!(hits.is_empty());
            /// }
            /// # let mut world = World::new();
            /// # world.write_message(Hit);
            /// # world.run_system_once(ignore).unwrap();
            /// ```
            pub fn clear(&mut self) {
                self.cursor.clear(self.messages);
            }

            /// Returns the number of messages that were dropped before the system could read them, since it was prepared or since
            /// the last [`take_missed`](Self::take_missed). Reading other messages does not change the number.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Message)] struct Hit;
            ///
            #[doc = concat!(" fn count(hits: ", stringify!($Param), "<Hit>) {")]
            ///     assert_eq!((hits.len(), hits.missed()), (0, 3));
            /// }
            ///
            /// let mut world = World::new();
            /// let mut schedule = Schedule::default();
            /// schedule.add_systems(count);
            /// schedule.initialize(&mut world);
            /// world.write_message_batch([Hit, Hit, Hit]);
            /// world.resource_mut::<Messages<Hit>>().clear();
            /// schedule.run(&mut world);
            /// ```
            #[must_use]
            pub fn missed(&self) -> u64 {
                self.cursor.missed(self.messages)
            }

            /// Returns the number of [`missed`](Self::missed) messages, and resets it to 0.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Message)] struct Hit;
            ///
            #[doc = concat!(" fn complain(mut hits: ", stringify!($Param), "<Hit>) {")]
            ///     let missed = hits.take_missed();
            ///     if missed > 0 {
            ///         eprintln!("{missed} hits have been overlooked");
            ///     }
            /// }
            /// # World::new().run_system_once(complain).unwrap();
            /// ```
            pub fn take_missed(&mut self) -> u64 {
                self.cursor.take_missed(self.messages)
            }

            /// Reborrows the parameter with a shorter lifetime; messages that are read through it count as read.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Message)] struct Hit;
            ///
            #[doc = concat!(" fn first(mut hits: ", stringify!($Param), "<Hit>) -> bool {")]
            ///     hits.read().next().is_some()
            /// }
            ///
            #[doc = concat!(" fn first_and_second(mut hits: ", stringify!($Param), "<Hit>) -> (bool, bool) {")]
            ///     (first(hits.reborrow()), first(hits))
            /// }
            /// # let mut world = World::new();
            /// # world.write_message(Hit);
            /// # assert_eq!(world.run_system_once(first_and_second).unwrap(), (true, false));
            /// ```
            #[inline]
            pub fn reborrow(&mut self) -> $Param<'_, '_, M> {
                $Param { messages: self.messages, cursor: self.cursor }
            }
        }

        impl_debug!([M] $Param<'_, '_, M> => |this, f|
            f.debug_struct(stringify!($Param)).field("len", &this.len()).finish_non_exhaustive());
    )* };
}

cursor_methods!(MessageReader, MessageMutator);

impl<M: Message> ResourceState<Messages<M>> for MessageCursor<M> {
    const READS_MESSAGES: bool = true;

    fn begin(messages: &Messages<M>) -> Self {
        messages.get_cursor()
    }

    #[inline]
    fn missed(&self, messages: &Messages<M>) -> u64 {
        MessageCursor::missed(self, messages)
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        let (list, next, missed) = self.parts_mut();
        keeper.cursor(list, next, missed);
    }
}

/// Writes messages that other systems read.
///
/// In a parallel loop, each task has a writer of its own, and the messages of all tasks are joined in the order of the rows. The
/// ids that such a writer returns do not identify the messages, because the number of messages before them is not yet known.
///
/// A writer borrows the resource [`Messages<M>`](Messages) mutably. The resource is inserted when the system is prepared, if it
/// does not exist. So systems that write the same message type run one after the other, and a system has only one writer of each
/// type.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Message)]
/// struct Died(u32);
///
/// #[system]
/// fn bury(health: &Health, mut died: MessageWriter<Died>) {
///     if health.0 == 0 {
///         died.write(Died(1));
///     }
/// }
///
/// fn mourn(mut died: MessageReader<Died>) {
///     assert_eq!(died.read().map(|died| died.0).sum::<u32>(), 1);
/// }
///
/// let mut world = World::new();
/// world.spawn_batch([Health(0), Health(3)]);
/// let mut schedule = Schedule::default();
/// schedule.add_systems((bury, mourn));
/// schedule.run(&mut world);
/// ```
#[doc(alias("EventWriter", "send"))]
pub struct MessageWriter<'w, M> {
    pub(in crate::system) messages: &'w mut Messages<M>,
}

impl<'w, M> MessageWriter<'w, M> {
    /// Adds a message and returns its id.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// fn write(mut hits: MessageWriter<Hit>) {
    ///     assert_eq!(hits.write(Hit(3)).id, 0);
    ///     assert_eq!(hits.write(Hit(4)).id, 1);
    /// }
    /// # World::new().run_system_once(write).unwrap();
    /// ```
    #[inline]
    pub fn write(&mut self, message: M) -> MessageId<M> {
        self.messages.write(message)
    }

    /// Reborrows with a shorter lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// fn hit(mut hits: MessageWriter<Hit>) {
    ///     hits.write(Hit(1));
    /// }
    ///
    /// fn hit_twice(mut hits: MessageWriter<Hit>) {
    ///     hit(hits.reborrow());
    ///     hit(hits);
    /// }
    /// # World::new().run_system_once(hit_twice).unwrap();
    /// ```
    #[inline]
    pub fn reborrow(&mut self) -> MessageWriter<'_, M> {
        MessageWriter { messages: self.messages }
    }
}

impl_from! {
    /// Creates the parameter for unit tests that call a system directly.
    ['w, M] &'w mut Messages<M> => MessageWriter<'w, M>, |messages| Self { messages };
}

impl_debug!([M] MessageWriter<'_, M> => |this, f|
    f.debug_struct("MessageWriter").field("len", &this.messages.len()).finish_non_exhaustive());

/// Reads each message that others have written once.
///
/// The system keeps its position from run to run, in a [`MessageCursor`]. It begins with the messages that exist when the system is
/// prepared for a world. This happens at the beginning of the first run of its schedule, even if a condition keeps the system from
/// running, or in [`Schedule::initialize`](crate::schedule::Schedule::initialize). From then on the system sees each message once,
/// or counts it as [`missed`](Self::missed) because it was dropped before: [`Messages`] documents when messages are dropped. The
/// first time that a system misses messages is reported to [`World::on_command_error`](crate::world::World::on_command_error).
/// Unless the program sets another handler, this prints a warning: through `tracing` with the feature `trace`, otherwise to the
/// standard error stream. Messages that an iterator has not yielded stay unread.
///
/// A reader borrows the resource [`Messages<M>`](Messages), which is inserted if it does not exist. It may be used in a condition.
/// A `#[system]` over components cannot have a reader, since only the first row would see the messages. Read them in a world
/// system, which has a `Query`, or take `Res<Messages<M>>`, whose
/// [`iter_current_update_messages`](Messages::iter_current_update_messages) each row can call.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Message)] struct Hit(u32);
/// # #[derive(Resource, Default)] struct Damage(u32);
///
/// fn hurt(mut hits: MessageReader<Hit>, mut damage: ResMut<Damage>) {
///     damage.0 += hits.read().map(|hit| hit.0).sum::<u32>();
/// }
///
/// fn any(mut hits: MessageReader<Hit>) -> bool {
///     hits.read().count() > 0
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Damage>();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(hurt.run_if(any)); // The condition reads for itself.
/// world.write_message(Hit(3));
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Damage>().0, 3);
/// ```
#[doc(alias("EventReader", "Events"))]
pub struct MessageReader<'w, 's, M> {
    messages: &'w Messages<M>,
    cursor: &'s mut MessageCursor<M>,
}

impl<M> MessageReader<'_, '_, M> {
    /// Iterates over the messages that the system has not read, the oldest first.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// fn strongest(mut hits: MessageReader<Hit>) -> Option<u32> {
    ///     hits.read().map(|hit| hit.0).max()
    /// }
    /// # let mut world = World::new();
    /// world.write_message_batch([Hit(3), Hit(5)]);
    /// assert_eq!(world.run_system_once(strongest).unwrap(), Some(5));
    /// ```
    #[inline]
    pub fn read(&mut self) -> MessageIterator<'_, M> {
        self.cursor.read(self.messages)
    }

    /// Iterates over the messages that the system has not read, each with its id.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// fn number(mut hits: MessageReader<Hit>) -> Option<u64> {
    ///     hits.read_with_id().find(|(hit, _)| hit.0 == 5).map(|(_, id)| id.id)
    /// }
    /// # let mut world = World::new();
    /// world.write_message_batch([Hit(3), Hit(5)]);
    /// assert_eq!(world.run_system_once(number).unwrap(), Some(1));
    /// ```
    pub fn read_with_id(&mut self) -> MessageIteratorWithId<'_, M> {
        self.cursor.read_with_id(self.messages)
    }

    /// Iterates on several threads over the messages that the system has not read. All of them count as read afterwards.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// fn check(mut hits: MessageReader<Hit>) {
    ///     hits.par_read().for_each(|hit| assert!(hit.0 < 10));
    ///     assert!(hits.is_empty());
    /// }
    /// # let mut world = World::new();
    /// # world.write_message_batch((0..10).map(Hit));
    /// # world.run_system_once(check).unwrap();
    /// ```
    pub fn par_read(&mut self) -> MessageParIter<'_, M> {
        self.cursor.par_read(self.messages)
    }
}

impl_from! {
    /// Creates the parameter for unit tests that call a system directly.
    ['w, 's, M] (&'w Messages<M>, &'s mut MessageCursor<M>) => MessageReader<'w, 's, M>, |(messages, cursor)|
        Self { messages, cursor };
}

/// Reads each message that others have written once, and may change it for later readers.
///
/// It works like [`MessageReader`], but borrows the resource [`Messages<M>`](Messages) mutably.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Message)] struct Hit(u32);
///
/// fn armour(mut hits: MessageMutator<Hit>) {
///     for hit in hits.read() {
///         hit.0 /= 2;
///     }
/// }
///
/// fn hurt(mut hits: MessageReader<Hit>) {
///     assert_eq!(hits.read().map(|hit| hit.0).sum::<u32>(), 3);
/// }
///
/// let mut world = World::new();
/// world.write_message(Hit(6));
/// let mut schedule = Schedule::default();
/// schedule.add_systems((armour, hurt).chain());
/// schedule.run(&mut world);
/// ```
pub struct MessageMutator<'w, 's, M> {
    messages: &'w mut Messages<M>,
    cursor: &'s mut MessageCursor<M>,
}

impl<M> MessageMutator<'_, '_, M> {
    /// Iterates over the messages that the system has not read, the oldest first, to change them.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// fn double(mut hits: MessageMutator<Hit>) -> Vec<u32> {
    ///     hits.read().for_each(|hit| hit.0 *= 2);
    ///     hits.read().map(|hit| hit.0).collect() // They have been read.
    /// }
    /// # let mut world = World::new();
    /// # world.write_message(Hit(3));
    /// # assert_eq!(world.run_system_once(double).unwrap(), []);
    /// ```
    #[inline]
    pub fn read(&mut self) -> MessageMutIterator<'_, M> {
        self.cursor.read_mut(self.messages)
    }

    /// Iterates over the messages that the system has not read, to change them, each with its id.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// fn soften_the_first(mut hits: MessageMutator<Hit>) {
    ///     for (hit, id) in hits.read_with_id().filter(|(_, id)| id.id == 0) {
    ///         hit.0 = 1;
    ///     }
    /// }
    /// # let mut world = World::new();
    /// # world.write_message(Hit(3));
    /// # world.run_system_once(soften_the_first).unwrap();
    /// ```
    pub fn read_with_id(&mut self) -> MessageMutIteratorWithId<'_, M> {
        self.cursor.read_mut_with_id(self.messages)
    }

    /// Adds a message and returns its id. The next time that the system reads, it also gets the messages that it has written
    /// itself.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// fn strike_back(mut hits: MessageMutator<Hit>) {
    ///     let strengths: Vec<u32> = hits.read().map(|hit| hit.0).collect();
    ///     for strength in strengths {
    ///         hits.write(Hit(strength + 1));
    ///     }
    ///     hits.clear(); // Not its own ones.
    /// }
    /// # let mut world = World::new();
    /// # let mut schedule = Schedule::default();
    /// # schedule.add_systems((strike_back, (|hits: MessageReader<Hit>| assert_eq!(hits.len(), 2))).chain());
    /// # world.write_message(Hit(3));
    /// # schedule.run(&mut world);
    /// ```
    #[inline]
    pub fn write(&mut self, message: M) -> MessageId<M> {
        self.messages.write(message)
    }
}

/// Defines the methods of parameters that write messages, except `write`.
macro_rules! writing_methods {
    ($($Param:ident<$($life:lifetime),*>;)*) => { $(
        impl<M> $Param<$($life,)* M> {
            /// Adds messages and returns their ids. If the iterator panics, the messages that it has already yielded stay.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Message)] struct Hit(u32);
            ///
            #[doc = concat!(" fn write(mut hits: ", stringify!($Param), "<Hit>) {")]
            ///     assert_eq!(hits.write_batch((0..10).map(Hit)).len(), 10);
            /// }
            /// # World::new().run_system_once(write).unwrap();
            /// ```
            pub fn write_batch(&mut self, messages: impl IntoIterator<Item = M>) -> WriteBatchIds<M> {
                self.messages.write_batch(messages)
            }

            /// Adds the default message and returns its id.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            ///
            /// #[derive(Message, Default)]
            /// struct Restart;
            ///
            #[doc = concat!(" fn write(mut restarts: ", stringify!($Param), "<Restart>) {")]
            ///     restarts.write_default();
            /// }
            /// # World::new().run_system_once(write).unwrap();
            /// ```
            pub fn write_default(&mut self) -> MessageId<M>
            where
                M: Default,
            {
                self.messages.write_default()
            }
        }
    )* };
}

writing_methods! {
    MessageWriter<'_>;
    MessageMutator<'_, '_>;
}

impl_from! {
    /// Creates the parameter for unit tests that call a system directly.
    ['w, 's, M] (&'w mut Messages<M>, &'s mut MessageCursor<M>) => MessageMutator<'w, 's, M>, |(messages, cursor)|
        Self { messages, cursor };
}

params! {
    [M: Message] MessageWriter<'_, M> => MessageWriter<'w, M>, ResourceSourceWith<Messages<M>, Writes, ()>, |(messages, ())| MessageWriter { messages: messages.into_inner() };
    [M: Message] MessageReader<'_, '_, M> => MessageReader<'w, 's, M>, ResourceSourceWith<Messages<M>, Reads, MessageCursor<M>>, |(messages, cursor)| MessageReader { messages: messages.into_inner(), cursor };
    [M: Message] MessageMutator<'_, '_, M> => MessageMutator<'w, 's, M>, ResourceSourceWith<Messages<M>, Writes, MessageCursor<M>>, |(messages, cursor)| MessageMutator { messages: messages.into_inner(), cursor };
}
