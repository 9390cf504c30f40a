//! Diagrams as text: plain text in the order in which the schedule runs, Mermaid, and Graphviz.
//!
//! Tests: tests/schedules/schedule_views/diagrams.rs

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::diagram::{
    Arrow, ArrowReason, DiagramNode, Nesting, PipelineShape, ScheduleDiagram, SetShape, StageShape, StepShape,
    SystemShape,
};

// Writes the order of the systems, stage by stage.
impl_display!([] ScheduleDiagram => |this, f| write_stages(this, f));

/// Writes all stages.
fn write_stages(diagram: &ScheduleDiagram, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let count = diagram.systems.len();
    let off = if diagram.has_pipelines_off { ", pipelines turned off" } else { "" };
    writeln!(f, "{} of {count} system{}{off}", diagram.title, if count == 1 { "" } else { "s" })?;
    let name_width = diagram.systems.iter().map(|system| system.name.chars().count()).max().unwrap_or(0);
    let number_width = alloc::format!("{count}").len().max(3);
    let mut number = 0;
    for stage in &diagram.stages {
        let steps = match stage {
            StageShape::Apply(systems) => {
                let names: Vec<&str> = systems.iter().map(|system| diagram.systems[*system].name.as_str()).collect();
                writeln!(f, "apply the commands of {}", names.join(", "))?;
                continue;
            }
            StageShape::Run(steps) => steps,
        };
        number += 1;
        let is_alone = matches!(steps[..], [StepShape::System(system)] if diagram.systems[system].is_alone);
        writeln!(f, "stage {number}{}", if is_alone { ", with the world for itself" } else { "" })?;
        for step in steps {
            match step {
                StepShape::System(at) => {
                    write_pipeline(diagram, *at, number_width, f)?;
                    let system = &diagram.systems[*at];
                    let line = alloc::format!(
                        "{:>number_width$}  {:<name_width$}  {}",
                        at + 1,
                        system.name,
                        notes(diagram, *at, system).join("; ")
                    );
                    writeln!(f, "{}", line.trim_end())?;
                }
                StepShape::Ask(set) => {
                    let SetShape { name, conditions, .. } = &diagram.sets[*set];
                    writeln!(f, "{:>number_width$}  ask for {name}: {}", "", conditions.join(", "))?;
                }
            }
        }
    }
    let mut title = Some("in no pipeline");
    for (at, system) in diagram.systems.iter().enumerate() {
        if let Some(why) = &system.not_pipelined {
            title.take().map_or(Ok(()), |title| writeln!(f, "{title}"))?;
            writeln!(f, "{:>number_width$}  {:<name_width$}  {why}", at + 1, system.name)?;
        }
    }
    Ok(())
}

/// Writes the systems of the pipeline whose first system is this one, if there is such a pipeline.
fn write_pipeline(
    diagram: &ScheduleDiagram,
    system: usize,
    number_width: usize,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let Some(pipeline) = diagram.pipelines.iter().position(|pipeline| pipeline.systems.start == system) else {
        return Ok(());
    };
    let systems = &diagram.systems[diagram.pipelines[pipeline].systems.clone()];
    let names: Vec<&str> = systems.iter().map(|system| system.name.as_str()).collect();
    writeln!(f, "{:>number_width$}  {}: {}", "", diagram.pipeline_label(pipeline), names.join(", "))
}

/// Returns the notes on a system: its sets, conditions, constraints and conflicts.
fn notes(diagram: &ScheduleDiagram, at: usize, system: &SystemShape) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |word: &str, names: Vec<&str>| {
        if !names.is_empty() {
            notes.push(alloc::format!("{word} {}", names.join(", ")));
        }
    };
    let sets = system.sets.iter().map(|set| &diagram.sets[*set]).filter(|set| set.is_named);
    note("in", sets.map(|set| set.name.as_str()).collect());
    note("if", system.conditions.iter().map(String::as_str).collect());
    note("after", demanded(diagram, at));
    let mut waits = String::new();
    for Arrow { from, why, .. } in diagram.arrows.iter().filter(|arrow| arrow.to == DiagramNode::System(at)) {
        if let (DiagramNode::System(first), ArrowReason::Conflict(what)) = (from, why) {
            let between = if waits.is_empty() { "" } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(waits, "{between}{} ({what})", diagram.systems[*first].name);
        }
    }
    if !waits.is_empty() {
        notes.push(alloc::format!("not beside {waits}"));
    }
    notes
}

/// Returns the names of the systems and sets that come before a system by a constraint on the system or on a set that
/// it was added to.
fn demanded(diagram: &ScheduleDiagram, at: usize) -> Vec<&str> {
    let mut names = Vec::new();
    let sets = &diagram.systems[at].sets;
    for Arrow { from, to, why } in &diagram.arrows {
        let is_its = match to {
            DiagramNode::System(system) => *system == at,
            DiagramNode::Set(set) => sets.contains(set),
            DiagramNode::Apply(_) => false,
        };
        match (is_its, from, why) {
            (false, ..) | (_, _, ArrowReason::Conflict(_)) => {}
            (_, DiagramNode::System(first), _) => names.push(diagram.systems[*first].name.as_str()),
            (_, DiagramNode::Set(set), _) => names.push(diagram.sets[*set].name.as_str()),
            (_, DiagramNode::Apply(_), _) => {}
        }
    }
    names
}

impl ScheduleDiagram {
    /// Returns a flow chart in the language of Mermaid. GitHub and many editors render it in a code block with the
    /// language `mermaid`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn plough() {}
    /// # fn sow() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((plough, sow).chain());
    /// let chart = schedule.diagram(&mut World::new()).unwrap().to_mermaid();
    /// assert!(chart.contains("s0 --> s1"));
    /// ```
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut chart = String::new();
        // Writing to a string does not fail.
        let _ = write_mermaid(self, &mut chart);
        chart
    }

    /// Returns a graph in the language of Graphviz. `dot -Tsvg FILE` renders it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn plough() {}
    /// # fn sow() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((plough, sow).chain());
    /// let graph = schedule.diagram(&mut World::new()).unwrap().to_dot();
    /// assert!(graph.contains("s0 -> s1"));
    /// ```
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut graph = String::new();
        // Writing to a string does not fail.
        let _ = write_dot(self, &mut graph);
        graph
    }
}

/// Replaces the characters of a text for which `escape` returns a replacement. Other control characters become spaces.
fn escaped(text: &str, escape: fn(char) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match escape(character) {
            Some(replacement) => out.push_str(&replacement),
            None => out.push(if character.is_control() { ' ' } else { character }),
        }
    }
    out
}

/// Formats a character as a numeric entity in the syntax of Mermaid.
fn entity(character: char) -> String {
    alloc::format!("#{};", character as u32)
}

/// Returns text for a Mermaid label. Characters that Mermaid could parse as markup are written as entities.
fn label(text: &str) -> String {
    escaped(text, |character| match character {
        '\n' => Some("<br/>".to_string()),
        '"' | '#' | '&' | '<' | '>' | '`' | '{' | '}' | '\\' | ';' | '%' => Some(entity(character)),
        _ => character.is_control().then(|| entity(character)),
    })
}

/// Returns text for a quoted YAML string.
fn title(text: &str) -> String {
    escaped(text, |character| matches!(character, '"' | '\\').then(|| alloc::format!("\\{character}")))
}

/// Returns text for a Mermaid comment. In it, Mermaid could parse braces as a directive.
fn comment(text: &str) -> String {
    escaped(text, |character| matches!(character, '"' | '{' | '}').then(|| entity(character)))
}

/// Returns a quoted Graphviz string.
fn quoted(text: &str) -> String {
    let text = escaped(text, |character| match character {
        '"' | '\\' => Some(alloc::format!("\\{character}")),
        '\n' => Some("\\n".to_string()),
        // Graphviz parses HTML entities in strings.
        '&' => Some("&amp;".to_string()),
        _ => None,
    });
    alloc::format!("\"{text}\"")
}

struct NodeId(DiagramNode);

impl_display!([] NodeId => |this, f| match this.0 {
    DiagramNode::System(number) => write!(f, "s{number}"),
    DiagramNode::Set(number) => write!(f, "set{number}"),
    DiagramNode::Apply(number) => write!(f, "apply{number}"),
});

fn write_mermaid(diagram: &ScheduleDiagram, f: &mut String) -> fmt::Result {
    let name = diagram.title.strip_prefix("schedule ").map(|name| name.trim_matches('`'));
    let off = diagram.has_pipelines_off.then_some("pipelines turned off");
    if name.is_some() || off.is_some() {
        let between = if name.is_some() && off.is_some() { ", " } else { "" };
        let [name, off] = [name, off].map(|part| title(part.unwrap_or_default()));
        writeln!(f, "---\ntitle: \"{name}{between}{off}\"\n---")?;
    }
    writeln!(f, "flowchart TD")?;
    diagram.nesting().into_iter().try_for_each(|event| write_mermaid_nesting(diagram, event, f))?;
    for (number, stage) in diagram.stages.iter().enumerate() {
        if matches!(stage, StageShape::Apply(_)) {
            writeln!(f, "    {}{{{{\"apply commands\"}}}}", NodeId(DiagramNode::Apply(number)))?;
        }
    }
    for Arrow { from, to, why } in &diagram.arrows {
        let (from, to) = (NodeId(*from), NodeId(*to));
        match why {
            ArrowReason::ThroughCommands => {}
            ArrowReason::Demanded => writeln!(f, "    {from} --> {to}")?,
            ArrowReason::Unsynced => writeln!(f, "    {from} -->|\"commands wait\"| {to}")?,
            ArrowReason::Conflict(what) => writeln!(f, "    {from} -.->|\"{}\"| {to}", label(what))?,
            ArrowReason::Commands => writeln!(f, "    {from} ==> {to}")?,
        }
    }
    write_mermaid_classes(diagram, f)?;
    for (number, system) in diagram.systems.iter().enumerate() {
        if system.is_alone {
            writeln!(f, "    class s{number} alone")?;
        }
        if system.full != system.name {
            writeln!(f, "    %% s{number} is {}", comment(&system.full))?;
        }
        if let Some(why) = &system.not_pipelined {
            writeln!(f, "    %% s{number} is in no pipeline: {}", comment(why))?;
        }
    }
    Ok(())
}

/// Writes the event: the begin or end of a set or of a frame, or a system.
fn write_mermaid_nesting(diagram: &ScheduleDiagram, event: Nesting, f: &mut String) -> fmt::Result {
    match event {
        Nesting::Set { number, depth } => {
            let (text, indent) = (label(&diagram.set_label(number)), depth * 4);
            if diagram.sets[number].drawn.is_some() {
                writeln!(f, "{:indent$}subgraph set{number}[\"{text}\"]", "")?;
            } else if diagram.is_ordered(number) {
                writeln!(f, "{:indent$}set{number}([\"{text}\"])", "")?;
            }
            Ok(())
        }
        Nesting::Pipeline { number, depth } => {
            let (text, indent) = (label(&diagram.pipeline_label(number)), depth * 4);
            writeln!(f, "{:indent$}subgraph pipeline{}[\"{text}\"]", "", number + 1)
        }
        Nesting::System { number, depth } => {
            writeln!(f, "{:indent$}s{number}[\"{}\"]", "", label(&diagram.system_label(number)), indent = depth * 4)
        }
        Nesting::End { depth } => writeln!(f, "{:1$}end", "", depth * 4),
    }
}

/// Writes the styles of exclusive systems and of pipelines.
fn write_mermaid_classes(diagram: &ScheduleDiagram, f: &mut String) -> fmt::Result {
    if diagram.systems.iter().any(|system| system.is_alone) {
        writeln!(f, "    classDef alone stroke-width:4px")?;
    }
    let framed = |(number, pipeline): (usize, &PipelineShape)| {
        diagram.frame_of(pipeline.systems.start).is_some().then_some(number + 1)
    };
    let framed: Vec<usize> = diagram.pipelines.iter().enumerate().filter_map(framed).collect();
    if !framed.is_empty() {
        writeln!(f, "    classDef pipeline stroke-dasharray:5")?;
    }
    framed.iter().try_for_each(|number| writeln!(f, "    class pipeline{number} pipeline"))
}

fn write_dot(diagram: &ScheduleDiagram, f: &mut String) -> fmt::Result {
    let off = if diagram.has_pipelines_off { ", pipelines turned off" } else { "" };
    writeln!(f, "digraph {{\n    label={};", quoted(&alloc::format!("{}{off}", diagram.title)))?;
    writeln!(f, "    compound=true;\n    node [shape=box];")?;
    diagram.nesting().into_iter().try_for_each(|event| write_dot_nesting(diagram, event, f))?;
    for (number, stage) in diagram.stages.iter().enumerate() {
        if matches!(stage, StageShape::Apply(_)) {
            writeln!(f, "    apply{number} [label=\"apply commands\", shape=hexagon];")?;
        }
    }
    let mut drawn = diagram.arrows.iter().filter(|arrow| arrow.why != ArrowReason::ThroughCommands);
    drawn.try_for_each(|arrow| write_dot_arrow(diagram, arrow, f))?;
    writeln!(f, "}}")
}

/// Writes the event: the begin or end of a set or of a frame, or a system.
fn write_dot_nesting(diagram: &ScheduleDiagram, event: Nesting, f: &mut String) -> fmt::Result {
    match event {
        Nesting::Set { number, depth } => {
            let (text, indent) = (quoted(&diagram.set_label(number)), depth * 4);
            if diagram.sets[number].drawn.is_some() {
                writeln!(f, "{:indent$}subgraph cluster{number} {{\n{:indent$}    label={text};", "", "")?;
            } else if diagram.is_ordered(number) {
                writeln!(f, "{:indent$}set{number} [label={text}, shape=ellipse];", "")?;
            }
            Ok(())
        }
        Nesting::Pipeline { number, depth } => {
            let (text, indent) = (quoted(&diagram.pipeline_label(number)), depth * 4);
            writeln!(f, "{:indent$}subgraph cluster_pipeline{} {{", "", number + 1)?;
            writeln!(f, "{:indent$}    label={text};\n{:indent$}    style=dashed;", "", "")
        }
        Nesting::System { number, depth } => {
            let SystemShape { full, not_pipelined, is_alone, .. } = &diagram.systems[number];
            let mut tooltip = full.clone();
            if let Some(why) = not_pipelined {
                tooltip.push_str("\nin no pipeline: ");
                tooltip.push_str(why);
            }
            let (text, tooltip) = (quoted(&diagram.system_label(number)), quoted(&tooltip));
            let (border, indent) = (if *is_alone { ", penwidth=3" } else { "" }, depth * 4);
            writeln!(f, "{:indent$}s{number} [label={text}, tooltip={tooltip}{border}];", "")
        }
        Nesting::End { depth } => writeln!(f, "{:1$}}}", "", depth * 4),
    }
}

fn write_dot_arrow(diagram: &ScheduleDiagram, Arrow { from, to, why }: &Arrow, f: &mut String) -> fmt::Result {
    // Graphviz draws arrows only between nodes. An arrow from or to a set uses a node in its cluster, and is clipped at the border of the
    // cluster.
    let drawn = |node: &DiagramNode| match node {
        DiagramNode::Set(set) => diagram.sets[*set].drawn.map(|ends| (*set, ends)),
        DiagramNode::System(_) | DiagramNode::Apply(_) => None,
    };
    let (from_cluster, to_cluster) = (drawn(from), drawn(to));
    let last = from_cluster.map_or(NodeId(*from), |(_, (_, last))| NodeId(DiagramNode::System(last)));
    let first = to_cluster.map_or(NodeId(*to), |(_, (first, _))| NodeId(DiagramNode::System(first)));
    write!(f, "    {last} -> {first}")?;
    let mut attributes = Vec::new();
    attributes.extend(from_cluster.map(|(set, _)| alloc::format!("ltail=cluster{set}")));
    attributes.extend(to_cluster.map(|(set, _)| alloc::format!("lhead=cluster{set}")));
    match why {
        ArrowReason::Demanded | ArrowReason::ThroughCommands => {}
        ArrowReason::Unsynced => attributes.push("label=\"commands wait\"".to_string()),
        ArrowReason::Conflict(what) => attributes.push(alloc::format!("style=dashed, label={}", quoted(what))),
        ArrowReason::Commands => attributes.push("style=bold".to_string()),
    }
    if !attributes.is_empty() {
        write!(f, " [{}]", attributes.join(", "))?;
    }
    writeln!(f, ";")
}
