//! Consumers of the changes of a component. While there are consumers, the changes are tracked.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A guard: while it exists, the changes of a component in a world are tracked.
#[derive(Clone, Debug)]
pub(crate) struct TrackingGuard(#[expect(dead_code, reason = "it is counted")] Arc<()>);

/// Records whether a query has requested the changes of a component that are not tracked. All columns of the component share this value.
#[derive(Debug)]
pub(crate) struct TrackingRequest {
    asked: AtomicBool,
    /// Whether the changes of any component of the world have been requested.
    of_world: Arc<AtomicBool>,
}

impl TrackingRequest {
    /// Requests the tracking of the changes, which starts with the next run of a system.
    #[inline]
    pub(crate) fn request_tracking(&self) {
        if !self.asked.swap(true, Relaxed) {
            self.of_world.store(true, Relaxed);
        }
    }
}

/// Records whether the changes of a component are tracked, and by how many consumers.
#[derive(Debug)]
pub(super) struct TrackingState {
    pub(super) known: bool,
    by: Option<Arc<()>>,
    request: Arc<TrackingRequest>,
}

impl Clone for TrackingState {
    /// Returns a clone without consumers.
    fn clone(&self) -> Self {
        Self { known: self.known, by: None, request: Arc::clone(&self.request) }
    }
}

impl TrackingState {
    /// Returns the state of a component in a world. A request for tracking also sets `of_world`.
    pub(super) fn new(known: bool, of_world: &Arc<AtomicBool>) -> Self {
        let request = TrackingRequest { asked: AtomicBool::new(false), of_world: Arc::clone(of_world) };
        Self { known, by: None, request: Arc::new(request) }
    }

    /// Returns the flag by which the columns of the component request the tracking of changes.
    pub(super) fn request(&self) -> &Arc<TrackingRequest> {
        &self.request
    }

    /// Returns whether there was a request since the last call.
    pub(super) fn take_request(&self) -> bool {
        self.request.asked.swap(false, Relaxed)
    }

    /// Adds a consumer.
    pub(super) fn watch(&mut self) -> TrackingGuard {
        TrackingGuard(Arc::clone(self.by.get_or_insert_default()))
    }

    /// Returns whether there are no consumers.
    pub(super) fn is_idle(&self) -> bool {
        self.by.as_ref().is_none_or(|by| Arc::strong_count(by) == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_made_in_its_world_and_nowhere_else() {
        let worlds = [Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false))];
        let [asked, other] = [&worlds[0], &worlds[1]].map(|world| TrackingState::new(false, world));
        asked.request().request_tracking();
        assert_eq!([&worlds[0], &worlds[1]].map(|world| world.load(Relaxed)), [true, false]);
        assert!(asked.take_request() && !asked.take_request() && !other.take_request());
        // Another request sets the flag again.
        worlds[0].store(false, Relaxed);
        asked.clone().request().request_tracking();
        assert!(worlds[0].load(Relaxed) && asked.take_request());
    }
}
