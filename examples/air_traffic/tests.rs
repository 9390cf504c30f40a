//! The program as a whole: command line and files in, summary and picture out.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::args::Args;
use crate::progress::Progress;
use crate::scratch::Scratch;
use crate::{diagram, load, report, run, simulation};

const AIRPORTS: &str = "\
iata,name,city,state,country,latitude,longitude
ATL,William B Hartsfield-Atlanta Intl,Atlanta,GA,USA,33.64044444,-84.42694444
LAX,Los Angeles International,Los Angeles,CA,USA,33.94253611,-118.4080744
HNL,Honolulu International,Honolulu,HI,USA,21.31869111,-157.9224072
TUS,Tucson International,Tucson,AZ,USA,32.11608333,-110.9410278
";

const FLIGHTS: &str = r#"[
{"date":"2001/01/01 08:00","delay":20,"distance":1946,"origin":"ATL","destination":"LAX"},
{"date":"2001/01/01 08:00","delay":-5,"distance":2556,"origin":"LAX","destination":"HNL"},
{"date":"2001/01/01 09:00","delay":15,"distance":1946,"origin":"ATL","destination":"LAX"},
{"date":"2001/01/02 09:00","delay":0,"distance":600,"origin":"ATL","destination":"XXX"}
]"#;

const ROUTES: &str = "origin,destination,count\nATL,LAX,30\nLAX,HNL,10\nATL,XXX,10\n";

/// A folder with small data files.
fn folder() -> Scratch {
    let dir = Scratch::new();
    fs::write(dir.path().join("airports.csv"), AIRPORTS).unwrap();
    fs::write(dir.path().join("flights-20k.json"), FLIGHTS).unwrap();
    fs::write(dir.path().join("flights-airport.csv"), ROUTES).unwrap();
    dir
}

/// Options that are the same in all tests, and `options`.
fn args(dir: &Path, options: &[&str]) -> Result<Args, String> {
    let fixed = ["--quiet", "--data", dir.to_str().unwrap()];
    let options = fixed.iter().chain(options).map(OsString::from).collect();
    Args::parse(options).map_err(|e| e.to_string())?.ok_or_else(|| "help".into())
}

/// Runs the program on the data in `dir` but for the picture, which takes its time in a build for tests.
fn summary(dir: &Path, options: &[&str]) -> Result<String, String> {
    let args = args(dir, options)?;
    let (airports, timetable) = load(&args).map_err(|e| e.to_string())?;
    let mut world = simulation::build(&airports, &timetable);
    simulation::run(&mut world, &mut simulation::schedule(), &timetable, &mut Progress::new(args.quiet));
    report::summary(&mut world, &timetable, args.top).map_err(|e| e.to_string())
}

/// Runs all of the program on the data in `dir`. Returns the summary or what is wrong.
fn summary_and_picture(dir: &Path, out: &Path, options: &[&str]) -> Result<String, String> {
    let out = ["--out", out.to_str().unwrap()];
    let mut summary = Vec::new();
    let result = run(&args(dir, &[&out, options].concat())?, &mut summary);
    let summary = String::from_utf8(summary).unwrap();
    result.map(|()| summary.clone()).map_err(|e| format!("{summary}{e}"))
}

#[test]
fn the_summary_tells_what_was_flown_and_what_was_not() {
    let dir = folder();
    let summary = summary(dir.path(), &["--top", "2"]).unwrap();
    // The two from Atlanta leave at 13:00 and 14:00 and take 278 minutes, the one to Honolulu leaves at 16:00.
    let expected = "\
flights         3 landed, of 2001-01-01 to 2001-01-02
distance flown  6,448 miles, 2,149 a flight
busiest minute  2001-01-01 16:00 UTC, 3 flights in the air
late arrivals   2, 66.7 % (15 minutes or more)
airports        3 of 4 had flights
dropped         1, for airports that are not in airports.csv: XXX 1

busiest airports                                 departures   arrivals
LAX  Los Angeles International                            1          2
ATL  William B Hartsfield-Atlanta Intl                    2          0
";
    assert_eq!(summary, expected);
}

#[test]
fn the_picture_is_a_png_of_the_size_promised() {
    let dir = folder();
    let out = dir.path().join("map.png");
    let printed = summary_and_picture(dir.path(), &out, &[]).unwrap();
    assert_eq!(printed, summary(dir.path(), &[]).unwrap());
    let picture = tiny_skia::Pixmap::load_png(out).unwrap();
    assert_eq!((picture.width(), picture.height()), (2_400, 1_500));
}

#[test]
fn a_picture_that_cannot_be_written_is_reported_before_anything_is_printed() {
    let dir = folder();
    let out = dir.path().join("no").join("map.png");
    let complaint = summary_and_picture(dir.path(), &out, &[]).unwrap_err();
    assert!(complaint.starts_with(out.to_str().unwrap()) && complaint.contains(": cannot be written: "), "{complaint}");
}

#[test]
fn a_seed_gives_the_same_summary_and_another_seed_another() {
    let dir = folder();
    let draw = |seed| summary(dir.path(), &["--scale", "500", "--days", "2", "--seed", seed]).unwrap();
    assert_eq!(draw("7"), draw("7"));
    assert_ne!(draw("7"), draw("8"));
}

#[test]
fn drawn_flights_land_or_are_dropped() {
    let dir = folder();
    let summary = summary(dir.path(), &["--scale", "500"]).unwrap();
    let number = |line: &str| -> u32 {
        let line = summary.lines().find_map(|found| found.strip_prefix(line)).unwrap();
        line.trim_start().split([' ', ',']).next().unwrap().parse().unwrap()
    };
    let dropped = number("dropped");
    assert_eq!(number("flights") + dropped, 500);
    assert!(summary.contains(&format!(": XXX {dropped}\n")));
}

#[test]
fn without_a_flight_that_can_be_flown_there_is_still_a_summary_and_a_picture() {
    let dir = folder();
    fs::write(dir.path().join("airports.csv"), AIRPORTS.replace("ATL", "QQQ").replace("LAX", "RRR")).unwrap();
    let summary = summary_and_picture(dir.path(), &dir.path().join("map.png"), &[]).unwrap();
    assert!(summary.starts_with("flights         0 landed"));
    assert!(summary.contains("dropped         4, for airports that are not in airports.csv: ATL 3 LAX 3 XXX 1\n"));
}

#[test]
fn recorded_flights_need_no_route_counts() {
    let dir = folder();
    fs::remove_file(dir.path().join("flights-airport.csv")).unwrap();
    assert!(summary(dir.path(), &[]).is_ok());
    let complaint = summary(dir.path(), &["--scale", "5"]).unwrap_err();
    assert!(complaint.contains("flights-airport.csv: cannot be read"), "{complaint}");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let dir = folder();
    for (options, complaint) in [
        (&["--scale", "0"][..], "0 is not between 1 and 50000000"),
        (&["--scale", "-3"], "cannot parse argument \"-3\": invalid digit found in string"),
        (&["--scale"], "missing argument for option '--scale'"),
        (&["--days", "3"], "--days needs --scale: the recorded flights have their days"),
        (&["--days", "0", "--scale", "3"], "0 is not between 1 and 36500"),
        (&["--speed"], "invalid option '--speed'"),
        (&["fast"], "unexpected argument \"fast\""),
    ] {
        assert_eq!(summary(dir.path(), options).unwrap_err(), complaint, "{options:?}");
    }
}

#[test]
fn help_is_no_error() {
    for option in ["--help", "-h"] {
        assert!(Args::parse(vec![option.into()]).unwrap().is_none());
    }
}

#[test]
fn the_schedule_is_drawn_in_the_language_that_the_name_of_the_file_asks_for() {
    let (mut schedule, mut world) = (simulation::schedule(), strata_ecs::prelude::World::new());
    let chart = diagram(&mut schedule, &mut world, Path::new("it.mmd")).unwrap();
    assert!(chart.contains("flowchart") && chart.contains("take_off"), "{chart}");
    let graph = diagram(&mut schedule, &mut world, Path::new("it.dot")).unwrap();
    assert!(graph.contains("digraph") && graph.contains("take_off"), "{graph}");
}
