//! What a schedule looks like: its systems, sets and stages, and what keeps them in order. For people to read.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// What a schedule looks like, in three forms: as text ([`Display`](core::fmt::Display)), as a flow chart in the language of
/// Mermaid, and as a graph in that of Graphviz.
///
/// It shows the systems in the order in which they run, the sets around them, and the conditions of both. Arrows stand for
/// what was demanded of the order. Dashed ones lead between systems that were given no order and are in each other's way, and
/// say what both use: to find out where an order is missing. Arrows that follow from others are left out. Where commands are
/// applied there is a node with an arrow from each system that may have recorded some, and to those that are ordered after
/// it. Systems of the same stage without a way from one to the other may run side by side.
///
/// Row systems that may be run block by block, as a *pipeline*, have a frame around them, or say so where they are drawn in
/// different sets ([`set_pipelining`](super::Schedule::set_pipelining)). Why another row system is in none stands at the end of
/// the text, in the tooltips of Graphviz, and in comments of the flow chart. This is what is possible; what was made of it in
/// the last run is in the [report](super::Schedule::report).
///
/// A system is drawn in one of the sets that it is in, the innermost; the text names all of them. Names stand without their
/// modules where that is clear.
///
/// Made by [`Schedule::diagram`](super::Schedule::diagram).
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
    /// As in "schedule `Update`".
    pub(super) title: String,
    /// As they run.
    pub(super) systems: Vec<SystemShape>,
    pub(super) sets: Vec<SetShape>,
    pub(super) stages: Vec<StageShape>,
    /// As they run.
    pub(super) pipelines: Vec<PipelineShape>,
    /// Whether there might be some, and they are turned off.
    pub(super) has_pipelines_off: bool,
    pub(super) arrows: Vec<Arrow>,
}

/// A system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SystemShape {
    pub(super) name: String,
    /// With its modules.
    pub(super) full: String,
    pub(super) conditions: Vec<String>,
    /// Whether it needs the world for itself.
    pub(super) is_alone: bool,
    /// Counted from 0, without those that apply commands.
    pub(super) stage: usize,
    /// The set that it is drawn in.
    pub(super) inside: Option<usize>,
    /// All sets that it was put into.
    pub(super) sets: Vec<usize>,
    /// Why it is in no pipeline, if it goes through rows.
    pub(super) apart: Option<String>,
}

/// Systems that may be run block by block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PipelineShape {
    pub(super) systems: Range<usize>,
    /// Whether several threads may run blocks of it.
    pub(super) is_par: bool,
}

/// A set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SetShape {
    pub(super) name: String,
    pub(super) conditions: Vec<String>,
    /// The set that it is drawn in.
    pub(super) inside: Option<usize>,
    /// Whether it was given a name, and is not just a tuple.
    pub(super) is_named: bool,
    /// All systems in it, and in sets in it.
    pub(super) systems: Vec<usize>,
    /// The first and the last of those that are drawn in it, or in a set that is.
    pub(super) drawn: Option<(usize, usize)>,
}

/// What happens at one time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum StageShape {
    /// Steps, of which some may run side by side.
    Run(Vec<StepShape>),
    /// The commands of these systems are applied.
    Apply(Vec<usize>),
}

/// One step of a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StepShape {
    /// A system runs.
    System(usize),
    /// The conditions of a set are asked.
    Ask(usize),
}

/// An end of an arrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Node {
    System(usize),
    Set(usize),
    /// The stage with this number, which applies commands.
    Apply(usize),
}

/// Something comes before something else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Arrow {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) why: Why,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// It was demanded.
    Demanded,
    /// It was demanded, and is drawn as two arrows: to where commands are applied, and from there.
    ThroughCommands,
    /// It was demanded, but not that commands be applied in between, and the first may have recorded some.
    Unsynced,
    /// They are in each other's way.
    Conflict(String),
    /// Commands come from there, and have been applied for that.
    Commands,
}

/// What comes next where sets are drawn around what is in them.
pub(super) enum Nesting {
    /// A set begins, or is named, if it is not drawn.
    Set { number: usize, depth: usize },
    /// The systems of a set, or of none.
    Systems { around: Option<usize>, depth: usize },
    /// The set ends that began last and has not ended.
    End { depth: usize },
}

/// How deep lines are indented at most.
const INDENTED: usize = 16;

impl ScheduleDiagram {
    /// All sets and the systems in them, as they are drawn. Sets may be nested deeply.
    pub(super) fn nesting(&self) -> Vec<Nesting> {
        // By set, and behind them for none: the sets in it.
        let mut inside = alloc::vec![Vec::new(); self.sets.len() + 1];
        for (number, set) in self.sets.iter().enumerate() {
            inside[set.inside.unwrap_or(self.sets.len())].push(number);
        }
        let mut events = Vec::new();
        // The sets on the way, with how many of the sets in each have had their turn.
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
                events.push(Nesting::Systems { around, depth });
                path.pop();
                if around.is_some() {
                    events.push(Nesting::End { depth: path.len().min(INDENTED) });
                }
            }
        }
        events
    }

    /// The name of a set and its conditions; and what is in it, if that is drawn elsewhere.
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

    /// The name of a system, when it runs and under which conditions; and its pipeline, if that has no frame.
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

    /// Which number a pipeline has, and on how many threads it may run.
    pub(super) fn pipeline_label(&self, number: usize) -> String {
        let threads = if self.pipelines[number].is_par { "several threads" } else { "one thread" };
        alloc::format!("pipeline {}, on {threads}", number + 1)
    }

    /// The pipeline that a system is in.
    pub(super) fn pipeline_of(&self, system: usize) -> Option<usize> {
        self.pipelines.iter().position(|pipeline| pipeline.systems.contains(&system))
    }

    /// The pipeline that a system is in, if its systems are drawn in one set, so that there is room for a frame around them.
    pub(super) fn frame_of(&self, system: usize) -> Option<usize> {
        self.pipeline_of(system).filter(|pipeline| self.is_framed(*pipeline))
    }

    fn is_framed(&self, pipeline: usize) -> bool {
        let mut systems = self.systems[self.pipelines[pipeline].systems.clone()].iter().map(|system| system.inside);
        let first = systems.next();
        systems.all(|inside| Some(inside) == first)
    }

    /// Whether something comes before or after a set.
    pub(super) fn is_ordered(&self, set: usize) -> bool {
        self.arrows.iter().any(|arrow| [arrow.from, arrow.to].contains(&Node::Set(set)))
    }
}

fn push_conditions(label: &mut String, conditions: &[String]) {
    if !conditions.is_empty() {
        label.push_str(&alloc::format!("\nif {}", conditions.join(" and ")));
    }
}
