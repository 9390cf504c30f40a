//! Handles of observers.
//!
//! Tests: tests/observers/entities.rs

use core::sync::atomic::{AtomicUsize, Ordering};

/// The id of an observer. It is unique in the process.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Event)]
/// struct Alarm;
///
/// let mut world = World::new();
/// let observer = world.add_observer(|_: On<Alarm>| {});
/// assert!(world.remove_observer(observer));
/// assert!(!world.remove_observer(observer));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObserverId(pub(super) usize);

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl ObserverId {
    pub(super) fn next() -> Self {
        let next = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |id| id.checked_add(1));
        next.map_or_else(|_| panic!("more observers were made than there are numbers"), Self)
    }
}

impl_debug!([] ObserverId => |this, f| write!(f, "ObserverId({})", this.0));
