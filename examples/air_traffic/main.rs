//! Real air traffic as entities: airports, and flights that are scheduled, take off, move along their great circles
//! minute by minute, and land.
//!
//! ```text
//! cargo run --release --example air_traffic
//! cargo run --release --example air_traffic -- --scale 1000000 --days 3 --out scale.png
//! ```
//!
//! It prints a summary to the standard output and draws a map. Start reading in `components` and `systems`, which are
//! all of the simulation; `simulation` puts them together. The rest turns files into entities and entities into a
//! picture, and has little to do with entities.

mod args;
mod components;
mod data;
mod geo;
mod picture;
mod progress;
mod report;
#[cfg(test)]
mod scratch;
mod simulation;
mod systems;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod timetable;

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use strata_ecs::prelude::{Schedule, World};
use strata_ecs::schedule::ScheduleBuildError;

use args::Args;
use data::{AirportRecord, DataError};
use progress::Progress;
use text::grouped;
use timetable::{Draw, Timetable};

fn main() -> ExitCode {
    let result = match Args::parse(std::env::args_os().skip(1).collect()) {
        Ok(Some(args)) => run(&args, &mut std::io::stdout().lock()),
        Ok(None) => std::io::stdout().write_all(args::HELP.as_bytes()).map_err(Into::into),
        Err(error) => Err(format!("{error} (`--help` lists the options)").into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("air_traffic: {error}");
            ExitCode::from(2)
        }
    }
}

/// All of the program: what it prints goes to `summary`, what it says about itself to the standard error.
fn run(args: &Args, summary: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let mut progress = Progress::new(args.quiet);
    let (airports, timetable) = load(args)?;
    // Checks the path now, so that a bad path is not reported only after the simulation. The contents of the file are kept until the
    // picture is written.
    let cannot_write = |error| format!("{}: cannot be written: {error}", args.out.display());
    OpenOptions::new().create(true).append(true).open(&args.out).map_err(cannot_write)?;
    let loaded = Instant::now();

    progress.tell(|| format!("{} flights are read", grouped(timetable.flights.len() as u64)));
    let mut world = simulation::build(&airports, &timetable);
    let mut schedule = simulation::schedule();
    if let Some(file) = &args.graph {
        let text = diagram(&mut schedule, &mut world, file)?;
        fs::write(file, text).map_err(|error| format!("{}: cannot be written: {error}", file.display()))?;
    }
    let minutes = simulation::run(&mut world, &mut schedule, &timetable, &mut progress);
    let landed = Instant::now();

    progress.tell(|| "All flights have landed; drawing the map".into());
    summary.write_all(report::summary(&mut world, &timetable, args.top)?.as_bytes())?;
    fs::write(&args.out, picture::draw(&mut world, &timetable)?).map_err(cannot_write)?;
    if args.report {
        eprint!("\n{}", schedule.report(&world));
    }
    if !args.quiet {
        let [load, simulate, draw] =
            [loaded - started, landed - loaded, landed.elapsed()].map(|time| time.as_secs_f64());
        eprintln!("\n{load:.2} s to load, {simulate:.2} s to fly {} minutes, {draw:.2} s to draw", grouped(minutes));
        eprintln!("The map is in {}: discs are airports, lines are routes,", args.out.display());
        eprintln!("and arrows are flights that were in the air in the busiest minute.");
        eprintln!("Next: {}", next(args));
    }
    Ok(())
}

/// Returns a hint about an option that the user has not tried yet.
fn next(args: &Args) -> &'static str {
    if args.scale.is_none() {
        "`--scale 1000000` flies a million flights, drawn from the routes of 2008."
    } else if !args.report {
        "`--report` tells what each system did and how long it took."
    } else {
        "`systems.rs` has the five systems that did this; `--help` lists all options."
    }
}

/// Returns a diagram of the schedule, in the language that the extension of the file selects.
fn diagram(schedule: &mut Schedule, world: &mut World, file: &Path) -> Result<String, ScheduleBuildError> {
    let diagram = schedule.diagram(world)?;
    let is_dot = file.extension().is_some_and(|extension| extension == "dot");
    Ok(if is_dot { diagram.to_dot() } else { diagram.to_mermaid() })
}

/// The airports, and the flights that `args` ask for.
fn load(args: &Args) -> Result<(Vec<AirportRecord>, Timetable), DataError> {
    let airports = data::airports(args.data_dir())?;
    let records = data::flights(args.data_dir())?;
    let timetable = match args.scale {
        None => timetable::recorded(&records, &airports),
        Some(flights) => {
            let draw = Draw { flights, days: args.days, seed: args.seed };
            timetable::drawn(draw, &data::routes(args.data_dir())?, &records, &airports)
        }
    };
    Ok((airports, timetable))
}
