#[doc = "The item of a query for [`Mover`]."]
#[allow(private_interfaces, private_bounds)]
pub struct MoverItem<'w> {
    #[doc = "The value for [`Mover::entity`]."]
    pub entity: <Entity as ::strata_ecs::__private::QueryData>::Item<'w>,
    #[doc = " Where it is."]
    pub position: <&'static mut Position as ::strata_ecs::__private::QueryData>::Item<'w>,
    #[doc = "The value for [`Mover::velocity`]."]
    velocity: <Option<&'static Velocity> as ::strata_ecs::__private::QueryData>::Item<'w>,
}
#[doc = "[`Mover`] with read access only."]
#[allow(private_interfaces, private_bounds)]
pub struct MoverReadOnly {
    #[doc = "The value for [`Mover::entity`]."]
    pub entity: <Entity as ::strata_ecs::__private::QueryData>::ReadOnly,
    #[doc = " Where it is."]
    pub position: <&'static mut Position as ::strata_ecs::__private::QueryData>::ReadOnly,
    #[doc = "The value for [`Mover::velocity`]."]
    velocity: <Option<&'static Velocity> as ::strata_ecs::__private::QueryData>::ReadOnly,
}
#[doc = "The item of a read-only query for [`Mover`]."]
#[allow(private_interfaces, private_bounds)]
pub struct MoverReadOnlyItem < 'w > { # [doc = "The value for [`Mover::entity`]."] pub entity : < < Entity as :: strata_ecs :: __private :: QueryData > :: ReadOnly as :: strata_ecs :: __private :: QueryData > :: Item < 'w > , # [doc = " Where it is."] pub position : < < & 'static mut Position as :: strata_ecs :: __private :: QueryData > :: ReadOnly as :: strata_ecs :: __private :: QueryData > :: Item < 'w > , # [doc = "The value for [`Mover::velocity`]."] velocity : < < Option < & 'static Velocity > as :: strata_ecs :: __private :: QueryData > :: ReadOnly as :: strata_ecs :: __private :: QueryData > :: Item < 'w > , }
#[allow(deprecated)]
const _: () = {
    use ::strata_ecs::__private as __strata;
    trait __MoverFields {
        type Terms: __strata::Fetch;
        fn item<'w>(got: <Self::Terms as __strata::Fetch>::Item<'w>) -> MoverItem<'w>;
    }
    #[automatically_derived]
    impl __MoverFields for Mover {
        type Terms = <(Entity, &'static mut Position, Option<&'static Velocity>) as __strata::QueryData>::Terms;
        #[inline(always)]
        fn item<'w>(got: <Self::Terms as __strata::Fetch>::Item<'w>) -> MoverItem<'w> {
            let (__strata_entity, __strata_position, __strata_velocity) =
                <(Entity, &'static mut Position, Option<&'static Velocity>) as __strata::QueryData>::item(got);
            MoverItem { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity }
        }
    }
    #[automatically_derived]
    impl<__Terms> __strata::QueryData for Mover
    where
        Self: __MoverFields<Terms = __Terms>,
        __Terms: __strata::Fetch,
        MoverReadOnly: __strata::QueryData<Terms = <__Terms as __strata::Fetch>::ReadOnly>,
    {
        type Terms = __Terms;
        type ReadOnly = MoverReadOnly;
        type Item<'w> = MoverItem<'w>;
        #[inline(always)]
        fn item<'w>(got: <__Terms as __strata::Fetch>::Item<'w>) -> Self::Item<'w> {
            <Self as __MoverFields>::item(got)
        }
    }
    trait __MoverReadOnlyFields {
        type Terms: __strata::Fetch;
        fn item<'w>(got: <Self::Terms as __strata::Fetch>::Item<'w>) -> MoverReadOnlyItem<'w>;
    }
    #[automatically_derived]
    impl __MoverReadOnlyFields for MoverReadOnly {
        type Terms = << (Entity , & 'static mut Position , Option < & 'static Velocity > ,) as __strata :: QueryData > :: Terms as __strata :: Fetch > :: ReadOnly ;
        #[inline(always)]
        fn item<'w>(got: <Self::Terms as __strata::Fetch>::Item<'w>) -> MoverReadOnlyItem<'w> {
            let (__strata_entity, __strata_position, __strata_velocity) = <<(
                Entity,
                &'static mut Position,
                Option<&'static Velocity>,
            ) as __strata::QueryData>::ReadOnly as __strata::QueryData>::item(
                got
            );
            MoverReadOnlyItem { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity }
        }
    }
    #[automatically_derived]
    impl<__Terms> __strata::QueryData for MoverReadOnly
    where
        Self: __MoverReadOnlyFields<Terms = __Terms>,
        __Terms: __strata::Fetch<ReadOnly = __Terms>,
    {
        type Terms = __Terms;
        type ReadOnly = MoverReadOnly;
        type Item<'w> = MoverReadOnlyItem<'w>;
        #[inline(always)]
        fn item<'w>(got: <__Terms as __strata::Fetch>::Item<'w>) -> Self::Item<'w> {
            <Self as __MoverReadOnlyFields>::item(got)
        }
    }
    #[allow(dead_code, non_snake_case)]
    fn __uses_Mover(value: Mover) -> Mover {
        let Mover { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity } = value;
        Mover { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity }
    }
    #[allow(dead_code, non_snake_case)]
    fn __uses_MoverReadOnly(value: MoverReadOnly) -> MoverReadOnly {
        let MoverReadOnly { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity } = value;
        MoverReadOnly { entity: __strata_entity, position: __strata_position, velocity: __strata_velocity }
    }
};
