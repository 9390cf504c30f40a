//! A schedule in the language of Mermaid.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::diagram::{Arrow, Nesting, Node, PipelineShape, ScheduleDiagram, StageShape, Why};

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
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
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

struct Id(Node);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Node::System(number) => write!(f, "s{number}"),
            Node::Set(number) => write!(f, "set{number}"),
            Node::Apply(number) => write!(f, "apply{number}"),
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
                writeln!(f, "    {}{{{{\"apply commands\"}}}}", Id(Node::Apply(number)))?;
            }
        }
        for Arrow { from, to, why } in &diagram.arrows {
            let (from, to) = (Id(*from), Id(*to));
            match why {
                Why::ThroughCommands => {}
                Why::Demanded => writeln!(f, "    {from} --> {to}")?,
                Why::Unsynced => writeln!(f, "    {from} -->|\"commands wait\"| {to}")?,
                Why::Conflict(what) => writeln!(f, "    {from} -.->|\"{}\"| {to}", Quoted(what))?,
                Why::Commands => writeln!(f, "    {from} ==> {to}")?,
            }
        }
        self.write_classes(f)?;
        for (number, system) in diagram.systems.iter().enumerate() {
            if system.is_alone {
                writeln!(f, "    class {} alone", Id(Node::System(number)))?;
            }
            if system.full != system.name {
                writeln!(f, "    %% {} is {}", Id(Node::System(number)), Comment(&system.full))?;
            }
            if let Some(why) = &system.apart {
                writeln!(f, "    %% {} is in no pipeline: {}", Id(Node::System(number)), Comment(why))?;
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
                    let (id, label, indent) = (Id(Node::Set(number)), diagram.set_label(number), depth * 4);
                    if diagram.sets[number].drawn.is_some() {
                        writeln!(f, "{:indent$}subgraph {id}[\"{}\"]", "", Quoted(&label))?;
                    } else if diagram.is_ordered(number) {
                        writeln!(f, "{:indent$}{id}([\"{}\"])", "", Quoted(&label))?;
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
            let (id, label): (Id, String) = (Id(Node::System(number)), diagram.system_label(number));
            let Some(pipeline) = diagram.frame_of(number) else {
                writeln!(f, "{:indent$}{id}[\"{}\"]", "", Quoted(&label))?;
                continue;
            };
            let systems = &diagram.pipelines[pipeline].systems;
            if systems.start == number {
                let frame = diagram.pipeline_label(pipeline);
                writeln!(f, "{:indent$}subgraph pipeline{}[\"{}\"]", "", pipeline + 1, Quoted(&frame))?;
            }
            writeln!(f, "{:indent$}    {id}[\"{}\"]", "", Quoted(&label))?;
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
