//! The ticks of a world: counting runs, and keeping ticks for a component while a consumer needs them.
//!
//! Tests: tests/changes/change_detection/demand.rs, tests/changes/change_detection/wrapping.rs

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::clock::SharedClock;
use super::{Store, Structure, WorldId, maintain_ticks};
use crate::component::{ComponentId, ComponentInfo, StorageType, TrackingGuard};
use crate::entity::Entity;
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::storage::tick::{CHECK_EVERY, Tick, WriteStamp};
use crate::structure::archetype::Archetypes;
use crate::structure::graph::{ComponentTarget, MovePlan};
use crate::util::origin::{Origin, TRACKED};

/// The caller (origin) of the operations on a world, to be restored later, even if the world's store has been moved by then.
pub(crate) struct SavedCaller {
    world: WorldId,
    by: Origin,
    clock: Option<Arc<SharedClock>>,
}

impl SavedCaller {
    pub(crate) fn save(store: &Store) -> Self {
        let clock = TRACKED.then(|| Arc::clone(&store.clock.shared));
        Self { world: store.id, by: store.structure.entities.caller(), clock }
    }

    /// Restores the caller of the saved world. `store` may belong to another world.
    pub(crate) fn restore(&self, store: &mut Store) {
        if store.id == self.world {
            store.structure.entities.set_caller(self.by);
        } else if let Some(clock) = &self.clock {
            clock.restore_origin(self.by);
        }
    }
}

/// Advances the tick as if this number of runs had happened. For tests of tick wraparound.
pub(crate) fn skip_ticks(store: &mut Store, runs: u32) {
    let mut left = runs;
    while left != 0 {
        // Clamp ticks as each of these runs would have done.
        let now = store.clock.change_tick();
        let step = left.min(CHECK_EVERY.saturating_sub(store.clock.checked.age(now)).max(1));
        let now = Tick::new(now.get().wrapping_add(step));
        store.clock.tick.set(now);
        maintain_ticks(store, now);
        left -= step;
    }
}

impl Structure {
    /// Starts change tracking for the components that readers have requested.
    pub(super) fn track_requested(&mut self, now: Tick) {
        if self.archetypes.components.is_tracking_requested() {
            self.archetypes.components.take_tracking_requests().into_iter().for_each(|id| self.track(id, now));
        }
    }

    /// Tracks the changes of a component until the returned guard is dropped. If the changes are not tracked yet, tracking starts now.
    pub(crate) fn watch(&mut self, id: ComponentId, now: Tick) -> Option<TrackingGuard> {
        self.track(id, now);
        self.archetypes.components.watch(id)
    }

    /// Starts change tracking for a component, unless it is never tracked. `O(tables)`, plus `O(rows)` of the tables that have it. Panics
    /// if there is no memory.
    pub(crate) fn track(&mut self, id: ComponentId, now: Tick) {
        let Some(info) = self.archetypes.components.info(id).filter(|info| !info.is_tracked()) else { return };
        let sparse = (info.storage() == StorageType::Sparse).then(|| info.sparse_index());
        if !self.archetypes.components.set_tracked(id, true) {
            return;
        }
        // If the ticks of one column cannot be allocated, tracking of the others is undone: all columns of the component are tracked, or no
        // column.
        struct UndoTracking<'a>(&'a mut Structure, ComponentId);
        impl Drop for UndoTracking<'_> {
            fn drop(&mut self) {
                self.0.forget_ticks(self.1);
            }
        }
        let undo = UndoTracking(self, id);
        let Self { sparse: storages, archetypes: Archetypes { tables, .. }, .. } = &mut *undo.0;
        let done = match sparse.and_then(|number| storages.get_mut(number)) {
            Some(storage) => storage.track(now),
            None => tables.iter_mut().try_for_each(|table| table.track(id, now)),
        };
        done.unwrap_or_else(|error| error.raise());
        core::mem::forget(undo);
    }

    /// Stops change tracking for a component and frees its ticks.
    pub(super) fn forget_ticks(&mut self, id: ComponentId) {
        self.archetypes.components.set_tracked(id, false);
        self.archetypes.tables.iter_mut().for_each(|table| table.forget_ticks(id));
        let info = self.archetypes.components.info(id).filter(|info| info.storage() == StorageType::Sparse);
        if let Some(storage) = info.and_then(|info| self.sparse.get_mut(info.sparse_index())) {
            storage.forget_ticks();
        }
    }

    /// Frees the ticks of all components that no consumer needs any more. Disabling components keep their ticks.
    pub(super) fn forget_unwatched(&mut self) {
        let components = &self.archetypes.components;
        let is_needed = |info: &ComponentInfo| !info.is_idle() || components.disabling().contains(&info.id());
        let idle = components.iter().filter(|info| info.is_tracked() && !is_needed(info));
        let idle: Vec<ComponentId> = idle.map(|info| info.id()).collect();
        idle.into_iter().for_each(|id| self.forget_ticks(id));
    }
}

/// Updates the ticks of a row after a change: the ticks of the values that the change has replaced or added.
#[cold]
#[inline(never)]
pub(super) fn note_targets(plan: &MovePlan, table: &Table, row: usize, now: WriteStamp) {
    for target in &plan.targets {
        match *target {
            ComponentTarget::Column { index, replace: true } => table.note_replaced(index as usize, row, now),
            ComponentTarget::Column { index, replace: false } => table.note_added(index as usize, row, now),
            // Sparse storages update their own ticks.
            ComponentTarget::Kept(_)
            | ComponentTarget::Sparse(_)
            | ComponentTarget::SparseIfNew(_)
            | ComponentTarget::Nowhere => {}
        }
    }
    for target in &plan.renewed {
        if let ComponentTarget::Column { index, .. } = *target {
            table.note_added(index as usize, row, now);
        }
    }
}

/// Updates the ticks of sparse components that a change has removed and added again.
pub(super) fn note_renewed_sparse(plan: &MovePlan, entity: Entity, sparse: &[SparseStorage], now: WriteStamp) {
    for target in &plan.renewed {
        if let ComponentTarget::Sparse(number) | ComponentTarget::SparseIfNew(number) = *target {
            sparse[number as usize].note_added(entity, now);
        }
    }
}
