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
#[source((Screen, Online) = (Screen::Game, Online(true)))]
struct Chat;

fn main() {
    let mut app = App::new();
    app.insert_state(Screen::Game).insert_state(Online(true)).add_sub_state::<Chat>().update();
    assert!(app.world().contains_resource::<State<Chat>>());
}
