#[doc(hidden)]
#[allow(non_camel_case_types, unreachable_pub)]
pub struct __strata_system_movement;
#[allow(elided_lifetimes_in_paths, clippy::inline_always, clippy::missing_const_for_fn, clippy::too_many_arguments)]
#[allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps)]
#[doc = "\n\n`#[system(simd = off, pipeline = off)]`"]
#[inline(always)]
pub fn movement(position: &mut Position) -> ::strata_ecs::__private::SystemFn<__strata_system_movement> {
    ::strata_ecs::__private::SystemFn::of(
        #[inline(always)]
        move || -> () {
            position.x += 1.0;
        },
    )
}
#[allow(deprecated, elided_lifetimes_in_paths, mismatched_lifetime_syntaxes, unused_imports, unused_qualifications)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
const _: () = {
    use ::strata_ecs::__private::{self as __strata, Refused as _};
    const _: () =
        __strata::check_system("movement", &[__strata::row_access::<__strata::RowParam<&mut Position>>("position")]);
    impl __strata::MacroRows<()> for __strata_system_movement {
        fn build_rows() -> __strata::BoxedSystem<(), __strata::SystemResult> {
            __strata::RowsOf::<(&mut Position,), ()>::narrow(
                #[inline(always)]
                |__strata_len: __strata::usize,
                 __strata_columns: (&mut [Position],),
                 (): &mut ()|
                 -> __strata::SystemResult {
                    let (__strata_0,) = __strata_columns;
                    for __strata_0 in __strata_0 {
                        let _ = movement(__strata_0);
                    }
                    __strata::Ok(())
                },
            )
            .not_in_pipelines()
            .build(::strata_ecs::__private::system_name!("movement"), &["position"])
        }
    }
};
