//! Systems with conditions.
//!
//! Tests: tests/systems/params/conditions.rs

use alloc::boxed::Box;

use super::nested;
use super::pair::holds;
use crate::access::Access;
use crate::structure::store::{Store, WorldId};
use crate::system::base::{BoxedSystem, Composite, RunScope, System, SystemCore, SystemFacts};
use crate::system::input::{InputItem, SystemInput};
use crate::system::memory::StateVisitor;
use crate::system::param_error::ParamError;

/// An output type with a value for runs in which the system was skipped.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a system with `run_if` returns `()` or `Result<(), E>`, not `{Self}`",
    label = "there is no such value for a run that is left out"
)]
pub trait Skipped: 'static {
    fn skipped() -> Self;
}

impl Skipped for () {
    fn skipped() -> Self {}
}

impl<E: 'static> Skipped for Result<(), E> {
    fn skipped() -> Self {
        Ok(())
    }
}

/// A system that runs only if all conditions hold. All conditions are evaluated in each run, even if one does not hold, so that
/// each sees every run.
struct OnlyIf<I: SystemInput, Out> {
    conditions: Box<[BoxedSystem<(), bool>]>,
    system: BoxedSystem<I, Out>,
    /// The number of levels of systems that are nested in this system.
    nesting: u32,
    /// The access of the system and of all conditions.
    access: Access,
    /// The world for which the system and all conditions are prepared.
    world: Option<WorldId>,
    /// Whether all conditions held in the last run, so that the system ran.
    ran: bool,
    /// The index of the first condition that did not hold in the last run.
    unmet: Option<usize>,
    /// Returns the output for a run in which the system was skipped.
    skipped: fn() -> Out,
}

impl<I: SystemInput + 'static, Out: 'static> OnlyIf<I, Out> {
    fn unite(&self) -> Access {
        self.conditions.iter().fold(self.system.access().clone(), |all, condition| all.union(condition.access()))
    }
}

impl<I: SystemInput + 'static, Out: 'static> SystemCore for OnlyIf<I, Out> {
    fn facts(&self) -> SystemFacts<'_> {
        let facts = self.system.facts();
        SystemFacts {
            access: &self.access,
            ticks: self.conditions.iter().map(|condition| condition.facts().ticks).sum::<u32>() + facts.ticks,
            nesting: self.nesting,
            conditions: &self.conditions,
            unmet_condition: self.unmet,
            row_facts: None,
            ..facts
        }
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        if keeper.resets() {
            self.world = None;
        }
        self.conditions.iter_mut().for_each(|condition| condition.visit_state(keeper));
        self.system.visit_state(keeper);
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if self.world != Some(world) {
            // `world` is reset first: if a condition or the system panics, the whole counts as prepared for no world.
            self.world = None;
            for condition in &mut self.conditions {
                condition.prepare(store);
                assert!(
                    condition.access().is_read_only(),
                    "condition `{}` can change the world: a condition may only read",
                    condition.name()
                );
            }
            self.system.prepare(store);
            self.access = self.unite();
            self.world = Some(world);
        }
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        // Commands that were recorded in an interrupted run are discarded.
        if core::mem::take(&mut self.ran) {
            self.system.apply_deferred(store);
        }
    }
}

impl<I: SystemInput + 'static, Out: 'static> System for OnlyIf<I, Out> {
    type In = I;
    type Out = Out;

    fn run_in(&mut self, input: InputItem<'_, I>, scope: RunScope<'_, '_>) -> Result<Out, ParamError> {
        self.run_composite(input, scope)
    }
}

impl<I: SystemInput + 'static, Out: 'static> Composite for OnlyIf<I, Out> {
    fn world(&mut self) -> &mut Option<WorldId> {
        &mut self.world
    }

    /// Evaluates the conditions, and runs the system if all of them hold.
    fn run_members(&mut self, input: InputItem<'_, I>, scope: &mut RunScope<'_, '_>) -> Result<Out, ParamError> {
        (self.ran, self.unmet) = (false, None);
        let mut ticks = 0;
        for (number, condition) in self.conditions.iter_mut().enumerate() {
            if !holds(scope.run(&mut **condition, ticks, ()))? {
                self.unmet.get_or_insert(number);
            }
            ticks += condition.facts().ticks;
        }
        if self.unmet.is_some() {
            return Ok((self.skipped)());
        }
        self.ran = true;
        scope.run(&mut *self.system, ticks, input)
    }
}

pub(crate) fn only_if<I: SystemInput + 'static, Out: 'static>(
    conditions: Box<[BoxedSystem<(), bool>]>,
    system: BoxedSystem<I, Out>,
    skipped: fn() -> Out,
) -> BoxedSystem<I, Out> {
    let inside = conditions.iter().map(|condition| condition.facts().nesting).fold(system.facts().nesting, u32::max);
    let (nesting, access) = (nested(inside), Access::default());
    let mut all = OnlyIf { conditions, system, nesting, access, world: None, ran: false, unmet: None, skipped };
    all.access = all.unite();
    Box::new(all)
}
