//! Functions of a [`DeferredWorld`] as systems and observers.
//!
//! They have all of the world, of which they change values alone: so they run by themselves, as those of `&mut World` do, but may observe.
//! Beside it they take parameters that are their own.

use core::any::type_name;

use super::cast::World;
use super::deferred::DeferredWorld;
use super::systems::{ExclusiveFunction, ExclusiveSystem};
use crate::access::Access;
use crate::store::{Store, WorldId};
use crate::system::{
    BoxedSystem, IntoSystem, Keeper, OwnSource, ParamSource, SystemInput, SystemMeta, SystemParam, SystemParamItem,
    WrittenInput,
};

/// Keeps functions of a `DeferredWorld` apart from other systems.
#[doc(hidden)]
pub struct DeferredMarker;

/// What parameters are fetched by that are a system's own.
type OwnState<P> = <<P as SystemParam>::Source as ParamSource>::State;

/// A function of all of the world, and of what it keeps for parameters of its own.
struct WithOwn<F, S: ParamSource> {
    name: &'static str,
    function: F,
    inputs: usize,
    state: Option<(WorldId, S::State)>,
}

impl<F, S, I, Out> ExclusiveFunction<I, Out> for WithOwn<F, S>
where
    F: FnMut(I::Inner<'_>, DeferredWorld<'_>, &mut S::State) -> Out + Send + Sync + 'static,
    S: OwnSource,
    I: SystemInput,
{
    fn call(&mut self, input: I::Inner<'_>, world: &mut World) -> Out {
        let Some((_, state)) = &mut self.state else { unreachable!("system `{}` was not initialised", self.name) };
        let out = (self.function)(input, DeferredWorld::from(&mut *world), state);
        // What it has recorded. That of an observer waits for the end of the event.
        if !world.store.reactions.is_running() {
            world.flush();
        }
        out
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        self.state.as_ref().is_some_and(|(of, _)| *of == world)
    }

    fn prepare(&mut self, store: &mut Store) {
        // First of all: what follows is user code in part, which may panic.
        self.state = None;
        let world = store.id();
        let mut meta = SystemMeta::new(self.name, &[], S::COUNT, self.inputs);
        self.state = Some((world, S::init(store, &mut meta)));
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        if let Some((_, state)) = &mut self.state {
            S::remember(state, keeper);
        }
    }

    fn forget(&mut self) {
        self.state = None;
    }
}

/// A system of a function of a `DeferredWorld`, which is one of `Func`.
fn boxed<Func, P, I, Out>(
    inputs: usize,
    function: impl FnMut(I::Inner<'_>, DeferredWorld<'_>, &mut OwnState<P>) -> Out + Send + Sync + 'static,
) -> BoxedSystem<I, Out>
where
    P: SystemParam<Source: OwnSource>,
    I: SystemInput + 'static,
    Out: 'static,
{
    let name = type_name::<Func>();
    let function = WithOwn::<_, P::Source> { name, function, inputs, state: None };
    ExclusiveSystem::boxed_with(name, function, Access::exclusive_values())
}

macro_rules! functions {
    ($($P:ident $at:tt)*) => {
        impl<Func, Out, $($P),*> IntoSystem<(), Out, (DeferredMarker, fn($($P,)*) -> Out)> for Func
        where
            $($P: SystemParam<Source: OwnSource> + 'static,)*
            Func: Send + Sync + 'static,
            for<'a> &'a mut Func: FnMut(DeferredWorld<'_>, $($P),*) -> Out
                + FnMut(DeferredWorld<'_>, $(SystemParamItem<'_, '_, $P>),*) -> Out,
            Out: Unpin + 'static,
        {
            fn into_system(mut this: Self) -> BoxedSystem<(), Out> {
                // The indirection tells the compiler which of the two signatures is meant.
                #[inline]
                fn call<Out, $($P),*>(
                    mut function: impl FnMut(DeferredWorld<'_>, $($P),*) -> Out,
                    world: DeferredWorld<'_>,
                    params: ($($P,)*),
                ) -> Out {
                    let _ = params;
                    function(world, $(params.$at),*)
                }
                boxed::<Func, ($($P,)*), (), Out>(0, move |(), world, state| {
                    let got = <<($($P,)*) as SystemParam>::Source as OwnSource>::own(state);
                    call(&mut this, world, <($($P,)*) as SystemParam>::item(got))
                })
            }
        }

        impl<Func, Out, Input, $($P),*> IntoSystem<Input, Out, (DeferredMarker, fn(Input, $($P,)*) -> Out)> for Func
        where
            Input: WrittenInput + 'static,
            $($P: SystemParam<Source: OwnSource> + 'static,)*
            Func: Send + Sync + 'static,
            for<'a> &'a mut Func: FnMut(Input, DeferredWorld<'_>, $($P),*) -> Out
                + FnMut(Input::Param<'_>, DeferredWorld<'_>, $(SystemParamItem<'_, '_, $P>),*) -> Out,
            Out: Unpin + 'static,
        {
            fn into_system(mut this: Self) -> BoxedSystem<Input, Out> {
                #[inline]
                fn call<Out, Input, $($P),*>(
                    mut function: impl FnMut(Input, DeferredWorld<'_>, $($P),*) -> Out,
                    input: Input,
                    world: DeferredWorld<'_>,
                    params: ($($P,)*),
                ) -> Out {
                    let _ = params;
                    function(input, world, $(params.$at),*)
                }
                boxed::<Func, ($($P,)*), Input, Out>(1, move |input: Input::Inner<'_>, world, state| {
                    let got = <<($($P,)*) as SystemParam>::Source as OwnSource>::own(state);
                    call(&mut this, Input::wrap(input), world, <($($P,)*) as SystemParam>::item(got))
                })
            }
        }
    };
}

functions!();
small_tuples!(functions);
