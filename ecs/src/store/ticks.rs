//! The ticks of a world: counting runs, and keeping ticks for a component while a consumer needs them.

use alloc::vec::Vec;

use super::Store;
use super::clock::Onlooker;
use crate::archetype::Archetypes;
use crate::component::{ComponentId, ComponentInfo, StorageType, TrackingGuard};
use crate::entity::Entity;
use crate::graph::{MovePlan, Target};
use crate::origin::{Origin, SystemName};
use crate::sparse::SparseStorage;
use crate::table::Table;
use crate::tick::{CHECK_EVERY, LastRun, RunTicks, Tick, WriteStamp};

impl Store {
    /// The tick of operations outside of systems.
    #[inline]
    pub(crate) fn change_tick(&self) -> Tick {
        self.clock.tick.get()
    }

    /// The tick and origin of operations outside of systems that run beside others.
    #[inline]
    pub(crate) fn now(&self) -> WriteStamp {
        WriteStamp { tick: self.change_tick(), by: self.entities.acting() }
    }

    /// The present, in a system.
    pub(crate) fn now_in(&self, system: SystemName) -> WriteStamp {
        WriteStamp { tick: self.change_tick(), by: Origin::in_system(system) }
    }

    /// Sets the calling line as the origin of the operations that follow.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn by_caller(&mut self) -> &mut Self {
        self.notice_ended_runs();
        self.entities.act(Origin::here(self.entities.acting().system_name()));
        self
    }

    /// The tick after which changes are new outside of systems.
    pub(crate) fn last_change_tick(&self) -> Tick {
        self.clock.last.get()
    }

    /// Sets the tick after which changes are new outside of systems.
    pub(crate) fn set_last_change_tick(&mut self, tick: Tick) {
        self.clock.last.set(tick);
    }

    /// The ticks for looking at changes outside of systems.
    #[inline]
    pub(crate) fn run_ticks(&self) -> RunTicks {
        let system = self.entities.acting().system_name();
        RunTicks { last_run: self.clock.last.get(), this_run: self.change_tick(), system }
    }

    /// Begins a run of something that has run before, or never, and that only looks: what is new for it. Several threads may
    /// do this. In a run that has the whole world to look at it has the tick of that: ticks behind it may have been put aside
    /// for runs that come later, whose changes will be new.
    pub(crate) fn begin_run_shared(&self, last_run: LastRun) -> RunTicks {
        let this_run = self.clock.onlookers.tick().unwrap_or_else(|| self.clock.tick.advance());
        self.run_ticks_since(last_run, this_run)
    }

    /// Notes that a run at this tick has the whole world to look at, if it has, until what is returned is dropped.
    #[inline(always)]
    pub(crate) fn look_on(&self, has_world: bool, tick: Tick) -> Option<Onlooker<'_>> {
        if has_world { Some(self.clock.onlookers.enter(tick)) } else { None }
    }

    /// Puts so many ticks aside for runs that may happen at the same time, and returns the first of them.
    pub(crate) fn begin_runs(&mut self, ticks: u32) -> Tick {
        let first = self.next_tick();
        self.clock.tick.set(first.later(ticks));
        first
    }

    /// What is new in a run at this tick for something that has run before, or never.
    #[inline]
    pub(crate) fn run_ticks_since(&self, last_run: LastRun, this_run: Tick) -> RunTicks {
        RunTicks { last_run: last_run.tick(this_run, self.clock.era), this_run, system: SystemName::NONE }
    }

    /// Begins a run of something that has run before, or never: what is new for it.
    #[inline]
    pub(crate) fn begin_run(&mut self, last_run: LastRun) -> RunTicks {
        let this_run = self.next_tick();
        RunTicks { last_run: last_run.tick(this_run, self.clock.era), this_run, system: SystemName::NONE }
    }

    /// What a run that has begun at a tick remembers.
    #[inline]
    pub(crate) fn run_at(&self, tick: Tick) -> LastRun {
        LastRun::at(tick, self.clock.era)
    }

    /// Goes on to the next tick and returns the one that it was.
    #[inline]
    pub(crate) fn next_tick(&mut self) -> Tick {
        if let Some(tick) = self.next_tick_lightly() {
            return tick;
        }
        let tick = self.change_tick();
        self.look_after_ticks(tick);
        self.clock.tick.set(tick.next());
        tick
    }

    /// The same, unless something has to be looked after first.
    #[inline(always)]
    pub(crate) fn next_tick_lightly(&mut self) -> Option<Tick> {
        let tick = self.change_tick();
        if self.clock.checked.age(tick) >= CHECK_EVERY || self.archetypes.components.is_tracking_requested() {
            return None;
        }
        self.clock.tick.set(tick.next());
        Some(tick)
    }

    #[cold]
    #[inline(never)]
    fn look_after_ticks(&mut self, now: Tick) {
        if self.archetypes.components.is_tracking_requested() {
            self.archetypes.components.take_tracking_requests().into_iter().for_each(|id| self.track(id));
        }
        if self.clock.checked.age(now) >= CHECK_EVERY {
            self.clamp_ticks(now);
            self.clock.checked = now;
            self.clock.era = self.clock.era.wrapping_add(1);
        }
    }

    /// Does what has been asked for in the tracking of components.
    pub(super) fn settle_tracking(&mut self) {
        if self.archetypes.components.is_tracking_requested() {
            self.archetypes.components.take_tracking_requests().into_iter().for_each(|id| self.track(id));
        }
    }

    /// Brings ticks that are too old to be told from older ones forward. `O(rows of tracked components)`.
    fn clamp_ticks(&mut self, now: Tick) {
        self.clock.last.update(|last| last.clamped_as_last_run(now));
        self.clock.onlookers.forget(now);
        self.archetypes.tables.iter_mut().for_each(|table| table.clamp_ticks(now));
        self.sparse.iter().for_each(|storage| storage.column().clamp_ticks(now));
        self.resources.clamp_ticks(now);
        self.relations.clamp_ticks(now);
        self.listeners.spawns.iter_mut().for_each(|spawns| spawns.clamp(now));
    }

    /// Sets the number of the next run, as if as many had been made: for tests of what happens when the numbers wrap around.
    pub(crate) fn skip_ticks(&mut self, runs: u32) {
        let mut left = runs;
        while left != 0 {
            // As if each run looked whether it is time.
            let step = left.min(CHECK_EVERY.saturating_sub(self.clock.checked.age(self.change_tick())).max(1));
            self.clock.tick.set(Tick::new(self.change_tick().get().wrapping_add(step)));
            self.look_after_ticks(self.change_tick());
            left -= step;
        }
    }

    /// Keeps the changes of a component known for as long as the watch exists, from now on if they are not.
    pub(crate) fn watch(&mut self, id: ComponentId) -> Option<TrackingGuard> {
        self.track(id);
        self.archetypes.components.watch(id)
    }

    /// Begins to keep the changes of a component, unless it is never tracked. `O(tables)`, and `O(rows)` of those that have
    /// it. If there is no memory, this panics.
    pub(crate) fn track(&mut self, id: ComponentId) {
        let Some(info) = self.archetypes.components.info(id).filter(|info| !info.is_tracked()) else { return };
        let sparse = (info.storage() == StorageType::Sparse).then(|| info.sparse_index());
        if !self.archetypes.components.set_tracked(id, true) {
            return;
        }
        let now = self.change_tick();
        // Also if memory for the books of a column runs out: either all columns of the component are tracked, or none.
        struct Undo<'a>(&'a mut Store, ComponentId);
        impl Drop for Undo<'_> {
            fn drop(&mut self) {
                self.0.forget_ticks(self.1);
            }
        }
        let undo = Undo(self, id);
        let Self { sparse: storages, archetypes: Archetypes { tables, .. }, .. } = &mut *undo.0;
        let done = match sparse.and_then(|number| storages.get_mut(number)) {
            Some(storage) => storage.track(now),
            None => tables.iter_mut().try_for_each(|table| table.track(id, now)),
        };
        done.unwrap_or_else(|error| error.raise());
        core::mem::forget(undo);
    }

    /// Forgets the changes of a component.
    pub(super) fn forget_ticks(&mut self, id: ComponentId) {
        self.archetypes.components.set_tracked(id, false);
        self.archetypes.tables.iter_mut().for_each(|table| table.forget_ticks(id));
        let info = self.archetypes.components.info(id).filter(|info| info.storage() == StorageType::Sparse);
        if let Some(storage) = info.and_then(|info| self.sparse.get_mut(info.sparse_index())) {
            storage.forget_ticks();
        }
    }

    /// Forgets the ticks of all components that no consumer needs any more. Those of disabling components stay.
    pub(super) fn forget_unwatched(&mut self) {
        let components = &self.archetypes.components;
        let is_needed = |info: &ComponentInfo| !info.is_idle() || components.disabling().contains(&info.id());
        let idle = components.iter().filter(|info| info.is_tracked() && !is_needed(info));
        let idle: Vec<ComponentId> = idle.map(|info| info.id()).collect();
        idle.into_iter().for_each(|id| self.forget_ticks(id));
    }
}

/// Notes in the ticks of a row which values a change has replaced, and which it has added.
#[cold]
#[inline(never)]
pub(super) fn note_targets(plan: &MovePlan, table: &Table, row: usize, now: WriteStamp) {
    for target in &plan.targets {
        match *target {
            Target::Column { index, replace: true } => table.note_replaced(index as usize, row, now),
            Target::Column { index, replace: false } => table.note_added(index as usize, row, now),
            // Sparse storages note it themselves.
            Target::Kept(_) | Target::Sparse(_) | Target::SparseIfNew(_) | Target::Nowhere => {}
        }
    }
    for target in &plan.renewed {
        if let Target::Column { index, .. } = *target {
            table.note_added(index as usize, row, now);
        }
    }
}

/// Notes in the ticks of sparse components that a change has removed them and added them again.
pub(super) fn note_renewed_sparse(plan: &MovePlan, entity: Entity, sparse: &[SparseStorage], now: WriteStamp) {
    for target in &plan.renewed {
        if let Target::Sparse(number) | Target::SparseIfNew(number) = *target {
            sparse[number as usize].note_added(entity, now);
        }
    }
}
