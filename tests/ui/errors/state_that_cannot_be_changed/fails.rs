//! The next state that a program sets is of a type with `#[derive(States)]` or `#[derive(SubStates)]`. A computed state
//! follows from others: change one of those.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct InGame;

impl ComputedStates for InGame {
    type SourceStates = Screen;

    fn compute(screen: Screen) -> Option<Self> {
        (screen == Screen::Game).then_some(InGame)
    }
}

fn main() {
    App::new().insert_state(InGame);
}
