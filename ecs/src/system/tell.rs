//! Systems that are told of events.

use super::base::{BoxedSystem, ParamError, System, ToldRows};
use super::error::EcsError;
use super::input::{Given, SystemInput};
use crate::store::Store;

/// What became of a run of such a system.
pub(super) type Outcome = Result<Result<(), EcsError>, ParamError>;

/// A system that is told of events. If the type of its function is known, that is called without a detour.
#[doc(hidden)]
pub trait TellSystem<I: SystemInput + 'static>: Send + Sync + 'static {
    /// The system.
    fn system(&self) -> &(dyn System<In = I, Out = Result<(), EcsError>> + 'static);

    /// The system.
    fn system_mut(&mut self) -> &mut (dyn System<In = I, Out = Result<(), EcsError>> + 'static);

    /// As [`System::run_told`].
    fn tell(&mut self, input: Given<'_, I>, store: &mut Store) -> Outcome;

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
        (**self).run_told(input, store)
    }

    #[inline]
    fn tell_rows(&mut self, rows: &mut ToldRows<'_, I>, store: &mut Store) -> Option<Outcome> {
        (**self).run_told_rows(rows, store)
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
