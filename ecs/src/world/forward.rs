//! Macros for types that give access to an entity: their methods that a type which only reads it has, too, and queries for them.

/// Writes methods that call those of the same name on what the method `$via` returns.
///
/// Each is written as a function without a body; `#[must_use]` is added.
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

/// Implements `QueryData` for types that give access to an entity: the terms, the view that only reads, the item for two lifetimes, and
/// how it is made of what the terms fetch and of the state.
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
