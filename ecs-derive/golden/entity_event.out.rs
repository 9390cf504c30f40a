#[allow(deprecated)]
const _: () = {
    use ::strata_ecs::__private as __strata;
    #[automatically_derived]
    impl __strata::Event for Hit {
        type Trigger<'__strata> = __strata::PropagateEntityTrigger<true, Self, &'static ChildOf>;
        const KEY: __strata::Option<__strata::ComponentKey> =
            __strata::Some(::strata_ecs::__private::key!("Hit", [0u32, 0u32], 0u32));
        #[inline]
        fn slot() -> __strata::Option<&'static __strata::TypeSlot<Self>> {
            static SLOT: __strata::TypeSlot<Hit> = __strata::TypeSlot::new();
            __strata::Some(&SLOT)
        }
    }
    #[automatically_derived]
    impl __strata::EntityEvent for Hit {
        #[inline]
        fn event_target(&self) -> __strata::Entity {
            __strata::ContainsEntity::entity(&self.body)
        }
    }
    #[automatically_derived]
    impl __strata::SetEntityEventTarget for Hit {
        #[inline]
        fn set_event_target(&mut self, entity: __strata::Entity) {
            self.body = __strata::Into::into(entity);
        }
    }
};
