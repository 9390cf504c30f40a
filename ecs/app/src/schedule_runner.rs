//! The runner of programs without a window.
//!
//! Tests: ecs/app/tests/apps.rs

use std::thread;
use std::time::{Duration, Instant};

use crate::app::{App, Plugin, run_once};
use crate::exit::AppExit;

/// How often a [`ScheduleRunnerPlugin`] runs the frames of an `App`.
///
/// ```
/// use strata_app::{RunMode, ScheduleRunnerPlugin};
/// assert_eq!(ScheduleRunnerPlugin::default().run_mode, RunMode::Loop { wait: None });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunMode {
    /// Runs frames until an [`AppExit`] is written.
    Loop {
        /// The minimum time from the beginning of a frame to the beginning of the next one. If a frame is shorter, the thread sleeps.
        wait: Option<Duration>,
    },
    /// Runs one frame.
    Once,
}

impl Default for RunMode {
    fn default() -> Self {
        Self::Loop { wait: None }
    }
}

/// Makes [`App::run`] run frames until an [`AppExit`] is written: for servers, tools and tests.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
///
/// fn stop(mut frames: Local<u32>, mut exit: MessageWriter<AppExit>) {
///     *frames += 1;
///     if *frames == 3 {
///         exit.write(AppExit::Success);
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins(ScheduleRunnerPlugin::run_loop(Duration::from_millis(1))).add_systems(Update, stop);
/// assert_eq!(app.run(), AppExit::Success);
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct ScheduleRunnerPlugin {
    /// The run mode.
    pub run_mode: RunMode,
}

impl ScheduleRunnerPlugin {
    /// Creates a plugin that runs one frame.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// let code = App::new().add_plugins(ScheduleRunnerPlugin::run_once()).run();
    /// assert!(code.is_success());
    /// ```
    #[must_use]
    pub const fn run_once() -> Self {
        Self { run_mode: RunMode::Once }
    }

    /// Creates a plugin that runs frames until an [`AppExit`] is written. The next frame begins when `wait` has passed since the beginning
    /// of the last one, or immediately if the frame took longer.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let sixty_hertz = ScheduleRunnerPlugin::run_loop(Duration::from_secs_f64(1.0 / 60.0));
    /// # App::new().add_plugins(sixty_hertz);
    /// ```
    #[must_use]
    pub const fn run_loop(wait: Duration) -> Self {
        Self { run_mode: RunMode::Loop { wait: Some(wait) } }
    }
}

impl Plugin for ScheduleRunnerPlugin {
    fn build(&self, app: &mut App) {
        match self.run_mode {
            RunMode::Once => app.set_runner(run_once),
            RunMode::Loop { wait } => app.set_runner(move |app| run_loop(app, wait)),
        };
    }
}

/// Runs frames until the program should exit.
fn run_loop(mut app: App, wait: Option<Duration>) -> AppExit {
    loop {
        let began = Instant::now();
        app.update();
        if let Some(exit) = app.should_exit() {
            return exit;
        }
        if let Some(left) = wait.and_then(|wait| wait.checked_sub(began.elapsed())) {
            thread::sleep(left);
        }
    }
}
