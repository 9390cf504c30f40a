//! Systems that are given a value which they keep.

use alloc::boxed::Box;

use crate::store::{Store, WorldId};
use crate::system::base::{AloneScope, BoxedSystem, ParamError, SharedScope, System, SystemCore, SystemFacts};
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

impl<I, Out, T> SystemCore for WithInput<I, Out, T>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    fn facts(&self) -> SystemFacts<'_> {
        let facts = self.system.facts();
        SystemFacts { nesting: facts.nesting + 1, row_facts: None, ..facts }
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn visit_state(&mut self, keeper: &mut Keeper<'_>) {
        self.system.visit_state(keeper);
        if let Held::Value(value) | Held::MadeBy(_, Some((_, value))) = &mut self.held {
            keeper.value(value);
        }
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

    fn apply_deferred(&mut self, store: &mut Store) {
        self.system.apply_deferred(store);
    }
}

impl<I, Out, T> System for WithInput<I, Out, T>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    type In = ();
    type Out = Out;

    fn run_shared(&mut self, (): (), scope: SharedScope<'_, '_>) -> Result<Out, ParamError> {
        let (system, value) = self.parts();
        system.run_shared(value, scope)
    }

    fn run_alone(&mut self, (): (), scope: AloneScope<'_>) -> Result<Out, ParamError> {
        self.prepare(scope.store);
        let (system, value) = self.parts();
        system.run_alone(value, scope)
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
