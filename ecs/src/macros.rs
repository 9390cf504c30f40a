//! Macros that make errors, and those that make bundles which spawn other entities.

/// An [`EcsError`](crate::error::EcsError) of a text with values in it, as `format!` makes. A
/// [`Severity`](crate::error::Severity) may stand before it.
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
        $crate::__private::EcsError::from($crate::__private::format!($format $($rest)*))
    };
    ($severity:expr, $format:literal $($rest:tt)*) => {
        $crate::__private::EcsError::new($severity, $crate::__private::format!($format $($rest)*))
    };
}

/// bevy_ecs's name of [`ecs_error!`](crate::ecs_error).
#[macro_export]
macro_rules! bevy_error {
    ($format:literal $($rest:tt)*) => {
        $crate::__private::EcsError::from($crate::__private::format!($format $($rest)*))
    };
    ($severity:expr, $format:literal $($rest:tt)*) => {
        $crate::__private::EcsError::new($severity, $crate::__private::format!($format $($rest)*))
    };
}

/// Returns with an error: `return Err(ecs_error!(..))`. See [`ecs_error!`](crate::ecs_error).
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
        return $crate::__private::Err($crate::__private::EcsError::from($crate::__private::format!($format $($rest)*)))
    };
    ($severity:expr, $format:literal $($rest:tt)*) => {
        return $crate::__private::Err($crate::__private::EcsError::new(
            $severity,
            $crate::__private::format!($format $($rest)*),
        ))
    };
}

/// Returns with an error unless a condition holds: `if !condition { bail!(..) }`. See [`bail!`](crate::bail).
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
            let text = $crate::__private::format!("`{}` does not hold", $crate::__private::stringify!($condition));
            return $crate::__private::Err($crate::__private::EcsError::from(text));
        }
    };
    ($condition:expr, $format:literal $($rest:tt)*) => {
        if !$condition {
            return $crate::__private::Err($crate::__private::EcsError::from(
                $crate::__private::format!($format $($rest)*),
            ));
        }
    };
    ($condition:expr, $severity:expr, $format:literal $($rest:tt)*) => {
        if !$condition {
            return $crate::__private::Err($crate::__private::EcsError::new(
                $severity,
                $crate::__private::format!($format $($rest)*),
            ));
        }
    };
}

/// A bundle that spawns children, one for each bundle.
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
        <$crate::__private::Children as $crate::__private::SpawnRelated>::spawn($crate::__private::spawns!($($child),*))
    };
}

/// A bundle that spawns the sources of a relationship, one for each bundle: `related!(Children[a, b])`.
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
        <$Target as $crate::__private::SpawnRelated>::spawn($crate::__private::spawns!($($child),*))
    };
}

pub use children;
pub use related;
