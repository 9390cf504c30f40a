//! What the steps of a stage become when several threads run them: units, each of which one thread runs.
//!
//! A step that costs more than handing it over is a unit. Cheaper ones are gathered, those that come after the same dear
//! steps, so that nothing waits for longer than it has to. Gathering makes no cycles: whatever comes after a step comes after
//! at least the dear steps that this one comes after, and units that come after the same dear ones are filled one after the
//! other, in the order of the steps.
//!
//! Costs are measured in few runs. A stage that takes too little time, or in which one step takes nearly all, stays on the
//! thread of the schedule. A simulation with the costs says what the units would take on the threads that there are; they
//! are used only if that is a tenth less.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use fixedbitset::FixedBitSet;
use hashbrown::HashMap;

use super::graph::Graph;
use super::order::Ordering;
use super::plan::{Plan, access_of};
use super::reach::Reach;
use crate::component::Components;

/// What it costs to hand a unit to another thread, and to find that there is one, in nanoseconds.
const HAND_OVER: u64 = 1_500;
/// What it costs until a thread that sleeps has come.
const WAKE_UP: u64 = 5_000;
/// Up to which cost steps are gathered.
const ENOUGH: u64 = 10_000;

/// Which steps of a stage have to finish before which.
pub(super) struct Precedence {
    /// By step, counted from the first of the stage.
    before: Vec<FixedBitSet>,
    /// By step: whether it stays on the thread that runs the schedule.
    owners: Vec<bool>,
}

impl Precedence {
    /// Of the steps of a stage. `O(n * n)` in steps, at the worst.
    pub(super) fn of(
        graph: &Graph,
        order: &Ordering,
        plan: &Plan,
        steps: &Range<u32>,
        components: &Components,
    ) -> Self {
        let count = steps.len();
        let number = |system: u32| {
            let step = plan.step_of[system as usize];
            steps.contains(&step).then(|| (step - steps.start) as usize)
        };
        let mut before = Reach::of(order, count, number).into_lists();
        let stream = |step: usize| plan.steps[steps.start as usize + step].stream;
        let accesses: Vec<_> = steps.clone().map(|step| access_of(graph, plan.steps[step as usize].task)).collect();
        for (second, access) in accesses.iter().enumerate() {
            let (earlier, later) = before.split_at_mut(second);
            let own = &mut later[0];
            own.grow(count);
            let step = &plan.steps[steps.start as usize + second];
            let gates = &plan.gates[step.gates.start as usize..step.gates.end as usize];
            own.extend(gates.iter().filter(|gate| steps.contains(gate)).map(|gate| (gate - steps.start) as usize));
            // What comes before one of those that come before.
            let mut beyond = FixedBitSet::with_capacity(count);
            for first in (0..second).rev() {
                if beyond.contains(first) {
                    continue;
                }
                // Steps that share a stream get ids in their order.
                let shares_ids = step.stream.is_some() && step.stream == stream(first);
                if own.contains(first) || shares_ids || access.collides_with(&accesses[first], components) {
                    own.insert(first);
                    beyond.union_with(&earlier[first]);
                }
            }
            own.union_with(&beyond);
        }
        let owners = accesses.iter().map(|access| !access.is_send()).collect();
        Self { before, owners }
    }
}

impl Precedence {
    /// The same of runs of steps that are not to be torn apart. They follow each other, and all steps are in one.
    pub(super) fn merged(&self, nodes: &[Range<u32>]) -> Self {
        let mut node_of = alloc::vec![0; self.before.len()];
        for (number, node) in nodes.iter().enumerate() {
            node.clone().for_each(|step| node_of[step as usize] = number);
        }
        let (mut before, mut owners) = (Vec::with_capacity(nodes.len()), Vec::with_capacity(nodes.len()));
        for (number, node) in nodes.iter().enumerate() {
            let mut own = FixedBitSet::with_capacity(nodes.len());
            for step in node.clone() {
                own.extend(self.before[step as usize].ones().map(|first| node_of[first]));
            }
            own.set(number, false);
            // What comes before one step of a node comes before all that come after another one.
            own.clone().ones().for_each(|first| own.union_with(&before[first]));
            before.push(own);
            owners.push(node.clone().any(|step| self.owners[step as usize]));
        }
        Self { before, owners }
    }
}

/// The units of a stage.
pub(super) struct Units {
    /// By unit: its steps, counted from the first of the stage, in their order.
    pub(super) steps: Vec<Vec<u32>>,
    /// By unit: how many come before it, of those that are named.
    pub(super) waiting: Vec<u32>,
    /// By unit: those that come after it; the ones that come after another of these may be left out.
    pub(super) successors: Vec<Vec<u32>>,
    /// By unit: whether it stays on the thread that runs the schedule.
    pub(super) owners: Vec<bool>,
}

impl Units {
    /// Each step for itself.
    pub(super) fn single(precedence: &Precedence) -> Self {
        Self::linked(precedence, (0..precedence.before.len() as u32).map(|step| alloc::vec![step]).collect())
    }

    /// The same with each step, where these are units of runs of steps.
    pub(super) fn expanded(mut self, nodes: &[Range<u32>]) -> Self {
        for steps in &mut self.steps {
            *steps = steps.iter().flat_map(|node| nodes[*node as usize].clone()).collect();
        }
        self
    }

    /// Steps gathered by what they cost, in nanoseconds.
    pub(super) fn gathered(precedence: &Precedence, costs: &[u64]) -> Self {
        let is_dear = |step: usize| costs[step] > HAND_OVER;
        let dear: FixedBitSet = (0..costs.len()).filter(|step| is_dear(*step)).collect();
        let mut units: Vec<(Vec<u32>, u64)> = Vec::new();
        // By the dear steps that come before: the unit that more can be put into, and whether its steps stay here. One, not
        // one of each kind: they might come after each other.
        let mut open: HashMap<Vec<usize>, (usize, bool)> = HashMap::new();
        for (step, before) in precedence.before.iter().enumerate() {
            let (number, cost) = (step as u32, costs[step]);
            if is_dear(step) {
                units.push((alloc::vec![number], cost));
                continue;
            }
            let (key, is_owners) = (before.intersection(&dear).collect(), precedence.owners[step]);
            match open.get(&key) {
                Some((unit, kind)) if *kind == is_owners && units[*unit].1 < ENOUGH => {
                    units[*unit].0.push(number);
                    units[*unit].1 += cost;
                }
                _ => {
                    open.insert(key, (units.len(), is_owners));
                    units.push((alloc::vec![number], cost));
                }
            }
        }
        Self::linked(precedence, units.into_iter().map(|(steps, _)| steps).collect())
    }

    /// Units of these steps, numbered by their first ones.
    fn linked(precedence: &Precedence, mut steps: Vec<Vec<u32>>) -> Self {
        steps.sort_unstable_by_key(|steps| steps.first().copied());
        let count = steps.len();
        let mut unit_of = alloc::vec![0_u32; precedence.before.len()];
        for (unit, steps) in steps.iter().enumerate() {
            steps.iter().for_each(|step| unit_of[*step as usize] = unit as u32);
        }
        let mut waiting = alloc::vec![0; count];
        let mut successors = alloc::vec![Vec::new(); count];
        let mut owners = alloc::vec![false; count];
        for (unit, steps) in steps.iter().enumerate() {
            let mut before = FixedBitSet::with_capacity(count);
            for step in steps {
                before.extend(precedence.before[*step as usize].ones().map(|first| unit_of[first] as usize));
                owners[unit] |= precedence.owners[*step as usize];
            }
            before.set(unit, false);
            for first in before.ones() {
                successors[first].push(unit as u32);
                waiting[unit] += 1;
            }
        }
        Self { steps, waiting, successors, owners }
    }

    /// What the stage would take on so many threads, in nanoseconds. `O(n log n)` in units.
    pub(super) fn estimate(&self, costs: &[u64], threads: usize) -> u64 {
        let cost = |unit: u32| self.steps[unit as usize].iter().map(|step| costs[*step as usize]).sum::<u64>();
        let mut waiting = self.waiting.clone();
        let all = 0..self.steps.len() as u32;
        let mut ready: BinaryHeap<_> = all.filter(|unit| waiting[*unit as usize] == 0).map(Reverse).collect();
        let mut running: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        // Another thread comes later, and each turn costs something.
        let mut free: BinaryHeap<_> = (0..threads as u64).map(|thread| Reverse(thread.min(1) * WAKE_UP)).collect();
        let mut now = 0;
        loop {
            while let (Some(Reverse(unit)), Some(Reverse(from))) = (ready.peek().copied(), free.peek().copied()) {
                ready.pop();
                free.pop();
                running.push(Reverse((now.max(from) + cost(unit) + HAND_OVER / 2, unit)));
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

/// Whether the stage is worth several threads, judged by what its steps cost.
pub(super) fn is_worth_it(costs: &[u64]) -> bool {
    let total: u64 = costs.iter().sum();
    let dearest = costs.iter().copied().max().unwrap_or(0);
    // What is measured of steps that take a few nanoseconds each may be twice what they take.
    total - dearest > 6 * (WAKE_UP + HAND_OVER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn precedence(count: usize, pairs: &[(usize, usize)]) -> Precedence {
        let mut before = alloc::vec![FixedBitSet::with_capacity(count); count];
        for second in 0..count {
            for (first, _) in pairs.iter().filter(|(_, of)| *of == second) {
                let earlier = before[*first].clone();
                before[second].union_with(&earlier);
                before[second].insert(*first);
            }
        }
        Precedence { before, owners: alloc::vec![false; count] }
    }

    #[test]
    fn cheap_steps_are_gathered_and_dear_ones_are_not() {
        // 0 and 1 are dear; 2 comes after 0, 3 and 4 after nothing.
        let precedence = precedence(5, &[(0, 2)]);
        let costs = [100_000, 100_000, 10, 10, 10];
        let units = Units::gathered(&precedence, &costs);
        assert_eq!(units.steps, [[0].as_slice(), &[1], &[2], &[3, 4]]);
        assert_eq!(units.waiting, [0, 0, 1, 0]);
        assert!(units.estimate(&costs, 2) < 120_000);
        assert!(units.estimate(&costs, 1) > 200_000);
    }

    #[test]
    fn steps_that_stay_here_and_others_make_no_cycle() {
        // Each comes after the one before it; every other one stays on the thread that runs the schedule.
        let mut precedence = precedence(4, &[(0, 1), (1, 2), (2, 3)]);
        precedence.owners = alloc::vec![false, true, false, true];
        let costs = [10; 4];
        let units = Units::gathered(&precedence, &costs);
        assert_eq!(units.owners, precedence.owners);
        assert_eq!(units.waiting, [0, 1, 2, 3]);
        assert_eq!(units.steps.concat(), [0, 1, 2, 3]);
    }

    #[test]
    fn one_dear_step_is_not_worth_a_thread() {
        assert!(!is_worth_it(&[1_000_000, 100, 100]));
        assert!(is_worth_it(&[1_000_000, 100_000]));
    }
}
