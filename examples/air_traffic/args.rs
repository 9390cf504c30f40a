//! The command line.

use std::path::{Path, PathBuf};

use clap::{Parser, value_parser};

/// Flies real air traffic over the United States, minute by minute, and draws a map of it.
///
/// Without options it flies the 20,000 recorded flights of early 2001 that come with the example.
#[derive(Debug, Parser)]
#[command(name = "air_traffic")]
pub(crate) struct Args {
    /// Read airports.csv, flights-20k.json and flights-airport.csv from DIR, not from the data of the example
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Fly N flights drawn from the route counts, not the recorded ones
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=50_000_000))]
    pub(crate) scale: Option<u32>,

    /// Spread the drawn flights over D days
    #[arg(long, value_name = "D", default_value_t = 1, requires = "scale")]
    #[arg(value_parser = value_parser!(u32).range(1..=36_500))]
    pub(crate) days: u32,

    /// Seed of the draw: the same seed draws the same flights
    #[arg(long, value_name = "S", default_value_t = 2008)]
    pub(crate) seed: u64,

    /// Write the picture to FILE, in PNG format
    #[arg(long, value_name = "FILE", default_value = "air_traffic.png")]
    pub(crate) out: PathBuf,

    /// Write what the schedule looks like to FILE: in the language of Graphviz if its name ends in .dot, and else in that of
    /// Mermaid
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,

    /// Say in the end what each system did and took
    #[arg(long)]
    pub(crate) report: bool,

    /// List the N busiest airports
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) top: usize,

    /// Show no progress bar and no timings
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl Args {
    /// The folder that the three data files are read from.
    pub(crate) fn data_dir(&self) -> &Path {
        let bundled = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
        self.data.as_deref().unwrap_or(Path::new(bundled))
    }
}
