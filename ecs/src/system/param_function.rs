//! Functions that can be systems: all their parameters are system parameters.
//!
//! Tests: tests/systems/systems.rs

use core::any::TypeId;

use super::blocks::{Blocks, RowFacts};
use super::input::{InputItem, SystemInput, WrittenInput};
use super::param::{ParamSource, SystemParam, SystemParamItem};
use crate::structure::store::AffectedEntities;

/// The kind of loop over rows that a function is.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum LoopKind {
    /// Not a loop.
    None,
    /// A loop over the rows of tables, which may run block by block.
    Blocks,
    /// A loop over entities that it observes.
    Observed,
}

/// A function whose parameters are system parameters.
///
/// Implemented for functions and closures with up to 16 parameters, and one more if the first is an input. Functions with
/// `#[system]` have up to 40 parameters. They return a [`SystemFn`](crate::system::SystemFn), which distinguishes them.
///
/// ```
/// use strata_ecs::system::SystemParamFunction;
///
/// fn call<M, F: SystemParamFunction<M, In = (), Param = ()>>(mut function: F) -> F::Out {
///     function.run((), ())
/// }
/// assert_eq!(call(|| 3), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "this function is not a system: one of its parameters cannot be one of a system",
    label = "has a parameter that cannot be one of a system",
    note = "write `#[system]` above the function to see which one; such a function may have up to 40 parameters, others at most 16",
    note = "system parameters are `Query`, `Res`, `ResMut`, `MessageReader`, `MessageWriter`, `Local`, `Commands`, `&World` \
            and tuples of these, taken by value; their types need `#[derive(Component)]`, `#[derive(Resource)]` or \
            `#[derive(Message)]`"
)]
pub trait SystemParamFunction<Marker>: Send + Sync + 'static {
    /// The input: the type of the first parameter if that is an [`In`](super::In), [`InRef`](super::InRef) or
    /// [`InMut`](super::InMut), otherwise `()`.
    type In: SystemInput + 'static;
    /// The output.
    type Out;
    /// All parameters of the function, as a tuple.
    type Param: SystemParam;

    /// The number of parameters that the input counts as.
    #[doc(hidden)]
    const INPUTS: usize = 0;

    /// Identifies the function.
    #[doc(hidden)]
    const IDENTITY: TypeId = TypeId::of::<Self>();

    /// The kind of loop over rows that the function is.
    #[doc(hidden)]
    const LOOP: LoopKind = LoopKind::None;

    /// Returns `true` only if the output certainly stands for success.
    #[doc(hidden)]
    #[inline]
    fn went_well(_: &Self::Out) -> bool {
        false
    }

    /// Returns whether an observing loop may end early.
    #[doc(hidden)]
    fn may_fail(&self) -> bool {
        true
    }

    /// Calls the function for entities that it observes, and stops after the first call that fails. Only for
    /// [`LoopKind::Observed`].
    #[doc(hidden)]
    fn run_rows(
        &mut self,
        rows: AffectedEntities<'_>,
        about: <Self::In as SystemInput>::About<'_>,
        params: SystemParamItem<'_, '_, Self::Param>,
    ) -> Self::Out {
        let _ = (rows, about, params);
        unreachable!("a function that is no loop over entities is called for each")
    }

    /// Returns the properties of a loop over rows. Only for [`LoopKind::Blocks`].
    #[doc(hidden)]
    fn row_facts(&self, state: &StateOf<Self, Marker>) -> Option<RowFacts>
    where
        Self: Sized,
    {
        let _ = state;
        None
    }

    /// Records the visits of a loop over rows, and calls `then`, which passes rows to the loop. Only for [`LoopKind::Blocks`].
    ///
    /// # Safety
    ///
    /// - The conditions of [`BlockScope::new`](super::base::BlockScope) hold.
    #[doc(hidden)]
    unsafe fn run_in_blocks(
        &mut self,
        params: SystemParamItem<'_, '_, Self::Param>,
        then: &mut dyn FnMut(Blocks<'_>),
    ) -> Self::Out {
        let _ = (params, then);
        unreachable!("a function that is no loop over rows has no blocks")
    }

    /// Calls the function.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::SystemParamFunction;
    ///
    /// fn call<M, F>(mut function: F, n: &mut u32) -> F::Out
    /// where
    ///     F: SystemParamFunction<M, In = In<u32>, Param = (Local<'static, u32>,)>,
    /// {
    ///     function.run(10, (Local::from(n),))
    /// }
    /// assert_eq!(call(|input: In<u32>, n: Local<u32>| input.0 + *n, &mut 4), 14);
    /// ```
    fn run(&mut self, input: InputItem<'_, Self::In>, params: SystemParamItem<'_, '_, Self::Param>) -> Self::Out;
}

/// Distinguishes functions with an input from those without.
#[doc(hidden)]
pub struct InputMarker;

macro_rules! functions {
    ($($P:ident $at:tt)*) => {
        impl<Func, Out, $($P: SystemParam),*> SystemParamFunction<fn($($P,)*) -> Out> for Func
        where
            Func: Send + Sync + 'static,
            for<'a> &'a mut Func:
                FnMut($($P),*) -> Out + FnMut($(SystemParamItem<'_, '_, $P>),*) -> Out,
        {
            type In = ();
            type Out = Out;
            type Param = ($($P,)*);

            #[inline]
            fn run(&mut self, (): (), params: SystemParamItem<'_, '_, Self::Param>) -> Out {
                // The indirection tells the compiler which of the two `FnMut` signatures of the function is meant.
                #[inline]
                fn call<Out, $($P),*>(mut function: impl FnMut($($P),*) -> Out, params: ($($P,)*)) -> Out {
                    // If there are no parameters, only this line uses the tuple.
                    let _ = &params;
                    function($(params.$at),*)
                }
                call(self, params)
            }
        }

        impl<Func, Out, Input, $($P: SystemParam),*>
            SystemParamFunction<(InputMarker, fn(Input, $($P,)*) -> Out)> for Func
        where
            Input: WrittenInput + 'static,
            Func: Send + Sync + 'static,
            for<'a> &'a mut Func:
                FnMut(Input, $($P),*) -> Out + FnMut(Input::Param<'_>, $(SystemParamItem<'_, '_, $P>),*) -> Out,
        {
            type In = Input;
            type Out = Out;
            type Param = ($($P,)*);

            const INPUTS: usize = 1;

            #[inline]
            fn run(&mut self, input: Input::Inner<'_>, params: SystemParamItem<'_, '_, Self::Param>) -> Out {
                #[inline]
                fn call<Out, Input, $($P),*>(
                    mut function: impl FnMut(Input, $($P),*) -> Out,
                    input: Input,
                    params: ($($P,)*),
                ) -> Out {
                    let _ = &params;
                    function(input, $(params.$at),*)
                }
                call(self, Input::wrap(input), params)
            }
        }
    };
}

functions!();
all_tuples!(functions);

/// The source of a function's parameters.
pub(super) type SourceOf<F, Marker> = <<F as SystemParamFunction<Marker>>::Param as SystemParam>::Source;

/// The state of a function's parameters.
pub(crate) type StateOf<F, Marker> = <SourceOf<F, Marker> as ParamSource>::State;
