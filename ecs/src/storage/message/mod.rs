//! Messages: values that systems write for other systems that run later.
//!
//! A world stores the messages of a type in a resource, [`Messages`]. Each reader has a [`MessageCursor`] with its position. This module
//! does not depend on systems: the parameters are in [`system`](mod@crate::system). The lists age when a
//! [frame](crate::world::World::frame) ends.
// Tests: tests/changes/messages

mod messages;
mod copy;
mod written;
#[cfg(feature = "serde")]
mod serialized;

mod walk;
mod parallel;

mod cursor;

pub use self::cursor::MessageCursor;
pub use self::messages::{MessageId, Messages, WriteBatchIds};
pub use self::parallel::MessageParIter;
pub use self::walk::{MessageIterator, MessageIteratorWithId, MessageMutIterator, MessageMutIteratorWithId};
pub use crate::reexports::message::*;

use crate::component::{ComponentKey, Description, Persistence, TypeSlot};

/// Corresponds to the system of bevy_ecs that ages messages. In this crate it does nothing: messages age at the end of a
/// [frame](crate::world::World::frame), whether or not a schedule has this system. It exists so that other systems can be ordered relative
/// to it.
///
/// ```
/// use strata_ecs::message::message_update_system;
/// use strata_ecs::prelude::*;
/// # #[derive(Message)] struct Collision;
/// # #[derive(Resource, Default)] struct Seen(usize);
///
/// fn count(mut collisions: MessageReader<Collision>, mut seen: ResMut<Seen>) {
///     seen.0 += collisions.read().count();
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Seen>();
/// let mut schedule = Schedule::default();
/// schedule.add_systems((message_update_system, count).chain());
/// schedule.run(&mut world);
/// world.write_message(Collision);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Seen>().0, 1);
/// ```
pub fn message_update_system() {}

/// A value that systems write to a list and that other systems read when they run: a collision, a request, a log entry.
///
/// Systems use messages by the parameters [`MessageWriter`], [`MessageReader`] and [`MessageMutator`]. Every reader sees every message,
/// independently of other readers. [`Messages`] documents how long a message is kept.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Message)]
/// struct Collision {
///     force: u32,
/// }
///
/// #[derive(Resource, Default)]
/// struct Damage(u32);
///
/// fn collide(mut collisions: MessageWriter<Collision>) {
///     collisions.write(Collision { force: 3 });
/// }
///
/// fn hurt(mut collisions: MessageReader<Collision>, mut damage: ResMut<Damage>) {
///     for collision in collisions.read() {
///         damage.0 += collision.force;
///     }
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Damage>();
/// let mut schedule = Schedule::default();
/// schedule.add_systems((hurt, collide)); // What `collide` writes `hurt` reads in the next run.
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Damage>().0, 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a message: add `#[derive(Message)]` to it, or to a struct of your own around it",
    label = "not a message",
    note = "an event (`#[derive(Event)]` or `#[derive(EntityEvent)]`) is not a message: `trigger` delivers it, and observers take it as \
            `On<T>`"
)]
pub trait Message: Send + Sync + Sized + 'static {
    /// Identifies the type at compile time, for compile-time checks. `None` if the type has no key.
    #[doc(hidden)]
    const KEY: Option<ComponentKey> = None;

    /// Describes the type, for instance whether messages can be cloned. A [snapshot](crate::snapshot) of a world includes the lists whose
    /// messages can be cloned.
    const DESCRIPTION: Description<Self> = Description::new();

    /// Returns how the list of messages takes part in snapshots, files and comparisons. The options `transient`, `save` and `persistence`
    /// of the derive set it. A text form is for a single message.
    fn persistence() -> Persistence<Self> {
        Persistence::Listed
    }

    /// Returns the slot in which the process stores a number for this type, if there is one.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}
