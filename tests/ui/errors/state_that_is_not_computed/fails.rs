//! A computed state says by `ComputedStates` how it follows from others. One that the program sets is added by `init_state`
//! or `insert_state`.
use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
}

fn main() {
    App::new().add_computed_state::<Screen>();
}
