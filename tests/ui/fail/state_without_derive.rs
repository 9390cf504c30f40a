// A state, a computed state and a sub-state are types that say so.
use strata_app::prelude::*;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Screen;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Free;

fn main() {
    let mut app = App::new();
    app.init_state::<Screen>();
    app.add_systems(OnEnter(Screen), || {});
    let _ = in_state(Screen);
    app.add_computed_state::<Free>();
    app.add_sub_state::<Free>();
}
