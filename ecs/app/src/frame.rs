//! Runs the schedules of a frame.
//!
//! Tests: ecs/app/tests/apps.rs

use strata_ecs::label::InternedScheduleLabel;
use strata_ecs::schedule::{IntoScheduleConfigs as _, Schedule, ScheduleLabel as _, SingleThreadedExecutor};
use strata_ecs::system::{Local, Result};
use strata_ecs::world::{Schedules, TryRunScheduleError, World};

use crate::app::{App, Plugin};
use crate::exit::AppExit;
use crate::main_schedule::{
    FixedMain, FixedMainScheduleOrder, HasStarted, Main, MainScheduleOrder, RunFixedMainLoop, RunFixedMainLoopSystems,
};
use crate::state::schedules_of_absent_states;

/// Runs schedules in order. Schedules that do not exist are skipped.
fn run_all(world: &mut World, labels: Vec<InternedScheduleLabel>) -> Result {
    for label in labels {
        match world.try_run_schedule(label) {
            Err(TryRunScheduleError::NotFound(_)) => {}
            result => result?,
        }
    }
    Ok(())
}

/// Runs the schedules of a frame. `checked` is the number of schedules of the world when schedules that never run were last searched.
fn run_main(world: &mut World, mut checked: Local<'_, usize>) -> Result {
    if !world.resource::<HasStarted>().0 {
        world.insert_resource(HasStarted(true));
        let startup = world.resource::<MainScheduleOrder>().startup_labels.clone();
        run_all(world, startup)?;
    }
    let labels = world.resource::<MainScheduleOrder>().labels.clone();
    run_all(world, labels)?;
    let schedules = world.get_resource::<Schedules>().map_or(0, |schedules| schedules.iter().count());
    if schedules != *checked {
        *checked = schedules;
        warn_of_idle_schedules(world);
    }
    Ok(())
}

/// Reports schedules that have systems but never run, because a part of the program is missing.
fn warn_of_idle_schedules(world: &World) {
    for text in schedules_of_absent_states(world) {
        world.warn_once(&text);
    }
    let (Some(schedules), Some(fixed)) =
        (world.get_resource::<Schedules>(), world.get_resource::<FixedMainScheduleOrder>())
    else {
        return;
    };
    let has_systems = |label| schedules.get(label).is_some_and(|schedule| schedule.systems_len() > 0);
    // The program may have its own implementation of fixed steps.
    if has_systems(RunFixedMainLoop.intern()) {
        return;
    }
    for label in fixed.labels.iter().copied().filter(|label| has_systems(*label)) {
        world.warn_once(&format!("schedule `{label:?}` never runs: add `TimePlugin` to the `App`"));
    }
}

/// Runs the schedules of a fixed step.
fn run_fixed_main(world: &mut World) -> Result {
    let labels = world.resource::<FixedMainScheduleOrder>().labels.clone();
    run_all(world, labels)
}

/// Adds the schedules of a frame and their order. [`App::new`] includes it.
#[derive(Clone, Copy, Default, Debug)]
pub struct MainSchedulePlugin;

impl Plugin for MainSchedulePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<MainScheduleOrder>()
            .init_resource::<FixedMainScheduleOrder>()
            .init_resource::<HasStarted>();
        let mut schedules = app.world_mut().get_resource_or_init::<Schedules>();
        let mut insert = |mut schedule: Schedule| {
            schedule.set_executor(SingleThreadedExecutor::new());
            schedules.insert(schedule);
        };
        let mut main = Schedule::new(Main);
        main.add_systems(run_main);
        insert(main);
        let mut fixed = Schedule::new(FixedMain);
        fixed.add_systems(run_fixed_main);
        insert(fixed);
        let mut fixed_loop = Schedule::new(RunFixedMainLoop);
        fixed_loop.configure_sets(
            (
                RunFixedMainLoopSystems::BeforeFixedMainLoop,
                RunFixedMainLoopSystems::FixedMainLoop,
                RunFixedMainLoopSystems::AfterFixedMainLoop,
            )
                .chain(),
        );
        insert(fixed_loop);
    }
}

impl App {
    /// Creates a program with the schedules of [`Main`] and the message [`AppExit`], and nothing else.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// let mut app = App::new();
    /// app.update();
    /// assert_eq!(app.world().frame_number(), 1);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let mut app = Self::empty();
        app.update_schedule = Some(Main.intern());
        app.add_plugins(MainSchedulePlugin).add_message::<AppExit>();
        app
    }
}
