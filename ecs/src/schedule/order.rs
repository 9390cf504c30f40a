//! Computes one order of all systems that satisfies the constraints.
//!
//! The order also contains two places for each set: one before all systems of the set and one after them. So a
//! constraint on a set costs one entry, however many systems are in the set.
//!
//! If something is ordered after a system that records commands, there is a sync point after that system, where the
//! commands are applied. A constraint that ignores deferred commands adds no sync point. The commands are then applied
//! at the next constraint that does not ignore them, or before the next exclusive system: an exclusive system never
//! runs before the commands of the systems that it is ordered after have been applied. The *level* of a system is the
//! number of sync points before it. Each level is as low as the order allows, so there are as few sync points as
//! possible. Systems run by level. Within a level they run in the order in which they were added, where the constraints
//! allow it (Kahn's algorithm).
//!
//! Tests: tests/schedules/schedule/orders.rs, tests/schedules/schedule/deep.rs

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::error::ScheduleBuildError;
use super::graph::{OrderConstraint, ScheduleGraph, SystemOrSet};

/// The first place comes before the second. The flag is true if commands are applied in between. A set has two places:
/// it begins before its members and ends after them.
type OrderEdge = (u32, u32, bool);

/// Lists indexed by number, stored contiguously.
pub(super) struct NumberedLists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> NumberedLists<T> {
    /// Builds `count` lists from pairs of a list and an item. `O(lists + pairs)`.
    fn new(count: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut starts = alloc::vec![0_u32; count + 1];
        pairs.clone().for_each(|(list, _)| starts[list as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut items = alloc::vec![T::default(); starts[count] as usize];
        let mut ends = starts.clone();
        for (list, item) in pairs {
            let end = &mut ends[list as usize];
            items[*end as usize] = item;
            *end += 1;
        }
        Self { starts, items }
    }

    pub(super) fn of(&self, list: u32) -> &[T] {
        &self.items[self.starts[list as usize] as usize..self.starts[list as usize + 1] as usize]
    }
}

/// An order of all systems.
pub(super) struct Ordering {
    /// The systems in the order in which they run.
    pub(super) sequence: Vec<u32>,
    /// For each system: the number of sync points before it.
    pub(super) levels: Vec<u32>,
    /// The systems and the places of sets, in an order that satisfies the constraints.
    pub(super) places: Vec<u32>,
    /// For each place: the places that directly follow it.
    pub(super) successors: NumberedLists<u32>,
    pub(super) layout: NodePlaces,
}

/// Maps systems and sets to their places.
#[derive(Clone, Copy)]
pub(super) struct NodePlaces {
    systems: u32,
}

impl NodePlaces {
    /// Returns the place of a system, or the place where a set begins.
    pub(super) fn start(self, member: SystemOrSet) -> u32 {
        match member {
            SystemOrSet::System(system) => system,
            SystemOrSet::Set(set) => self.systems + 2 * set,
        }
    }

    /// Returns the place of a system, or the place where a set ends.
    pub(super) fn end(self, member: SystemOrSet) -> u32 {
        match member {
            SystemOrSet::System(system) => system,
            SystemOrSet::Set(set) => self.systems + 2 * set + 1,
        }
    }

    fn member(self, place: u32) -> SystemOrSet {
        if place < self.systems { SystemOrSet::System(place) } else { SystemOrSet::Set((place - self.systems) / 2) }
    }
}

impl Ordering {
    /// Orders the systems of a graph. `O(n log n)` in systems, sets and constraints.
    pub(super) fn of(graph: &ScheduleGraph) -> Result<Self, ScheduleBuildError> {
        check_hierarchy(graph)?;
        let systems = graph.systems.len() as u32;
        let places = NodePlaces { systems };
        let links = links(graph, &graph.orders()?, places);
        let count = systems as usize + 2 * graph.sets.len();
        let successors =
            NumberedLists::new(count, links.iter().map(|(first, second, is_sync)| (*first, (*second, *is_sync))));
        let mut sort = TopologicalSort::new(count, &links);
        sort.run(graph, systems, &successors);
        if sort.done.len() < count {
            let cycle = find_cycle(&sort, &successors);
            let mut names: Vec<_> = cycle.into_iter().map(|place| graph.name(places.member(place))).collect();
            names.dedup();
            if names.len() > 1 && names.first() == names.last() {
                names.pop();
            }
            return Err(ScheduleBuildError::Cycle { cycle: names });
        }
        let sequence = sort.done.iter().copied().filter(|place| *place < systems).collect();
        sort.levels.truncate(systems as usize);
        let successors = NumberedLists::new(count, links.iter().map(|(first, second, _)| (*first, *second)));
        Ok(Self { sequence, levels: sort.levels, places: sort.done, successors, layout: places })
    }

    /// Returns whether a place is a system.
    pub(super) fn is_system(&self, place: u32) -> bool {
        place < self.layout.systems
    }

    /// Returns all systems that are ordered after `system`.
    pub(super) fn after(&self, system: u32) -> impl Iterator<Item = u32> {
        let mut seen = alloc::vec![false; self.places.len()];
        let mut open = alloc::vec![system];
        core::iter::from_fn(move || {
            while let Some(place) = open.pop() {
                for next in self.successors.of(place) {
                    if !core::mem::replace(&mut seen[*next as usize], true) {
                        open.push(*next);
                    }
                }
                if place != system && self.is_system(place) {
                    return Some(place);
                }
            }
            None
        })
    }
}

/// Returns all pairs of places of which the first comes before the second.
fn links(graph: &ScheduleGraph, orders: &[OrderConstraint], places: NodePlaces) -> Vec<OrderEdge> {
    let mut all = Vec::with_capacity(orders.len() + 2 * (graph.systems.len() + graph.sets.len()));
    for OrderConstraint { first, second, sync } in orders {
        all.push((places.end(*first), places.start(*second), *sync));
    }
    let mut contain = |member: SystemOrSet, sets: &[u32]| {
        for set in sets {
            all.push((places.start(SystemOrSet::Set(*set)), places.start(member), false));
            all.push((places.end(member), places.end(SystemOrSet::Set(*set)), false));
        }
    };
    for (number, system) in graph.systems.iter().enumerate() {
        contain(SystemOrSet::System(number as u32), &system.sets);
    }
    for (number, set) in graph.sets.iter().enumerate() {
        contain(SystemOrSet::Set(number as u32), &set.parents);
    }
    for number in 0..graph.sets.len() as u32 {
        // The start of a set comes before its end. So if the set is empty, a node ordered before it still comes before a node ordered after
        // it.
        all.push((places.start(SystemOrSet::Set(number)), places.end(SystemOrSet::Set(number)), false));
    }
    all
}

/// The state of the topological sort.
struct TopologicalSort {
    /// For each place: the number of predecessors that are not in `done` yet.
    waiting: Vec<u32>,
    /// For each place: the number of sync points before it.
    levels: Vec<u32>,
    /// For each place: the number of sync points after which all commands of this place, and of the places before it,
    /// have been applied.
    applied: Vec<u32>,
    /// The places that have been sorted, in order.
    done: Vec<u32>,
}

impl TopologicalSort {
    fn new(count: usize, links: &[OrderEdge]) -> Self {
        let mut waiting = alloc::vec![0; count];
        links.iter().for_each(|(_, second, _)| waiting[*second as usize] += 1);
        Self { waiting, levels: alloc::vec![0; count], applied: alloc::vec![0; count], done: Vec::with_capacity(count) }
    }

    fn run(&mut self, graph: &ScheduleGraph, systems: u32, successors: &NumberedLists<(u32, bool)>) {
        let mut ready = BinaryHeap::new();
        // The start and the end of a set cost no time, so they are taken as soon as possible.
        let mut sets = Vec::new();
        for place in 0..self.waiting.len() as u32 {
            if self.waiting[place as usize] == 0 {
                if place < systems { ready.push(Reverse((0, place))) } else { sets.push(place) }
            }
        }
        while let Some(place) = sets.pop().or_else(|| ready.pop().map(|Reverse((_, system))| system)) {
            let at = place as usize;
            self.done.push(place);
            let records = place < systems && records(graph, place);
            self.applied[at] = self.applied[at].max(self.levels[at] + u32::from(records));
            for (next, is_sync) in successors.of(place) {
                let next_at = *next as usize;
                let is_synced = *is_sync || (*next < systems && is_exclusive(graph, *next));
                let level = if is_synced { self.applied[at] } else { self.levels[at] };
                self.levels[next_at] = self.levels[next_at].max(level);
                self.applied[next_at] = self.applied[next_at].max(self.applied[at]);
                self.waiting[next_at] -= 1;
                if self.waiting[next_at] == 0 {
                    if *next < systems { ready.push(Reverse((self.levels[next_at], *next))) } else { sets.push(*next) }
                }
            }
        }
    }
}

/// Returns whether a system records commands that have to be applied.
fn records(graph: &ScheduleGraph, system: u32) -> bool {
    graph.runnables[system as usize].system.access().is_deferred() && !is_exclusive(graph, system)
}

fn is_exclusive(graph: &ScheduleGraph, system: u32) -> bool {
    graph.runnables[system as usize].system.access().is_exclusive()
}

/// Finds a cycle among the places that never became ready.
fn find_cycle(sort: &TopologicalSort, successors: &NumberedLists<(u32, bool)>) -> Vec<u32> {
    let is_left = |place: u32| sort.waiting[place as usize] > 0;
    // Each remaining place waits for another remaining place, so a walk backwards never ends and returns to a place.
    let count = sort.waiting.len() as u32;
    let mut before = alloc::vec![None; count as usize];
    for place in (0..count).filter(|place| is_left(*place)) {
        for (next, _) in successors.of(place).iter().filter(|(next, _)| is_left(*next)) {
            before[*next as usize] = Some(place);
        }
    }
    let mut seen = alloc::vec![false; count as usize];
    let mut at = (0..count).find(|place| is_left(*place));
    while let Some(place) = at.filter(|place| !core::mem::replace(&mut seen[*place as usize], true)) {
        at = before[place as usize];
    }
    let mut cycle = Vec::new();
    if let Some(start) = at {
        let mut place = start;
        loop {
            cycle.push(place);
            match before[place as usize] {
                Some(earlier) if earlier != start => place = earlier,
                _ => break,
            }
        }
    }
    cycle.reverse();
    cycle
}

/// Checks that no set contains itself.
fn check_hierarchy(graph: &ScheduleGraph) -> Result<(), ScheduleBuildError> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum VisitState {
        Unseen,
        /// The set is on the current path.
        Open,
        /// No set around this set contains itself.
        Done,
    }
    let mut states = alloc::vec![VisitState::Unseen; graph.sets.len()];
    // The path from a set outwards: each set is in the next one, and comes with the number of its parents that have been visited. A list
    // instead of recursion, since the path may be long.
    let mut path: Vec<(u32, usize)> = Vec::new();
    for set in 0..graph.sets.len() as u32 {
        if states[set as usize] == VisitState::Unseen {
            states[set as usize] = VisitState::Open;
            path.push((set, 0));
        }
        while let Some((set, next)) = path.last_mut() {
            let Some(parent) = graph.sets[*set as usize].parents.get(*next).copied() else {
                states[*set as usize] = VisitState::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match states[parent as usize] {
                VisitState::Unseen => {
                    states[parent as usize] = VisitState::Open;
                    path.push((parent, 0));
                }
                VisitState::Open => {
                    let cycle = path.iter().skip_while(|(set, _)| *set != parent);
                    let cycle = cycle.map(|(set, _)| graph.name(SystemOrSet::Set(*set))).collect();
                    return Err(ScheduleBuildError::SetCycle { cycle });
                }
                VisitState::Done => {}
            }
        }
    }
    Ok(())
}
