// What the derives of states need.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[states(crate = "strata_app")]
struct InQuotes;

#[derive(States, Clone, PartialEq, Eq, Debug)]
struct NotHashed;

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug)]
#[source(InQuotes = InQuotes)]
struct WithoutDefault;

fn main() {}
