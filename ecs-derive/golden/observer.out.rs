#[doc(hidden)]
#[allow(non_camel_case_types, unreachable_pub)]
pub struct __strata_system_hurt;
#[allow(elided_lifetimes_in_paths, clippy::inline_always, clippy::missing_const_for_fn, clippy::too_many_arguments)]
#[allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps)]
#[doc = "\n\n`#[observer(without(Ghost))]`"]
#[inline(always)]
pub fn hurt(
    on: On<Damage>,
    health: &mut Health,
    armor: Option<&Armor>,
    mut commands: Commands,
) -> ::strata_ecs::__private::SystemFn<__strata_system_hurt> {
    ::strata_ecs::__private::SystemFn::of(
        #[inline(always)]
        move || -> () {
            health.0 -= on.points - armor.map_or(0, |armor| armor.0);
            commands.entity(on.entity).insert(Hurt);
        },
    )
}
#[allow(deprecated, elided_lifetimes_in_paths, mismatched_lifetime_syntaxes, unused_imports, unused_qualifications)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
const _: () = {
    use ::strata_ecs::__private::{self as __strata, LendNothing as _, OtherRow as _, Refused as _};
    const _: () = {
        __strata::has_target::<Damage>();
        __strata::check_system(
            "hurt",
            &[
                __strata::row_access::<__strata::RowParam<&mut Health>>("health"),
                __strata::row_access::<__strata::RowParam<Option<&Armor>>>("armor"),
                __strata::param_access::<__strata::Param<Commands>>("commands"),
                __strata::filter_access::<__strata::Without<Ghost>>("without"),
            ],
        )
    };
    impl __strata::MacroSystem<::strata_ecs::__private::On<'static, 'static, Damage>, __strata::SystemResult>
        for __strata_system_hurt
    {
        fn build()
        -> __strata::BoxedSystem<::strata_ecs::__private::On<'static, 'static, Damage>, __strata::SystemResult>
        {
            __strata::TargetSystem::<Damage, (&mut Health, Option<&Armor>), (__strata::Without<Ghost>,), _, _>::new(
                #[inline(always)]
                |__strata_len: __strata::usize,
                 __strata_entities: &[__strata::Entity],
                 __strata_columns: (&mut [Health], __strata::Option<&[Armor]>),
                 __strata_given: &mut __strata::GivenRows<'_, Damage>,
                 (__strata_3,): &mut ((Commands,),)|
                 -> __strata::SystemResult {
                    let (__strata_1, __strata_2) = __strata_columns;
                    let __strata_entities = &__strata_entities[..__strata_len];
                    let mut __strata_3 = __strata::lend(&__strata_3.0).for_loop(&mut __strata_3.0);
                    for __strata_i in 0..__strata_len {
                        let _ = hurt(
                            __strata_given.of(__strata_entities[__strata_i]),
                            &mut __strata_1[__strata_i],
                            __strata::Row::<Option<&Armor>>::of(
                                __strata_2.map(|__strata_rows| &__strata_rows[__strata_i]),
                            ),
                            __strata::lend(&*__strata_3).on(&mut *__strata_3),
                        );
                    }
                    __strata::Ok(())
                },
            )
            .build(::strata_ecs::__private::system_name!("hurt"), &["health", "armor", "commands"])
        }
    }
};
