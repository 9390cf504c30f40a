//! A macro for types that give access to an entity and have the methods of a type that only reads it.

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
