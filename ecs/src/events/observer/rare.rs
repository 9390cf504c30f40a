//! The run conditions and error handling of observers.
//!
//! Tests: tests/observers/errors.rs

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::structure::store::{CommandFailure, Store};
use crate::system::{BoxedSystem, NotDone, NotDoneReason, ParamError, RunScope};
use crate::util::error::{EcsError, ErrorContext, ErrorHandler, Severity};
use crate::util::trace;

/// Reports an error of a run of an observer.
#[cold]
#[inline(never)]
#[expect(clippy::boxed_local, reason = "to take it out is done here, and not where observers are notified")]
pub(super) fn report(not_done: Box<NotDone>, handler: Option<ErrorHandler>, event: &'static str, store: &mut Store) {
    let NotDone { system, reason } = *not_done;
    let failed = FailedObserver { observer: &system, event, handler };
    match reason {
        NotDoneReason::Failed(error) => failed.failed(error, store),
        NotDoneReason::NotRun(error) => failed.not_run(error, store),
    }
}

/// The rarely used parts of an observer.
#[derive(Default)]
pub(super) struct RareOptions {
    pub(super) conditions: Vec<BoxedSystem<(), bool>>,
    pub(super) handler: Option<ErrorHandler>,
    /// Whether the observer observes several entities in one call.
    pub(super) is_batch: bool,
}

impl RareOptions {
    /// Evaluates the run conditions of an observer. If a condition cannot run, it counts as not holding, and is
    /// reported.
    pub(super) fn conditions_hold(&mut self, observer: &str, event: &'static str, store: &mut Store) -> bool {
        // All conditions are evaluated even if one does not hold, so that each sees all changes.
        let mut hold = true;
        for condition in &mut self.conditions {
            let held = condition.run_in((), RunScope::Applied(store));
            hold &= held.unwrap_or_else(|error| {
                let failed = FailedObserver { observer, event, handler: self.handler };
                failed.condition_not_run(condition.name().to_string(), error, store);
                false
            });
        }
        hold
    }
}

/// Identifies an observer that failed.
struct FailedObserver<'o> {
    observer: &'o str,
    event: &'static str,
    handler: Option<ErrorHandler>,
}

impl FailedObserver<'_> {
    /// Handles an error that the system has returned.
    #[cold]
    fn failed(&self, error: EcsError, store: &mut Store) {
        let Some(error) = self.handle(error, ErrorContext::observer(self.observer, self.event), store) else { return };
        match error.severity() {
            Severity::Error | Severity::Panic => self.report(&error.to_string(), store),
            Severity::Warning => trace::warn(&error),
            _ => {}
        }
    }

    /// Handles a parameter that could not be fetched.
    #[cold]
    fn not_run(&self, error: ParamError, store: &mut Store) {
        if error.is_skip() {
            return;
        }
        if let Some(error) = self.handle(error.into(), ErrorContext::observer(self.observer, self.event), store) {
            self.report(&alloc::format!("it could not run: {error}"), store);
        }
    }

    /// Handles a run condition that could not run.
    #[cold]
    fn condition_not_run(&self, condition: String, error: ParamError, store: &mut Store) {
        if error.is_skip() {
            return;
        }
        let text = alloc::format!("run condition `{condition}` could not run: ");
        let context = ErrorContext {
            event: Some(self.event),
            system: Some(self.observer.to_string().into()),
            ..ErrorContext::run_condition(condition)
        };
        if let Some(error) = self.handle(error.into(), context, store) {
            self.report(&(text + &error.to_string()), store);
        }
    }

    /// Passes an error to the handler of the observer, or else to the handler of the world. If neither
    /// exists, returns the error.
    fn handle(&self, error: EcsError, context: ErrorContext, store: &Store) -> Option<EcsError> {
        match self.handler {
            Some(handler) => {
                handler(error, context);
                None
            }
            None => store.commands.errors.handle(error, |_| context),
        }
    }

    #[cold]
    fn report(&self, reason: &str, store: &mut Store) {
        let by = store.structure.entities.caller();
        let failure = CommandFailure::Observer { observer: Arc::from(self.observer), reason: Arc::from(reason) };
        store.commands.errors.report("trigger", self.event, failure, by);
    }
}
