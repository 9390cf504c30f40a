//! The message that ends a program.
//!
//! Tests: ecs/app/tests/apps.rs

use std::num::NonZeroU8;
use std::process::{ExitCode, Termination};

use strata_ecs::message::Message;

/// Ends the program after the frame in which it is written, with this exit code.
///
/// The message belongs to the process: snapshots and saved worlds do not contain it. So loading a world that was saved when a program ended
/// does not end the loading program.
///
/// A runner calls [`App::should_exit`](crate::App::should_exit) after each frame. `main` can return an `AppExit` as the
/// exit code of the process.
///
/// ```
/// use strata_app::prelude::*;
///
/// fn give_up(mut exit: MessageWriter<AppExit>) {
///     exit.write(AppExit::from_code(3));
/// }
///
/// let code = App::new().add_plugins(ScheduleRunnerPlugin::default()).add_systems(Update, give_up).run();
/// assert_eq!(code, AppExit::from_code(3));
/// ```
#[derive(Message, Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[message(transient)]
pub enum AppExit {
    /// The program succeeded: code 0.
    #[default]
    Success,
    /// The program failed, with this code.
    Error(NonZeroU8),
}

impl AppExit {
    /// Creates a failure with code 1.
    ///
    /// ```
    /// use strata_app::AppExit;
    /// assert_eq!(AppExit::error(), AppExit::from_code(1));
    /// ```
    #[must_use]
    pub const fn error() -> Self {
        Self::Error(NonZeroU8::MIN)
    }

    /// Converts an exit code: 0 is [`Success`](AppExit::Success).
    ///
    /// ```
    /// use strata_app::AppExit;
    /// assert!(AppExit::from_code(0).is_success());
    /// assert!(AppExit::from_code(7).is_error());
    /// ```
    #[must_use]
    pub const fn from_code(code: u8) -> Self {
        match NonZeroU8::new(code) {
            Some(code) => Self::Error(code),
            None => Self::Success,
        }
    }

    /// Returns whether the exit is [`Success`](AppExit::Success).
    ///
    /// ```
    /// use strata_app::AppExit;
    /// assert!(AppExit::Success.is_success());
    /// ```
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Success)
    }

    /// Returns whether the exit is an [`Error`](AppExit::Error).
    ///
    /// ```
    /// use strata_app::AppExit;
    /// assert!(AppExit::error().is_error());
    /// ```
    #[must_use]
    pub const fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }
}

impl From<u8> for AppExit {
    fn from(code: u8) -> Self {
        Self::from_code(code)
    }
}

impl Termination for AppExit {
    fn report(self) -> ExitCode {
        match self {
            Self::Success => ExitCode::SUCCESS,
            Self::Error(code) => ExitCode::from(code.get()),
        }
    }
}
