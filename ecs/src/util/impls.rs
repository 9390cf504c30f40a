//! Macros that implement traits of the standard library where a derive is not suitable: for generic types without bounds, and for types
//! whose `Debug` output omits fields.
//!
//! Tests: tests/storage/world.rs, tests/systems/errors.rs

/// Implements `Debug`. The body is an expression that uses the value and the formatter.
macro_rules! impl_debug {
    ($($implementation:tt)*) => {
        impl_fmt!(Debug: $($implementation)*);
    };
}

/// Implements `Display`. The body is an expression that uses the value and the formatter.
macro_rules! impl_display {
    ($(#[$attribute:meta])* [$($generics:tt)*] $($implementation:tt)*) => {
        impl_fmt!(Display: $(#[$attribute])* [$($generics)*] $($implementation)*);
    };
}

/// Implements `Display` and `Error` for an error type. The expression is the same as in [`impl_display`]. Also implements `From` for each
/// variant that is listed with the type of its only value.
macro_rules! impl_error {
    (
        $(#[$attribute:meta])*
        [$($generics:tt)*] $Type:ty => |$this:ident, $f:ident| $text:expr $(, $Variant:ident($Source:ty))*
    ) => {
        impl_display!($(#[$attribute])* [$($generics)*] $Type => |$this, $f| $text);

        impl<$($generics)*> ::core::error::Error for $Type {}

        impl_from_variant!($($Type: $Variant($Source)),*);
    };
}

/// Implements `From` for enum variants that hold one value each.
macro_rules! impl_from_variant {
    ($($Type:ty: $Variant:ident($Source:ty)),*) => { $(
        impl From<$Source> for $Type {
            fn from(value: $Source) -> Self {
                Self::$Variant(value)
            }
        }
    )* };
}

macro_rules! impl_fmt {
    ($Trait:ident: $(#[$attribute:meta])* [$($generics:tt)*] $Type:ty => |$this:ident, $f:ident| $done:expr) => {
        $(#[$attribute])*
        impl<$($generics)*> ::core::fmt::$Trait for $Type {
            fn fmt(&self, $f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let $this = self;
                $done
            }
        }
    };
}

/// Implements `Deref`. The body is a place expression.
macro_rules! impl_deref {
    ($(#[$attribute:meta])* [$($generics:tt)*] $Type:ty => $Target:ty, |$this:ident| $place:expr) => {
        impl<$($generics)*> ::core::ops::Deref for $Type {
            type Target = $Target;

            $(#[$attribute])*
            fn deref(&self) -> &$Target {
                let $this = self;
                &$place
            }
        }
    };
}

/// Implements `Deref` and `DerefMut`. The body is a place expression.
macro_rules! impl_deref_mut {
    ($(#[$attribute:meta])* [$($generics:tt)*] $Type:ty => $Target:ty, |$this:ident| $place:expr) => {
        impl_deref!($(#[$attribute])* [$($generics)*] $Type => $Target, |$this| $place);

        impl<$($generics)*> ::core::ops::DerefMut for $Type {
            $(#[$attribute])*
            fn deref_mut(&mut self) -> &mut $Target {
                let $this = self;
                &mut $place
            }
        }
    };
}

/// Implements `From`. The body is an expression that uses the value.
macro_rules! impl_from {
    ($($(#[$attribute:meta])* [$($generics:tt)*] $Source:ty => $Target:ty, |$value:pat_param| $made:expr);+ $(;)?) => { $(
        $(#[$attribute])*
        impl<$($generics)*> From<$Source> for $Target {
            fn from($value: $Source) -> Self {
                $made
            }
        }
    )+ };
}

/// Implements `PartialEq`, `Eq` and `Hash` by comparing and hashing one field.
macro_rules! impl_eq {
    ([$($generics:tt)*] $Type:ty, $field:ident) => {
        impl<$($generics)*> PartialEq for $Type {
            fn eq(&self, other: &Self) -> bool {
                self.$field == other.$field
            }
        }

        impl<$($generics)*> Eq for $Type {}

        impl<$($generics)*> ::core::hash::Hash for $Type {
            fn hash<H: ::core::hash::Hasher>(&self, state: &mut H) {
                self.$field.hash(state);
            }
        }
    };
}

/// Implements `IntoIterator` by forwarding to another value.
macro_rules! impl_into_iter {
    ($(#[$attribute:meta])* [$($generics:tt)*] $Type:ty => $Inner:ty, |$this:ident| $inner:expr) => {
        $(#[$attribute])*
        impl<$($generics)*> IntoIterator for $Type
        where
            $Inner: IntoIterator,
        {
            type Item = <$Inner as IntoIterator>::Item;
            type IntoIter = <$Inner as IntoIterator>::IntoIter;

            fn into_iter(self) -> Self::IntoIter {
                let $this = self;
                IntoIterator::into_iter($inner)
            }
        }
    };
}

/// Implements `Default`. The body is an expression. The macro is for types for which a derive would add bounds, or whose fields have other
/// initial values.
macro_rules! impl_default {
    ([$($generics:tt)*] $Type:ty => $value:expr) => {
        impl<$($generics)*> Default for $Type {
            fn default() -> Self {
                $value
            }
        }
    };
}

/// Implements `Serialize` and `Deserialize` by converting to and from another value.
#[cfg(feature = "serde")]
macro_rules! impl_serde {
    ($(#[$attribute:meta])* $Type:ty as $Other:ty, |$this:ident| $other:expr, $from:expr) => {
        impl ::serde_core::Serialize for $Type {
            fn serialize<S: ::serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $this = self;
                $other.serialize(serializer)
            }
        }

        $(#[$attribute])*
        impl<'de> ::serde_core::Deserialize<'de> for $Type {
            fn deserialize<D: ::serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$Other as ::serde_core::Deserialize>::deserialize(deserializer).map($from)
            }
        }
    };
}

/// Implements `Copy`, and `Clone` based on it, for types that are `Copy` for all type parameters.
macro_rules! impl_copy {
    ($([$($generics:tt)*] $Type:ty);+ $(;)?) => { $(
        impl<$($generics)*> Clone for $Type {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($generics)*> Copy for $Type {}
    )+ };
}

/// Implements `Debug` for types whose values are not shown: the output is the name of the type.
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

/// Implements `Debug` as a struct with the listed fields and values. The last word is the method of [`DebugStruct`](core::fmt::DebugStruct)
/// that ends the output.
macro_rules! impl_debug_as_struct {
    ($([$($generics:tt)*] $Type:ty, $name:literal, |$this:ident| { $($field:ident: $value:expr),* } $end:ident;)*) => { $(
        impl<$($generics)*> core::fmt::Debug for $Type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let $this = self;
                f.debug_struct($name)$(.field(stringify!($field), &$value))*.$end()
            }
        }
    )* };
}

/// Defines getters. Each is `#[must_use]`, and returns the given place or value.
macro_rules! getters {
    ($($(#[$attribute:meta])* $visibility:vis fn $name:ident(&$this:ident) -> $Type:ty = $value:expr;)*) => { $(
        $(#[$attribute])*
        #[must_use]
        $visibility fn $name(&$this) -> $Type {
            $value
        }
    )* };
}
