//! Systems that observe events.
//!
//! Tests: ecs/src/world/tests/told_systems.rs

use alloc::boxed::Box;
use alloc::string::String;

use super::base::{BoxedSystem, RunScope, System};
use super::input::{InputItem, SystemInput};
use super::param_error::ParamError;
use crate::structure::store::Store;
use crate::system::commands::defer_world_commands;
use crate::util::error::EcsError;

/// The result of a run of an observing system. It is one pointer, so that a successful run leaves nothing in memory that has to be
/// read.
pub type Outcome = Result<(), Box<NotDone>>;

/// The error of a run of an observing system.
#[doc(hidden)]
#[derive(Debug)]
pub struct NotDone {
    /// The name of the system.
    pub(crate) system: String,
    pub(crate) reason: NotDoneReason,
}

/// Why a run failed.
#[doc(hidden)]
#[derive(Debug)]
pub enum NotDoneReason {
    /// The system has returned an error.
    Failed(EcsError),
    /// A parameter could not be fetched.
    NotRun(ParamError),
}

/// Converts the result of a run into an outcome, which holds the name of the system if the run failed.
#[inline(always)]
pub(crate) fn outcome<'n>(ran: Result<Result<(), EcsError>, ParamError>, name: impl FnOnce() -> &'n str) -> Outcome {
    match ran {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => not_done(NotDoneReason::Failed(error), name()),
        Err(error) => not_done(NotDoneReason::NotRun(error), name()),
    }
}

#[cold]
#[inline(never)]
fn not_done(reason: NotDoneReason, name: &str) -> Outcome {
    Err(Box::new(NotDone { system: String::from(name), reason }))
}

/// A system that observes events. If the type of its function is known, `notify` calls the function directly.
#[doc(hidden)]
pub trait NotifySystem: System<In: 'static, Out = Result<(), EcsError>> {
    /// Runs the system with an event, and applies its commands. Prepares the system for the store if necessary. No ids are reserved
    /// at the start of the call.
    fn notify(&mut self, input: InputItem<'_, Self::In>, store: &mut Store) -> Outcome;
}

impl<I: SystemInput + 'static> NotifySystem for BoxedSystem<I, Result<(), EcsError>> {
    #[inline]
    fn notify(&mut self, input: InputItem<'_, I>, store: &mut Store) -> Outcome {
        notify_and_apply(&mut **self, input, store)
    }
}

/// Runs a system that has to be prepared, or that records commands.
#[inline(never)]
pub(super) fn notify_and_apply<S>(system: &mut S, input: InputItem<'_, S::In>, store: &mut Store) -> Outcome
where
    S: System<Out = Result<(), EcsError>> + ?Sized,
{
    let out = system.run_in(input, RunScope::Applied(store));
    defer_world_commands(store);
    outcome(out, || system.name())
}

/// A generic function that takes an observing system of any type.
#[doc(hidden)]
pub trait WithNotifySystem<I: SystemInput + 'static> {
    /// The result of the function.
    type Out;

    /// Calls the function.
    fn with(self, system: impl NotifySystem<In = I>) -> Self::Out;
}
