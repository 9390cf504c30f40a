//! Finds conflicting systems without an order.
//!
//! Tests: tests/schedules/schedule/ambiguities.rs

use alloc::string::ToString;
use alloc::vec::Vec;

use super::error::Ambiguity;
use super::graph::{ScheduleGraph, SystemNode};
use super::order::Ordering;
use super::reach::Reachability;
use super::set::FunctionSet;
use crate::component::Components;
use crate::schedule::label::InternedSystemSet;

/// Returns all pairs of systems that conflict, have no order, and are not allowed to be ambiguous, in the order in
/// which they run. `O(n * n)` in systems.
pub(super) fn find(graph: &ScheduleGraph, order: &Ordering, components: &Components) -> Vec<Ambiguity> {
    let count = graph.systems.len();
    let reach = Reachability::of(order, count, |place| order.is_system(place).then_some(place as usize));
    let mut found = Vec::new();
    for (at, second) in order.sequence.iter().copied().enumerate() {
        for first in order.sequence[..at].iter().copied() {
            let runnables = [first, second].map(|system| &graph.runnables[system as usize]);
            let [a, b] = runnables.map(|runnable| runnable.system.access());
            if reach.is_before(first as usize, second as usize)
                || !a.collides_with(b, components)
                || is_allowed(graph, first, second)
            {
                continue;
            }
            let conflicts = a.conflicts(b, components);
            if !conflicts.is_empty() {
                found.push(Ambiguity {
                    systems: runnables.map(|runnable| runnable.system.name().to_string()),
                    conflicts,
                });
            }
        }
    }
    found
}

fn is_allowed(graph: &ScheduleGraph, first: u32, second: u32) -> bool {
    let node = |system: u32| -> &SystemNode { &graph.systems[system as usize] };
    let is_among = |system: u32, set: InternedSystemSet| match FunctionSet::function_of(set) {
        Some(function) => graph.runnables[system as usize].system.facts().function == Some(function),
        None => graph.set(set).is_some_and(|set| graph.is_in(system, set)),
    };
    node(first).ambiguous_with_all
        || node(second).ambiguous_with_all
        || node(first).ambiguous_with.iter().any(|set| is_among(second, *set))
        || node(second).ambiguous_with.iter().any(|set| is_among(first, *set))
}
