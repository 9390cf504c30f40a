#[allow(deprecated)]
const _: () = {
    use ::strata_ecs::__private as __strata;
    #[automatically_derived]
    impl __strata::Component for Stunned {
        type Mutability = __strata::Mutable;
        const STORAGE_TYPE: __strata::StorageType = __strata::StorageType::Sparse;
        const TRACK: __strata::ChangeTracking = __strata::ChangeTracking::Never;
        const KEY: __strata::ComponentKey = ::strata_ecs::__private::key!("Stunned", [0u32, 0u32], 0u32);
        const DESCRIPTION: __strata::Description<Self> = ::strata_ecs::__private::describe!(
            Self,
            __strata::name_by_path(::strata_ecs::__private::concat!(
                ::strata_ecs::__private::module_path!(),
                "::",
                "Stunned"
            )),
            &[__strata::pub_field(
                "left",
                ::strata_ecs::__private::offset_of!(Self, left),
                "",
                |__strata_value: &Self| {
                    let _ = &__strata_value.left;
                    (&raw const __strata_value.left).cast_mut()
                },
                __strata::Probe::<f32>::FIELD_TYPE
            )]
        )
        .without_clone();
        fn on_add() -> __strata::Option<__strata::ComponentHook> {
            let hook: __strata::ComponentHook = Self::on_add;
            __strata::Some(hook)
        }
        fn on_insert() -> __strata::Option<__strata::ComponentHook> {
            let hook: __strata::ComponentHook = started::<Self>;
            __strata::Some(hook)
        }
        fn on_remove() -> __strata::Option<__strata::ComponentHook> {
            let hook: __strata::ComponentHook =
                |__strata_world, __strata_context| (named("remove"))(__strata_world, __strata_context);
            __strata::Some(hook)
        }
        #[inline]
        fn slot() -> __strata::Option<&'static __strata::TypeSlot<Self>> {
            static SLOT: __strata::TypeSlot<Stunned> = __strata::TypeSlot::new();
            __strata::Some(&SLOT)
        }
    }
};
