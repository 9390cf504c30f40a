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
    let mut app = App::new();
    app.insert_state(Screen::Game).add_computed_state::<InGame>().update();
    assert!(app.world().contains_resource::<State<InGame>>());
}
