use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
struct Level(u32);

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(Level = Level(3..))]
struct Advanced;

fn main() {
    let mut app = App::new();
    app.insert_state(Level(5)).add_sub_state::<Advanced>().update();
    assert!(app.world().contains_resource::<State<Advanced>>());
}
