//! Macros for implementations of standard traits that many types have.

/// Implements `Copy`, and `Clone` by way of it, for types that are `Copy` whatever their parameters are.
macro_rules! impl_copy {
    ($([$($generics:tt)*] $Type:ty;)*) => { $(
        impl<$($generics)*> Clone for $Type {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($generics)*> Copy for $Type {}
    )* };
}

/// Implements `Debug` for types that are named but have no values worth showing: it writes the name of the type.
macro_rules! impl_debug_as_type_name {
    ($([$($generics:tt)*] $Type:ty;)*) => { $(
        impl<$($generics)*> core::fmt::Debug for $Type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(core::any::type_name::<Self>())
            }
        }
    )* };
}

/// Implements `Debug` for structs that show some of their fields.
macro_rules! impl_debug_of_fields {
    ($([$($generics:tt)*] $Type:ident $(<$($argument:tt),*>)? { $($field:ident),* })*) => { $(
        impl<$($generics)*> core::fmt::Debug for $Type $(<$($argument),*>)? {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($Type))
                    $(.field(stringify!($field), &self.$field))*
                    .finish_non_exhaustive()
            }
        }
    )* };
}
