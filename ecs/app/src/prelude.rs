//! The items that most programs need, including the prelude of `strata_ecs`: `use strata_app::prelude::*;`.
//!
//! The macros find the core as [`strata_app::ecs`](crate::ecs), so a program that uses `strata-ecs` only through this prelude need not
//! depend on it.
//!
//! Tests: tests/systems/public_paths.rs

pub use strata_ecs::prelude::*;

pub use crate::app::{App, Plugin, Plugins};
pub use crate::exit::AppExit;
pub use crate::main_schedule::{
    First, FixedFirst, FixedLast, FixedMain, FixedMainScheduleOrder, FixedPostUpdate, FixedPreUpdate, FixedUpdate,
    Last, Main, MainScheduleOrder, PostStartup, PostUpdate, PreStartup, PreUpdate, RunFixedMainLoop,
    RunFixedMainLoopSystems, Startup, Update,
};
pub use crate::minimal_plugins::MinimalPlugins;
pub use crate::plugin_group::{PluginGroup, PluginGroupBuilder};
pub use crate::schedule_runner::{RunMode, ScheduleRunnerPlugin};
pub use crate::state::{
    CommandsStatesExt, ComputedStates, DespawnOnEnter, DespawnOnExit, NextState, OnEnter, OnExit, OnTransition,
    PreviousState, State, StateSet, StateTransition, StateTransitionEvent, States, StatesPlugin, SubStates, in_state,
    state_changed, state_exists,
};
pub use crate::time::{Fixed, Real, Stopwatch, Time, TimePlugin, TimeUpdateStrategy, Timer, TimerMode, Virtual};
