//! What stands under the name of a function with `#[system]`.

use core::fmt;
use core::ops::Deref;

use super::base::BoxedSystem;
use super::function::MacroMarker;
use super::input::SystemInput;
use super::into::IntoSystem;

/// What `#[system(associated)]` puts under a function's name: a value that is called like the function and added like a
/// system. (Outside of an `impl` each system has a type of its own.)
///
/// `F` is the type of the function, `In` what the system is given and `Out` what it returns.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::SystemItem;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// impl Health {
///     #[system(associated)]
///     fn heal(health: &mut Health) {
///         health.0 += 1;
///     }
/// }
///
/// let item: SystemItem<fn(&mut Health), (), Result> = Health::heal;
/// let mut health = Health(1);
/// item(&mut health);
/// assert_eq!(health.0, 2);
/// assert!(IntoSystem::into_system(item).name().ends_with("::heal"));
/// ```
pub struct SystemItem<F, In: SystemInput = (), Out = ()> {
    function: F,
    build: fn() -> BoxedSystem<In, Out>,
}

impl<F: Copy, In: SystemInput, Out> Clone for SystemItem<F, In, Out> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Copy, In: SystemInput, Out> Copy for SystemItem<F, In, Out> {}

impl<F, In: SystemInput, Out> SystemItem<F, In, Out> {
    #[doc(hidden)]
    pub const fn new(function: F, build: fn() -> BoxedSystem<In, Out>) -> Self {
        Self { function, build }
    }
}

impl<F, In: SystemInput, Out> Deref for SystemItem<F, In, Out> {
    type Target = F;

    #[inline(always)]
    fn deref(&self) -> &F {
        &self.function
    }
}

impl<F, In: SystemInput + 'static, Out: 'static> fmt::Debug for SystemItem<F, In, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*(self.build)(), f)
    }
}

impl<F, In: SystemInput + 'static, Out: 'static> IntoSystem<In, Out, MacroMarker> for SystemItem<F, In, Out> {
    fn into_system(this: Self) -> BoxedSystem<In, Out> {
        (this.build)()
    }
}
