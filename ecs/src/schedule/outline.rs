//! A schedule as text, line by line in the order in which it runs.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::diagram::{Arrow, Node, ScheduleDiagram, SetShape, StageShape, StepShape, SystemShape, Why};

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
        if let Some(why) = &system.apart {
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
    for Arrow { from, why, .. } in diagram.arrows.iter().filter(|arrow| arrow.to == Node::System(at)) {
        if let (Node::System(first), Why::Conflict(what)) = (from, why) {
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
            Node::System(system) => *system == at,
            Node::Set(set) => sets.contains(set),
            Node::Apply(_) => false,
        };
        match (is_its, from, why) {
            (false, ..) | (_, _, Why::Conflict(_)) => {}
            (_, Node::System(first), _) => names.push(diagram.systems[*first].name.as_str()),
            (_, Node::Set(set), _) => names.push(diagram.sets[*set].name.as_str()),
            (_, Node::Apply(_), _) => {}
        }
    }
    names
}
