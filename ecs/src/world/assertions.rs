//! Assertions about systems, for tests and examples.

use super::World;
use crate::system::{BoxedSystem, IntoSystem, SystemInput};

/// The system, whose parameters are compared when the program is compiled.
fn checked<I: SystemInput, Out, Marker, S: IntoSystem<I, Out, Marker>>(system: S) -> S {
    let () = S::CHECKED;
    system
}

/// The system, prepared for an empty world.
fn prepared<I: SystemInput + 'static, Out: 'static>(mut system: BoxedSystem<I, Out>) -> BoxedSystem<I, Out> {
    system.initialize(&mut World::new());
    system
}

/// Compiles if a function is a system. The system is prepared for an empty world, and not run.
///
/// # Panics
///
/// If two parameters of the system are in each other's way.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::assert_is_system;
///
/// # #[derive(Component)] struct Health(u32);
/// fn count(all: Query<&Health>) -> usize {
///     all.iter().count()
/// }
/// assert_is_system(count);
/// ```
#[track_caller]
pub fn assert_is_system<I, Out, Marker>(system: impl IntoSystem<I, Out, Marker>)
where
    I: SystemInput + 'static,
    Out: 'static,
{
    let system = checked(system);
    drop(prepared(IntoSystem::into_system(system)));
}

/// Compiles if a function is a system, and asserts that it only reads. It is not run.
///
/// # Panics
///
/// If the system borrows something mutably or records commands, with the system's name; or if two of its parameters are in each
/// other's way.
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
#[track_caller]
pub fn assert_is_read_only_system<I, Out, Marker>(system: impl IntoSystem<I, Out, Marker>)
where
    I: SystemInput + 'static,
    Out: 'static,
{
    let system = checked(system);
    let system = prepared(IntoSystem::into_system(system));
    assert!(system.access().is_read_only(), "system `{}` does not only read", system.name());
}

/// Asserts that the parameters of a system are not in each other's way. It is not run.
///
/// # Panics
///
/// If they are, with the system's name and both parameters. If they are of a function with plain parameters, this does not compile.
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
    let system = checked(system);
    assert_is_system(system);
}
