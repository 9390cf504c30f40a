//! Errors of systems, commands and observers, and the functions that handle them.
//!
//! A system, a command or an observer fails by returning an `Err`, which becomes an [`EcsError`]. If a world has an [`ErrorHandler`]
//! ([`World::set_error_handler`](crate::world::World::set_error_handler)), it passes the error to the handler, together with an
//! [`ErrorContext`] that describes what failed. This module has handlers that log the error ([`error`], [`warn`], [`info`], [`debug`],
//! [`trace`]), that panic ([`panic()`]), that ignore the error ([`ignore`]), and that choose one of these by the severity of the error
//! ([`match_severity`]).
//!
//! Without an error handler, a schedule returns the error of a system from
//! [`Schedule::try_run`](crate::schedule::Schedule::try_run), and [`OnCommandError`] defines how the errors of commands
//! and observers are treated.
// Tests: tests/systems/error_handler.rs, tests/systems/errors.rs

mod ecs_error;
mod handlers;

pub use self::ecs_error::{BoxError, ContextExt, EcsError, ResultSeverityExt, Severity};
pub(crate) use self::ecs_error::{severity_of, without_severity};
pub use self::handlers::{ErrorContext, ErrorHandler, debug, error, ignore, info, match_severity, panic, trace, warn};
pub use crate::reexports::error::*;
