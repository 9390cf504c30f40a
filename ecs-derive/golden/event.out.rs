#[allow(deprecated)]
const _: () = {
    use ::strata_ecs::__private as __strata;
    #[automatically_derived]
    impl<const LOUD: bool> __strata::Event for Explosion<LOUD>
    where
        Self: __strata::Send + __strata::Sync + 'static,
    {
        type Trigger<'__strata> = __strata::GlobalTrigger;
        const KEY: __strata::Option<__strata::ComponentKey> =
            __strata::Some(::strata_ecs::__private::key!("Explosion", [0u32, 0u32], 0u32).mix(LOUD as __strata::u128));
    }
};
