#[allow(deprecated)]
const _: () = {
    use ::strata_ecs::__private as __strata;
    #[automatically_derived]
    impl __strata::Component for Stunned {
        const STORAGE: __strata::StorageType = __strata::StorageType::Sparse;
        const TRACK: __strata::ChangeTracking = __strata::ChangeTracking::Never;
        const KEY: __strata::ComponentKey = __strata::key!("Stunned", [0u32, 0u32], 0u32);
        const DESCRIPTION: __strata::Description<Self> =
            __strata::description!("Stunned").or(__strata::functions!(Self)).without_clone().with_fields({
                use __strata::Unproved as _;
                __strata::fields(
                    __strata::Probe::<Self>::NO_FIELDS,
                    &[__strata::field::<f32>(
                        "left",
                        __strata::offset_of!(Self, left),
                        "",
                        __strata::Probe::<f32>::FIELDS,
                    )],
                )
            });
        #[inline]
        fn slot() -> __strata::Option<&'static __strata::TypeSlot<Self>> {
            static SLOT: __strata::TypeSlot<Stunned> = __strata::TypeSlot::new();
            __strata::Some(&SLOT)
        }
    }
};
