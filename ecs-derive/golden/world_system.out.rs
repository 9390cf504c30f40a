#[doc(hidden)]
#[allow(non_camel_case_types, unreachable_pub)]
struct __strata_system_census<T: ?::strata_ecs::__private::Sized>(
    ::strata_ecs::__private::PhantomData<fn() -> (::strata_ecs::__private::PhantomData<T>,)>,
);
#[allow(elided_lifetimes_in_paths, clippy::inline_always, clippy::missing_const_for_fn, clippy::too_many_arguments)]
#[allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps)]
fn census<T: Component>(
    all: Query<&T>,
    mut total: ResMut<Total>,
) -> ::strata_ecs::__private::SystemFn<__strata_system_census<T>, Result> {
    ::strata_ecs::__private::SystemFn::of(
        #[inline(always)]
        move || -> Result {
            total.0 = all.count();
            Ok(())
        },
    )
}
#[allow(deprecated, elided_lifetimes_in_paths, mismatched_lifetime_syntaxes, unused_imports, unused_qualifications)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
const _: () = {
    use ::strata_ecs::__private::{self as __strata, Refused as _};
    fn __strata_run_census<T: Component>(__strata_params: ((Query<&T>,), (ResMut<Total>,))) -> Result
    where
        T: 'static,
    {
        let (__strata_0, __strata_1) = __strata_params;
        census::<T>(__strata_0.0, __strata_1.0).output
    }
    impl<T: Component> __strata::MacroSystem<(), Result> for __strata_system_census<T>
    where
        T: 'static,
    {
        const CHECKED: () = __strata::check_system(
            "census",
            &[
                __strata::param_access::<__strata::Param<Query<&T>>>("all"),
                __strata::param_access::<__strata::Param<ResMut<Total>>>("total"),
            ],
        );
        fn build() -> __strata::BoxedSystem<(), Result> {
            __strata::WorldSystem::new(__strata_run_census::<T>)
                .build(::strata_ecs::__private::system_name!("census"), &["all", "total"])
        }
    }
};
