//! Diagrams as text: line by line in the order in which a schedule runs, and in the languages of Mermaid and Graphviz.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::diagram::{
    Arrow, DiagramNode, Nesting, PipelineShape, ScheduleDiagram, SetShape, StageShape, StepShape, SystemShape, Why,
};

/// The order of the systems, stage by stage.
impl fmt::Display for ScheduleDiagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_stages(self, f)
    }
}

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

/// Writes which systems are a pipeline, if a system is the first one of it.
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

/// What there is to say of a system.
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
        if let (DiagramNode::System(first), Why::Conflict(what)) = (from, why) {
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

/// What a system, or a set that it was put into, was said to come after.
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
            (false, ..) | (_, _, Why::Conflict(_)) => {}
            (_, DiagramNode::System(first), _) => names.push(diagram.systems[*first].name.as_str()),
            (_, DiagramNode::Set(set), _) => names.push(diagram.sets[*set].name.as_str()),
            (_, DiagramNode::Apply(_), _) => {}
        }
    }
    names
}

impl ScheduleDiagram {
    /// A flow chart in the language of Mermaid, which GitHub and many editors draw: put it into a code block with the
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
        Mermaid(self).to_string()
    }
}

struct Mermaid<'a>(&'a ScheduleDiagram);

/// Text in a label. What might be taken for markup is written as entities, as Mermaid writes them.
struct Label<'a>(&'a str);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '\n' => f.write_str("<br/>")?,
                '"' | '#' | '&' | '<' | '>' | '`' | '{' | '}' | '\\' | ';' | '%' => {
                    write!(f, "#{};", character as u32)?
                }
                character if character.is_control() => write!(f, "#{};", character as u32)?,
                character => write!(f, "{character}")?,
            }
        }
        Ok(())
    }
}

/// Text in quotes, in YAML.
struct Title<'a>(&'a str);

impl fmt::Display for Title<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                character if character.is_control() => f.write_str(" ")?,
                character => write!(f, "{character}")?,
            }
        }
        Ok(())
    }
}

/// Text in a comment, in which braces might be taken for a directive.
struct Comment<'a>(&'a str);

impl fmt::Display for Comment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '"' | '{' | '}' => write!(f, "#{};", character as u32)?,
                character if character.is_control() => f.write_str(" ")?,
                character => write!(f, "{character}")?,
            }
        }
        Ok(())
    }
}

struct Id(DiagramNode);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            DiagramNode::System(number) => write!(f, "s{number}"),
            DiagramNode::Set(number) => write!(f, "set{number}"),
            DiagramNode::Apply(number) => write!(f, "apply{number}"),
        }
    }
}

impl fmt::Display for Mermaid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diagram = self.0;
        let name = diagram.title.strip_prefix("schedule ").map(|name| name.trim_matches('`'));
        let off = diagram.has_pipelines_off.then_some("pipelines turned off");
        if name.is_some() || off.is_some() {
            let between = if name.is_some() && off.is_some() { ", " } else { "" };
            let [name, off] = [name, off].map(|part| Title(part.unwrap_or_default()));
            writeln!(f, "---\ntitle: \"{name}{between}{off}\"\n---")?;
        }
        writeln!(f, "flowchart TD")?;
        self.write_sets(f)?;
        for (number, stage) in diagram.stages.iter().enumerate() {
            if matches!(stage, StageShape::Apply(_)) {
                writeln!(f, "    {}{{{{\"apply commands\"}}}}", Id(DiagramNode::Apply(number)))?;
            }
        }
        for Arrow { from, to, why } in &diagram.arrows {
            let (from, to) = (Id(*from), Id(*to));
            match why {
                Why::ThroughCommands => {}
                Why::Demanded => writeln!(f, "    {from} --> {to}")?,
                Why::Unsynced => writeln!(f, "    {from} -->|\"commands wait\"| {to}")?,
                Why::Conflict(what) => writeln!(f, "    {from} -.->|\"{}\"| {to}", Label(what))?,
                Why::Commands => writeln!(f, "    {from} ==> {to}")?,
            }
        }
        self.write_classes(f)?;
        for (number, system) in diagram.systems.iter().enumerate() {
            if system.is_alone {
                writeln!(f, "    class {} alone", Id(DiagramNode::System(number)))?;
            }
            if system.full != system.name {
                writeln!(f, "    %% {} is {}", Id(DiagramNode::System(number)), Comment(&system.full))?;
            }
            if let Some(why) = &system.not_pipelined {
                writeln!(f, "    %% {} is in no pipeline: {}", Id(DiagramNode::System(number)), Comment(why))?;
            }
        }
        Ok(())
    }
}

impl Mermaid<'_> {
    /// Writes all sets, and what is drawn in each.
    fn write_sets(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diagram = self.0;
        for event in diagram.nesting() {
            match event {
                Nesting::Set { number, depth } => {
                    let (id, label, indent) = (Id(DiagramNode::Set(number)), diagram.set_label(number), depth * 4);
                    if diagram.sets[number].drawn.is_some() {
                        writeln!(f, "{:indent$}subgraph {id}[\"{}\"]", "", Label(&label))?;
                    } else if diagram.is_ordered(number) {
                        writeln!(f, "{:indent$}{id}([\"{}\"])", "", Label(&label))?;
                    }
                }
                Nesting::Systems { around, depth } => self.write_systems(f, around, depth * 4)?,
                Nesting::End { depth } => writeln!(f, "{:1$}end", "", depth * 4)?,
            }
        }
        Ok(())
    }

    /// Writes the systems that are drawn in a set, or in none.
    fn write_systems(&self, f: &mut fmt::Formatter<'_>, around: Option<usize>, indent: usize) -> fmt::Result {
        let diagram = self.0;
        for (number, _) in diagram.systems.iter().enumerate().filter(|(_, system)| system.inside == around) {
            let (id, label): (Id, String) = (Id(DiagramNode::System(number)), diagram.system_label(number));
            let Some(pipeline) = diagram.frame_of(number) else {
                writeln!(f, "{:indent$}{id}[\"{}\"]", "", Label(&label))?;
                continue;
            };
            let systems = &diagram.pipelines[pipeline].systems;
            if systems.start == number {
                let frame = diagram.pipeline_label(pipeline);
                writeln!(f, "{:indent$}subgraph pipeline{}[\"{}\"]", "", pipeline + 1, Label(&frame))?;
            }
            writeln!(f, "{:indent$}    {id}[\"{}\"]", "", Label(&label))?;
            if systems.end == number + 1 {
                writeln!(f, "{:indent$}end", "")?;
            }
        }
        Ok(())
    }

    /// Writes what stands out, and how.
    fn write_classes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diagram = self.0;
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
}

impl ScheduleDiagram {
    /// A graph in the language of Graphviz: `dot -Tsvg FILE` draws it.
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
        Dot(self).to_string()
    }
}

struct Dot<'a>(&'a ScheduleDiagram);

/// A string in quotes.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            match character {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                // Graphviz reads entities of HTML in strings.
                '&' => f.write_str("&amp;")?,
                character if character.is_control() => f.write_str(" ")?,
                character => write!(f, "{character}")?,
            }
        }
        f.write_str("\"")
    }
}

impl fmt::Display for Dot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diagram = self.0;
        writeln!(f, "digraph {{")?;
        let off = if diagram.has_pipelines_off { ", pipelines turned off" } else { "" };
        writeln!(f, "    label={};", Quoted(&alloc::format!("{}{off}", diagram.title)))?;
        writeln!(f, "    compound=true;")?;
        writeln!(f, "    node [shape=box];")?;
        self.write_sets(f)?;
        for (number, stage) in diagram.stages.iter().enumerate() {
            if matches!(stage, StageShape::Apply(_)) {
                writeln!(f, "    apply{number} [label=\"apply commands\", shape=hexagon];")?;
            }
        }
        let mut drawn = diagram.arrows.iter().filter(|arrow| arrow.why != Why::ThroughCommands);
        drawn.try_for_each(|arrow| self.write_arrow(f, arrow))?;
        writeln!(f, "}}")
    }
}

/// One attribute of an arrow behind the other.
struct Attributes {
    are_some: bool,
}

impl Attributes {
    fn add(&mut self, f: &mut fmt::Formatter<'_>, attribute: fmt::Arguments<'_>) -> fmt::Result {
        let before = if core::mem::replace(&mut self.are_some, true) { ", " } else { " [" };
        write!(f, "{before}{attribute}")
    }

    fn end(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{};", if self.are_some { "]" } else { "" })
    }
}

impl Dot<'_> {
    /// Writes all sets, and what is drawn in each.
    fn write_sets(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diagram = self.0;
        for event in diagram.nesting() {
            match event {
                Nesting::Set { number, depth } => {
                    let (label, indent) = (diagram.set_label(number), depth * 4);
                    if diagram.sets[number].drawn.is_some() {
                        writeln!(f, "{:indent$}subgraph cluster{number} {{", "")?;
                        writeln!(f, "{:indent$}    label={};", "", Quoted(&label))?;
                    } else if diagram.is_ordered(number) {
                        writeln!(f, "{:indent$}set{number} [label={}, shape=ellipse];", "", Quoted(&label))?;
                    }
                }
                Nesting::Systems { around, depth } => self.write_systems(f, around, depth * 4)?,
                Nesting::End { depth } => writeln!(f, "{:1$}}}", "", depth * 4)?,
            }
        }
        Ok(())
    }

    /// Writes the systems that are drawn in a set, or in none.
    fn write_systems(&self, f: &mut fmt::Formatter<'_>, around: Option<usize>, indent: usize) -> fmt::Result {
        let diagram = self.0;
        for (number, _) in diagram.systems.iter().enumerate().filter(|(_, system)| system.inside == around) {
            let Some(pipeline) = diagram.frame_of(number) else {
                self.write_system(f, number, indent)?;
                continue;
            };
            let systems = &diagram.pipelines[pipeline].systems;
            if systems.start == number {
                writeln!(f, "{:indent$}subgraph cluster_pipeline{} {{", "", pipeline + 1)?;
                writeln!(f, "{:indent$}    label={};", "", Quoted(&diagram.pipeline_label(pipeline)))?;
                writeln!(f, "{:indent$}    style=dashed;", "")?;
            }
            self.write_system(f, number, indent + 4)?;
            if systems.end == number + 1 {
                writeln!(f, "{:indent$}}}", "")?;
            }
        }
        Ok(())
    }

    fn write_system(&self, f: &mut fmt::Formatter<'_>, number: usize, indent: usize) -> fmt::Result {
        let SystemShape { full, not_pipelined, is_alone, .. } = &self.0.systems[number];
        let mut tooltip = full.clone();
        if let Some(why) = not_pipelined {
            tooltip.push_str("\nin no pipeline: ");
            tooltip.push_str(why);
        }
        let (label, tooltip) = (self.0.system_label(number), Quoted(&tooltip));
        let border = if *is_alone { ", penwidth=3" } else { "" };
        writeln!(f, "{:indent$}s{number} [label={}, tooltip={tooltip}{border}];", "", Quoted(&label))
    }

    fn write_arrow(&self, f: &mut fmt::Formatter<'_>, Arrow { from, to, why }: &Arrow) -> fmt::Result {
        // An arrow leads from node to node, and is cut off where it leaves or reaches the cluster.
        let drawn = |set: usize| self.0.sets[set].drawn;
        let end = |f: &mut fmt::Formatter<'_>, node: DiagramNode, last: bool| match node {
            DiagramNode::System(system) => write!(f, "s{system}"),
            DiagramNode::Apply(stage) => write!(f, "apply{stage}"),
            DiagramNode::Set(set) => match drawn(set) {
                Some((first, final_one)) => write!(f, "s{}", if last { final_one } else { first }),
                None => write!(f, "set{set}"),
            },
        };
        f.write_str("    ")?;
        end(f, *from, true)?;
        f.write_str(" -> ")?;
        end(f, *to, false)?;
        let mut attributes = Attributes { are_some: false };
        if let DiagramNode::Set(set) = from
            && drawn(*set).is_some()
        {
            attributes.add(f, format_args!("ltail=cluster{set}"))?;
        }
        if let DiagramNode::Set(set) = to
            && drawn(*set).is_some()
        {
            attributes.add(f, format_args!("lhead=cluster{set}"))?;
        }
        match why {
            Why::Demanded | Why::ThroughCommands => {}
            Why::Unsynced => attributes.add(f, format_args!("label=\"commands wait\""))?,
            Why::Conflict(what) => attributes.add(f, format_args!("style=dashed, label={}", Quoted(what)))?,
            Why::Commands => attributes.add(f, format_args!("style=bold"))?,
        }
        attributes.end(f)
    }
}
