//! Macros that make errors, macros that make bundles which spawn other entities, and a macro that defines label traits.
//!
//! Tests: tests/systems/errors.rs, tests/systems/labels.rs, tests/relationships/bundles.rs

/// Makes an [`EcsError`](crate::error::EcsError) from a text with values, like `format!`. A
/// [`Severity`](crate::error::Severity) may precede the text.
///
/// ```
/// use strata_ecs::ecs_error;
/// use strata_ecs::error::Severity;
///
/// let width = 0;
/// assert_eq!(ecs_error!("no map has the width {width}").to_string(), "no map has the width 0");
/// assert_eq!(ecs_error!(Severity::Debug, "{} rooms", 3).severity(), Severity::Debug);
/// ```
#[macro_export]
macro_rules! ecs_error {
    ($format:literal $($rest:tt)*) => {
        $crate::macro_support::EcsError::from($crate::macro_support::format!($format $($rest)*))
    };
    ($severity:expr, $format:literal $($rest:tt)*) => {
        $crate::macro_support::EcsError::new($severity, $crate::macro_support::format!($format $($rest)*))
    };
}

/// Makes an error like [`ecs_error!`](crate::ecs_error), with the name that bevy_ecs uses.
#[macro_export]
macro_rules! bevy_error {
    ($format:literal $($rest:tt)*) => {
        $crate::macro_support::EcsError::from($crate::macro_support::format!($format $($rest)*))
    };
    ($severity:expr, $format:literal $($rest:tt)*) => {
        $crate::macro_support::EcsError::new($severity, $crate::macro_support::format!($format $($rest)*))
    };
}

/// Returns an error from the enclosing function: `return Err(ecs_error!(..))`. See [`ecs_error!`](crate::ecs_error).
///
/// ```
/// use strata_ecs::bail;
/// use strata_ecs::prelude::*;
///
/// fn check(width: u32) -> Result {
///     if width == 0 {
///         bail!("no map has the width {width}");
///     }
///     Ok(())
/// }
/// assert!(check(3).is_ok() && check(0).is_err());
/// ```
#[macro_export]
macro_rules! bail {
    ($format:literal $($rest:tt)*) => {
        return $crate::macro_support::Err($crate::macro_support::EcsError::from($crate::macro_support::format!($format $($rest)*)))
    };
    ($severity:expr, $format:literal $($rest:tt)*) => {
        return $crate::macro_support::Err($crate::macro_support::EcsError::new(
            $severity,
            $crate::macro_support::format!($format $($rest)*),
        ))
    };
}

/// Returns an error from the enclosing function unless a condition holds: `if !condition { bail!(..) }`. See
/// [`bail!`](crate::bail).
///
/// ```
/// use strata_ecs::ensure;
/// use strata_ecs::prelude::*;
///
/// fn check(width: u32) -> Result {
///     ensure!(width > 0, "no map has the width {width}");
///     ensure!(width < 1000);
///     Ok(())
/// }
/// assert!(check(3).is_ok() && check(0).is_err());
/// assert_eq!(check(1000).unwrap_err().to_string(), "`width < 1000` does not hold");
/// ```
#[macro_export]
macro_rules! ensure {
    ($condition:expr $(,)?) => {
        if !$condition {
            let text = $crate::macro_support::format!("`{}` does not hold", $crate::macro_support::stringify!($condition));
            return $crate::macro_support::Err($crate::macro_support::EcsError::from(text));
        }
    };
    ($condition:expr, $format:literal $($rest:tt)*) => {
        if !$condition {
            return $crate::macro_support::Err($crate::macro_support::EcsError::from(
                $crate::macro_support::format!($format $($rest)*),
            ));
        }
    };
    ($condition:expr, $severity:expr, $format:literal $($rest:tt)*) => {
        if !$condition {
            return $crate::macro_support::Err($crate::macro_support::EcsError::new(
                $severity,
                $crate::macro_support::format!($format $($rest)*),
            ));
        }
    };
}

/// Makes a bundle that spawns children, one for each given bundle.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
/// # #[derive(Component, Debug, PartialEq)] struct Mana(u32);
///
/// let mut world = World::new();
/// let root = world.spawn((Health(1), children![Health(2), (Health(3), children![Mana(4)])])).id();
/// assert_eq!(world.get::<Children>(root).unwrap().len(), 2);
/// assert_eq!(world.len(), 4);
/// ```
#[macro_export]
macro_rules! children {
    ($($child:expr),* $(,)?) => {
        <$crate::macro_support::Children as $crate::macro_support::SpawnRelated>::spawn($crate::macro_support::spawns!($($child),*))
    };
}

/// Makes a bundle that spawns the sources of a relationship, one for each given bundle: `related!(Children[a, b])`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[relationship(relationship_target = Crew)]
/// struct AboardOf(Entity);
/// #[derive(Component)]
/// #[relationship_target(relationship = AboardOf)]
/// struct Crew(Vec<Entity>);
/// # #[derive(Component)] struct Cook;
///
/// let mut world = World::new();
/// let ship = world.spawn(related!(Crew[Cook, ()])).id();
/// assert_eq!(world.get::<Crew>(ship).unwrap().0.len(), 2);
/// ```
#[macro_export]
macro_rules! related {
    ($Target:ty [$($child:expr),* $(,)?]) => {
        <$Target as $crate::macro_support::SpawnRelated>::spawn($crate::macro_support::spawns!($($child),*))
    };
}

pub use children;
pub use related;

/// Defines a label trait like [`SystemSet`](crate::label::SystemSet). Labels are values of any types. They can be
/// cloned, compared, hashed and printed, and interned to a `Copy` value that is compared by address.
///
/// A label type implements `dyn_clone`, and derives `Clone`, `Debug`, `PartialEq`, `Eq` and `Hash`. Labels of different
/// types are never equal. `extra_methods` are additional methods that each label type implements, and
/// `extra_methods_impl` is their implementation for an interned label.
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
    (
        $(#[$attribute:meta])*
        $Label:ident
        $(, extra_methods: { $($methods:tt)* }, extra_methods_impl: { $($implementations:tt)* })? $(,)?
    ) => {
        $(#[$attribute])*
        pub trait $Label:
            $crate::macro_support::DynHash + $crate::macro_support::Debug + $crate::macro_support::Send + $crate::macro_support::Sync
        {
            $($($methods)*)?

            /// Clones the label into a box.
            fn dyn_clone(&self) -> $crate::macro_support::Box<dyn $Label>;

            /// Converts the label into a `Copy` value that is compared by address. The first call for a label leaks a
            /// copy of the label.
            fn intern(&self) -> $crate::macro_support::Interned<dyn $Label>
            where
                Self: $crate::macro_support::Sized,
            {
                static LABELS: $crate::macro_support::Interner<dyn $Label> = $crate::macro_support::Interner::new();
                LABELS.intern(self)
            }
        }

        impl $Label for $crate::macro_support::Interned<dyn $Label> {
            $($($implementations)*)?

            fn dyn_clone(&self) -> $crate::macro_support::Box<dyn $Label> {
                (**self).dyn_clone()
            }

            fn intern(&self) -> Self {
                *self
            }
        }

        impl $crate::macro_support::PartialEq for dyn $Label {
            fn eq(&self, other: &Self) -> $crate::macro_support::bool {
                self.dyn_eq(other)
            }
        }

        impl $crate::macro_support::Eq for dyn $Label {}

        impl $crate::macro_support::Hash for dyn $Label {
            fn hash<H: $crate::macro_support::Hasher>(&self, state: &mut H) {
                self.dyn_hash(state);
            }
        }

        impl $crate::macro_support::Internable for dyn $Label {
            fn leak(&self) -> &'static Self {
                $crate::macro_support::Box::leak(self.dyn_clone())
            }
        }
    };
}
