//! Events: what observers are told of at once.

pub use crate::map::event::*;

use crate::component::{ComponentKey, TypeSlot};

/// A value that all observers of its type get, at the moment at which it is triggered.
///
/// So far there is the trait, to be derived. There are no observers yet.
///
/// ```
/// use strata_ecs::event::Event;
///
/// #[derive(Event)]
/// struct Explosion {
///     radius: f32,
/// }
///
/// fn is_event<E: Event>(_: E) {}
/// is_event(Explosion { radius: 3.0 });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event: add `#[derive(Event)]` to it, or to a struct of your own around it",
    label = "not an event"
)]
pub trait Event: Send + Sync + Sized + 'static {
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
