//! Consumers of the changes of a component, which keep it tracked.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Keeps the changes of a component in a world known for as long as it exists.
#[derive(Clone, Debug)]
pub(crate) struct TrackingGuard(#[expect(dead_code, reason = "it is counted")] Arc<()>);

/// Whether something has looked for the changes of a component of a world and found that they are not tracked. The columns of the
/// component share it.
#[derive(Debug)]
pub(crate) struct TrackingRequest {
    asked: AtomicBool,
    /// Whether this is so for any component of the world.
    of_world: Arc<AtomicBool>,
}

impl TrackingRequest {
    /// Asks for the changes to be tracked: they are from the next run of a system on.
    #[inline]
    pub(crate) fn ask(&self) {
        if !self.asked.swap(true, Relaxed) {
            self.of_world.store(true, Relaxed);
        }
    }
}

/// Whether the changes of a component are known, and how many consumers need them.
#[derive(Debug)]
pub(super) struct TrackingState {
    pub(super) known: bool,
    by: Option<Arc<()>>,
    request: Arc<TrackingRequest>,
}

impl Clone for TrackingState {
    /// A description of a component watches nothing.
    fn clone(&self) -> Self {
        Self { known: self.known, by: None, request: Arc::clone(&self.request) }
    }
}

impl TrackingState {
    /// Of a component in a world; `of_world` is raised when a request is made.
    pub(super) fn new(known: bool, of_world: &Arc<AtomicBool>) -> Self {
        let request = TrackingRequest { asked: AtomicBool::new(false), of_world: Arc::clone(of_world) };
        Self { known, by: None, request: Arc::new(request) }
    }

    /// How the columns of the component ask for its changes to be known.
    pub(super) fn request(&self) -> &Arc<TrackingRequest> {
        &self.request
    }

    /// Whether anything has asked since the last call.
    pub(super) fn take_request(&self) -> bool {
        self.request.asked.swap(false, Relaxed)
    }

    /// A consumer.
    pub(super) fn watch(&mut self) -> TrackingGuard {
        TrackingGuard(Arc::clone(self.by.get_or_insert_default()))
    }

    /// Whether there is no consumer any more.
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
        asked.request().ask();
        assert_eq!([&worlds[0], &worlds[1]].map(|world| world.load(Relaxed)), [true, false]);
        assert!(asked.take_request() && !asked.take_request() && !other.take_request());
        // Another request raises the mark again.
        worlds[0].store(false, Relaxed);
        asked.clone().request().ask();
        assert!(worlds[0].load(Relaxed) && asked.take_request());
    }
}
