// What the derives of states refuse.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[states(crate = "strata_app")]
struct InQuotes;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
struct Borrowed<'a>(&'a str);

#[derive(States, Clone, PartialEq, Eq, Debug)]
struct NotHashed;

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
struct WithoutSource;

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(InQuotes)]
struct WithoutValue;

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(WithoutSource = WithoutSource)]
#[source(InQuotes = InQuotes)]
struct WithTwo;

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug)]
#[source(InQuotes = InQuotes)]
struct WithoutDefault;

fn main() {
    // No further errors.
    App::new().add_sub_state::<WithoutSource>().add_sub_state::<WithoutValue>().add_sub_state::<WithTwo>();
}
