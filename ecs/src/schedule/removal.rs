//! Removal of systems and sets from a schedule.
//!
//! Tests: tests/schedules/schedule/removal.rs

use alloc::vec::Vec;

use hashbrown::HashSet;

use super::error::ScheduleError;
use super::graph::{OrderConstraint, Runnable, ScheduleGraph, SystemOrSet};
use super::set::FunctionSet;
use crate::schedule::label::InternedSystemSet;

/// Defines what happens to the set, and to the order of the remaining systems, when [`Schedule::remove_systems_in_set`]
/// removes the systems in a set.
///
/// If a remaining system or set A came before a removed one, and that one before a remaining C, then A still comes
/// before C, unless the policy allows breakages. Systems that are added to the schedule later find the set as the
/// policy has left it.
///
/// [`Schedule::remove_systems_in_set`]: super::Schedule::remove_systems_in_set
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::ScheduleCleanupPolicy;
/// # #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)] struct Debugging;
/// # fn simulate() {}
/// # fn check() {}
/// # fn draw() {}
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems((draw, check.in_set(Debugging), simulate));
/// schedule.add_systems((|| ()).after(Debugging));
/// // The set stays, so the closure may still be ordered by it.
/// let mut world = World::new();
/// schedule.remove_systems_in_set(Debugging, &mut world, ScheduleCleanupPolicy::RemoveSystemsOnly).unwrap();
/// schedule.initialize(&mut world).unwrap();
/// assert_eq!(schedule.systems_len(), 3);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ScheduleCleanupPolicy {
    /// Also removes the set, with its conditions and its constraints.
    #[default]
    RemoveSetAndSystems,
    /// Keeps the set, with its conditions and its constraints.
    RemoveSystemsOnly,
    /// Like `RemoveSetAndSystems`, but if an order followed only from removed systems or sets, it is lost.
    RemoveSetAndSystemsAllowBreakages,
    /// Like `RemoveSystemsOnly`, but if an order followed only from removed systems or sets, it is lost.
    RemoveSystemsOnlyAllowBreakages,
}

impl ScheduleCleanupPolicy {
    fn removes_set(self) -> bool {
        matches!(self, Self::RemoveSetAndSystems | Self::RemoveSetAndSystemsAllowBreakages)
    }

    fn keeps_order(self) -> bool {
        matches!(self, Self::RemoveSetAndSystems | Self::RemoveSystemsOnly)
    }
}

/// The new numbers of systems or sets, by their old ones; `None` for those that are removed.
struct NewNumbers(Vec<Option<u32>>);

impl NewNumbers {
    /// Creates new numbers for `len` items, without the removed ones.
    fn without(removed: &HashSet<u32>, len: usize) -> Self {
        let mut next = 0..;
        Self((0..len as u32).map(|old| if removed.contains(&old) { None } else { next.next() }).collect())
    }

    fn get(&self, old: u32) -> Option<u32> {
        self.0[old as usize]
    }

    fn renumber(&self, all: &mut Vec<u32>) {
        *all = all.iter().filter_map(|old| self.get(*old)).collect();
    }
}

/// Keeps only the items that have a new number.
fn keep<T>(all: &mut Vec<T>, numbers: &NewNumbers) {
    let mut old = 0..;
    all.retain(|_| old.next().is_some_and(|old| numbers.get(old).is_some()));
}

impl ScheduleGraph {
    /// Removes the systems in a set. Also removes the set if the policy says so. Returns the number of removed systems.
    ///
    /// # Errors
    ///
    /// If there is no such set. Then nothing has changed.
    pub(super) fn remove_systems_in_set(
        &mut self,
        label: InternedSystemSet,
        policy: ScheduleCleanupPolicy,
    ) -> Result<usize, ScheduleError> {
        let missing = || ScheduleError::SetNotFound(alloc::format!("{label:?}"));
        let all = 0..self.systems.len() as u32;
        let (set, systems): (Option<u32>, HashSet<u32>) = match FunctionSet::function_of(label) {
            Some(function) => {
                let is_of = |system: &u32| self.runnables[*system as usize].system.facts().function == Some(function);
                (None, all.filter(is_of).collect())
            }
            None => {
                let set = self.set(label).filter(|set| self.sets[*set as usize].declared).ok_or_else(missing)?;
                (Some(set), all.filter(|system| self.is_in(*system, set)).collect())
            }
        };
        if set.is_none() && systems.is_empty() {
            return Err(missing());
        }
        let sets: HashSet<u32> = set.filter(|_| policy.removes_set()).into_iter().collect();
        let is_removed = |node: SystemOrSet| match node {
            SystemOrSet::System(system) => systems.contains(&system),
            SystemOrSet::Set(set) => sets.contains(&set),
        };
        let functions = self.functions();
        // References that cannot be resolved may name systems that are added later, so they stay.
        let resolved: Vec<Option<OrderConstraint>> =
            self.references.iter().map(|reference| self.before(reference, &functions).ok()).collect();
        if policy.keeps_order() {
            let known = self.chains.iter().chain(resolved.iter().flatten()).copied().collect();
            let removed = (0..self.systems.len() as u32).filter(|system| systems.contains(system));
            let removed = removed.map(SystemOrSet::System).chain(sets.iter().copied().map(SystemOrSet::Set));
            let kept = self.orders_around(removed, known);
            self.chains.extend(kept);
        }
        let stays = |order: &OrderConstraint| !is_removed(order.first) && !is_removed(order.second);
        self.chains.retain(stays);
        let mut resolved = resolved.into_iter();
        self.references.retain(|reference| {
            resolved.next().flatten().is_none_or(|order| stays(&order)) && !is_removed(reference.of)
        });
        self.forget(&systems, &sets);
        Ok(systems.len())
    }

    /// Returns the constraints between other nodes that follow from constraints through the `removed` nodes. `known`
    /// contains all present constraints.
    fn orders_around(
        &self,
        removed: impl Iterator<Item = SystemOrSet>,
        mut known: Vec<OrderConstraint>,
    ) -> Vec<OrderConstraint> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for node in removed {
            // A node ordered before a set comes before all systems in the set, so the constraints of the sets around a node count for the
            // node.
            let around = match node {
                SystemOrSet::System(system) => self.sets_around(&self.systems[system as usize].sets),
                SystemOrSet::Set(set) => self.sets_around(&self.sets[set as usize].parents),
            };
            let is_meant =
                |other: SystemOrSet| other == node || matches!(other, SystemOrSet::Set(set) if around.contains(&set));
            let (before, after): (Vec<OrderConstraint>, Vec<OrderConstraint>) = (
                known.iter().filter(|order| is_meant(order.second)).copied().collect(),
                known.iter().filter(|order| is_meant(order.first)).copied().collect(),
            );
            for (one, other) in before.iter().flat_map(|one| after.iter().map(move |other| (one, other))) {
                let order = OrderConstraint { first: one.first, second: other.second, sync: one.sync || other.sync };
                if seen.insert((order.first, order.second, order.sync)) {
                    known.push(order);
                    found.push(order);
                }
            }
        }
        found
    }

    /// Removes systems and sets that no constraint refers to. Other nodes may still be members of these sets.
    fn forget(&mut self, systems: &HashSet<u32>, sets: &HashSet<u32>) {
        let of_systems = NewNumbers::without(systems, self.systems.len());
        let of_sets = NewNumbers::without(sets, self.sets.len());
        let conditions =
            systems.iter().flat_map(|system| self.runnables[*system as usize].conditions.clone()).collect();
        let of_conditions = NewNumbers::without(&conditions, self.conditions.len());
        keep(&mut self.conditions, &of_conditions);
        keep(&mut self.runnables, &of_systems);
        // The conditions of a system follow the conditions of the previous system, so the ranges are renumbered from their lengths.
        let mut first = 0;
        for Runnable { conditions, .. } in &mut self.runnables {
            let len = conditions.len() as u32;
            *conditions = first..first + len;
            first += len;
        }
        keep(&mut self.systems, &of_systems);
        self.systems.iter_mut().for_each(|system| of_sets.renumber(&mut system.sets));
        keep(&mut self.sets, &of_sets);
        self.sets.iter_mut().for_each(|set| of_sets.renumber(&mut set.parents));
        self.by_label.retain(|_, set| match of_sets.get(*set) {
            Some(new) => {
                *set = new;
                true
            }
            None => false,
        });
        let renumber = |node: &mut SystemOrSet| {
            let new = match *node {
                SystemOrSet::System(old) => of_systems.get(old).map(SystemOrSet::System),
                SystemOrSet::Set(old) => of_sets.get(old).map(SystemOrSet::Set),
            };
            // The constraints that name removed nodes are gone, so each node has a new number and the fallback is not used.
            *node = new.unwrap_or(*node);
        };
        for order in &mut self.chains {
            renumber(&mut order.first);
            renumber(&mut order.second);
        }
        self.references.iter_mut().for_each(|reference| renumber(&mut reference.of));
    }
}
