use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
}

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(Screen = Screen::Game)]
struct Paused(bool);

fn main() {
    App::new().insert_state(Screen::Game).add_sub_state::<Paused>().update();
}
