//! The units of a stage that is run by several threads. A unit is a step or a pipeline, which one thread runs.
//!
//! Costs are measured in few runs. A stage is run on the thread of the schedule if it takes too little time, or if one
//! step takes nearly all of it. For other stages, a simulation with the measured costs estimates the time on the
//! available threads. The units are used only if this time is at least a tenth shorter.

use alloc::borrow::Cow;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use fixedbitset::FixedBitSet;
use hashbrown::HashMap;

use super::pipelines::PlannedGraph;
use super::plan::{PlanStep, Task, access_of};
use super::reach::Reachability;
use crate::access::Access;
use crate::component::Components;

/// The cost of passing a unit to another thread, and of checking whether there is a unit, in nanoseconds.
const HAND_OVER: u64 = 1_500;
/// The time until a sleeping thread has woken up, in nanoseconds.
const WAKE_UP: u64 = 5_000;

/// The order in which the steps of a stage have to finish.
#[derive(Clone)]
pub(super) struct Precedence {
    /// For each step, relative to the first step of the stage: the steps before it.
    before: Vec<FixedBitSet>,
    /// For each step: the steps that come directly before it. Steps that come before another of these are left out.
    direct: Vec<Vec<u32>>,
    /// For each step: whether it must run on the thread that runs the schedule.
    owners: Vec<bool>,
}

impl Precedence {
    /// Creates an empty precedence with capacity for `count` steps.
    fn with_capacity(count: usize) -> Self {
        Self { before: Vec::with_capacity(count), direct: Vec::with_capacity(count), owners: Vec::with_capacity(count) }
    }

    /// Adds the next step. It comes after those earlier `candidates` for which `waits` returns true, and after all
    /// steps that come before these. If the answer for a step follows from other steps, `waits` is not called for it.
    fn push(&mut self, mut candidates: FixedBitSet, is_owners: bool, mut waits: impl FnMut(usize) -> bool) {
        let (mut own, mut direct) = (FixedBitSet::with_capacity(candidates.len()), Vec::new());
        while let Some(first) = candidates.maximum() {
            candidates.set(first, false);
            if waits(first) {
                own.insert(first);
                own.union_with(&self.before[first]);
                direct.push(first as u32);
                candidates.difference_with(&self.before[first]);
            }
        }
        self.before.push(own);
        self.direct.push(direct);
        self.owners.push(is_owners);
    }

    /// Computes the precedence of the steps of a stage. `O(n * n / 64)` in steps if each step directly follows few
    /// others, `O(n * n)` in the worst case.
    pub(super) fn of(layout: PlannedGraph<'_>, steps: &Range<u32>, components: &Components) -> Self {
        let PlannedGraph { graph, order, plan, .. } = layout;
        let count = steps.len();
        let number = |place: u32| {
            let step = if order.is_system(place) { plan.step_of[place as usize] } else { return None };
            steps.contains(&step).then(|| (step - steps.start) as usize)
        };
        let ordered = Reachability::of(order, count, number).into_lists();
        let of_stage = &plan.steps[steps.start as usize..steps.end as usize];
        let accesses: Vec<_> = of_stage.iter().map(|step| access_of(graph, step.task)).collect();
        // For each bit of a footprint: the earlier steps that access it, and those that write it.
        let [mut touching, mut writing] = [(); 2].map(|()| alloc::vec![FixedBitSet::new(); u128::BITS as usize]);
        let mut last_of_stream: HashMap<u32, usize> = HashMap::new();
        let mut precedence = Self::with_capacity(count);
        for (second, (mut own, (step, access))) in ordered.into_iter().zip(of_stage.iter().zip(&accesses)).enumerate() {
            own.grow(count);
            let gates = &plan.gates[step.gates.start as usize..step.gates.end as usize];
            own.extend(gates.iter().filter(|gate| steps.contains(gate)).map(|gate| (gate - steps.start) as usize));
            // Steps that share a stream of entity ids take ids in the order of the steps, so each waits for the previous one.
            own.extend(step.stream.and_then(|stream| last_of_stream.insert(stream, second)));
            let (mut candidates, footprint) = (own.clone(), access.footprint());
            bits(footprint.written).for_each(|bit| candidates.union_with(&touching[bit]));
            bits(footprint.touched).for_each(|bit| candidates.union_with(&writing[bit]));
            precedence.push(candidates, !access.is_send(), |first| {
                own.contains(first) || access.collides_with(&accesses[first], components)
            });
            bits(footprint.touched).for_each(|bit| touching[bit].grow_and_insert(second));
            bits(footprint.written).for_each(|bit| writing[bit].grow_and_insert(second));
        }
        // The assertion checks all pairs. For many steps this takes too long, even in a build with assertions.
        debug_assert!(
            count > 64
                || (0..count).all(|second| {
                    let collides = |first: &usize| accesses[second].collides_with(&accesses[*first], components);
                    (0..second).filter(collides).all(|first| precedence.before[second].contains(first))
                }),
            "steps that collide are not in an order"
        );
        precedence
    }

    /// Returns the precedence of ranges of steps that must not be split. The ranges are consecutive and cover all
    /// steps.
    pub(super) fn merged(&self, nodes: &[Range<u32>]) -> Cow<'_, Self> {
        if nodes.len() == self.before.len() {
            return Cow::Borrowed(self);
        }
        let mut node_of = alloc::vec![0; self.before.len()];
        for (number, node) in nodes.iter().enumerate() {
            node.clone().for_each(|step| node_of[step as usize] = number);
        }
        let mut merged = Self::with_capacity(nodes.len());
        for (number, node) in nodes.iter().enumerate() {
            let mut candidates = FixedBitSet::with_capacity(nodes.len());
            // The steps of a node run as one unit, so the node waits for the predecessors of each of its steps.
            for step in node.clone() {
                candidates.extend(self.direct[step as usize].iter().map(|first| node_of[*first as usize]));
            }
            candidates.set(number, false);
            merged.push(candidates, node.clone().any(|step| self.owners[step as usize]), |_| true);
        }
        Cow::Owned(merged)
    }
}

/// Iterates over the bits of a footprint that are set.
fn bits(mut set: u128) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (bit < u128::BITS).then_some(bit as usize)
    })
}

/// Returns whether each step of a stage has to wait for the previous one, so that no two steps can run in parallel.
/// `O(n)` in steps and constraints.
pub(super) fn is_chain(layout: PlannedGraph<'_>, steps: &Range<u32>, components: &Components) -> bool {
    let PlannedGraph { graph, order, plan, .. } = layout;
    let of_stage = &plan.steps[steps.start as usize..steps.end as usize];
    let mut earlier = None;
    of_stage.iter().zip(steps.clone()).all(|(step, at)| {
        let access = access_of(graph, step.task);
        let follows = earlier.as_ref().is_none_or(|(first, before): &(&PlanStep, Cow<'_, Access>)| {
            let gates = &plan.gates[step.gates.start as usize..step.gates.end as usize];
            let is_ordered = match (first.task, step.task) {
                (Task::System(first), Task::System(second)) => order.successors.of(first).contains(&second),
                _ => false,
            };
            let shares_ids = step.stream.is_some() && step.stream == first.stream;
            is_ordered || shares_ids || gates.contains(&(at - 1)) || access.collides_with(before, components)
        });
        earlier = Some((step, access));
        follows
    })
}

/// The units of a stage.
pub(super) struct StageUnits {
    /// For each unit: its steps, relative to the first step of the stage.
    pub(super) steps: Vec<Range<u32>>,
    /// For each unit: the number of its direct predecessors.
    pub(super) waiting: Vec<u32>,
    /// For each unit: the units after it. Units that come after another of these may be left out.
    pub(super) successors: Vec<Vec<u32>>,
    /// For each unit: whether it must run on the thread that runs the schedule.
    pub(super) owners: Vec<bool>,
}

impl StageUnits {
    /// Makes a unit of each range of steps. The ranges are consecutive and cover all steps.
    pub(super) fn of(precedence: &Precedence, nodes: &[Range<u32>]) -> Self {
        let precedence = precedence.merged(nodes);
        let mut successors = alloc::vec![Vec::new(); nodes.len()];
        for (unit, before) in precedence.direct.iter().enumerate() {
            before.iter().for_each(|first| successors[*first as usize].push(unit as u32));
        }
        let waiting = precedence.direct.iter().map(|before| before.len() as u32).collect();
        Self { steps: nodes.to_vec(), waiting, successors, owners: precedence.owners.clone() }
    }

    /// Estimates the time of the stage on `threads` threads, in nanoseconds. `costs` are the costs of the units. `O(n
    /// log n)` in units.
    pub(super) fn estimate(&self, costs: &[u64], threads: usize) -> u64 {
        let mut waiting = self.waiting.clone();
        let all = 0..self.steps.len() as u32;
        let mut ready: BinaryHeap<_> = all.filter(|unit| waiting[*unit as usize] == 0).map(Reverse).collect();
        let mut running: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        // The calling thread is free at once, the other threads after they have been woken up.
        let mut free: BinaryHeap<_> = (0..threads as u64).map(|thread| Reverse(thread.min(1) * WAKE_UP)).collect();
        let mut now = 0;
        loop {
            while let (Some(Reverse(unit)), Some(Reverse(from))) = (ready.peek().copied(), free.peek().copied()) {
                ready.pop();
                free.pop();
                running.push(Reverse((now.max(from) + costs[unit as usize] + HAND_OVER / 2, unit)));
            }
            let Some(Reverse((end, unit))) = running.pop() else { return now };
            now = end;
            free.push(Reverse(end));
            for next in &self.successors[unit as usize] {
                waiting[*next as usize] -= 1;
                if waiting[*next as usize] == 0 {
                    ready.push(Reverse(*next));
                }
            }
        }
    }
}

/// Returns whether running the stage on several threads may pay off, given the costs of its steps.
pub(super) fn is_worth_it(costs: &[u64]) -> bool {
    let total: u64 = costs.iter().sum();
    let dearest = costs.iter().copied().max().unwrap_or(0);
    // The factor is a margin: steps of a few nanoseconds may be measured as twice as long as they are.
    total - dearest > 6 * (WAKE_UP + HAND_OVER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn precedence(count: usize, pairs: &[(usize, usize)]) -> Precedence {
        let mut precedence = Precedence::with_capacity(count);
        for second in 0..count {
            let mut candidates = FixedBitSet::with_capacity(count);
            candidates.extend(pairs.iter().filter(|(_, of)| *of == second).map(|(first, _)| *first));
            precedence.push(candidates, false, |_| true);
        }
        precedence
    }

    fn single(precedence: &Precedence) -> StageUnits {
        let nodes: Vec<_> = (0..precedence.before.len() as u32).map(|step| step..step + 1).collect();
        StageUnits::of(precedence, &nodes)
    }

    #[test]
    fn independent_steps_take_less_on_two_threads() {
        // 0 and 1 are expensive; 2 comes after 0, 3 and 4 have no predecessors.
        let units = single(&precedence(5, &[(0, 2)]));
        let costs = [100_000, 100_000, 10, 10, 10];
        assert_eq!(units.waiting, [0, 0, 1, 0, 0]);
        assert!(units.estimate(&costs, 2) < 120_000);
        assert!(units.estimate(&costs, 1) > 200_000);
    }

    #[test]
    fn steps_that_stay_here_and_others_make_no_cycle() {
        // Each step comes after the previous one; every other step stays on the thread that runs the schedule.
        let mut precedence = precedence(4, &[(0, 1), (1, 2), (2, 3)]);
        precedence.owners = alloc::vec![false, true, false, true];
        let units = single(&precedence);
        assert_eq!(units.owners, precedence.owners);
        // Only the direct predecessor is stored.
        assert_eq!(units.waiting, [0, 1, 1, 1]);
        assert_eq!(units.steps, [0..1, 1..2, 2..3, 3..4]);
    }

    #[test]
    fn what_follows_from_the_rest_is_not_named() {
        let count = 5_000;
        let mut precedence = Precedence::with_capacity(count);
        for second in 0..count {
            let mut candidates = FixedBitSet::with_capacity(count);
            candidates.insert_range(0..second);
            precedence.push(candidates, false, |_| true);
        }
        let units = single(&precedence);
        assert!(units.successors.iter().all(|successors| successors.len() <= 1));
        assert!(precedence.before.iter().enumerate().all(|(step, before)| before.count_ones(..) == step));
    }

    #[test]
    fn merged_runs_of_steps_keep_what_comes_before_them() {
        // 1 and 2 are one node; 1 comes after 0, and 3 after 2.
        let precedence = precedence(5, &[(0, 1), (2, 3)]);
        let merged = precedence.merged(&[0..1, 1..3, 3..4, 4..5]);
        let before: Vec<Vec<usize>> = merged.before.iter().map(|before| before.ones().collect()).collect();
        assert_eq!(before, [[].as_slice(), &[0], &[0, 1], &[]]);
        assert_eq!(merged.direct, [[].as_slice(), &[0], &[1], &[]]);
    }

    #[test]
    fn one_dear_step_is_not_worth_a_thread() {
        assert!(!is_worth_it(&[1_000_000, 100, 100]));
        assert!(is_worth_it(&[1_000_000, 100_000]));
    }
}
