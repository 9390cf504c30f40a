//! Diagrams of a schedule for people to read. They show its systems, sets and stages, and the constraints and conflicts
//! that order them.
//!
//! A diagram shows what is possible, and is the same after each run. The report shows what happened: for instance,
//! which pipelines were used. For the report, the byte of a step's outcome contains the index of the condition that did
//! not hold, and the store counts the commands that it applies. The last 32 measured times of each step and the
//! failures of the last run are kept.
//!
//! Tests: tests/schedules/schedule_views/diagrams.rs

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use fixedbitset::FixedBitSet;

use super::graph::{Condition, ScheduleGraph, SystemOrSet};
use super::names::{distinct, short};
use super::order::Ordering;
use super::pipelines::{Pipeline, Pipelines, Pipelining, PlannedGraph};
use super::plan::{Plan, Stage, Task, access_of};
use super::reach::Reachability;
use crate::component::Components;
use crate::schedule::label::InternedScheduleLabel;

/// The structure of a schedule, in three forms: as text ([`Display`](core::fmt::Display)), as a flow chart in the
/// language of Mermaid, and as a graph in the language of Graphviz.
///
/// A diagram shows the systems in the order in which they run, the sets around them, and the conditions of both. Arrows
/// represent constraints. Dashed arrows connect conflicting systems without a constraint, and show the data that both
/// use; they help to find missing constraints. Arrows that follow from other arrows are left out. Each point where
/// commands are applied is a node. Arrows lead to this node from each system that may have recorded commands, and from
/// it to the systems that are ordered after these. Systems of the same stage may run in parallel if there is no path
/// between them.
///
/// Row systems that may be run block by block, as a *pipeline*, have a frame around them. If they are drawn in
/// different sets, they have a label instead ([`set_pipelining`](super::Schedule::set_pipelining)). The reasons why
/// other row systems are in no pipeline are at the end of the text, in the tooltips of Graphviz, and in comments of the
/// flow chart. The diagram shows possible pipelines; the [report](super::Schedule::report) shows whether they were used
/// in the last run.
///
/// A system that is in several sets is drawn in the innermost one; the text lists all of them. Names are written
/// without their modules if they are unambiguous.
///
/// [`Schedule::diagram`](super::Schedule::diagram) makes it.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// fn spawn(mut commands: Commands) {
///     commands.spawn(Health(3));
/// }
///
/// fn poison(mut all: Query<&mut Health>) {
///     all.iter_mut().for_each(|mut health| health.0 -= 1);
/// }
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems((spawn, poison).chain());
/// let diagram = schedule.diagram(&mut World::new()).unwrap();
/// assert_eq!(
///     diagram.to_string(),
///     "\
/// a schedule of 2 systems
/// stage 1
///   1  spawn
/// apply the commands of spawn
/// stage 2
///   2  poison  after spawn
/// "
/// );
/// assert!(diagram.to_mermaid().starts_with("flowchart TD\n"));
/// assert!(diagram.to_dot().starts_with("digraph {\n"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleDiagram {
    /// The title, for instance "schedule `Update`".
    pub(super) title: String,
    /// The systems in the order in which they run.
    pub(super) systems: Vec<SystemShape>,
    pub(super) sets: Vec<SetShape>,
    pub(super) stages: Vec<StageShape>,
    /// The pipelines in the order in which they run.
    pub(super) pipelines: Vec<PipelineShape>,
    /// Whether there are row systems, but pipelines are turned off.
    pub(super) has_pipelines_off: bool,
    pub(super) arrows: Vec<Arrow>,
}

/// A system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SystemShape {
    pub(super) name: String,
    /// The name with its modules.
    pub(super) full: String,
    pub(super) conditions: Vec<String>,
    /// Whether the system is exclusive.
    pub(super) is_alone: bool,
    /// The number of the stage, counted from 0, without the stages that apply commands.
    pub(super) stage: usize,
    /// The set that the system is drawn in.
    pub(super) inside: Option<usize>,
    /// All sets that the system was added to.
    pub(super) sets: Vec<usize>,
    /// If this is a row system in no pipeline: the reason.
    pub(super) not_pipelined: Option<String>,
}

/// Systems that may be run block by block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PipelineShape {
    pub(super) systems: Range<usize>,
    /// Whether several threads may run blocks of the pipeline at the same time.
    pub(super) is_par: bool,
}

/// A set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SetShape {
    pub(super) name: String,
    pub(super) conditions: Vec<String>,
    /// The set that this set is drawn in.
    pub(super) inside: Option<usize>,
    /// Whether the set has a name. A set without a name represents a tuple.
    pub(super) is_named: bool,
    /// All systems in the set and in the sets inside of it.
    pub(super) systems: Vec<usize>,
    /// The first and the last of the systems that are drawn in the set, or in a set inside of it.
    pub(super) drawn: Option<(usize, usize)>,
}

/// One stage of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum StageShape {
    /// Steps, some of which may run in parallel.
    Run(Vec<StepShape>),
    /// Applies the commands of these systems.
    Apply(Vec<usize>),
}

/// One step of a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StepShape {
    /// Runs a system.
    System(usize),
    /// Evaluates the conditions of a set.
    Ask(usize),
}

/// An end of an arrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DiagramNode {
    System(usize),
    Set(usize),
    /// The stage with this number, which applies commands.
    Apply(usize),
}

/// An arrow from one node to another: the first comes before the second.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Arrow {
    pub(super) from: DiagramNode,
    pub(super) to: DiagramNode,
    pub(super) why: ArrowReason,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ArrowReason {
    /// A constraint.
    Demanded,
    /// A constraint that is drawn as two arrows: one to the point where commands are applied, and one from there.
    ThroughCommands,
    /// A constraint that ignores deferred commands. The first system may have recorded some.
    Unsynced,
    /// The systems conflict.
    Conflict(String),
    /// Commands of the first node are applied for the second.
    Commands,
}

/// An event of the traversal of nested sets, which draws each set around its members.
pub(super) enum Nesting {
    /// A set begins. If it is not drawn, only its name is written.
    Set { number: usize, depth: usize },
    /// The frame of a pipeline begins.
    Pipeline { number: usize, depth: usize },
    /// A system in the innermost open set or pipeline.
    System { number: usize, depth: usize },
    /// The innermost set or pipeline ends.
    End { depth: usize },
}

/// The maximum indentation of lines, in levels.
const INDENTED: usize = 16;

impl ScheduleDiagram {
    /// Returns all sets and the systems in them, in the order in which they are drawn. Sets may be nested deeply.
    pub(super) fn nesting(&self) -> Vec<Nesting> {
        // `inside` has the member sets of each set. Its last entry has the sets that are in no set.
        let mut inside = alloc::vec![Vec::new(); self.sets.len() + 1];
        for (number, set) in self.sets.iter().enumerate() {
            inside[set.inside.unwrap_or(self.sets.len())].push(number);
        }
        let mut events = Vec::new();
        // The open sets, each with the number of its member sets that have been visited.
        let mut path = alloc::vec![(None, 0)];
        while let Some((around, next)) = path.last_mut() {
            let (around, nth) = (*around, *next);
            *next += 1;
            let depth = path.len().min(INDENTED);
            if let Some(&number) = inside[around.unwrap_or(self.sets.len())].get(nth) {
                events.push(Nesting::Set { number, depth });
                if self.sets[number].drawn.is_some() {
                    path.push((Some(number), 0));
                }
            } else {
                self.systems_in(around, depth, &mut events);
                path.pop();
                if around.is_some() {
                    events.push(Nesting::End { depth: path.len().min(INDENTED) });
                }
            }
        }
        events
    }

    /// Appends to `events` the systems that are drawn directly in the set `around` (`None`: outside of all sets), and the frames around
    /// their pipelines.
    fn systems_in(&self, around: Option<usize>, depth: usize, events: &mut Vec<Nesting>) {
        for (number, _) in self.systems.iter().enumerate().filter(|(_, system)| system.inside == around) {
            let frame = self.frame_of(number).map(|pipeline| (pipeline, &self.pipelines[pipeline].systems));
            let begins = frame.filter(|(_, systems)| systems.start == number);
            events.extend(begins.map(|(pipeline, _)| Nesting::Pipeline { number: pipeline, depth }));
            events.push(Nesting::System { number, depth: depth + usize::from(frame.is_some()) });
            let ends = frame.is_some_and(|(_, systems)| systems.end == number + 1);
            events.extend(ends.then_some(Nesting::End { depth }));
        }
    }

    /// Returns the name of a set with its conditions. If its members are drawn elsewhere, their names are added.
    pub(super) fn set_label(&self, number: usize) -> String {
        let set = &self.sets[number];
        let mut label = set.name.clone();
        if set.drawn.is_none() && !set.systems.is_empty() {
            let names: Vec<&str> = set.systems.iter().map(|system| self.systems[*system].name.as_str()).collect();
            label.push_str(&alloc::format!(": {}", names.join(", ")));
        }
        push_conditions(&mut label, &set.conditions);
        label
    }

    /// Returns the name of a system with its stage and its conditions. If its pipeline has no frame, the pipeline is
    /// added.
    pub(super) fn system_label(&self, number: usize) -> String {
        let SystemShape { name, stage, is_alone, conditions, .. } = &self.systems[number];
        let alone = if *is_alone { ", alone" } else { "" };
        let mut label = alloc::format!("{name}\nstage {}{alone}", stage + 1);
        if let Some(pipeline) = self.pipeline_of(number).filter(|pipeline| !self.is_framed(*pipeline)) {
            label.push_str(&alloc::format!("\n{}", self.pipeline_label(pipeline)));
        }
        push_conditions(&mut label, conditions);
        label
    }

    /// Returns the number of a pipeline, and whether it may run on several threads, as text.
    pub(super) fn pipeline_label(&self, number: usize) -> String {
        let threads = if self.pipelines[number].is_par { "several threads" } else { "one thread" };
        alloc::format!("pipeline {}, on {threads}", number + 1)
    }

    /// Returns the pipeline that a system is in.
    pub(super) fn pipeline_of(&self, system: usize) -> Option<usize> {
        self.pipelines.iter().position(|pipeline| pipeline.systems.contains(&system))
    }

    /// Returns the pipeline that a system is in, if a frame around its systems is possible: all of them must be drawn
    /// in the same set.
    pub(super) fn frame_of(&self, system: usize) -> Option<usize> {
        self.pipeline_of(system).filter(|pipeline| self.is_framed(*pipeline))
    }

    fn is_framed(&self, pipeline: usize) -> bool {
        let mut systems = self.systems[self.pipelines[pipeline].systems.clone()].iter().map(|system| system.inside);
        let first = systems.next();
        systems.all(|inside| Some(inside) == first)
    }

    /// Returns whether a constraint orders a set.
    pub(super) fn is_ordered(&self, set: usize) -> bool {
        self.arrows.iter().any(|arrow| [arrow.from, arrow.to].contains(&DiagramNode::Set(set)))
    }
}

fn push_conditions(label: &mut String, conditions: &[String]) {
    if !conditions.is_empty() {
        label.push_str(&alloc::format!("\nif {}", conditions.join(" and ")));
    }
}

/// Returns the name of a schedule for texts.
pub(super) fn title(label: Option<InternedScheduleLabel>) -> String {
    label.map_or_else(|| String::from("a schedule"), |label| alloc::format!("schedule `{label:?}`"))
}

/// Returns the names of the conditions of a set or of a system.
fn condition_names(conditions: &[Condition]) -> impl Iterator<Item = String> {
    conditions.iter().map(|condition| short(condition.system.name()))
}

/// Builds the diagram of a schedule that has a plan. `O(n * n)` in systems.
pub(super) fn build(
    label: Option<InternedScheduleLabel>,
    PlannedGraph { graph, order, plan, pipelines }: PlannedGraph<'_>,
    components: &Components,
) -> ScheduleDiagram {
    let mut position = alloc::vec![0; graph.systems.len()];
    order.sequence.iter().enumerate().for_each(|(at, system)| position[*system as usize] = at);
    let builder = DiagramBuilder {
        graph,
        order,
        plan,
        position,
        depths: depths(graph),
        reach: Reachability::of(order, order.places.len(), |place| Some(place as usize)),
    };
    let mut sets = builder.sets();
    let mut systems = builder.systems(&mut sets);
    let mut arrows = builder.demands();
    builder.commands(&mut arrows);
    builder.conflicts(components, &mut arrows);
    let are_off = pipelines.mode == Pipelining::Never;
    let shapes = if are_off { Vec::new() } else { builder.pipelines(pipelines, &mut systems) };
    ScheduleDiagram {
        title: title(label),
        systems,
        sets,
        stages: builder.stages(),
        pipelines: shapes,
        has_pipelines_off: are_off && pipelines.concern_some(),
        arrows,
    }
}

/// For each set: the length of the longest chain of sets around it.
fn depths(graph: &ScheduleGraph) -> Vec<usize> {
    let mut depths = alloc::vec![0; graph.sets.len()];
    let all: Vec<u32> = (0..graph.sets.len() as u32).collect();
    for set in graph.sets_around(&all) {
        let parents = graph.sets[set as usize].parents.iter();
        depths[set as usize] = parents.map(|parent| depths[*parent as usize] + 1).max().unwrap_or(0);
    }
    depths
}

struct DiagramBuilder<'a> {
    graph: &'a ScheduleGraph,
    order: &'a Ordering,
    plan: &'a Plan,
    /// For each system: its position in the order.
    position: Vec<usize>,
    /// For each set: the length of the longest chain of sets around it.
    depths: Vec<usize>,
    reach: Reachability,
}

impl DiagramBuilder<'_> {
    /// Returns the innermost of some sets. If there are several, returns the first.
    fn innermost(&self, sets: &[u32]) -> Option<usize> {
        let deepest = sets.iter().map(|set| (core::cmp::Reverse(self.depths[*set as usize]), *set)).min();
        deepest.map(|(_, set)| set as usize)
    }

    fn sets(&self) -> Vec<SetShape> {
        let shape = |(number, set): (usize, &super::graph::SetNode)| SetShape {
            name: short(&self.graph.name(SystemOrSet::Set(number as u32))),
            conditions: condition_names(&set.conditions).collect(),
            inside: self.innermost(&set.parents),
            is_named: set.label.is_some(),
            systems: Vec::new(),
            drawn: None,
        };
        self.graph.sets.iter().enumerate().map(shape).collect()
    }

    /// Returns the systems in the order in which they run. Adds their positions to the sets that contain them.
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
                conditions: (runnable.system.facts().conditions.iter().map(|condition| short(condition.name())))
                    .chain(condition_names(self.graph.conditions_of(system)))
                    .collect(),
                is_alone: runnable.system.access().is_exclusive(),
                stage: self.stage_of(self.plan.step_of[system as usize]),
                inside,
                sets: own.iter().map(|set| *set as usize).collect(),
                not_pipelined: None,
            });
        }
        systems
    }

    /// Returns the index of the stage of a step, among the stages that run steps.
    fn stage_of(&self, step: u32) -> usize {
        let has = |stage: &&Stage| match stage {
            Stage::Shared { steps, .. } => steps.end <= step,
            Stage::Exclusive { step: alone } => *alone < step,
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
            Stage::Exclusive { step: alone } => StageShape::Run(alloc::vec![step(*alone)]),
            Stage::Apply { steps } => StageShape::Apply(self.recorders(steps)),
        };
        self.plan.stages.iter().map(stage).collect()
    }

    /// Returns the systems that may be run block by block. Adds the reasons for other row systems to these systems.
    fn pipelines(&self, pipelines: &Pipelines, systems: &mut [SystemShape]) -> Vec<PipelineShape> {
        for (not_pipelined, position) in pipelines.not_pipelined.iter().zip(&self.position) {
            let name = |system: u32| systems[self.position[system as usize]].name.clone();
            let text = not_pipelined.as_ref().map(|not_pipelined| not_pipelined.text(name));
            systems[*position].not_pipelined = text;
        }
        let shape = |pipeline: &Pipeline| {
            let steps: Vec<u32> = pipeline.steps.clone().collect();
            // Steps that are consecutive are also consecutive in the order of the systems, so the position of the first system suffices.
            let first = self.recorders(&steps).first().copied().unwrap_or(0);
            PipelineShape { systems: first..first + steps.len(), is_par: pipeline.is_par }
        };
        pipelines.all.iter().map(shape).collect()
    }

    /// Returns the positions of the systems that these steps run.
    fn recorders(&self, steps: &[u32]) -> Vec<usize> {
        let position = |step: &u32| match self.plan.steps[*step as usize].task {
            Task::System(system) => Some(self.position[system as usize]),
            Task::Ask(_) => None,
        };
        steps.iter().filter_map(position).collect()
    }

    fn node(&self, member: SystemOrSet) -> DiagramNode {
        match member {
            SystemOrSet::System(system) => DiagramNode::System(self.position[system as usize]),
            SystemOrSet::Set(set) => DiagramNode::Set(set as usize),
        }
    }

    fn is_ordered(&self, first: usize, second: usize) -> bool {
        self.reach.is_before(self.order.sequence[first] as usize, self.order.sequence[second] as usize)
    }

    /// Returns the constraints, without those that follow from others.
    fn demands(&self) -> Vec<Arrow> {
        let mut arrows: Vec<Arrow> = Vec::new();
        // The schedule has been ordered, so every reference resolves and `orders` does not fail.
        for before in self.graph.orders().unwrap_or_default() {
            let (end, start) = (self.order.layout.end(before.first), self.order.layout.start(before.second));
            let follows = |next: &u32| *next != start && self.reach.is_before(*next as usize, start as usize);
            if self.order.successors.of(end).iter().any(follows) {
                continue;
            }
            let access = |system: u32| self.graph.runnables[system as usize].system.access();
            let is_unsynced = !before.sync
                && matches!(before.first, SystemOrSet::System(system) if access(system).is_deferred())
                && !matches!(before.second, SystemOrSet::System(system) if access(system).is_exclusive());
            let why = if is_unsynced { ArrowReason::Unsynced } else { ArrowReason::Demanded };
            let arrow = Arrow { from: self.node(before.first), to: self.node(before.second), why };
            match arrows.iter_mut().find(|other| other.from == arrow.from && other.to == arrow.to) {
                // `ArrowReason::Demanded` is the stricter constraint, so it takes precedence.
                Some(other) if arrow.why == ArrowReason::Demanded => other.why = ArrowReason::Demanded,
                Some(_) => {}
                None => arrows.push(arrow),
            }
        }
        arrows
    }

    /// Adds arrows from systems with commands to the points where the commands are applied, and from there to the
    /// systems that wait for them.
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
                (DiagramNode::System(from), DiagramNode::System(to)) => {
                    recorders.contains(&from) && targets.contains(&to)
                }
                _ => false,
            };
            arrows
                .iter_mut()
                .filter(|arrow| is_shown(arrow))
                .for_each(|arrow| arrow.why = ArrowReason::ThroughCommands);
            let why = ArrowReason::Commands;
            let from =
                |at: usize| Arrow { from: DiagramNode::System(at), to: DiagramNode::Apply(number), why: why.clone() };
            let to =
                |at: usize| Arrow { from: DiagramNode::Apply(number), to: DiagramNode::System(at), why: why.clone() };
            arrows.extend(recorders.iter().copied().map(from));
            arrows.extend(targets.iter().copied().map(to));
        }
    }

    /// Adds arrows between conflicting systems without an order, except those that follow from others.
    fn conflicts(&self, components: &Components, arrows: &mut Vec<Arrow>) {
        let count = self.position.len();
        let accesses: Vec<_> =
            self.order.sequence.iter().map(|system| access_of(self.graph, Task::System(*system))).collect();
        // For each system, the systems that always run before it.
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
                    let (from, to) = (DiagramNode::System(first), DiagramNode::System(second));
                    arrows.push(Arrow { from, to, why: ArrowReason::Conflict(what) });
                }
                own.insert(first);
                own.union_with(&earlier[first]);
            }
            earlier.push(own);
        }
    }
}
