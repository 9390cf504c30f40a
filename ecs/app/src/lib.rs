#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod form;
mod exit;
mod app;
mod main_schedule;
mod plugin_group;
mod schedule_runner;
pub mod state;
pub mod time;
mod frame;
mod minimal_plugins;
pub mod prelude;

#[cfg(doc)]
#[doc = include_str!("guide/how_to.md")]
pub mod how_to {}

/// The core: `strata_app::ecs::query` is `strata_ecs::query`.
pub use strata_ecs as ecs;

pub use self::app::{App, Plugin, Plugins};
pub use self::exit::AppExit;
pub use self::frame::MainSchedulePlugin;
pub use self::main_schedule::{
    First, FixedFirst, FixedLast, FixedMain, FixedMainScheduleOrder, FixedPostUpdate, FixedPreUpdate, FixedUpdate,
    Last, Main, MainScheduleOrder, PostStartup, PostUpdate, PreStartup, PreUpdate, RunFixedMainLoop,
    RunFixedMainLoopSystems, Startup, Update,
};
pub use self::minimal_plugins::MinimalPlugins;
pub use self::plugin_group::{PluginGroup, PluginGroupBuilder};
pub use self::schedule_runner::{RunMode, ScheduleRunnerPlugin};

/// The items that the output of the macros refers to. Not part of the public API.
#[doc(hidden)]
pub mod __private {
    pub use std::clone::Clone;
    pub use std::cmp::Eq;
    pub use std::default::Default;
    pub use std::fmt::Debug;
    pub use std::hash::Hash;
    pub use std::marker::{Send, Sync};
    pub use std::option::Option::{self, None, Some};
    pub use std::primitive::usize;

    pub use crate::form::{Field, FieldForm, StateForm, Unwritten, read_word, write_word};
    pub use crate::state::{FreelyMutableState, NoSource, StateSet, States, SubStates};

    /// Returns the depth of a sub-state. This is a separate function, so that if a source is not a state, rustc only reports the missing
    /// implementation.
    pub const fn sub_state_depth<S: SubStates>() -> usize {
        S::SourceStates::SET_DEPENDENCY_DEPTH + 1
    }
}
