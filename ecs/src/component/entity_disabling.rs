//! Components that exclude entities from queries: [`Disabled`], and others that a program chooses.
//!
//! A disabled entity stays in the world, with all its components. Queries, row systems and [`World::all`](crate::world::World::all) skip
//! it, unless one of their terms uses the disabling component, such as `With<Disabled>`, `Has<Disabled>` or `&Disabled`. The term
//! [`Allow<Disabled>`](crate::query::Allow) includes disabled entities without other effect. Operations that take an id still reach the
//! entity: [`World::entity`](crate::world::World::entity), commands, [`World::many`](crate::world::World::many). A look-up by id in a query
//! finds the entity only if the query matches it.
//!
//! A change or addition while an entity is disabled counts as new after the entity is enabled: `Changed` and `Added` then yield it once. A
//! query that also matches disabled entities yields such a change twice. A system can miss a change that happened before an entity was
//! disabled: ticks are kept per component, not per consumer. This happens if the system did not run between the change and the disabling,
//! but runs while the entity is disabled, and another consumer reads the changes of the component in between.
//!
//! A query has an implicit filter `Without<Disabled>`. So two queries of a system that write the same component do not conflict if one of
//! them has `With<Disabled>` and the other has no term with `Disabled`. The implicit filter costs as much as a written one: one check per
//! new table, and nothing per entity.
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

/// Disables its entity: queries without a term for this component skip the entity. See the [module](self).
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
