//! What a system is given when it is run.

use core::ops::{Deref, DerefMut};

/// The input of a system: its first parameter, which whoever runs the system gives it.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// fn damage(In(amount): In<u32>, mut all: Query<&mut Health>) -> usize {
///     all.iter_mut().for_each(|mut health| health.0 = health.0.saturating_sub(amount));
///     all.iter().filter(|health| health.0 == 0).count()
/// }
///
/// let mut world = World::new();
/// world.spawn_batch([Health(3), Health(8)]);
/// assert_eq!(world.run_system_once_with(damage, 5).unwrap(), 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct In<T>(pub T);

impl<T> Deref for In<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for In<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// What is given for a parameter that is an input.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an input of a system",
    label = "taken for the input because of its name",
    note = "the input of a system is `In<T>` of this library; write `#[param]` before a system parameter with that name"
)]
pub trait SystemInput {
    type Value;

    fn wrap(value: Self::Value) -> Self;
}

impl<T> SystemInput for In<T> {
    type Value = T;

    #[inline(always)]
    fn wrap(value: T) -> Self {
        Self(value)
    }
}
