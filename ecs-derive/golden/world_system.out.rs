#[doc(hidden)]
#[allow(dead_code, non_camel_case_types, unreachable_pub)]
enum __strata_system_census<T: ?::strata_ecs::__private::Sized> {
    census,
    #[doc(hidden)]
    __Phantom(
        ::strata_ecs::__private::PhantomData<fn() -> (::strata_ecs::__private::PhantomData<T>,)>,
        ::strata_ecs::__private::Infallible,
    ),
}
#[allow(deprecated, unused_imports, unreachable_pub)]
#[doc(inline)]
use __strata_system_census::census;
#[allow(deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use __strata::refused_system as all;
    #[allow(unused_imports)]
    use __strata::refused_system as total;
    use ::strata_ecs::__private as __strata;
    #[allow(
        dead_code,
        elided_lifetimes_in_paths,
        clippy::inline_always,
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps
    )]
    fn census<T: Component>(all: Query<&T>, mut total: ResMut<Total>) -> Result {
        total.0 = all.count();
        Ok(())
    }
    #[allow(
        deprecated,
        elided_lifetimes_in_paths,
        mismatched_lifetime_syntaxes,
        unused_imports,
        unused_qualifications,
        clippy::all,
        clippy::pedantic,
        clippy::nursery
    )]
    const _: () = {
        trait __Function: __strata::Sized {
            type Call: 'static;
            const POINTER: Self::Call;
            const CALL: &'static Self::Call;
        }
        impl<T: Component> __Function for __strata_system_census<T>
        where
            T: 'static,
        {
            type Call = fn(Query<&T>, ResMut<Total>) -> Result;
            const POINTER: Self::Call = census::<T>;
            const CALL: &'static Self::Call = &Self::POINTER;
        }
        impl<T: Component, __Call> __strata::Deref for __strata_system_census<T>
        where
            T: 'static,
            __Call: 'static,
            Self: __Function<Call = __Call>,
        {
            type Target = __Call;
            #[inline(always)]
            fn deref(&self) -> &__Call {
                <Self as __Function>::CALL
            }
        }
        impl<T: ?__strata::Sized> __strata::Clone for __strata_system_census<T> {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T: ?__strata::Sized> __strata::Copy for __strata_system_census<T> {}
        fn __strata_run_census<T: Component>(__strata_params: ((Query<&T>,), (ResMut<Total>,))) -> Result
        where
            T: 'static,
        {
            let (__strata_0, __strata_1) = __strata_params;
            census::<T>(__strata_0.0, __strata_1.0)
        }
        impl<T: Component> __strata::IntoSystem<(), Result, __strata::MacroMarker> for __strata_system_census<T>
        where
            T: 'static,
        {
            const CHECKED: () = {
                __strata::check_system(
                    "census",
                    &[
                        __strata::param_access::<__strata::Param<Query<&T>>>("all"),
                        __strata::param_access::<__strata::Param<ResMut<Total>>>("total"),
                    ],
                    &[],
                )
            };
            fn into_system(_: Self) -> __strata::BoxedSystem<(), Result> {
                use __strata::Refused as _;
                __strata::WorldSystem::new(__strata_run_census::<T>).build(
                    ::strata_ecs::__private::concat!(::strata_ecs::__private::module_path!(), "::", "census"),
                    &["all", "total"],
                )
            }
        }
    };
};
