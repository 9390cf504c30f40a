//! A report as text.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use core::time::Duration;

use super::report::{
    PipelineOutcome, PipelineReport, ScheduleReport, StageReport, SystemOutcome, SystemReport, Timing,
};

impl_display!([] SystemOutcome => |this, f| match this {
    Self::Unfinished => f.write_str("did not finish"),
    Self::Ran => f.write_str("ran"),
    Self::Failed { condition: None, error } => write!(f, "failed: {error}"),
    Self::Failed { condition: Some(condition), error } => {
        write!(f, "failed: condition `{condition}`: {error}")
    }
    Self::ConditionUnmet { condition } => write!(f, "skipped: not `{condition}`"),
    Self::SetUnmet { set, condition } => write!(f, "skipped: not `{condition}` of set `{set}`"),
    Self::NothingToDo { reason } => write!(f, "skipped: {reason}"),
    Self::Blocked { by } => write!(f, "not run: after `{by}`, which failed"),
});

/// A duration that is formatted in a suitable unit, with three digits.
struct RoundedTime(Duration);

impl fmt::Display for RoundedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.as_nanos() as f64;
        let (value, unit) = match self.0.as_nanos() {
            0..1_000 => return write!(f, "{nanoseconds} ns"),
            1_000..1_000_000 => (nanoseconds / 1e3, "us"),
            1_000_000..1_000_000_000 => (nanoseconds / 1e6, "ms"),
            _ => (nanoseconds / 1e9, "s"),
        };
        let digits = if value < 10.0 {
            2
        } else if value < 100.0 {
            1
        } else {
            0
        };
        write!(f, "{value:.digits$} {unit}")
    }
}

/// Formats a number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

const COLUMNS: usize = 8;

const HEADINGS: [&str; COLUMNS] = ["#", "system", "rows now", "commands", "in all", "min", "median", "max"];

/// Explains which runs the columns refer to.
const LEGEND: &str = "commands: of the last run; in all: commands of all runs; times: of the last measured runs";

/// Returns the cells of the line of a system, without the outcome.
fn cells(number: usize, system: &SystemReport) -> [String; COLUMNS] {
    let time = |which: fn(&Timing) -> Duration| {
        system.times.as_ref().map_or_else(|| String::from("-"), |times| RoundedTime(which(times)).to_string())
    };
    let count = |commands: u64| if commands == 0 { String::from("-") } else { grouped(commands) };
    [
        number.to_string(),
        system.short.clone(),
        system.rows.map_or_else(|| String::from("-"), |rows| grouped(rows as u64)),
        count(system.commands),
        count(system.total_commands),
        time(Timing::min),
        time(Timing::median),
        time(Timing::max),
    ]
}

fn write_line(
    f: &mut fmt::Formatter<'_>,
    cells: &[String; COLUMNS],
    widths: &[usize; COLUMNS],
    last: &dyn fmt::Display,
) -> fmt::Result {
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        // Column 1 contains names, which are left-aligned; numbers are right-aligned.
        if column == 1 { write!(f, "{cell:<width$}  ")? } else { write!(f, "{cell:>width$}  ")? }
    }
    writeln!(f, "{last}")
}

impl fmt::Display for StageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.units {
            _ if self.is_alone => f.write_str("with the world for itself")?,
            Some(units) => write!(f, "side by side, in {units} parts")?,
            None => f.write_str("one after the other")?,
        }
        if let Some(cost) = self.cost {
            write!(f, "; {} on one thread", RoundedTime(cost))?;
        }
        if let Some(estimate) = self.estimate {
            write!(f, ", {} expected on all", RoundedTime(estimate))?;
        }
        Ok(())
    }
}

impl_display!([] PipelineOutcome => |this, f| f.write_str(match this {
    Self::NotRun => "not run yet",
    Self::Used => "block by block",
    Self::FitsIntoCache => "one after the other, since the rows fit into the cache",
    Self::TurnedOff => "one after the other, since pipelines are turned off",
}));

impl fmt::Display for PipelineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.outcome != PipelineOutcome::Used {
            return self.outcome.fmt(f);
        }
        let threads = if self.is_par { "several threads" } else { "one thread" };
        write!(f, "in blocks of {} rows, on {threads}", grouped(self.block_rows as u64))
    }
}

impl fmt::Display for ScheduleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.systems.len();
        write!(f, "{} of {count} system{}", self.title, if count == 1 { "" } else { "s" })?;
        match self.runs {
            0 => writeln!(f, ", not run yet")?,
            runs => writeln!(f, ", run {}", grouped(runs))?,
        }
        if let Some(Timing { runs, min, median, max }) = self.total {
            let [min, median, max] = [min, median, max].map(RoundedTime);
            writeln!(f, "{runs} measured runs: {min} to {max}, median {median}")?;
        }
        if self.runs > 0 {
            writeln!(f, "{LEGEND}")?;
        }
        let lines: Vec<_> = self.systems.iter().enumerate().map(|(at, system)| cells(at + 1, system)).collect();
        let headings = HEADINGS.map(String::from);
        let mut widths = [0; COLUMNS];
        for line in lines.iter().chain([&headings]) {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = cell.chars().count().max(*width);
            }
        }
        write_line(f, &headings, &widths, &"outcome")?;
        let mut stages = self.stages.iter().enumerate().peekable();
        let mut pipelines = self.pipelines.iter().enumerate().peekable();
        for (at, (line, system)) in lines.iter().zip(&self.systems).enumerate() {
            while let Some((number, stage)) = stages.next_if(|(_, stage)| stage.systems.start <= at) {
                if !stage.systems.is_empty() {
                    writeln!(f, "stage {}: {stage}", number + 1)?;
                }
            }
            if let Some((number, pipeline)) = pipelines.next_if(|(_, pipeline)| pipeline.systems.start == at) {
                let Range { start, end } = pipeline.systems;
                writeln!(f, "pipeline {}, systems {} to {end}: {pipeline}", number + 1, start + 1)?;
            }
            // An error may have several lines, but each system gets one line.
            let outcome = system.outcome.to_string().replace('\n', " ");
            write_line(f, line, &widths, &outcome)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let times = [(7, "7 ns"), (999, "999 ns"), (1_234, "1.23 us"), (56_789, "56.8 us"), (2_000_000_000, "2.00 s")];
        for (nanoseconds, text) in times {
            assert_eq!(RoundedTime(Duration::from_nanos(nanoseconds)).to_string(), text);
        }
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
