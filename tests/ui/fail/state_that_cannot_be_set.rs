// A computed state follows from others, which are states.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Free;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Computed;

impl ComputedStates for Computed {
    type SourceStates = Free;

    fn compute(_: Free) -> Option<Self> {
        None
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct OfANumber;

impl ComputedStates for OfANumber {
    type SourceStates = (Free, u32);

    fn compute(_: Self::SourceStates) -> Option<Self> {
        None
    }
}

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(u32 = 3)]
struct OfThree;

fn set(_: ResMut<NextState<Computed>>) {}

fn main() {
    App::new().insert_state(Computed);
}
