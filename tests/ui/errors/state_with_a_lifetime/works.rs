use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
struct Level(String);

fn main() {
    App::new().insert_state(Level("cellar".to_owned())).update();
}
