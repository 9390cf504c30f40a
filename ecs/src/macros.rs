//! Macros that make errors.

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
