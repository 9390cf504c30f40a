//! Systems with conditions.

use alloc::boxed::Box;
use core::any::TypeId;

use super::nested;
use super::pair::holds;
use crate::access::Access;
use crate::cell::StoreCell;
use crate::store::{Store, WorldId};
use crate::system::base::{BoxedSystem, ParamError, Seal, System};
use crate::system::input::{Given, SystemInput};
use crate::system::memory::Keeper;

/// What stands for the output of a system that was not run.
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

/// A system that is run only if all conditions hold. All are asked, whatever the others say, so that each sees every run.
struct OnlyIf<I: SystemInput, Out> {
    conditions: Box<[BoxedSystem<(), bool>]>,
    system: BoxedSystem<I, Out>,
    /// How deep systems are nested in it.
    nesting: u32,
    /// What all of them borrow.
    access: Access,
    /// The world of which the access tells. Whether all are ready for it they know themselves.
    world: Option<WorldId>,
    /// Whether the system has taken part in the last run.
    ran: bool,
    /// The first condition that did not hold in the last run.
    unmet: Option<usize>,
    /// The output where it has not.
    skipped: fn() -> Out,
}

impl<I: SystemInput + 'static, Out: 'static> OnlyIf<I, Out> {
    fn unite(&self) -> Access {
        self.conditions.iter().fold(self.system.access().clone(), |all, condition| all.union(condition.access()))
    }
}

impl<I: SystemInput + 'static, Out: 'static> System for OnlyIf<I, Out> {
    fn seal(_: Seal) {}

    type In = I;
    type Out = Out;

    fn name(&self) -> &str {
        self.system.name()
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn function(&self) -> Option<TypeId> {
        self.system.function()
    }

    fn ticks(&self) -> u32 {
        self.conditions.iter().map(|condition| condition.ticks()).sum::<u32>() + self.system.ticks()
    }

    fn nesting(&self) -> u32 {
        self.nesting
    }

    fn conditions(&self) -> &[BoxedSystem<(), bool>] {
        &self.conditions
    }

    fn unmet_condition(&self) -> Option<usize> {
        self.unmet
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        self.system.skipped_by()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        self.conditions.iter_mut().for_each(|condition| condition.remember(keeper));
        self.system.remember(keeper);
    }

    fn forget(&mut self) {
        self.conditions.iter_mut().for_each(|condition| condition.forget());
        self.system.forget();
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        self.world == Some(world)
            && self.conditions.iter().all(|condition| condition.is_ready_for(world))
            && self.system.is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if !self.is_ready_for(world) {
            // If one of them panics, they are ready for no world.
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

    unsafe fn run_shared(&mut self, input: Given<'_, I>, cell: &StoreCell<'_>) -> Result<Out, ParamError> {
        (self.ran, self.unmet) = (false, None);
        let mut cell = *cell;
        for (number, condition) in self.conditions.iter_mut().enumerate() {
            // SAFETY: the caller's promise: what is borrowed is what all borrow. Those before have finished.
            if !holds(unsafe { condition.run_shared((), &cell) })? {
                self.unmet.get_or_insert(number);
            }
            cell.advance(condition.ticks());
        }
        if self.unmet.is_some() {
            return Ok((self.skipped)());
        }
        self.ran = true;
        // SAFETY: as above; the conditions have finished.
        unsafe { self.system.run_shared(input, &cell) }
    }

    fn run_alone(&mut self, input: Given<'_, I>, store: &mut Store) -> Result<Out, ParamError> {
        self.prepare(store);
        (self.ran, self.unmet) = (false, None);
        for (number, condition) in self.conditions.iter_mut().enumerate() {
            if !holds(condition.run_alone((), store))? {
                self.unmet.get_or_insert(number);
            }
        }
        if self.unmet.is_some() {
            return Ok((self.skipped)());
        }
        self.ran = true;
        self.system.run_alone(input, store)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        // What it recorded in a run that broke off is not wanted any more.
        if core::mem::take(&mut self.ran) {
            self.system.apply_deferred(store);
        }
    }
}

pub(crate) fn only_if<I: SystemInput + 'static, Out: 'static>(
    conditions: Box<[BoxedSystem<(), bool>]>,
    system: BoxedSystem<I, Out>,
    skipped: fn() -> Out,
) -> BoxedSystem<I, Out> {
    let inside = conditions.iter().map(|condition| condition.nesting()).fold(system.nesting(), u32::max);
    let (nesting, access) = (nested(inside), Access::default());
    let mut all = OnlyIf { conditions, system, nesting, access, world: None, ran: false, unmet: None, skipped };
    all.access = all.unite();
    Box::new(all)
}
