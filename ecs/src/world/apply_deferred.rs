//! A system after which all recorded commands of earlier systems have been applied.
//!
//! Tests: tests/systems/params/deferred.rs

use super::cast::World;
use crate::system::{BoxedSystem, IntoSystem};

/// A system that does nothing: when it runs, the commands of all systems before it have been applied.
///
/// Commands are already applied between two systems if one of them is ordered after the other. Add `ApplyDeferred` to
/// order other systems relative to the point where commands are applied. Like every system of `&mut World`, it runs
/// alone.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::ApplyDeferred;
/// # #[derive(Component)] struct Enemy;
/// # #[derive(Resource, Default)] struct Count(usize);
///
/// fn spawn(mut commands: Commands) {
///     commands.spawn(Enemy);
/// }
///
/// fn count(enemies: Query<&Enemy>, mut count: ResMut<Count>) {
///     count.0 = enemies.count();
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Count>();
/// let mut schedule = Schedule::default();
/// schedule.add_systems((spawn, ApplyDeferred, count).chain());
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Count>().0, 1);
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct ApplyDeferred;

/// Marker type: distinguishes this system from functions.
#[doc(hidden)]
pub struct ApplyMarker;

impl IntoSystem<(), (), ApplyMarker> for ApplyDeferred {
    fn into_system(_: Self) -> BoxedSystem<(), ()> {
        IntoSystem::into_system(apply_deferred)
    }
}

fn apply_deferred(_: &mut World) {}
