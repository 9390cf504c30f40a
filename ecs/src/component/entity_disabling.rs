//! Components that exclude entities from queries: [`Disabled`], and others that a program chooses.
//!
//! A disabled entity stays in the world, with all its components. Queries, row systems and [`World::all`](crate::world::World::all)
//! skip it, unless they name the disabling component: `With<Disabled>`, `Has<Disabled>`, `&Disabled`, or
//! [`Allow<Disabled>`](crate::query::Allow), which requires nothing. Operations on an id still reach it:
//! [`World::entity`](crate::world::World::entity), commands, [`World::many`](crate::world::World::many). A query finds it by its id
//! only if it matches.
//!
//! A change or addition while an entity is disabled counts as new after it is enabled: `Changed` and `Added` yield it then, once. A
//! query that also sees disabled entities has seen such a change before, and sees it again. A system misses a change from before an
//! entity was disabled if it did not run between the two, runs while the entity is disabled, and another consumer reads the changes
//! of the component in between: ticks are kept per component, not per consumer.
//!
//! For a query it is an implicit filter `Without<Disabled>`. So two queries of a system that write the same component do not
//! conflict if one of them has `With<Disabled>` and the other does not name it. It costs as much as a filter: one check per new
//! table, and nothing per entity.
//!
//! ```
//! use strata_ecs::entity_disabling::Disabled;
//! use strata_ecs::prelude::*;
//!
//! #[derive(Component)]
//! struct Enemy;
//!
//! let mut world = World::new();
//! let sleeping = world.spawn((Enemy, Disabled)).id();
//! let awake = world.spawn(Enemy).id();
//! let mut enemies = world.query_filtered::<Entity, With<Enemy>>();
//! assert_eq!(enemies.single(&world), Ok(awake));
//!
//! world.entity_mut(sleeping).remove::<Disabled>();
//! assert_eq!(enemies.iter(&world).count(), 2);
//! ```
//!
//! [`World::register_disabling_component`](crate::world::World::register_disabling_component) makes other components disabling.
// Tests: tests/queries/disabling.rs

use strata_ecs_derive::Component;

/// Queries that do not name this component skip entities that have it: see the [module](self).
///
/// ```
/// use strata_ecs::entity_disabling::Disabled;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// #[system]
/// fn heal(health: &mut Health) {
///     health.0 += 1;
/// }
///
/// let mut world = World::new();
/// let entity = world.spawn((Health(1), Disabled)).id();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(heal);
/// schedule.run(&mut world);
/// assert_eq!(world.entity(entity).get::<Health>().unwrap().0, 1);
/// ```
#[derive(Component, Clone, Copy, Default, PartialEq, Eq, Debug)]
#[component(name = "strata_ecs::entity_disabling::Disabled", track = "always")]
#[doc(alias("Enabled", "Prefab", "EcsDisabled", "IsDisabled"))]
pub struct Disabled;
