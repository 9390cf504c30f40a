//! Values that a system keeps. The layer that defines worlds implements how such a value is fetched, since `FromWorld` makes it.
//!
//! Tests: tests/systems/params/local.rs

use core::fmt;

/// A value that belongs to one system and persists from run to run. It starts as `T::default()`, or as the value that
/// [`FromWorld`](crate::world::FromWorld) makes.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// # #[derive(Resource, Default)]
/// # struct Total(u32);
/// fn count(mut runs: Local<u32>, mut total: ResMut<Total>) {
///     *runs += 1;
///     total.0 = *runs;
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Total>();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(count);
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Total>().0, 2);
/// ```
#[doc(alias("state"))]
pub struct Local<'s, T> {
    value: &'s mut T,
}

impl<'s, T> Local<'s, T> {
    /// Reborrows with a shorter lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn count(mut runs: Local<u32>) {
    ///     *runs += 1;
    /// }
    ///
    /// fn count_twice(mut runs: Local<u32>) {
    ///     count(runs.reborrow());
    ///     count(runs);
    /// }
    /// # let mut runs = 0;
    /// # count_twice(Local::from(&mut runs));
    /// # assert_eq!(runs, 2);
    /// ```
    pub fn reborrow(&mut self) -> Local<'_, T> {
        Local { value: self.value }
    }
}

/// Defines the code that parameters for a value of the system share.
macro_rules! kept_values {
    ($Param:ident) => {
        /// Creates the parameter for unit tests that call a system directly.
        impl<'s, T> From<&'s mut T> for $Param<'s, T> {
            fn from(value: &'s mut T) -> Self {
                Self { value }
            }
        }

        impl_deref_mut!(#[inline] [T] $Param<'_, T> => T, |this| *this.value);

        impl_debug!([T: fmt::Debug] $Param<'_, T> => |this, f|
            f.debug_tuple(stringify!($Param)).field(&this.value).finish());
    };
}
pub(super) use kept_values;

kept_values!(Local);
