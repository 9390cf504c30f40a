//! A state has no name beside that of its type: what the attribute can say is where `strata-app` is found.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
#[states(name = "level")]
struct Level(u32);

fn main() {
    App::new().insert_state(Level(1));
}
