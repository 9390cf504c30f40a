//! The messages of a world.
//!
//! Tests: tests/changes/messages

use super::cast::World;
use crate::storage::message::{Message, MessageId, Messages, WriteBatchIds};
use crate::system::commands::Commands;

impl World {
    /// Registers a type of message. From then on the world keeps its messages in the resource [`Messages`].
    ///
    /// This happens automatically when a message is written, or when a system with a parameter for messages of this
    /// type is initialized. Call it only if [`Messages`] is accessed as a resource before that.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit;
    ///
    /// let mut world = World::new();
    /// world.register_message::<Hit>();
    /// assert!(world.resource::<Messages<Hit>>().is_empty());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("add_event", "add_message"))]
    pub fn register_message<M: Message>(&mut self) {
        self.messages::<M>();
    }

    #[cfg_attr(feature = "track_location", track_caller)]
    fn messages<M: Message>(&mut self) -> &mut Messages<M> {
        let now = self.store.track_caller().now();
        self.store.resources.get_or_init(now)
    }

    /// Writes a message and returns its id.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.write_message(Hit(3));
    /// assert_eq!(world.resource::<Messages<Hit>>().get_message(id).unwrap().0, 3);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("send_event", "emit", "enqueue"))]
    pub fn write_message<M: Message>(&mut self, message: M) -> MessageId<M> {
        self.messages().write(message)
    }

    /// Writes messages and returns their ids. If the iterator panics, the messages that it has returned so far have
    /// been written.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.write_message_batch((0..10).map(Hit));
    /// assert_eq!(world.resource::<Messages<Hit>>().len(), 10);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn write_message_batch<M: Message>(&mut self, messages: impl IntoIterator<Item = M>) -> WriteBatchIds<M> {
        self.messages().write_batch(messages)
    }

    /// Writes the default message and returns its id.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Message, Default)]
    /// struct Restart;
    ///
    /// let mut world = World::new();
    /// world.write_message_default::<Restart>();
    /// assert_eq!(world.resource::<Messages<Restart>>().len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn write_message_default<M: Message + Default>(&mut self) -> MessageId<M> {
        self.messages().write_default()
    }

    /// Ages the messages of all types, like the end of a [frame](World::frame): messages that have aged once already
    /// are dropped, unless a schedule with a reader for them has yet to run. The cost is one call for each registered
    /// type of message.
    ///
    /// # Panics
    ///
    /// If the `Drop` of a message panics. All other messages are still dropped or aged.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.write_message(Hit(3));
    /// world.update_messages();
    /// world.write_message(Hit(4));
    /// world.update_messages();
    /// assert_eq!(world.resource::<Messages<Hit>>().len(), 1);
    /// ```
    #[doc(alias("event_update_system", "message_update_system"))]
    pub fn update_messages(&mut self) {
        self.store.frames.age_messages(&mut self.store.resources);
    }
}

impl Commands<'_, '_> {
    /// Writes a message when the commands are applied. If a system writes messages often, use a
    /// [`MessageWriter`](crate::system::MessageWriter) instead.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit(u32);
    ///
    /// fn hit(mut commands: Commands) {
    ///     commands.write_message(Hit(3));
    /// }
    ///
    /// let mut world = World::new();
    /// world.run_system_once(hit).unwrap();
    /// assert_eq!(world.resource::<Messages<Hit>>().len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn write_message<M: Message>(&mut self, message: M) {
        self.push(move |store| {
            let now = store.now();
            store.resources.get_or_init::<Messages<M>>(now).write(message);
        });
    }
}
