//! What a schedule looks like: its systems, sets and stages, and what keeps them in order. For people to read.

use alloc::string::String;
use alloc::vec::Vec;

/// What a schedule looks like, in three forms: as text ([`Display`](core::fmt::Display)), as a flow chart in the language of
/// Mermaid, and as a graph in that of Graphviz.
///
/// It shows the systems in the order in which they run, the sets around them, and the conditions of both. Arrows stand for
/// what was demanded of the order. Dashed ones lead between systems that were given no order and are in each other's way, and
/// say what both use: to find out where an order is missing. Arrows that follow from others are left out. Where commands are
/// applied there is a node with an arrow from each system that may have recorded some, and to those that are ordered after
/// it. Systems of the same stage without a way from one to the other may run side by side.
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

impl ScheduleDiagram {
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

    /// Whether something comes before or after a set.
    pub(super) fn is_ordered(&self, set: usize) -> bool {
        self.arrows.iter().any(|arrow| [arrow.from, arrow.to].contains(&Node::Set(set)))
    }
}

impl SystemShape {
    /// The name, when it runs and under which conditions.
    pub(super) fn label(&self) -> String {
        let alone = if self.is_alone { ", alone" } else { "" };
        let mut label = alloc::format!("{}\nstage {}{alone}", self.name, self.stage + 1);
        push_conditions(&mut label, &self.conditions);
        label
    }
}

fn push_conditions(label: &mut String, conditions: &[String]) {
    if !conditions.is_empty() {
        label.push_str(&alloc::format!("\nif {}", conditions.join(" and ")));
    }
}
