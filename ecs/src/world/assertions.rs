//! Assertions about systems, for tests and examples.
//!
//! Tests: tests/systems/paths.rs

use super::World;
use crate::system::{BoxedSystem, IntoReadOnlySystem, IntoSystem, SystemInput};

/// Returns the system. Conflicts between its parameters are found at compile time.
fn checked<I: SystemInput, Out, Marker, S: IntoSystem<I, Out, Marker>>(system: S) -> S {
    let () = S::CHECKED;
    system
}

/// Returns the system, initialized for an empty world.
fn prepared<I: SystemInput + 'static, Out: 'static>(mut system: BoxedSystem<I, Out>) -> BoxedSystem<I, Out> {
    system.initialize(&mut World::new());
    system
}

/// Compiles if a function is a system. The system is initialized for an empty world, and not run.
///
/// `Out` is the output of the system. For a function that returns `Result<T, E>`, `Out` may be `T` or the whole
/// `Result`, so it must be specified:
/// `assert_is_system::<(), (), _>(function)`.
///
/// # Panics
///
/// If two parameters of the system conflict.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::assert_is_system;
///
/// # #[derive(Component)] struct Health(u32);
/// fn count(all: Query<&Health>) -> usize {
///     all.iter().count()
/// }
/// fn check(all: Query<&Health>) -> Result {
///     all.single()?;
///     Ok(())
/// }
/// assert_is_system(count);
/// assert_is_system::<(), (), _>(check);
/// ```
#[track_caller]
pub fn assert_is_system<I, Out, Marker>(system: impl AssertedSystem<I, Out, Marker>)
where
    I: SystemInput + 'static,
{
    system.assert_is_system();
}

/// A system that returns `Out`, or `Result<Out, E>`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system with this input and this output",
    note = "a system is a function with at most 16 parameters, all of which implement `SystemParam`; write `#[system]` above the function \
            to see which parameter is wrong"
)]
pub trait AssertedSystem<I: SystemInput, Out, Marker> {
    #[track_caller]
    fn assert_is_system(self);
}

#[diagnostic::do_not_recommend]
impl<I, Out, Marker, S> AssertedSystem<I, Out, (Marker,)> for S
where
    I: SystemInput + 'static,
    Out: 'static,
    S: IntoSystem<I, Out, Marker>,
{
    fn assert_is_system(self) {
        drop(prepared(IntoSystem::into_system(checked(self))));
    }
}

#[diagnostic::do_not_recommend]
impl<I, Out, E, Marker, S> AssertedSystem<I, Out, (Marker, E)> for S
where
    I: SystemInput + 'static,
    Out: 'static,
    E: 'static,
    S: IntoSystem<I, Result<Out, E>, Marker>,
{
    fn assert_is_system(self) {
        drop(prepared(IntoSystem::into_system(checked(self))));
    }
}

/// Compiles if a function is a system that only reads. The system is initialized for an empty world, and not run.
///
/// For an item made by `#[system]`, and for a boxed system, the access is known only after initialization, so it is
/// checked then.
///
/// # Panics
///
/// If the access that is checked at initialization includes a mutable borrow or commands. If two parameters conflict.
/// The message contains the name of the system.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::assert_is_read_only_system;
///
/// # #[derive(Component)] struct Health(u32);
/// fn count(all: Query<&Health>) -> usize {
///     all.iter().count()
/// }
/// assert_is_read_only_system(count);
/// ```
///
/// A function with a parameter that writes does not compile:
///
/// ```compile_fail,E0277
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::assert_is_read_only_system;
///
/// # #[derive(Component)] struct Health(u32);
/// fn heal(mut all: Query<&mut Health>) {
///     all.iter_mut().for_each(|mut health| health.0 += 1);
/// }
/// assert_is_read_only_system(heal);
/// ```
#[track_caller]
pub fn assert_is_read_only_system<I, Out, Marker>(system: impl IntoReadOnlySystem<I, Out, Marker>)
where
    I: SystemInput + 'static,
    Out: 'static,
{
    let system = checked(system);
    let system = prepared(IntoSystem::into_system(system));
    assert!(system.access().is_read_only(), "system `{}` does not only read", system.name());
}

/// Asserts that the parameters of a system do not conflict. The system is not run.
///
/// # Panics
///
/// If two parameters conflict. The message contains the name of the system and both parameters. A function with plain
/// parameters does not compile instead.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::assert_system_does_not_conflict;
///
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Enemy;
/// fn heal(friends: Query<&mut Health, Without<Enemy>>, enemies: Query<&Health, With<Enemy>>) {
/// #   let _ = (friends, enemies);
/// }
/// assert_system_does_not_conflict(heal);
/// ```
#[track_caller]
pub fn assert_system_does_not_conflict<Out, Marker>(system: impl IntoSystem<(), Out, Marker>)
where
    Out: 'static,
{
    drop(prepared(IntoSystem::into_system(checked(system))));
}
