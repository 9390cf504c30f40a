//! The derive writes when the sub-state exists, so the attribute has to define it.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
}

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Paused(bool);

fn main() {
    App::new().insert_state(Screen::Game).add_sub_state::<Paused>();
}
