//! Which origin a store puts its changes down to, also after worlds were exchanged.

use alloc::sync::Arc;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::clock::SharedClock;
use super::{Store, WorldId};
use crate::origin::{Origin, TRACKED};

/// The origin of the operations on a world, to be set again later, although the world may be elsewhere then.
pub(crate) struct Acting {
    world: WorldId,
    by: Origin,
    clock: Option<Arc<SharedClock>>,
}

impl Store {
    /// What of the clock can be reached wherever the store is.
    pub(crate) fn shared_clock(&self) -> Arc<SharedClock> {
        Arc::clone(&self.clock.shared)
    }

    /// The origin of the operations.
    pub(crate) fn acting(&self) -> Acting {
        let clock = TRACKED.then(|| self.shared_clock());
        Acting { world: self.id, by: self.entities.acting(), clock }
    }

    /// Sets the origin of operations back, in the world that it came from. This store may be another one.
    pub(crate) fn act_again(&mut self, acting: &Acting) {
        if self.id == acting.world {
            self.entities.act(acting.by);
        } else if let Some(clock) = &acting.clock {
            clock.end(acting.by);
        }
    }

    /// Takes notice of a run that has ended while this store was elsewhere.
    #[inline]
    pub(super) fn notice_ended_runs(&mut self) {
        if TRACKED && self.clock.has_ended.load(Acquire) {
            self.clock.has_ended.store(false, Relaxed);
            self.entities.act(self.clock.by.get());
        }
    }
}
