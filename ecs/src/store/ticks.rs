//! The ticks of a world: counting runs, and keeping the changes of a component known while somebody wants to know them.

use alloc::vec::Vec;

use super::Store;
use crate::component::{ComponentId, StorageType, Watch};
use crate::entity::Entity;
use crate::graph::{MovePlan, Target};
use crate::origin::{Origin, SystemName};
use crate::sparse::SparseStorage;
use crate::table::Table;
use crate::tick::{CHECK_EVERY, LastRun, Moment, Span, Tick};
use crate::tracking::Demand;

impl Store {
    /// The tick of what is done now by anybody but a system.
    #[inline]
    pub(crate) fn change_tick(&self) -> Tick {
        self.clock.tick.get()
    }

    /// The present, for what is done now by anybody but a system that runs beside others.
    #[inline]
    pub(crate) fn now(&self) -> Moment {
        Moment { tick: self.change_tick(), by: self.entities.acting() }
    }

    /// The present, in a system.
    pub(crate) fn now_in(&self, system: SystemName) -> Moment {
        Moment { tick: self.change_tick(), by: Origin::in_system(system) }
    }

    /// Notes that whoever calls is at work from now on.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn by_caller(&mut self) -> &mut Self {
        self.entities.act(Origin::here(self.entities.acting().system_name()));
        self
    }

    /// Since when changes are new for those who look without a system.
    pub(crate) fn last_change_tick(&self) -> Tick {
        self.clock.last
    }

    /// Sets since when changes are new for those who look without a system.
    pub(crate) fn set_last_change_tick(&mut self, tick: Tick) {
        self.clock.last = tick;
    }

    /// Between which ticks somebody looks who is no system.
    #[inline]
    pub(crate) fn span(&self) -> Span {
        let system = self.entities.acting().system_name();
        Span { last_run: self.clock.last, this_run: self.change_tick(), system }
    }

    /// Begins a run of something that has run before, or never: what is new for it. Several threads may do this.
    pub(crate) fn begin_run_shared(&self, last_run: LastRun) -> Span {
        self.span_since(last_run, self.clock.tick.advance())
    }

    /// Puts so many ticks aside for runs that may happen at the same time, and returns the first of them.
    pub(crate) fn begin_runs(&mut self, ticks: u32) -> Tick {
        let first = self.next_tick();
        self.clock.tick.set(first.later(ticks));
        first
    }

    /// What is new in a run at this tick for something that has run before, or never.
    #[inline]
    pub(crate) fn span_since(&self, last_run: LastRun, this_run: Tick) -> Span {
        Span { last_run: last_run.tick(this_run, self.clock.era), this_run, system: SystemName::NONE }
    }

    /// Begins a run of something that has run before, or never: what is new for it.
    #[inline]
    pub(crate) fn begin_run(&mut self, last_run: LastRun) -> Span {
        let this_run = self.next_tick();
        Span { last_run: last_run.tick(this_run, self.clock.era), this_run, system: SystemName::NONE }
    }

    /// What a run that has begun at a tick remembers.
    #[inline]
    pub(crate) fn run_at(&self, tick: Tick) -> LastRun {
        LastRun::at(tick, self.clock.era)
    }

    /// Goes on to the next tick and returns the one that it was.
    #[inline]
    pub(crate) fn next_tick(&mut self) -> Tick {
        let tick = self.change_tick();
        if self.clock.checked.age(tick) >= CHECK_EVERY || self.clock.demands != Demand::count() {
            self.look_after_ticks(tick);
        }
        self.clock.tick.set(tick.next());
        tick
    }

    #[cold]
    #[inline(never)]
    fn look_after_ticks(&mut self, now: Tick) {
        if self.clock.demands != Demand::count() {
            self.clock.demands = Demand::count();
            self.meet_demands();
        }
        if self.clock.checked.age(now) >= CHECK_EVERY {
            self.clamp_ticks(now);
            self.clock.checked = now;
            self.clock.era = self.clock.era.wrapping_add(1);
        }
    }

    /// Brings ticks that are too old to be told from older ones forward. `O(rows of tracked components)`.
    fn clamp_ticks(&mut self, now: Tick) {
        self.clock.last = self.clock.last.clamped_as_last_run(now);
        self.tables.iter_mut().for_each(|table| table.clamp_ticks(now));
        self.sparse.iter().for_each(|storage| storage.column().clamp_ticks(now));
        self.resources.clamp_ticks(now);
        #[cfg(feature = "std")]
        self.non_sends.clamp_ticks(now);
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
    pub(crate) fn watch(&mut self, id: ComponentId) -> Option<Watch> {
        self.track(id);
        self.components.watch(id)
    }

    /// Begins to keep the changes of a component, unless it is never tracked. `O(tables)`, and `O(rows)` of those that have
    /// it. If there is no memory, this panics.
    pub(crate) fn track(&mut self, id: ComponentId) {
        let Some(info) = self.components.info(id).filter(|info| !info.is_tracked()) else { return };
        let sparse = (info.storage() == StorageType::Sparse).then(|| info.sparse_index());
        if !self.components.set_tracked(id, true) {
            return;
        }
        let now = self.change_tick();
        let done = match sparse.and_then(|number| self.sparse.get_mut(number)) {
            Some(storage) => storage.track(now),
            None => self.tables.iter_mut().try_for_each(|table| table.track(id, now)),
        };
        if let Err(error) = done {
            self.forget_ticks(id);
            error.raise();
        }
    }

    /// Forgets the changes of a component.
    fn forget_ticks(&mut self, id: ComponentId) {
        self.components.set_tracked(id, false);
        self.tables.iter_mut().for_each(|table| table.forget_ticks(id));
        let info = self.components.info(id).filter(|info| info.storage() == StorageType::Sparse);
        if let Some(storage) = info.and_then(|info| self.sparse.get_mut(info.sparse_index())) {
            storage.forget_ticks();
        }
    }

    /// Forgets the changes of all components that nobody watches any more.
    pub(super) fn forget_unwatched(&mut self) {
        let idle = self.components.iter().filter(|info| info.is_tracked() && info.is_idle());
        let idle: Vec<ComponentId> = idle.map(|info| info.id()).collect();
        idle.into_iter().for_each(|id| self.forget_ticks(id));
    }

    /// Tracks what somebody has asked for in vain.
    fn meet_demands(&mut self) {
        let mut asked: Vec<ComponentId> = self.tables.iter().flat_map(Table::take_demands).collect();
        let sparse = self.sparse.iter().zip(self.components.sparse());
        asked.extend(sparse.filter(|(storage, _)| storage.column().demand().take()).map(|(_, id)| *id));
        asked.into_iter().for_each(|id| self.track(id));
    }
}

/// Notes which values of an entity a change has replaced, and which it has made anew in place of old ones.
#[cold]
#[inline(never)]
pub(super) fn note_targets(
    plan: &MovePlan,
    table: &Table,
    row: usize,
    entity: Entity,
    sparse: &[SparseStorage],
    now: Moment,
) {
    for target in &plan.targets {
        match *target {
            Target::Column { index, replace: true } => table.note_replaced(index as usize, row, now),
            Target::Column { index, replace: false } => table.note_added(index as usize, row, now),
            // Storages do it by themselves.
            Target::Sparse(_) | Target::SparseIfNew(_) | Target::Nowhere => {}
        }
    }
    for target in &plan.renewed {
        match *target {
            Target::Column { index, .. } => table.note_added(index as usize, row, now),
            Target::Sparse(number) | Target::SparseIfNew(number) => sparse[number as usize].note_added(entity, now),
            Target::Nowhere => {}
        }
    }
}
