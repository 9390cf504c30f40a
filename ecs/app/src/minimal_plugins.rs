//! The plugins of a program without a window.
//!
//! Tests: ecs/app/tests/setup.rs

use crate::plugin_group::{PluginGroup, PluginGroupBuilder};
use crate::schedule_runner::ScheduleRunnerPlugin;
use crate::time::TimePlugin;

/// The plugins for a program without a window: a [`TimePlugin`], and a [`ScheduleRunnerPlugin`] that runs the frames.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
/// # fn stop(mut exit: MessageWriter<AppExit>) { exit.write(AppExit::Success); }
///
/// let plugins = MinimalPlugins.set(ScheduleRunnerPlugin::run_loop(Duration::from_millis(10)));
/// App::new().add_plugins(plugins).add_systems(Update, stop).run();
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct MinimalPlugins;

impl PluginGroup for MinimalPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>().add(TimePlugin).add(ScheduleRunnerPlugin::default())
    }
}
