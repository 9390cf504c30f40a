#[allow(deprecated)]
const _: () = {
    use ::strata_ecs::__private as __strata;
    #[automatically_derived]
    impl<T: Component, __Parts0, __Parts1> __strata::Bundle for Troll<T>
    where
        Self: __strata::Send + __strata::Sync + 'static,
        Health: __strata::Bundle<Parts = __Parts0>,
        __Parts0: __strata::BundleParts,
        T: __strata::Bundle<Parts = __Parts1>,
        __Parts1: __strata::BundleParts,
    {
        type Parts = (__Parts0, __Parts1);
        #[inline]
        fn into_parts(self) -> Self::Parts {
            {
                let __strata_2 = self.note;
            }
            (__strata::Bundle::into_parts(self.health), __strata::Bundle::into_parts(self.weapon))
        }
        #[inline]
        fn from_parts(parts: Self::Parts) -> Self {
            let (__strata_0, __strata_1) = parts;
            Self {
                health: __strata::Bundle::from_parts(__strata_0),
                weapon: __strata::Bundle::from_parts(__strata_1),
                note: __strata::Default::default(),
            }
        }
    }
};
