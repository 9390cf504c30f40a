//! A state is kept by the world, and as the label of its schedules for as long as the program runs.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
struct Level<'a>(&'a str);

fn main() {}
