// Plugins are types that say so, and functions of an `App`.
use strata_app::prelude::*;

struct Physics;

fn step(_: Res<Time>) {}

fn main() {
    App::new().add_plugins(Physics);
    App::new().add_plugins((MinimalPlugins, step));
    let _ = MinimalPlugins.build().add(Physics);
}
