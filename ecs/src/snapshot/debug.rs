//! How the types of snapshots are shown.

/// Implements `Debug`: a struct with the fields that are named, each with its value. The last word is the method of
/// [`DebugStruct`](core::fmt::DebugStruct) that ends it.
macro_rules! debug_as_struct {
    ($([$($generics:tt)*] $Type:ty, $name:literal, |$this:ident| { $($field:ident: $value:expr),* } $end:ident;)*) => { $(
        impl<$($generics)*> core::fmt::Debug for $Type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let $this = self;
                f.debug_struct($name)$(.field(stringify!($field), &$value))*.$end()
            }
        }
    )* };
}
