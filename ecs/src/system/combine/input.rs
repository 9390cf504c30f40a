//! Systems that are given a value which they keep.

use alloc::boxed::Box;
use core::any::TypeId;

use crate::access::Access;
use crate::cell::StoreCell;
use crate::store::{Store, WorldId};
use crate::system::base::{BoxedSystem, ParamError, Seal, System};
use crate::system::input::SystemInput;
use crate::system::memory::Keeper;

/// What the system is given: a value, or how it is made of a world.
enum Held<T> {
    Value(T),
    MadeBy(fn(&mut Store) -> T, Option<(WorldId, T)>),
}

/// A system that is given a value which it keeps.
struct WithInput<I: SystemInput, Out, T> {
    system: BoxedSystem<I, Out>,
    held: Held<T>,
}

impl<I, Out, T> WithInput<I, Out, T>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    fn parts(&mut self) -> (&mut BoxedSystem<I, Out>, &mut T) {
        match &mut self.held {
            Held::Value(value) | Held::MadeBy(_, Some((_, value))) => (&mut self.system, value),
            Held::MadeBy(_, None) => panic!("system `{}` was not initialised", self.system.name()),
        }
    }
}

impl<I, Out, T> System for WithInput<I, Out, T>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    fn seal(_: Seal) {}

    type In = ();
    type Out = Out;

    fn name(&self) -> &str {
        self.system.name()
    }

    fn access(&self) -> &Access {
        self.system.access()
    }

    fn function(&self) -> Option<TypeId> {
        self.system.function()
    }

    fn ticks(&self) -> u32 {
        self.system.ticks()
    }

    fn nesting(&self) -> u32 {
        self.system.nesting() + 1
    }

    fn conditions(&self) -> &[BoxedSystem<(), bool>] {
        self.system.conditions()
    }

    fn unmet_condition(&self) -> Option<usize> {
        self.system.unmet_condition()
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        self.system.skipped_by()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        self.system.remember(keeper);
        if let Held::Value(value) | Held::MadeBy(_, Some((_, value))) = &mut self.held {
            keeper.value(value);
        }
    }

    fn forget(&mut self) {
        self.system.forget();
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        let has_value = match &self.held {
            Held::Value(_) => true,
            Held::MadeBy(_, made) => made.as_ref().is_some_and(|(of, _)| *of == world),
        };
        has_value && self.system.is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if let Held::MadeBy(make, made) = &mut self.held
            && made.as_ref().is_none_or(|(of, _)| *of != world)
        {
            // If it cannot be made, or its `Drop` panics, there is none.
            drop(made.take());
            let value = make(store);
            assert!(world == store.id(), "system `{}`: its input has replaced the world", self.system.name());
            *made = Some((world, value));
        }
        self.system.prepare(store);
    }

    unsafe fn run_shared(&mut self, (): (), cell: &StoreCell<'_>) -> Result<Out, ParamError> {
        let (system, value) = self.parts();
        // SAFETY: the caller's promise. The value is no part of the store.
        unsafe { system.run_shared(value, cell) }
    }

    fn run_alone(&mut self, (): (), store: &mut Store) -> Result<Out, ParamError> {
        self.prepare(store);
        let (system, value) = self.parts();
        system.run_alone(value, store)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.system.apply_deferred(store);
    }
}

pub(in crate::system) fn with_input<I, Out, T>(system: BoxedSystem<I, Out>, value: T) -> BoxedSystem<(), Out>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    Box::new(WithInput { system, held: Held::Value(value) })
}

pub(in crate::system) fn with_input_from<I, Out, T>(
    system: BoxedSystem<I, Out>,
    make: fn(&mut Store) -> T,
) -> BoxedSystem<(), Out>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    Box::new(WithInput { system, held: Held::MadeBy(make, None) })
}
