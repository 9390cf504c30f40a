//! The command line.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use lexopt::ValueExt;
use lexopt::prelude::{Long, Short};

/// What `--help` prints.
pub(crate) const HELP: &str = "\
Flies real air traffic over the United States, minute by minute, and draws a map of it.

Without options it flies the 20,000 recorded flights of early 2001 that come with the example.

  --data DIR    read airports.csv, flights-20k.json and flights-airport.csv from DIR
  --scale N     fly N flights drawn from the route counts, not the recorded ones
  --days D      spread the drawn flights over D days [1]
  --seed S      seed of the draw: the same seed draws the same flights [2008]
  --out FILE    write the map to FILE, in PNG format [air_traffic.png]
  --graph FILE  write a diagram of the schedule to FILE: for Graphviz if the name ends in .dot, else for Mermaid
  --report      say in the end what each system did and how long it took
  --top N       list the N busiest airports [15]
  --quiet, -q   print the summary only
  --help, -h    print this
";

/// The parsed options.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) data: Option<PathBuf>,
    pub(crate) scale: Option<u32>,
    pub(crate) days: u32,
    pub(crate) seed: u64,
    pub(crate) out: PathBuf,
    pub(crate) graph: Option<PathBuf>,
    pub(crate) report: bool,
    pub(crate) top: usize,
    pub(crate) quiet: bool,
}

impl Args {
    /// Reads options, without the name of the program before them. Returns `None` if they ask for help.
    pub(crate) fn parse(options: Vec<OsString>) -> Result<Option<Self>, lexopt::Error> {
        let mut args = Args {
            data: None,
            scale: None,
            days: 1,
            seed: 2008,
            out: "air_traffic.png".into(),
            graph: None,
            report: false,
            top: 15,
            quiet: false,
        };
        let mut days = None;
        let mut options = lexopt::Parser::from_args(options);
        while let Some(option) = options.next()? {
            match option {
                Long("data") => args.data = Some(options.value()?.into()),
                Long("scale") => args.scale = Some(number(options.value()?, 1..=50_000_000)?),
                Long("days") => days = Some(number(options.value()?, 1..=36_500)?),
                Long("seed") => args.seed = options.value()?.parse()?,
                Long("out") => args.out = options.value()?.into(),
                Long("graph") => args.graph = Some(options.value()?.into()),
                Long("report") => args.report = true,
                Long("top") => args.top = options.value()?.parse()?,
                Long("quiet") | Short('q') => args.quiet = true,
                Long("help") | Short('h') => return Ok(None),
                _ => return Err(option.unexpected()),
            }
        }
        if days.is_some() && args.scale.is_none() {
            return Err("--days needs --scale: the recorded flights have their days".into());
        }
        args.days = days.unwrap_or(args.days);
        Ok(Some(args))
    }

    /// The folder that the three data files are read from.
    pub(crate) fn data_dir(&self) -> &Path {
        let bundled = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
        self.data.as_deref().unwrap_or(Path::new(bundled))
    }
}

fn number(value: OsString, range: RangeInclusive<u32>) -> Result<u32, lexopt::Error> {
    let number = value.parse()?;
    if range.contains(&number) {
        return Ok(number);
    }
    Err(format!("{number} is not between {} and {}", range.start(), range.end()).into())
}
