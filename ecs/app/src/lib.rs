#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod app;
mod exit;
mod main_schedule;
mod plugin;
mod plugin_group;
mod schedule_runner;

pub mod prelude;
pub mod time;

pub use self::app::App;
pub use self::exit::AppExit;
pub use self::main_schedule::{
    First, FixedFirst, FixedLast, FixedMain, FixedMainScheduleOrder, FixedPostUpdate, FixedPreUpdate, FixedUpdate,
    Last, Main, MainScheduleOrder, MainSchedulePlugin, PostStartup, PostUpdate, PreStartup, PreUpdate,
    RunFixedMainLoop, RunFixedMainLoopSystems, Startup, Update,
};
pub use self::plugin::{Plugin, Plugins};
pub use self::plugin_group::{MinimalPlugins, PluginGroup, PluginGroupBuilder};
pub use self::schedule_runner::{RunMode, ScheduleRunnerPlugin};
