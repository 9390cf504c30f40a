//! Macros for types that give access to an entity: methods that forward to the read-only type, and implementations of `QueryData`.
//!
//! Tests: tests/queries/whole_entities.rs, tests/queries/filtered.rs

/// Defines methods that call the method of the same name on the result of the method `$via`.
///
/// Each method is written as a function without a body. The macro adds `#[must_use]`.
macro_rules! forward {
    (
        $via:ident:
        $(
            $(#[$meta:meta])*
            fn $name:ident$(<$T:ident: $Bound:path>)?(&self $(, $arg:ident: $Arg:ty)*) -> $Out:ty;
        )*
    ) => { $(
        $(#[$meta])*
        #[must_use]
        pub fn $name$(<$T: $Bound>)?(&self $(, $arg: $Arg)*) -> $Out {
            self.$via().$name$(::<$T>)?($($arg),*)
        }
    )* };
}

/// Implements `QueryData` for types that give access to an entity. The input is the terms, the read-only type, the item
/// with its two lifetimes, and an expression that makes the item from the fetched values and the state.
macro_rules! queried {
    ($(
        [$($generics:tt)*] $View:ty, $Terms:ty, $ReadOnly:ty,
        |$w:lifetime, $s:lifetime| $Item:ty = |$fetched:ident, $state:pat_param| $item:expr;
    )*) => { $(
        impl<$($generics)*> QueryData for $View {
            type Terms = $Terms;
            type ReadOnly = $ReadOnly;
            type Item<$w, $s> = $Item;

            #[inline]
            fn item<$w, $s>(
                $fetched: <Self::Terms as Fetch>::Item<$w>,
                $state: Kept<$s, Self::Terms>,
            ) -> Self::Item<$w, $s> {
                $item
            }
        }
    )* };
}
