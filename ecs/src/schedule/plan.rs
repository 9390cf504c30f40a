//! The plan of a run: the steps in their order, and the stages that contain them.
//!
//! A *step* runs a system, or evaluates the conditions of a set. The conditions are evaluated once for all systems of
//! the set, just before the first of them. A *stage* is one of the following:
//!
//! - a range of steps during which only values change, so that they may run in parallel;
//! - one exclusive system;
//! - the application of recorded commands.
//!
//! If a system is ordered after a system with commands, these commands are applied before it runs. The *level* of a
//! system is the minimum number of applications that have to come before it. All systems of one level come before the
//! systems of the next level, with one application in between. So there are as few applications as the order allows,
//! and the points where commands are applied do not depend on costs.
//!
//! Tests: tests/schedules/schedule/deferred.rs, tests/schedules/determinism

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use super::config::ScheduleSystem;
use super::graph::{Condition, ScheduleGraph};
use super::order::Ordering;
use crate::access::Access;
use crate::entity::STREAMS;

/// The task of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task {
    /// Runs a system, if the system's own conditions hold.
    System(u32),
    /// Evaluates the conditions of a set, once for all systems of the set.
    Ask(u32),
}

/// One step of a run.
pub(super) struct PlanStep {
    pub(super) task: Task,
    /// The first tick of the step, relative to the first tick of the stage.
    pub(super) tick: u32,
    /// The steps that evaluate the conditions of the sets around this step, as a range of [`Plan::gates`].
    pub(super) gates: Range<u32>,
    /// The system's own conditions, as a range of the graph's conditions.
    pub(super) conditions: Range<u32>,
    /// Whether the step is a system and no set around it has conditions, so that only an earlier failure may block the
    /// step. Always false for a step that evaluates the conditions of a set: `should_run` would skip it, since it has
    /// no conditions of its own.
    pub(super) skips_gates: bool,
    /// The stream of ids for the step's commands, if the step records any. Steps of a stage that share a stream run one
    /// after the other.
    pub(super) stream: Option<u32>,
    /// If the step has a stream: the index of the step in [`Plan::recorders`].
    pub(super) recorder: u32,
}

/// A step that has a stream of ids.
pub(super) struct SystemStream {
    pub(super) system: u32,
    pub(super) stream: u32,
}

/// Steps that are run together.
pub(super) enum Stage {
    /// Several steps that share the world.
    Shared {
        steps: Range<u32>,
        /// The number of ticks that the steps of the stage need.
        ticks: u32,
        /// The steps that have a stream of ids, as a range of [`Plan::recorders`].
        recorders: Range<u32>,
    },
    /// One step whose system is exclusive.
    Exclusive { step: u32 },
    /// Applies the recorded commands of these steps.
    Apply { steps: Vec<u32> },
}

/// The plan of a run: steps and stages.
pub(super) struct Plan {
    pub(super) steps: Vec<PlanStep>,
    /// The numbers of steps, referred to by [`PlanStep::gates`].
    pub(super) gates: Vec<u32>,
    pub(super) stages: Vec<Stage>,
    /// The recorders in the order of the steps.
    pub(super) recorders: Vec<SystemStream>,
    /// For each system: its step.
    pub(super) step_of: Vec<u32>,
}

impl Plan {
    /// Plans the run of systems that have been initialized and ordered.
    pub(super) fn of(graph: &ScheduleGraph, order: &Ordering) -> Self {
        let mut plan = Self {
            steps: Vec::with_capacity(graph.systems.len()),
            gates: Vec::new(),
            stages: Vec::new(),
            recorders: Vec::new(),
            step_of: alloc::vec![0; graph.systems.len()],
        };
        let mut asked: Vec<Option<u32>> = alloc::vec![None; graph.sets.len()];
        let mut level = 0;
        // `recorded` has the steps whose commands have not been applied; `start` is the first step of the stage.
        let (mut recorded, mut start) = (Vec::new(), 0);
        for system in order.sequence.iter().copied() {
            if order.levels[system as usize] != level {
                level = order.levels[system as usize];
                plan.close_stage(graph, &mut start);
                plan.apply(&mut recorded);
            }
            plan.add_condition_steps(graph, system, &mut asked);
            let step = plan.add_system(graph, system, &asked);
            let access = graph.runnables[system as usize].system.access();
            if access.is_exclusive() {
                // The conditions of the system's sets belong to the previous stage, whose steps share the world.
                let alone = plan.steps.pop();
                plan.close_stage(graph, &mut start);
                plan.steps.extend(alone);
                plan.stages.push(Stage::Exclusive { step });
                start = plan.steps.len() as u32;
            } else if access.is_deferred() {
                recorded.push(step);
            }
        }
        plan.close_stage(graph, &mut start);
        plan.apply(&mut recorded);
        plan
    }

    /// Makes a stage of the steps that were added since the last stage.
    fn close_stage(&mut self, graph: &ScheduleGraph, start: &mut u32) {
        let steps = *start..self.steps.len() as u32;
        if steps.is_empty() {
            return;
        }
        let (mut ticks, first) = (0, self.recorders.len() as u32);
        for step in &mut self.steps[steps.start as usize..] {
            step.tick = ticks;
            let (system, conditions) = parts_of(graph, step.task);
            ticks += system.map_or(0, |system| system.facts().ticks);
            ticks += conditions.iter().map(|condition| condition.ticks).sum::<u32>();
            if let Task::System(system) = step.task
                && graph.runnables[system as usize].system.access().is_deferred()
            {
                step.recorder = self.recorders.len() as u32;
                let stream = (step.recorder - first) % STREAMS;
                step.stream = Some(stream);
                self.recorders.push(SystemStream { system, stream });
            }
        }
        *start = steps.end;
        let recorders = first..self.recorders.len() as u32;
        self.stages.push(Stage::Shared { steps, ticks, recorders });
    }

    fn apply(&mut self, recorded: &mut Vec<u32>) {
        if !recorded.is_empty() {
            self.stages.push(Stage::Apply { steps: core::mem::take(recorded) });
        }
    }

    /// Adds the steps that evaluate the conditions of the sets around a system, outer sets first. Steps that exist
    /// already are not added again.
    fn add_condition_steps(&mut self, graph: &ScheduleGraph, system: u32, asked: &mut [Option<u32>]) {
        for set in conditional_sets(graph, &graph.systems[system as usize].sets) {
            if asked[set as usize].is_none() {
                let around = conditional_sets(graph, &graph.sets[set as usize].parents);
                asked[set as usize] = Some(self.add_step(Task::Ask(set), &around, 0..0, asked));
            }
        }
    }

    fn add_system(&mut self, graph: &ScheduleGraph, system: u32, asked: &[Option<u32>]) -> u32 {
        let around = conditional_sets(graph, &graph.systems[system as usize].sets);
        let conditions = graph.runnables[system as usize].conditions.clone();
        let step = self.add_step(Task::System(system), &around, conditions, asked);
        self.step_of[system as usize] = step;
        step
    }

    /// Adds a step and returns its index. The conditions of the sets around it must have steps already.
    fn add_step(&mut self, task: Task, around: &[u32], conditions: Range<u32>, asked: &[Option<u32>]) -> u32 {
        let start = self.gates.len() as u32;
        self.gates.extend(around.iter().filter_map(|set| asked[*set as usize]));
        let gates = start..self.gates.len() as u32;
        let skips_gates = gates.is_empty() && matches!(task, Task::System(_));
        self.steps.push(PlanStep { task, tick: 0, gates, conditions, skips_gates, stream: None, recorder: 0 });
        self.steps.len() as u32 - 1
    }
}

/// Returns those of these sets and of the sets around them that have conditions, outer sets first.
fn conditional_sets(graph: &ScheduleGraph, sets: &[u32]) -> Vec<u32> {
    if sets.is_empty() {
        return Vec::new();
    }
    let mut all = graph.sets_around(sets);
    all.retain(|set| !graph.sets[*set as usize].conditions.is_empty());
    all
}

/// Returns the system that a step runs, if it runs one, and the conditions that it evaluates.
pub(super) fn parts_of(graph: &ScheduleGraph, task: Task) -> (Option<&ScheduleSystem>, &[Condition]) {
    match task {
        Task::System(system) => (Some(&graph.runnables[system as usize].system), graph.conditions_of(system)),
        Task::Ask(set) => (None, &graph.sets[set as usize].conditions),
    }
}

/// Returns the access of a step: the access of its system, if it runs one, and of its conditions.
pub(super) fn access_of(graph: &ScheduleGraph, task: Task) -> Cow<'_, Access> {
    let (system, conditions) = parts_of(graph, task);
    let own = system.map_or_else(|| Cow::Owned(Access::default()), |system| Cow::Borrowed(system.access()));
    conditions.iter().fold(own, |all, condition| Cow::Owned(all.union(condition.system.access())))
}
