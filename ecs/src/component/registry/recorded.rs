//! The tracking of changes and the recording of removals, by component.
//!
//! Tests: tests/changes/change_detection/demand.rs, tests/changes/removed/readers.rs

use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;

use super::Components;
use crate::component::info::ComponentInfo;
use crate::component::watch::TrackingGuard;
use crate::component::{ChangeTracking, ComponentId};

impl Components {
    /// Returns whether a query has requested changes that are not tracked.
    #[inline]
    pub(crate) fn is_tracking_requested(&self) -> bool {
        self.tracking_requested.load(Relaxed)
    }

    /// Returns the components whose changes have been requested since the last call. `O(components)`.
    pub(crate) fn take_tracking_requests(&mut self) -> Vec<ComponentId> {
        self.tracking_requested.store(false, Relaxed);
        self.infos.iter().filter(|info| info.changes.take_request()).map(ComponentInfo::id).collect()
    }

    /// Sets whether the changes of a component are tracked. A component with [`ChangeTracking::Never`] stays untracked. Returns whether the
    /// changes are tracked now.
    pub(crate) fn set_tracked(&mut self, id: ComponentId, tracked: bool) -> bool {
        let Some(info) = self.infos.get_mut(id.index()) else { return false };
        let tracked = tracked && info.descriptor.track != ChangeTracking::Never;
        info.changes.known = tracked;
        tracked
    }

    /// Returns a guard that keeps the changes of a component tracked.
    pub(crate) fn watch(&mut self, id: ComponentId) -> Option<TrackingGuard> {
        self.infos.get_mut(id.index()).map(|info| info.changes.watch())
    }

    /// Returns whether the removals of a component are recorded.
    pub(crate) fn is_watched(&self, id: ComponentId) -> bool {
        self.removals(id).is_some()
    }

    /// Returns the number of the removal log of a component; `None` if its removals are not recorded.
    pub(crate) fn removals(&self, id: ComponentId) -> Option<u32> {
        self.info(id).and_then(|info| info.removals)
    }

    /// Sets the removal log of a component. `None` stops the recording of removals. The caller updates the tables.
    pub(crate) fn set_removals(&mut self, id: ComponentId, list: Option<u32>) {
        self.infos[id.index()].removals = list;
    }
}
