//! Systems that are told of events.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::base::{BoxedSystem, ParamError, System, SystemMeta, ToldRows};
use super::input::{Given, SystemInput};
use crate::error::EcsError;
use crate::store::Store;

/// What became of a run of such a system. It is one pointer, so that a run that went well leaves nothing in memory to be looked at.
pub type Outcome = Result<(), Box<NotDone>>;

/// Why a run of such a system did not go well.
#[doc(hidden)]
#[derive(Debug)]
pub enum NotDone {
    /// It has returned an error.
    Failed(EcsError),
    /// A parameter could not be fetched.
    NotRun(ParamError),
}

/// What became of a run.
#[inline(always)]
pub(crate) fn outcome(ran: Result<Result<(), EcsError>, ParamError>) -> Outcome {
    match ran {
        Ok(Ok(())) => Ok(()),
        ran => not_done(ran),
    }
}

#[cold]
#[inline(never)]
fn not_done(ran: Result<Result<(), EcsError>, ParamError>) -> Outcome {
    Err(Box::new(match ran {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => NotDone::Failed(error),
        Err(error) => NotDone::NotRun(error),
    }))
}

/// A system that is told of events. If the type of its function is known, that is called without a detour.
#[doc(hidden)]
pub trait TellSystem<I: SystemInput + 'static>: Send + Sync + 'static {
    /// The system.
    fn system(&self) -> &(dyn System<In = I, Out = Result<(), EcsError>> + 'static);

    /// The system.
    fn system_mut(&mut self) -> &mut (dyn System<In = I, Out = Result<(), EcsError>> + 'static);

    /// Has it know by the same memory what another system knows of itself, if that is the same. Returns that of this one, if it is a single
    /// function.
    fn share_meta(&mut self, other: Option<&Arc<SystemMeta>>) -> Option<Arc<SystemMeta>> {
        let _ = other;
        None
    }

    /// As [`System::run_told`].
    fn tell(&mut self, input: Given<'_, I>, store: &mut Store) -> Outcome;

    /// The same if nothing has to be done before or behind it. Otherwise nothing has happened, and it returns none.
    #[inline(always)]
    fn tell_lightly(&mut self, input: Given<'_, I>, store: &mut Store) -> Option<Outcome> {
        let _ = (input, store);
        None
    }

    /// As [`System::run_told_rows`].
    fn tell_rows(&mut self, rows: &mut ToldRows<'_, I>, store: &mut Store) -> Option<Outcome>;
}

impl<I: SystemInput + 'static> TellSystem<I> for BoxedSystem<I, Result<(), EcsError>> {
    fn system(&self) -> &(dyn System<In = I, Out = Result<(), EcsError>> + 'static) {
        &**self
    }

    fn system_mut(&mut self) -> &mut (dyn System<In = I, Out = Result<(), EcsError>> + 'static) {
        &mut **self
    }

    #[inline]
    fn tell(&mut self, input: Given<'_, I>, store: &mut Store) -> Outcome {
        outcome((**self).run_told(input, store))
    }

    #[inline]
    fn tell_rows(&mut self, rows: &mut ToldRows<'_, I>, store: &mut Store) -> Option<Outcome> {
        (**self).run_told_rows(rows, store).map(outcome)
    }
}

/// Does something with a system that is told of events, of whatever type.
#[doc(hidden)]
pub trait WithTellSystem<I: SystemInput + 'static> {
    /// What comes of it.
    type Out;

    /// Does it.
    fn with(self, system: impl TellSystem<I>) -> Self::Out;
}
