use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
}

fn main() {
    App::new().init_state::<Screen>();
    let _ = Screen::Game;
}
