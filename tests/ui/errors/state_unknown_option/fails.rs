//! A state has no name other than the name of its type: the attribute can only set where `strata-app` is found.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
#[states(name = "level")]
struct Level(u32);

fn main() {
    App::new().insert_state(Level(1));
}
