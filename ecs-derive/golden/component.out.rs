#[allow(deprecated)]
const _: () = {
    use ::strata_ecs::__private as __strata;
    #[automatically_derived]
    impl __strata::Component for Stunned {
        const STORAGE: __strata::StorageType = __strata::StorageType::Sparse;
        const TRACK: __strata::ChangeTracking = __strata::ChangeTracking::Never;
        const KEY: __strata::ComponentKey = __strata::ComponentKey::new(
            __strata::option_env!("CARGO_PKG_NAME"),
            __strata::option_env!("CARGO_PKG_VERSION"),
            __strata::module_path!(),
            "Stunned",
            __strata::line!(),
            __strata::column!(),
        )
        .derived_at(
            [__strata::line!(), __strata::column!()],
            [0u32, 0u32],
            0u32,
            __strata::option_env!("CARGO_BIN_NAME"),
        );
        #[inline]
        fn slot() -> __strata::Option<&'static __strata::TypeSlot<Self>> {
            static SLOT: __strata::TypeSlot<Stunned> = __strata::TypeSlot::new();
            __strata::Some(&SLOT)
        }
    }
};
