#[doc(hidden)]
#[allow(dead_code, non_camel_case_types)]
pub struct __strata_system_movement;
#[doc = " Moves what is not stunned."]
#[allow(non_upper_case_globals)]
pub const movement: __strata_system_movement = __strata_system_movement;
#[allow(deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use __strata::refused_system as position;
    #[allow(unused_imports)]
    use __strata::refused_system as velocity;
    #[allow(unused_imports)]
    use __strata::refused_system as entity;
    #[allow(unused_imports)]
    use __strata::refused_system as dt;
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
    #[inline(always)]
    fn movement(position: &mut Position, velocity: Ref<Velocity>, entity: Entity, dt: Res<Dt>) {
        position.x += velocity.x * dt.0;
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
        impl __Function for __strata_system_movement {
            type Call = fn(&mut Position, Ref<Velocity>, Entity, Res<Dt>);
            const POINTER: Self::Call = movement;
            const CALL: &'static Self::Call = &Self::POINTER;
        }
        impl<__Call> __strata::Deref for __strata_system_movement
        where
            __Call: 'static,
            Self: __Function<Call = __Call>,
        {
            type Target = __Call;
            #[inline(always)]
            fn deref(&self) -> &__Call {
                <Self as __Function>::CALL
            }
        }
        impl __strata::Clone for __strata_system_movement {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl __strata::Copy for __strata_system_movement {}
        const _: () = {
            __strata::check_system(
                "movement",
                &[
                    __strata::row_access::<__strata::RowParam<&mut Position>>("position"),
                    __strata::row_access::<__strata::RowParam<Ref<Velocity>>>("velocity"),
                    __strata::row_access::<__strata::RowParam<Entity>>("entity"),
                    __strata::param_access::<__strata::Param<Res<Dt>>>("dt"),
                    __strata::filter_access::<__strata::Without<Stunned>>("without"),
                    __strata::filter_access::<__strata::Changed<Velocity>>("changed"),
                ],
                &[],
            )
        };
        #[inline(always)]
        fn __strata_rows_movement(
            __strata_len: __strata::usize,
            __strata_0: &mut [Position],
            __strata_1: __strata::RefSlice<'_, Velocity>,
            __strata_2: &[__strata::Entity],
            __strata_3: &mut Res<Dt>,
        ) {
            use __strata::LendNothing as _;
            use __strata::OtherRow as _;
            let __strata_0 = &mut __strata_0[..__strata_len];
            let __strata_2 = &__strata_2[..__strata_len];
            for __strata_i in 0..__strata_len {
                let _ = movement(
                    &mut __strata_0[__strata_i],
                    __strata::Row::<Ref<Velocity>>::new().of(__strata::ref_row(&__strata_1, __strata_i)),
                    __strata::Row::<Entity>::new().of(__strata_2[__strata_i]),
                    __strata::lend(&*__strata_3).on(&mut *__strata_3),
                );
            }
        }
        #[inline(always)]
        fn __strata_table_movement(
            __strata_len: __strata::usize,
            (__strata_0, __strata_1, __strata_2): (
                &mut [Position],
                __strata::RefSlice<'_, Velocity>,
                &[__strata::Entity],
            ),
            __strata_params: &mut ((Res<Dt>,),),
        ) -> __strata::SystemResult {
            let (__strata_3,) = __strata_params;
            __strata_rows_movement(__strata_len, __strata_0, __strata_1, __strata_2, &mut __strata_3.0);
            __strata::Ok(())
        }
        impl __strata::IntoSystem<(), __strata::SystemResult, __strata::MacroMarker> for __strata_system_movement {
            fn into_system(_: Self) -> __strata::BoxedSystem<(), __strata::SystemResult> {
                use __strata::RefusedRows as _;
                __strata::RowSystem::<
                    (&mut Position, Ref<Velocity>, Entity),
                    (__strata::Without<Stunned>, __strata::Changed<Velocity>),
                    __strata::Wide,
                    _,
                    _,
                >::new(
                    #[inline(always)]
                    |__strata_len: __strata::usize,
                     __strata_columns: (&mut [Position], __strata::RefSlice<'_, Velocity>, &[__strata::Entity]),
                     __strata_params: &mut ((Res<Dt>,),)|
                     -> __strata::SystemResult {
                        __strata_table_movement(__strata_len, __strata_columns, __strata_params)
                    },
                )
                .build(
                    ::strata_ecs::__private::concat!(::strata_ecs::__private::module_path!(), "::", "movement"),
                    &["position", "velocity", "entity", "dt"],
                    __strata::RowOptions::new(),
                )
            }
        }
    };
};
