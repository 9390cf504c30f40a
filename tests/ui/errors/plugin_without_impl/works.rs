use strata_app::prelude::*;

struct Physics;

impl Plugin for Physics {
    fn build(&self, app: &mut App) {
        app.insert_resource(Time::<Fixed>::from_hz(120.0));
    }
}

fn main() {
    let mut app = App::new();
    app.add_plugins(MinimalPlugins.build().add(Physics));
    assert!(app.is_plugin_added::<Physics>());
}
