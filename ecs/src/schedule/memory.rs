//! The state that the systems of a schedule keep between runs.
//!
//! Tests: tests/snapshots/systems.rs, tests/snapshots/consumers.rs

use alloc::string::{String, ToString};
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use hashbrown::HashMap;

use super::base::Schedule;
use crate::storage::resource::{RenewedList, ResourceId};
use crate::structure::store::{RestoredEra, WorldId};
use crate::system::{CloneValue, StateItem, StateVisitor, SystemCore};

/// The state of one system. The system is identified by its name, its index among the systems with this name, and
/// whether it is a condition.
pub(crate) struct SystemMemory {
    pub(crate) name: String,
    pub(crate) nth: u32,
    pub(crate) is_condition: bool,
    pub(crate) memory: Vec<StateItem>,
}

/// The state of the systems of a schedule.
#[derive(Default)]
pub(crate) struct ScheduleMemory {
    pub(crate) systems: Vec<SystemMemory>,
    /// The slot that identified the schedule in its world.
    pub(crate) seat: Weak<()>,
}

impl ScheduleMemory {
    /// Returns whether any system had been prepared when the state was saved.
    pub(crate) fn has_prepared(&self) -> bool {
        let is_prepared = |memory: &StateItem| !matches!(memory, StateItem::Unprepared);
        self.systems.iter().any(|system| system.memory.iter().any(is_prepared))
    }

    /// Returns a copy of the state.
    pub(crate) fn cloned(&self, clone: &CloneValue<'_>) -> Self {
        let cloned = |system: &SystemMemory| SystemMemory {
            name: system.name.clone(),
            memory: system.memory.iter().map(|memory| memory.cloned(clone)).collect(),
            ..*system
        };
        Self { systems: self.systems.iter().map(cloned).collect(), seat: Weak::clone(&self.seat) }
    }
}

/// Counts systems with equal names.
#[derive(Default)]
struct NameCounts(HashMap<(bool, String), u32>);

impl NameCounts {
    fn nth(&mut self, is_condition: bool, name: &str) -> u32 {
        let count = self.0.entry((is_condition, name.to_string())).or_default();
        *count += 1;
        *count - 1
    }
}

impl Schedule {
    /// Calls a function for the systems, and then for the conditions. Its first argument is whether the second is a
    /// condition.
    fn for_each_system(&mut self, mut each: impl FnMut(bool, &mut dyn SystemCore)) {
        let graph = &mut self.graph;
        graph.runnables.iter_mut().for_each(|runnable| each(false, &mut *runnable.system));
        let of_sets = graph.sets.iter_mut().flat_map(|set| &mut set.conditions);
        graph.conditions.iter_mut().chain(of_sets).for_each(|condition| each(true, &mut *condition.system));
    }

    /// Copies the state of the systems of this schedule in a world. If a value cannot be cloned, the name of the system
    /// and the type of the value are added to `refused`.
    pub(crate) fn memory(
        &mut self,
        world: WorldId,
        clone: &CloneValue<'_>,
        refused: &mut Vec<(String, &'static str)>,
    ) -> ScheduleMemory {
        let (mut names, mut all) = (NameCounts::default(), Vec::new());
        // The systems have state of this world only if they were prepared for it: the schedule may have run in another world last.
        let is_own = self.systems_of == Some(world);
        self.for_each_system(|is_condition, system| {
            let name = system.facts().name.to_string();
            let mut memory = Vec::from([StateItem::Unprepared]);
            if is_own {
                let mut keeper = StateVisitor::taking(clone);
                system.visit_state(&mut keeper);
                let types;
                (memory, types) = keeper.taken();
                refused.extend(types.into_iter().map(|value| (name.clone(), value)));
            }
            all.push(SystemMemory { nth: names.nth(is_condition, &name), name, is_condition, memory });
        });
        let seat = self.seat.as_ref().filter(|_| is_own).map(|(_, seat)| Arc::downgrade(seat)).unwrap_or_default();
        ScheduleMemory { systems: all, seat }
    }

    /// Exchanges the state of the systems in a world with the saved state. If a system has no saved state, or was not
    /// prepared when the state was saved, it is prepared in the next run. Its current state is dropped last.
    pub(crate) fn exchange_memory(
        &mut self,
        memory: &mut ScheduleMemory,
        world: WorldId,
        era: RestoredEra,
        renewed: &[(ResourceId, RenewedList)],
    ) {
        let (mut names, mut at, mut unknown) = (NameCounts::default(), 0, Vec::new());
        if self.systems_of != Some(world) {
            self.prepare_again();
            return self.for_each_system(|_, system| system.visit_state(&mut StateVisitor::resetting()));
        }
        self.for_each_system(|is_condition, system| {
            let name = system.facts().name.to_string();
            let nth = names.nth(is_condition, &name);
            let is_it =
                |known: &SystemMemory| known.is_condition == is_condition && known.nth == nth && known.name == name;
            // Usually the systems are in the same order as in the memory, so the same position is tried first.
            let all = &mut memory.systems;
            let found = if all.get(at).is_some_and(is_it) { Some(at) } else { all.iter().position(is_it) };
            let fits = found.is_some_and(|found| {
                let mut keeper = StateVisitor::exchanging(&mut all[found].memory, era, renewed);
                system.visit_state(&mut keeper);
                keeper.fits()
            });
            unknown.extend((!fits).then_some(at));
            at += 1;
        });
        if unknown.is_empty() {
            return;
        }
        self.prepare_again();
        let mut at = 0;
        self.for_each_system(|_, system| {
            if unknown.binary_search(&at).is_ok() {
                system.visit_state(&mut StateVisitor::resetting());
            }
            at += 1;
        });
    }
}
