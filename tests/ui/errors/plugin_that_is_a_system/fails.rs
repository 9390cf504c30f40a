//! `add_plugins` takes plugins, groups of plugins, and tuples of both. A function is a plugin if its only parameter is
//! `&mut App`; a system belongs into a schedule.
use strata_app::prelude::*;

fn step(_: Res<Time>) {}

fn main() {
    App::new().add_plugins((MinimalPlugins, step));
}
