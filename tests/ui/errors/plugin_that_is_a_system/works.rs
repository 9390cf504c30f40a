use strata_app::prelude::*;

fn step(_: Res<Time>) {}

fn stepping(app: &mut App) {
    app.add_systems(Update, step);
}

fn main() {
    App::new().add_plugins((MinimalPlugins, stepping)).update();
}
