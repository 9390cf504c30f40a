//! Differences between two worlds.
//!
//! Tests: tests/snapshots/checksums.rs, tests/snapshots/replays.rs

use alloc::string::String;
use core::fmt;

use crate::entity::Entity;

/// A difference between two worlds, found by [`World::diff`](crate::world::World::diff). `here` refers to the world
/// whose method was called, and `there` to the argument. Values are formatted with `Debug`, or by their fields if their
/// type has no `Debug`.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::Difference;
///
/// #[derive(Component, Debug)]
/// struct Health(u32);
///
/// let mut worlds = [World::new(), World::new()];
/// let entity = worlds[0].spawn(Health(3)).id();
/// worlds[1].spawn(Health(4));
/// let Difference::Value { entity: found, here, there, .. } = &worlds[0].diff(&worlds[1]).unwrap()[0] else {
///     unreachable!()
/// };
/// assert_eq!((*found, here.as_deref(), there.as_deref()), (entity, Some("Health(3)"), Some("Health(4)")));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Difference {
    /// The tables with the same number have different components. `None` means that a world has no such table. Later
    /// tables are not reported.
    Table {
        /// The number of the table.
        number: usize,
        /// The names of the components that the table has here.
        here: Option<String>,
        /// The names of the components that the table has there.
        there: Option<String>,
    },
    /// An entity is alive in only one of the worlds.
    Entity {
        /// The entity.
        entity: Entity,
        /// Whether the entity is alive here. Otherwise it is alive there.
        is_here: bool,
        /// The names of the components in the table of the entity.
        table: String,
    },
    /// A component of an entity has different values. `None` means that the entity does not have the component.
    Value {
        /// The entity.
        entity: Entity,
        /// The names of the components in the table of the entity here.
        table: String,
        /// The full name of the component.
        component: &'static str,
        /// The value here.
        here: Option<String>,
        /// The value there.
        there: Option<String>,
    },
    /// A row of a table, or of the values of a sparse component, belongs to different entities. Later rows are not
    /// reported.
    Order {
        /// The names of the components of the table or storage.
        of: String,
        /// The row.
        row: usize,
        /// The entity here.
        here: Option<Entity>,
        /// The entity there.
        there: Option<Entity>,
    },
    /// A resource has different values. `None` means that the resource does not exist.
    Resource {
        /// The full name of the resource.
        resource: &'static str,
        /// The value here.
        here: Option<String>,
        /// The value there.
        there: Option<String>,
    },
    /// A pair of a relation differs. Later pairs are not reported.
    Pair {
        /// The full name of the relation.
        relation: &'static str,
        /// The row of the pair.
        row: usize,
        /// The source, the target and the value here.
        here: Option<String>,
        /// The source, the target and the value there.
        there: Option<String>,
    },
    /// The next ids differ.
    NextIds,
}

/// Formats a value, or the fact that it is missing.
fn shown(value: &Option<impl fmt::Display>) -> &dyn fmt::Display {
    match value {
        Some(value) => value,
        None => &"none",
    }
}

impl_display!([] Difference => |this, f| {
    let (here, there): (&dyn fmt::Display, &dyn fmt::Display) = match this {
        Self::Table { number, here, there } => {
            write!(f, "table {number}")?;
            (shown(here), shown(there))
        }
        Self::Entity { entity, is_here, table } => {
            let place = if *is_here { "here" } else { "there" };
            return write!(f, "entity {entity} in table {table} is alive {place} only");
        }
        Self::Value { entity, table, component, here, there } => {
            write!(f, "entity {entity} in table {table}, component `{component}`")?;
            (shown(here), shown(there))
        }
        Self::Order { of, row, here, there } => {
            write!(f, "the entity in row {row} of {of}")?;
            (shown(here), shown(there))
        }
        Self::Resource { resource, here, there } => {
            write!(f, "resource `{resource}`")?;
            (shown(here), shown(there))
        }
        Self::Pair { relation, row, here, there } => {
            write!(f, "pair {row} of relation `{relation}`")?;
            (shown(here), shown(there))
        }
        Self::NextIds => return f.write_str("the ids that the next entities get"),
    };
    write!(f, ": {here} here, {there} there")
});
