use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
struct Level(u32);

fn main() {
    App::new().insert_state(Level(1)).update();
}
