//! Finding out what a schedule looks like.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use fixedbitset::FixedBitSet;

use super::diagram::{Arrow, Node, PipelineShape, ScheduleDiagram, SetShape, StageShape, StepShape, SystemShape, Why};
use super::graph::{Condition, Graph, Member};
use super::names::{distinct, short};
use super::order::Ordering;
use super::pipelines::{Pipeline, Pipelines, Pipelining};
use super::plan::{Plan, Stage, Task, access_of};
use crate::component::Components;
use crate::label::InternedScheduleLabel;

/// What a schedule is called in texts.
pub(super) fn title(label: Option<InternedScheduleLabel>) -> String {
    label.map_or_else(|| String::from("a schedule"), |label| alloc::format!("schedule `{label:?}`"))
}

/// What the conditions of a set or of a system are called.
fn condition_names(conditions: &[Condition]) -> impl Iterator<Item = String> {
    conditions.iter().map(|condition| short(condition.system.name()))
}

/// A schedule that has been laid out. `O(n * n)` in systems.
pub(super) fn sketch(
    label: Option<InternedScheduleLabel>,
    graph: &Graph,
    order: &Ordering,
    plan: &Plan,
    pipelines: &Pipelines,
    components: &Components,
) -> ScheduleDiagram {
    let mut position = alloc::vec![0; graph.systems.len()];
    order.sequence.iter().enumerate().for_each(|(at, system)| position[*system as usize] = at);
    let sketch = Sketch { graph, order, plan, position, depths: depths(graph), after: places_after(order) };
    let mut sets = sketch.sets();
    let mut systems = sketch.systems(&mut sets);
    let mut arrows = sketch.demands();
    sketch.commands(&mut arrows);
    sketch.conflicts(components, &mut arrows);
    let are_off = pipelines.mode == Pipelining::Never;
    let shapes = if are_off { Vec::new() } else { sketch.pipelines(pipelines, &mut systems) };
    ScheduleDiagram {
        title: title(label),
        systems,
        sets,
        stages: sketch.stages(),
        pipelines: shapes,
        has_pipelines_off: are_off && pipelines.concern_some(),
        arrows,
    }
}

/// By set: how many sets are around it, at most.
fn depths(graph: &Graph) -> Vec<usize> {
    let mut depths = alloc::vec![0; graph.sets.len()];
    let all: Vec<u32> = (0..graph.sets.len() as u32).collect();
    for set in graph.sets_around(&all) {
        let parents = graph.sets[set as usize].parents.iter();
        depths[set as usize] = parents.map(|parent| depths[*parent as usize] + 1).max().unwrap_or(0);
    }
    depths
}

/// By place: all that come after it.
fn places_after(order: &Ordering) -> Vec<FixedBitSet> {
    let count = order.places.len();
    let mut after = alloc::vec![FixedBitSet::new(); count];
    for place in order.places.iter().rev().copied() {
        let mut own = FixedBitSet::with_capacity(count);
        for next in order.successors(place) {
            own.insert(*next as usize);
            own.union_with(&after[*next as usize]);
        }
        after[place as usize] = own;
    }
    after
}

struct Sketch<'a> {
    graph: &'a Graph,
    order: &'a Ordering,
    plan: &'a Plan,
    /// By system: when it runs.
    position: Vec<usize>,
    /// By set: how many sets are around it, at most.
    depths: Vec<usize>,
    after: Vec<FixedBitSet>,
}

impl Sketch<'_> {
    /// The innermost of some sets; of several the first.
    fn innermost(&self, sets: &[u32]) -> Option<usize> {
        let deepest = sets.iter().map(|set| (core::cmp::Reverse(self.depths[*set as usize]), *set)).min();
        deepest.map(|(_, set)| set as usize)
    }

    fn sets(&self) -> Vec<SetShape> {
        let shape = |(number, set): (usize, &super::graph::SetNode)| SetShape {
            name: short(&self.graph.name(Member::Set(number as u32))),
            conditions: condition_names(&set.conditions).collect(),
            inside: self.innermost(&set.parents),
            is_named: set.label.is_some(),
            systems: Vec::new(),
            drawn: None,
        };
        self.graph.sets.iter().enumerate().map(shape).collect()
    }

    /// The systems as they run. What is in which set is added to the sets.
    fn systems(&self, sets: &mut [SetShape]) -> Vec<SystemShape> {
        let runnable = |system: u32| &self.graph.runnables[system as usize];
        let mut names = distinct(self.order.sequence.iter().map(|system| runnable(*system).system.name())).into_iter();
        let mut systems = Vec::with_capacity(self.position.len());
        for (at, system) in self.order.sequence.iter().copied().enumerate() {
            let own = &self.graph.systems[system as usize].sets;
            self.graph.sets_around(own).iter().for_each(|set| sets[*set as usize].systems.push(at));
            let inside = self.innermost(own);
            let mut around = inside;
            while let Some(set) = around {
                sets[set].drawn = Some((sets[set].drawn.map_or(at, |(first, _)| first), at));
                around = sets[set].inside;
            }
            let runnable = runnable(system);
            systems.push(SystemShape {
                name: names.next().unwrap_or_default(),
                full: runnable.system.name().to_string(),
                conditions: (runnable.system.conditions().iter().map(|condition| short(condition.name())))
                    .chain(condition_names(self.graph.conditions_of(system)))
                    .collect(),
                is_alone: runnable.system.access().is_exclusive(),
                stage: self.stage_of(self.plan.step_of[system as usize]),
                inside,
                sets: own.iter().map(|set| *set as usize).collect(),
                apart: None,
            });
        }
        systems
    }

    /// The stage of a step, among those that run steps.
    fn stage_of(&self, step: u32) -> usize {
        let has = |stage: &&Stage| match stage {
            Stage::Shared { steps, .. } => steps.end <= step,
            Stage::Alone { step: alone } => *alone < step,
            Stage::Apply { .. } => false,
        };
        self.plan.stages.iter().filter(has).count()
    }

    fn stages(&self) -> Vec<StageShape> {
        let step = |step: u32| match self.plan.steps[step as usize].task {
            Task::System(system) => StepShape::System(self.position[system as usize]),
            Task::Ask(set) => StepShape::Ask(set as usize),
        };
        let stage = |stage: &Stage| match stage {
            Stage::Shared { steps, .. } => StageShape::Run(steps.clone().map(step).collect()),
            Stage::Alone { step: alone } => StageShape::Run(alloc::vec![step(*alone)]),
            Stage::Apply { steps } => StageShape::Apply(self.recorders(steps)),
        };
        self.plan.stages.iter().map(stage).collect()
    }

    /// The systems that may be run block by block. Why others are not among them is added to these.
    fn pipelines(&self, pipelines: &Pipelines, systems: &mut [SystemShape]) -> Vec<PipelineShape> {
        for (apart, position) in pipelines.apart.iter().zip(&self.position) {
            let name = |system: u32| systems[self.position[system as usize]].name.clone();
            let text = apart.as_ref().map(|apart| apart.text(name));
            systems[*position].apart = text;
        }
        let shape = |pipeline: &Pipeline| {
            let steps: Vec<u32> = pipeline.steps.clone().collect();
            // They follow each other in the order of the systems as they do in that of the steps.
            let first = self.recorders(&steps).first().copied().unwrap_or(0);
            PipelineShape { systems: first..first + steps.len(), is_par: pipeline.is_par }
        };
        pipelines.all.iter().map(shape).collect()
    }

    /// When the systems of these steps run.
    fn recorders(&self, steps: &[u32]) -> Vec<usize> {
        let position = |step: &u32| match self.plan.steps[*step as usize].task {
            Task::System(system) => Some(self.position[system as usize]),
            Task::Ask(_) => None,
        };
        steps.iter().filter_map(position).collect()
    }

    fn node(&self, member: Member) -> Node {
        match member {
            Member::System(system) => Node::System(self.position[system as usize]),
            Member::Set(set) => Node::Set(set as usize),
        }
    }

    fn is_ordered(&self, first: usize, second: usize) -> bool {
        self.after[self.order.sequence[first] as usize].contains(self.order.sequence[second] as usize)
    }

    /// What was demanded, but for what follows from the rest.
    fn demands(&self) -> Vec<Arrow> {
        let mut arrows: Vec<Arrow> = Vec::new();
        // That there is an order means that everything that it refers to is there.
        for before in self.graph.orders().unwrap_or_default() {
            let (end, start) = (self.order.end(before.first), self.order.start(before.second));
            let follows = |next: &u32| *next != start && self.after[*next as usize].contains(start as usize);
            if self.order.successors(end).iter().any(follows) {
                continue;
            }
            let records = |system: u32| self.graph.runnables[system as usize].system.access().is_deferred();
            let is_unsynced = !before.sync && matches!(before.first, Member::System(system) if records(system));
            let why = if is_unsynced { Why::Unsynced } else { Why::Demanded };
            let arrow = Arrow { from: self.node(before.first), to: self.node(before.second), why };
            match arrows.iter_mut().find(|other| other.from == arrow.from && other.to == arrow.to) {
                // The stricter demand counts.
                Some(other) if arrow.why == Why::Demanded => other.why = Why::Demanded,
                Some(_) => {}
                None => arrows.push(arrow),
            }
        }
        arrows
    }

    /// From systems with commands to where they are applied, and on to the systems that this is done for.
    fn commands(&self, arrows: &mut Vec<Arrow>) {
        for (number, stage) in self.plan.stages.iter().enumerate() {
            let Stage::Apply { steps } = stage else { continue };
            let recorders = self.recorders(steps);
            let first = self.plan.stages[..number].iter().filter(|stage| !matches!(stage, Stage::Apply { .. })).count();
            let later = |at: &usize| self.stage_of(self.plan.step_of[self.order.sequence[*at] as usize]) >= first;
            let waits = |at: &usize| recorders.iter().any(|recorder| self.is_ordered(*recorder, *at));
            let waiting: Vec<usize> = (0..self.position.len()).filter(|at| waits(at) && later(at)).collect();
            let is_first = |at: &&usize| !waiting.iter().any(|other| self.is_ordered(*other, **at));
            let targets: Vec<usize> = waiting.iter().filter(is_first).copied().collect();
            let is_shown = |arrow: &Arrow| match (arrow.from, arrow.to) {
                (Node::System(from), Node::System(to)) => recorders.contains(&from) && targets.contains(&to),
                _ => false,
            };
            arrows.iter_mut().filter(|arrow| is_shown(arrow)).for_each(|arrow| arrow.why = Why::ThroughCommands);
            let why = Why::Commands;
            let from = |at: usize| Arrow { from: Node::System(at), to: Node::Apply(number), why: why.clone() };
            let to = |at: usize| Arrow { from: Node::Apply(number), to: Node::System(at), why: why.clone() };
            arrows.extend(recorders.iter().copied().map(from));
            arrows.extend(targets.iter().copied().map(to));
        }
    }

    /// Between systems that are in each other's way and have no order, but for what follows from the rest.
    fn conflicts(&self, components: &Components, arrows: &mut Vec<Arrow>) {
        let count = self.position.len();
        let accesses: Vec<_> =
            self.order.sequence.iter().map(|system| access_of(self.graph, Task::System(*system))).collect();
        // By system: those that run before it, whatever runs side by side.
        let mut earlier: Vec<FixedBitSet> = Vec::with_capacity(count);
        for second in 0..count {
            let mut own = FixedBitSet::with_capacity(count);
            for first in (0..second).rev() {
                if own.contains(first) {
                    continue;
                }
                if !self.is_ordered(first, second) {
                    if !accesses[first].collides_with(&accesses[second], components) {
                        continue;
                    }
                    let what = accesses[first].conflicts(&accesses[second], components);
                    let what = if what.is_empty() {
                        String::from("what is noted of changes")
                    } else {
                        short(&what.join(", "))
                    };
                    let (from, to) = (Node::System(first), Node::System(second));
                    arrows.push(Arrow { from, to, why: Why::Conflict(what) });
                }
                own.insert(first);
                own.union_with(&earlier[first]);
            }
            earlier.push(own);
        }
    }
}
