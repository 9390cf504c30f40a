//! A sub-state that depends on two states has one attribute with a tuple of both.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
}

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
struct Online(bool);

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(Screen = Screen::Game)]
#[source(Online = Online(true))]
struct Chat;

fn main() {
    App::new().insert_state(Screen::Game).insert_state(Online(true)).add_sub_state::<Chat>();
}
