//! Plain functions as systems.
//!
//! Tests: tests/systems/systems.rs

use alloc::boxed::Box;
use core::any::{TypeId, type_name};
use core::marker::PhantomData;

use super::base::{BoxedSystem, SystemCore};
use super::function::{FunctionSystem, MacroMarker, ParamState};
use super::input::InputItem;
use super::into::IntoSystem;
use super::meta::SystemMeta;
use super::notify::WithNotifySystem;
use super::output::SystemOutput;
use super::param::{BuildParam, ParamSource, SystemParam, SystemParamItem};
use super::param_function::SystemParamFunction;
use crate::access::const_access::{Nameless, check_nameless};
use crate::util::error::EcsError;

impl<Marker: 'static, F: SystemParamFunction<Marker, Out: 'static>> FunctionSystem<Marker, F> {
    /// Creates a system of a function. A builder prepares the parameters for the first world.
    #[track_caller]
    pub(crate) fn built(function: F, builder: impl BuildParam<F::Param> + Send + Sync + 'static) -> Self {
        let () = PlainFunction::<F, Marker>::PARAMETERS_AGREE;
        let mut system = Self::plain(type_name::<F>(), function);
        if let Some(meta) = system.meta_mut() {
            SystemMeta::make_own(meta)
                .set_builder(|store, meta| Box::new(ParamState::built::<F::Param>(builder, store, meta)));
        }
        system
    }
}

/// A plain function. If its parameters conflict, the compiler's message names it.
struct PlainFunction<F, Marker>(PhantomData<(F, Marker)>);

impl<Marker, F: SystemParamFunction<Marker>> PlainFunction<F, Marker> {
    const PARAMETERS_AGREE: () =
        check_nameless(PhantomData::<F>, Nameless::Function, &<F::Param as SystemParam>::Source::ACCESS, F::INPUTS);
}

/// Distinguishes plain functions from other systems.
#[doc(hidden)]
pub struct FunctionMarker;

// Functions with `#[system]` return a `SystemFn`, which is not `Unpin`, so they are not plain functions.
impl<Marker, F> IntoSystem<F::In, F::Out, (FunctionMarker, Marker)> for F
where
    Marker: 'static,
    F: SystemParamFunction<Marker, Out: Unpin + 'static>,
{
    const CHECKED: () = PlainFunction::<F, Marker>::PARAMETERS_AGREE;

    fn into_system(this: Self) -> BoxedSystem<F::In, F::Out> {
        let () = PlainFunction::<F, Marker>::PARAMETERS_AGREE;
        Box::new(FunctionSystem::plain(type_name::<F>(), this))
    }

    fn into_fallible_system(this: Self) -> BoxedSystem<F::In, Result<(), EcsError>>
    where
        F::In: 'static,
        F::Out: SystemOutput,
    {
        let () = PlainFunction::<F, Marker>::PARAMETERS_AGREE;
        let fallible = FallibleFunction { function: this, marker: PhantomData };
        Box::new(FunctionSystem::plain(type_name::<F>(), fallible))
    }

    fn with_notify_system<W: WithNotifySystem<F::In>>(this: Self, with: W) -> W::Out
    where
        F::In: 'static,
        F::Out: SystemOutput,
    {
        let () = PlainFunction::<F, Marker>::PARAMETERS_AGREE;
        let fallible = FallibleFunction { function: this, marker: PhantomData };
        with.with(FunctionSystem::plain(type_name::<F>(), fallible))
    }
}

/// A function whose output is converted into a `Result`. A run is one call, while a wrapped system would need two.
struct FallibleFunction<F, Marker> {
    function: F,
    marker: PhantomData<fn() -> Marker>,
}

impl<Marker, F> SystemParamFunction<(MacroMarker, Marker)> for FallibleFunction<F, Marker>
where
    Marker: 'static,
    F: SystemParamFunction<Marker, Out: SystemOutput>,
{
    type In = F::In;
    type Out = Result<(), EcsError>;
    type Param = F::Param;

    const INPUTS: usize = F::INPUTS;

    const IDENTITY: TypeId = F::IDENTITY;

    #[inline]
    fn went_well(out: &Result<(), EcsError>) -> bool {
        out.is_ok()
    }

    #[inline]
    fn run(&mut self, input: InputItem<'_, F::In>, params: SystemParamItem<'_, '_, F::Param>) -> Result<(), EcsError> {
        self.function.run(input, params).into_result()
    }
}
