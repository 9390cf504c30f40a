//! Messages: what one system tells others.

use crate::component::{ComponentKey, TypeSlot};

/// A value that systems write to a list and that others read when they run: a collision, a request, something to log.
///
/// So far there is the trait, to be derived. There is no storage for messages yet.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Message)]
/// struct Collision {
///     first: Entity,
///     second: Entity,
/// }
///
/// fn is_message<M: Message>(_: M) {}
/// let nobody = Entity::PLACEHOLDER;
/// is_message(Collision { first: nobody, second: nobody });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a message: add `#[derive(Message)]` to it",
    label = "not a message"
)]
pub trait Message: Send + Sync + Sized + 'static {
    /// A number that is the same for the same type while the program is compiled, for checks at that time. None if there
    /// are none.
    #[doc(hidden)]
    const KEY: Option<ComponentKey> = None;

    /// Where the process remembers a number for this type, if it has such a place.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}
