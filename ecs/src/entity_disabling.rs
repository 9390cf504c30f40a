//! Components that keep entities out of queries: [`Disabled`], and others that a program chooses.
//!
//! A disabled entity stays in the world, with everything that it has. Queries, row systems and
//! [`World::all`](crate::world::World::all) pass it over, unless they name the disabling component: `With<Disabled>`,
//! `Has<Disabled>`, `&Disabled`, or [`Allow<Disabled>`](crate::query::Allow), which demands nothing. Everything that is given an
//! id reaches it as before: [`World::entity`](crate::world::World::entity), commands,
//! [`World::many`](crate::world::World::many). A query finds it by its id only if it matches.
//!
//! What is changed or added while an entity is disabled is new when it no longer is: `Changed` and `Added` yield it then, once. A
//! query that sees disabled entities, too, has seen such a change before, and sees it again.
//! A change from before an entity was disabled is missed by a system that did not run between the two, but runs while the entity is
//! disabled, if another consumer has looked at the component in between: ticks are kept per component, not per consumer.
//!
//! To the query it is a filter `Without<Disabled>` that needs not be written. So two queries of a system that write the same
//! component get on with each other if one of them has `With<Disabled>` and the other does not name it. The cost is that of a
//! filter: one question per new table, and nothing per entity.
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
//! With [`World::register_disabling_component`](crate::world::World::register_disabling_component) other components do the same.

use strata_ecs_derive::Component;

/// An entity that has this is passed over by queries that do not name it: see the [module](self).
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
#[component(track = "always")]
#[doc(alias("Enabled", "Prefab", "EcsDisabled", "IsDisabled"))]
pub struct Disabled;
