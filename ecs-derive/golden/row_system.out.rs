#[doc(hidden)]
#[allow(non_camel_case_types, unreachable_pub)]
pub struct __strata_system_movement;
#[allow(elided_lifetimes_in_paths, clippy::inline_always, clippy::missing_const_for_fn, clippy::too_many_arguments)]
#[allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps)]
#[doc = " Moves what is not stunned."]
#[doc = "\n\n`#[system(without(Stunned), changed(Velocity))]`"]
#[inline(always)]
pub fn movement(
    position: &mut Position,
    velocity: Ref<Velocity>,
    entity: Entity,
    dt: Res<Dt>,
) -> ::strata_ecs::__private::SystemFn<__strata_system_movement> {
    ::strata_ecs::__private::SystemFn::of(
        #[inline(always)]
        move || -> () {
            position.x += velocity.x * dt.0;
        },
    )
}
#[allow(deprecated, elided_lifetimes_in_paths, mismatched_lifetime_syntaxes, unused_imports, unused_qualifications)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
const _: () = {
    use ::strata_ecs::__private::{self as __strata, LendNothing as _, OtherRow as _, Refused as _};
    const _: () = __strata::check_system(
        "movement",
        &[
            __strata::row_access::<__strata::RowParam<&mut Position>>("position"),
            __strata::row_access::<__strata::RowParam<Ref<Velocity>>>("velocity"),
            __strata::row_access::<__strata::RowParam<Entity>>("entity"),
            __strata::param_access::<__strata::Param<Res<Dt>>>("dt"),
            __strata::filter_access::<__strata::Without<Stunned>>("without"),
            __strata::filter_access::<__strata::Changed<Velocity>>("changed"),
        ],
    );
    impl __strata::MacroRows<()> for __strata_system_movement {
        fn build_rows() -> __strata::BoxedSystem<(), __strata::SystemResult> {
            __strata::RowsOf::<
                (&mut Position, Ref<Velocity>, Entity),
                (__strata::Without<Stunned>, __strata::Changed<Velocity>),
            >::wide(
                #[inline(always)]
                |__strata_len: __strata::usize,
                 __strata_list: __strata::RowList<'_>,
                 __strata_columns: (&mut [Position], __strata::RefSlice<'_, Velocity>, &[__strata::Entity]),
                 (__strata_3,): &mut ((Res<Dt>,),)|
                 -> __strata::SystemResult {
                    let (__strata_0, __strata_1, __strata_2) = __strata_columns;
                    let mut __strata_3 = __strata::lend(&__strata_3.0).for_loop(&mut __strata_3.0);
                    for __strata_i in __strata::listed_rows(__strata_len, __strata_list) {
                        let _ = movement(
                            &mut __strata_0[__strata_i],
                            __strata::Row::<Ref<Velocity>>::of(__strata::ref_row(&__strata_1, __strata_i)),
                            __strata::Row::<Entity>::of(__strata_2[__strata_i]),
                            __strata::lend(&*__strata_3).on(&mut *__strata_3),
                        );
                    }
                    __strata::Ok(())
                },
            )
            .build(::strata_ecs::__private::system_name!("movement"), &["position", "velocity", "entity", "dt"])
        }
    }
};
