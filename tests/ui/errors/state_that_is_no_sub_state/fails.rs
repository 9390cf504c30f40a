//! A sub-state says in which values of another state it exists, and how it begins.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
}

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Paused(bool);

fn main() {
    App::new().insert_state(Screen::Game).add_sub_state::<Paused>();
}
