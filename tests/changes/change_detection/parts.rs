//! The components of these tests.

use strata_ecs::prelude::*;

/// Whether the changes of all components are known from the beginning, since the origin of the last one is.
pub(super) const ALWAYS_TRACKED: bool = cfg!(feature = "track_location");

/// In a table.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Health(pub u32);

/// In a table, without a size.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Marked;

/// Outside of tables.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[component(storage = "sparse")]
pub(crate) struct Aside(pub u64);

/// Outside of tables, without a value.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[component(storage = "sparse")]
pub(crate) struct Tag;

/// Moves entities to other tables.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Other(pub u16);

/// Moves them as well.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Extra(pub [u64; 3]);

/// Requires a component of a table, and one outside.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[require(Health, Aside)]
pub(crate) struct Needy;

#[derive(Resource, Debug, Default, PartialEq)]
pub(crate) struct Score(pub u32);
