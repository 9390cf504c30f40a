//! A schedule in the language of Graphviz.

use alloc::string::{String, ToString};
use core::fmt;

use super::diagram::{Arrow, Nesting, Node, ScheduleDiagram, StageShape, SystemShape, Why};

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
        let SystemShape { full, apart, is_alone, .. } = &self.0.systems[number];
        let mut tooltip = full.clone();
        if let Some(why) = apart {
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
        let end = |f: &mut fmt::Formatter<'_>, node: Node, last: bool| match node {
            Node::System(system) => write!(f, "s{system}"),
            Node::Apply(stage) => write!(f, "apply{stage}"),
            Node::Set(set) => match drawn(set) {
                Some((first, final_one)) => write!(f, "s{}", if last { final_one } else { first }),
                None => write!(f, "set{set}"),
            },
        };
        f.write_str("    ")?;
        end(f, *from, true)?;
        f.write_str(" -> ")?;
        end(f, *to, false)?;
        let mut attributes = Attributes { are_some: false };
        if let Node::Set(set) = from
            && drawn(*set).is_some()
        {
            attributes.add(f, format_args!("ltail=cluster{set}"))?;
        }
        if let Node::Set(set) = to
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
