use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
struct Level {
    number: u32,
}

fn main() {
    App::new().insert_state(Level { number: 1 }).update();
}
