#[allow(deprecated)]
const _: () = {
    use ::strata_ecs::__private as __strata;
    #[automatically_derived]
    impl __strata::Component for Bonds {
        type Mutability = __strata::Mutable;
        const STORAGE_TYPE: __strata::StorageType = __strata::StorageType::Table;
        const KEY: __strata::ComponentKey = ::strata_ecs::__private::key!("Bonds", [0u32, 0u32], 0u32);
        const DESCRIPTION: __strata::Description<Self> = {
            use __strata::{Unmapped as _, Unproved as _};
            let own = __strata::Probe::<Self>::MAP_ENTITIES.is_known();
            ::strata_ecs::__private::describe!(
                Self,
                __strata::name_by_path(::strata_ecs::__private::concat!(
                    ::strata_ecs::__private::module_path!(),
                    "::",
                    "Bonds"
                )),
                &[
                    __strata::pub_field(
                        "parent",
                        ::strata_ecs::__private::offset_of!(Self, parent),
                        "",
                        |__strata_value: &Self| {
                            let _ = &__strata_value.parent;
                            (&raw const __strata_value.parent).cast_mut()
                        },
                        __strata::Probe::<Entity>::FIELD_TYPE
                    ),
                    __strata::pub_field(
                        "ranks",
                        ::strata_ecs::__private::offset_of!(Self, ranks),
                        "",
                        |__strata_value: &Self| {
                            let _ = &__strata_value.ranks;
                            (&raw const __strata_value.ranks).cast_mut()
                        },
                        __strata::Probe::<HashMap<Rank, Target>>::FIELD_TYPE
                    ),
                    __strata::pub_field(
                        "origin",
                        ::strata_ecs::__private::offset_of!(Self, origin),
                        "",
                        |__strata_value: &Self| {
                            let _ = &__strata_value.origin;
                            (&raw const __strata_value.origin).cast_mut()
                        },
                        __strata::Probe::<Option<Entity>>::FIELD_TYPE.ignoring_entities()
                    ),
                    __strata::pub_field(
                        "weight",
                        ::strata_ecs::__private::offset_of!(Self, weight),
                        "",
                        |__strata_value: &Self| {
                            let _ = &__strata_value.weight;
                            (&raw const __strata_value.weight).cast_mut()
                        },
                        __strata::Probe::<f32>::FIELD_TYPE
                    )
                ]
            )
            .with_mapped_fields(
                &[
                    __strata::field_mapping(
                        "parent",
                        "Entity",
                        __strata::Probe::<Entity>::MAP_ENTITIES,
                        own,
                        &[__strata::Probe::<Entity>::FIELD_TYPE.holds_entities()],
                    ),
                    __strata::field_mapping(
                        "ranks",
                        "HashMap<Rank, Target>",
                        __strata::Probe::<HashMap<Rank, Target>>::MAP_ENTITIES,
                        own,
                        &[
                            __strata::Probe::<Rank>::MAP_ENTITIES.holds_entities(),
                            __strata::Probe::<Target>::MAP_ENTITIES.holds_entities(),
                        ],
                    ),
                ],
                |value, mapper| {
                    __strata::Probe::<Entity>::MAP_ENTITIES.map(&mut value.parent, mapper);
                    __strata::Probe::<HashMap<Rank, Target>>::MAP_ENTITIES.map(&mut value.ranks, mapper);
                },
            )
        };
        #[inline]
        fn slot() -> __strata::Option<&'static __strata::TypeSlot<Self>> {
            static SLOT: __strata::TypeSlot<Bonds> = __strata::TypeSlot::new();
            __strata::Some(&SLOT)
        }
    }
    const _: __strata::Description<Bonds> = <Bonds as __strata::Component>::DESCRIPTION;
};
