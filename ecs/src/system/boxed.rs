//! A boxed system is a system, so that it can be boxed again, and stand where one of any kind is asked for.

use core::any::TypeId;
use core::panic::Location;

use super::base::{BoxedSystem, ParamError, Parts, Seal, System, SystemIn};
use super::blocks::{Blocks, RowFacts};
use super::input::SystemInput;
use super::memory::Keeper;
use crate::access::Access;
use crate::cell::StoreCell;
use crate::store::{Store, WorldId};

/// Each method is that of the system inside.
impl<I: SystemInput + 'static, Out: 'static> System for BoxedSystem<I, Out> {
    fn seal(_: Seal) {}

    type In = I;
    type Out = Out;

    fn name(&self) -> &str {
        (**self).name()
    }

    fn access(&self) -> &Access {
        (**self).access()
    }

    fn function(&self) -> Option<TypeId> {
        (**self).function()
    }

    fn ticks(&self) -> u32 {
        (**self).ticks()
    }

    fn nesting(&self) -> u32 {
        (**self).nesting()
    }

    fn take_parts(&mut self) -> Option<Parts<I>> {
        (**self).take_parts()
    }

    fn note_place(&mut self, place: &'static Location<'static>) {
        (**self).note_place(place);
    }

    fn conditions(&self) -> &[BoxedSystem<(), bool>] {
        (**self).conditions()
    }

    fn unmet_condition(&self) -> Option<usize> {
        (**self).unmet_condition()
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        (**self).skipped_by()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        (**self).rows(store)
    }

    fn row_facts(&self) -> Option<RowFacts> {
        (**self).row_facts()
    }

    unsafe fn run_in_blocks(
        &mut self,
        cell: &StoreCell<'_>,
        panicked: &dyn Fn() -> bool,
        then: &mut dyn FnMut(Blocks<'_>),
    ) -> Result<(), ParamError> {
        // SAFETY: the caller's promise.
        unsafe { (**self).run_in_blocks(cell, panicked, then) }
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        (**self).remember(keeper);
    }

    fn forget(&mut self) {
        (**self).forget();
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        (**self).is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        (**self).prepare(store);
    }

    unsafe fn run_shared(&mut self, input: SystemIn<'_, Self>, cell: &StoreCell<'_>) -> Result<Out, ParamError> {
        // SAFETY: the caller's promise.
        unsafe { (**self).run_shared(input, cell) }
    }

    fn run_alone(&mut self, input: SystemIn<'_, Self>, store: &mut Store) -> Result<Out, ParamError> {
        (**self).run_alone(input, store)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        (**self).apply_deferred(store);
    }
}
