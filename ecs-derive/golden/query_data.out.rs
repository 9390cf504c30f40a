#[doc = "The item of a query for [`Mover`]."]
#[allow(private_interfaces, private_bounds)]
pub struct MoverItem<'w, 's>
where
    Entity: ::strata_ecs::__private::QueryData,
    &'static mut Position: ::strata_ecs::__private::QueryData,
    Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
{
    #[doc = "The value for [`Mover::entity`]."]
    pub entity: <Entity as ::strata_ecs::__private::QueryData>::Item<'w, 's>,
    #[doc = " Where it is."]
    pub position: <&'static mut Position as ::strata_ecs::__private::QueryData>::Item<'w, 's>,
    #[doc = "The value for [`Mover::velocity`]."]
    velocity: <Option<&'static Velocity> as ::strata_ecs::__private::QueryData>::Item<'w, 's>,
}
#[doc = "[`Mover`] with read access only."]
#[allow(private_interfaces, private_bounds)]
pub struct MoverReadOnly
where
    Entity: ::strata_ecs::__private::QueryData,
    &'static mut Position: ::strata_ecs::__private::QueryData,
    Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
{
    #[doc = "The value for [`Mover::entity`]."]
    pub entity: <Entity as ::strata_ecs::__private::QueryData>::ReadOnly,
    #[doc = " Where it is."]
    pub position: <&'static mut Position as ::strata_ecs::__private::QueryData>::ReadOnly,
    #[doc = "The value for [`Mover::velocity`]."]
    velocity: <Option<&'static Velocity> as ::strata_ecs::__private::QueryData>::ReadOnly,
}
#[doc = "The item of a read-only query for [`Mover`]."]
#[allow(private_interfaces, private_bounds)]
pub struct MoverReadOnlyItem < 'w , 's > where Entity : :: strata_ecs :: __private :: QueryData , & 'static mut Position : :: strata_ecs :: __private :: QueryData , Option < & 'static Velocity > : :: strata_ecs :: __private :: QueryData { # [doc = "The value for [`Mover::entity`]."] pub entity : < < Entity as :: strata_ecs :: __private :: QueryData > :: ReadOnly as :: strata_ecs :: __private :: QueryData > :: Item < 'w , 's > , # [doc = " Where it is."] pub position : < < & 'static mut Position as :: strata_ecs :: __private :: QueryData > :: ReadOnly as :: strata_ecs :: __private :: QueryData > :: Item < 'w , 's > , # [doc = "The value for [`Mover::velocity`]."] velocity : < < Option < & 'static Velocity > as :: strata_ecs :: __private :: QueryData > :: ReadOnly as :: strata_ecs :: __private :: QueryData > :: Item < 'w , 's > , }
#[allow(deprecated)]
const _: () = {
    use ::strata_ecs::__private as __strata;
    trait __MoverFields
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
    {
        type Terms: __strata::Fetch;
        fn item<'w, 's>(
            __strata_got: <Self::Terms as __strata::Fetch>::Item<'w>,
            __strata_kept: __strata::Kept<'s, Self::Terms>,
        ) -> MoverItem<'w, 's>;
    }
    #[automatically_derived]
    impl __MoverFields for Mover
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
    {
        type Terms = <(Entity, &'static mut Position, Option<&'static Velocity>) as __strata::QueryData>::Terms;
        #[inline(always)]
        fn item<'w, 's>(
            __strata_got: <Self::Terms as __strata::Fetch>::Item<'w>,
            __strata_kept: __strata::Kept<'s, Self::Terms>,
        ) -> MoverItem<'w, 's> {
            match <(Entity, &'static mut Position, Option<&'static Velocity>) as __strata::QueryData>::item(
                __strata_got,
                __strata_kept,
            ) {
                (__strata_entity, __strata_position, __strata_velocity) => {
                    MoverItem { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity }
                }
            }
        }
    }
    #[automatically_derived]
    impl<__Terms> __strata::QueryData for Mover
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
        Self: __MoverFields<Terms = __Terms>,
        __Terms: __strata::Fetch,
        MoverReadOnly: __strata::QueryData<Terms = <__Terms as __strata::Fetch>::ReadOnly>,
    {
        type Terms = __Terms;
        type ReadOnly = MoverReadOnly;
        type Item<'w, 's> = MoverItem<'w, 's>;
        #[inline(always)]
        fn item<'w, 's>(
            __strata_got: <__Terms as __strata::Fetch>::Item<'w>,
            __strata_kept: __strata::Kept<'s, __Terms>,
        ) -> Self::Item<'w, 's> {
            <Self as __MoverFields>::item(__strata_got, __strata_kept)
        }
    }
    #[automatically_derived]
    impl<__Terms> __strata::SliceItem<__Terms> for Mover
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
        __Terms: __strata::ContiguousFetch,
    {
        type Contiguous<'w, 's> = <__Terms as __strata::ContiguousFetch>::Slice<'w>;
        #[inline(always)]
        fn contiguous<'w, 's>(
            __strata_got: <__Terms as __strata::ContiguousFetch>::Slice<'w>,
        ) -> Self::Contiguous<'w, 's> {
            __strata_got
        }
    }
    trait __MoverReadOnlyFields
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
    {
        type Terms: __strata::Fetch;
        fn item<'w, 's>(
            __strata_got: <Self::Terms as __strata::Fetch>::Item<'w>,
            __strata_kept: __strata::Kept<'s, Self::Terms>,
        ) -> MoverReadOnlyItem<'w, 's>;
    }
    #[automatically_derived]
    impl __MoverReadOnlyFields for MoverReadOnly
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
    {
        type Terms = << (Entity , & 'static mut Position , Option < & 'static Velocity > ,) as __strata :: QueryData > :: Terms as __strata :: Fetch > :: ReadOnly ;
        #[inline(always)]
        fn item<'w, 's>(
            __strata_got: <Self::Terms as __strata::Fetch>::Item<'w>,
            __strata_kept: __strata::Kept<'s, Self::Terms>,
        ) -> MoverReadOnlyItem<'w, 's> {
            match < < (Entity , & 'static mut Position , Option < & 'static Velocity > ,) as __strata :: QueryData > :: ReadOnly as __strata :: QueryData > :: item (__strata_got , __strata_kept) { (__strata_entity , __strata_position , __strata_velocity ,) => MoverReadOnlyItem { entity : __strata_entity , position : __strata_position , velocity : __strata_velocity } }
        }
    }
    #[automatically_derived]
    impl<__Terms> __strata::QueryData for MoverReadOnly
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
        Self: __MoverReadOnlyFields<Terms = __Terms>,
        __Terms: __strata::Fetch<ReadOnly = __Terms>,
    {
        type Terms = __Terms;
        type ReadOnly = MoverReadOnly;
        type Item<'w, 's> = MoverReadOnlyItem<'w, 's>;
        #[inline(always)]
        fn item<'w, 's>(
            __strata_got: <__Terms as __strata::Fetch>::Item<'w>,
            __strata_kept: __strata::Kept<'s, __Terms>,
        ) -> Self::Item<'w, 's> {
            <Self as __MoverReadOnlyFields>::item(__strata_got, __strata_kept)
        }
    }
    #[automatically_derived]
    impl<__Terms> __strata::SliceItem<__Terms> for MoverReadOnly
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
        __Terms: __strata::ContiguousFetch,
    {
        type Contiguous<'w, 's> = <__Terms as __strata::ContiguousFetch>::Slice<'w>;
        #[inline(always)]
        fn contiguous<'w, 's>(
            __strata_got: <__Terms as __strata::ContiguousFetch>::Slice<'w>,
        ) -> Self::Contiguous<'w, 's> {
            __strata_got
        }
    }
    #[allow(dead_code, non_snake_case, irrefutable_let_patterns)]
    fn __uses_Mover_0(__strata_value: Mover) -> __strata::Option<Mover>
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
    {
        let Mover { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity } =
            __strata_value
        else {
            return __strata::None;
        };
        __strata::Some(Mover { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity })
    }
    #[allow(dead_code, non_snake_case, irrefutable_let_patterns)]
    fn __uses_MoverReadOnly_0(__strata_value: MoverReadOnly) -> __strata::Option<MoverReadOnly>
    where
        Entity: ::strata_ecs::__private::QueryData,
        &'static mut Position: ::strata_ecs::__private::QueryData,
        Option<&'static Velocity>: ::strata_ecs::__private::QueryData,
    {
        let MoverReadOnly { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity } =
            __strata_value
        else {
            return __strata::None;
        };
        __strata::Some(MoverReadOnly {
            entity: __strata_entity,
            position: __strata_position,
            velocity: __strata_velocity,
        })
    }
};
