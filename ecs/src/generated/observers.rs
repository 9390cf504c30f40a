//! What the output of `#[observer]` is made of where the function takes components of the target.
//!
//! Such an observer is a system with one query more, which is asked for the target of the event. The function is called if that
//! matches. As for other systems, mistakes are reported by the check that the macro emits.

use core::marker::PhantomData;

use crate::event::{EntityEvent, EventPattern};
use crate::observer::{On, OnInput};
use crate::query::{Query, QueryData, QueryFilter};
use crate::system::{
    BoxedSystem, EcsError, MacroMarker, SystemInput, SystemParam, SystemParamFunction, SystemParamItem, function_system,
};

/// What a function takes of the target of an event: a row parameter, or a tuple of them.
pub trait TargetData: QueryData {
    /// What the function gets.
    type Row<'a>;

    /// The same, of what a query yields.
    fn of_item<'a, 's>(item: Self::Item<'a, 's>) -> Self::Row<'a>
    where
        'a: 'a,
        's: 's;
}

macro_rules! tuple_of_rows {
    ($($Row:ident $at:tt)*) => {
        impl<$($Row: TargetData),*> TargetData for ($($Row,)*) {
            type Row<'a> = ($($Row::Row<'a>,)*);

            #[inline]
            fn of_item<'a, 's>(item: Self::Item<'a, 's>) -> Self::Row<'a>
            where
                'a: 'a,
                's: 's,
            {
                ($($Row::of_item(item.$at),)*)
            }
        }
    };
}

all_tuples!(tuple_of_rows);

/// A function that gets an event, what it takes of the target, and its parameters.
pub trait TargetFunction<P: EventPattern, D: TargetData, Marker>: Send + Sync + 'static {
    /// The system parameters.
    type Params: SystemParam + 'static;

    /// Calls it.
    fn run(
        &mut self,
        on: On<'_, '_, P>,
        row: D::Row<'_>,
        params: SystemParamItem<'_, '_, Self::Params>,
    ) -> Result<(), EcsError>;
}

impl<P, D, K, Params> TargetFunction<P, D, fn(Params)> for K
where
    P: EventPattern,
    D: TargetData,
    Params: SystemParam + 'static,
    K: Send + Sync + 'static,
    K: for<'i, 'a> FnMut(On<'i, 'i, P>, D::Row<'a>, Params) -> Result<(), EcsError>,
    K: for<'i, 'a, 'w, 's> FnMut(On<'i, 'i, P>, D::Row<'a>, SystemParamItem<'w, 's, Params>) -> Result<(), EcsError>,
{
    type Params = Params;

    #[inline]
    fn run(
        &mut self,
        on: On<'_, '_, P>,
        row: D::Row<'_>,
        params: SystemParamItem<'_, '_, Params>,
    ) -> Result<(), EcsError> {
        // The indirection tells the compiler which of the two signatures is meant.
        fn call<O, R, P>(
            mut function: impl FnMut(O, R, P) -> Result<(), EcsError>,
            on: O,
            row: R,
            params: P,
        ) -> Result<(), EcsError> {
            function(on, row, params)
        }
        call(self, on, row, params)
    }
}

/// An observer of the pattern `P` that takes the data `D` of targets that pass the filter `F`.
pub struct TargetSystem<P, D, F, K, Marker> {
    function: K,
    marker: PhantomData<fn() -> (P, D, F, Marker)>,
}

impl<P, D, F, K, Marker> TargetSystem<P, D, F, K, Marker> {
    /// Nothing is asked of the function yet.
    pub const fn new(function: K) -> Self {
        Self { function, marker: PhantomData }
    }
}

impl<P, D, F, K, Marker> TargetSystem<P, D, F, K, Marker>
where
    P: EventPattern<Event: EntityEvent>,
    D: TargetData + 'static,
    F: QueryFilter + 'static,
    K: TargetFunction<P, D, Marker>,
    Marker: 'static,
{
    /// The system that calls the function if the target of the event matches.
    pub fn build(
        self,
        name: &'static str,
        params: &'static [&'static str],
    ) -> BoxedSystem<On<'static, 'static, P>, Result<(), EcsError>> {
        function_system(name, params, self)
    }
}

impl<P, D, F, K, Marker> SystemParamFunction<MacroMarker> for TargetSystem<P, D, F, K, Marker>
where
    P: EventPattern<Event: EntityEvent>,
    D: TargetData + 'static,
    F: QueryFilter + 'static,
    K: TargetFunction<P, D, Marker>,
    Marker: 'static,
{
    type In = On<'static, 'static, P>;
    type Out = Result<(), EcsError>;
    type Param = (Query<'static, 'static, D, F>, K::Params);

    const INPUTS: usize = 1;

    #[inline]
    fn run(
        &mut self,
        given: OnInput<'_, P>,
        (targets, params): SystemParamItem<'_, '_, Self::Param>,
    ) -> Result<(), EcsError> {
        let on = On::<P>::wrap(given);
        match targets.get_inner(on.event().event_target()) {
            Ok(item) => self.function.run(on, D::of_item(item), params),
            Err(_) => Ok(()),
        }
    }
}

/// Found where the function is none for an observer: see the documentation of the module above.
pub trait RefusedTarget: Sized {
    /// No system.
    fn build<In: SystemInput, Out>(self, _: &'static str, _: &'static [&'static str]) -> BoxedSystem<In, Out> {
        panic!("an observer with an error in its parameters is not built")
    }
}

impl<P, D, F, K> RefusedTarget for TargetSystem<P, D, F, K, ()> {}

/// The event of an observer that takes components of its target, to be checked when the program is compiled.
pub const fn has_target<P: EventPattern<Event: EntityEvent>>() {}
