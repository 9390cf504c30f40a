//! A boxed system is a system itself, so it can be boxed again, and passed wherever a system of any kind is expected.
//!
//! Tests: tests/systems/systems.rs, tests/systems/combined.rs

use alloc::sync::Arc;

use super::base::{BoxedSystem, RowScope, RunScope, System, SystemCore, SystemFacts, SystemIn};
use super::input::SystemInput;
use super::memory::StateVisitor;
use super::meta::SystemMeta;
use super::param_error::ParamError;
use crate::structure::store::Store;

/// Each method forwards to the system inside.
impl<I: SystemInput + 'static, Out: 'static> SystemCore for BoxedSystem<I, Out> {
    fn facts(&self) -> SystemFacts<'_> {
        (**self).facts()
    }

    fn meta_mut(&mut self) -> Option<&mut Arc<SystemMeta>> {
        (**self).meta_mut()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        (**self).rows(store)
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        (**self).visit_state(keeper);
    }

    fn prepare(&mut self, store: &mut Store) {
        (**self).prepare(store);
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        (**self).apply_deferred(store);
    }
}

impl<I: SystemInput + 'static, Out: 'static> System for BoxedSystem<I, Out> {
    type In = I;
    type Out = Out;

    fn run_in(&mut self, input: SystemIn<'_, Self>, scope: RunScope<'_, '_>) -> Result<Out, ParamError> {
        (**self).run_in(input, scope)
    }

    fn run_rows(&mut self, scope: RowScope<'_, '_, I>) -> Result<Out, ParamError> {
        (**self).run_rows(scope)
    }
}
