//! Comparing and hashing values of types that are not known: what labels of a trait of one's own consist of.

use core::any::Any;
use core::hash::{Hash, Hasher};

/// `Eq` for values behind `dyn`. All types with `Eq` have it.
///
/// ```
/// use strata_ecs::label::DynEq;
///
/// let three: &dyn DynEq = &3_u32;
/// assert!(three.dyn_eq(&3_u32) && !three.dyn_eq(&4_u32) && !three.dyn_eq(&3_u64));
/// ```
pub trait DynEq: Any {
    /// Whether both values are of the same type and equal.
    fn dyn_eq(&self, other: &dyn DynEq) -> bool;
}

impl<T: Any + Eq> DynEq for T {
    fn dyn_eq(&self, other: &dyn DynEq) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }
}

/// `Hash` for values behind `dyn`. All types with `Eq` and `Hash` have it.
pub trait DynHash: DynEq {
    /// Hashes the value and its type.
    fn dyn_hash(&self, state: &mut dyn Hasher);
}

impl<T: DynEq + Hash> DynHash for T {
    fn dyn_hash(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
        self.type_id().hash(&mut state);
    }
}

/// Defines a trait of labels, such as [`SystemSet`](crate::label::SystemSet) is one: values of any types that are cloned, compared, hashed
/// and printed, and interned to a `Copy` value that is compared by address.
///
/// A label implements `dyn_clone`, and derives `Clone`, `Debug`, `PartialEq`, `Eq` and `Hash`. Labels of different types are never equal.
/// `extra_methods` are methods that each label implements besides, and `extra_methods_impl` how an interned label does so.
///
/// ```
/// use strata_ecs::define_label;
///
/// define_label!(
///     /// A place in the game.
///     Place,
///     extra_methods: {
///         fn level(&self) -> u32;
///     },
///     extra_methods_impl: {
///         fn level(&self) -> u32 {
///             (**self).level()
///         }
///     }
/// );
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// struct Cave(u32);
///
/// impl Place for Cave {
///     fn dyn_clone(&self) -> Box<dyn Place> {
///         Box::new(self.clone())
///     }
///
///     fn level(&self) -> u32 {
///         self.0
///     }
/// }
///
/// let cave = Cave(3).intern();
/// assert_eq!(cave, Cave(3).intern());
/// assert_ne!(cave, Cave(4).intern());
/// assert_eq!(cave.level(), 3);
/// assert_eq!(format!("{cave:?}"), "Cave(3)");
/// ```
#[macro_export]
macro_rules! define_label {
    ($(#[$attribute:meta])* $Label:ident $(,)?) => {
        $crate::define_label!($(#[$attribute])* $Label, extra_methods: {}, extra_methods_impl: {});
    };
    (
        $(#[$attribute:meta])*
        $Label:ident,
        extra_methods: { $($methods:tt)* },
        extra_methods_impl: { $($implementations:tt)* } $(,)?
    ) => {
        $(#[$attribute])*
        pub trait $Label:
            $crate::__private::DynHash + $crate::__private::Debug + $crate::__private::Send + $crate::__private::Sync
        {
            $($methods)*

            /// The same label in a box.
            fn dyn_clone(&self) -> $crate::__private::Box<dyn $Label>;

            /// The label as a `Copy` value that is compared by address. The first call for a label leaks a copy of it.
            fn intern(&self) -> $crate::__private::Interned<dyn $Label>
            where
                Self: $crate::__private::Sized,
            {
                static LABELS: $crate::__private::Interner<dyn $Label> = $crate::__private::Interner::new();
                LABELS.intern(self)
            }
        }

        impl $Label for $crate::__private::Interned<dyn $Label> {
            $($implementations)*

            fn dyn_clone(&self) -> $crate::__private::Box<dyn $Label> {
                (**self).dyn_clone()
            }

            fn intern(&self) -> Self {
                *self
            }
        }

        impl $crate::__private::PartialEq for dyn $Label {
            fn eq(&self, other: &Self) -> $crate::__private::bool {
                self.dyn_eq(other)
            }
        }

        impl $crate::__private::Eq for dyn $Label {}

        impl $crate::__private::Hash for dyn $Label {
            fn hash<H: $crate::__private::Hasher>(&self, state: &mut H) {
                self.dyn_hash(state);
            }
        }

        impl $crate::__private::Internable for dyn $Label {
            fn leak(&self) -> &'static Self {
                $crate::__private::Box::leak(self.dyn_clone())
            }
        }
    };
}
