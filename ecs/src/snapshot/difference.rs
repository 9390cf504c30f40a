//! Where two worlds differ.

use alloc::string::String;
use core::fmt;

use crate::entity::Entity;

/// A place at which two worlds differ, as [`World::diff`](crate::world::World::diff) finds it: `here` is the world that is asked, `there`
/// the other one. Values are as their `Debug` shows them, or by their fields if they have none.
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
    /// The components of the table with this number; `None` if there are not so many tables. Others behind it are not reported.
    Table {
        /// The number of the table.
        number: usize,
        /// The names of its components here.
        here: Option<String>,
        /// And there.
        there: Option<String>,
    },
    /// An entity is alive in one of the worlds only.
    Entity {
        /// The entity.
        entity: Entity,
        /// Whether it is alive here.
        is_here: bool,
        /// The names of the components of its table.
        table: String,
    },
    /// The value of a component of an entity; `None` if it does not have the component.
    Value {
        /// The entity.
        entity: Entity,
        /// The names of the components of its table here.
        table: String,
        /// The full name of the component.
        component: &'static str,
        /// The value here.
        here: Option<String>,
        /// And there.
        there: Option<String>,
    },
    /// The entities in a row of a table, or of the values of a component with sparse storage, are others. Others behind it are not
    /// reported.
    Order {
        /// The names of the components.
        of: String,
        /// The row.
        row: usize,
        /// The entity here.
        here: Option<Entity>,
        /// And there.
        there: Option<Entity>,
    },
    /// The value of a resource; `None` if there is none.
    Resource {
        /// Its full name.
        resource: &'static str,
        /// The value here.
        here: Option<String>,
        /// And there.
        there: Option<String>,
    },
    /// A pair of a relation. Others behind it are not reported.
    Pair {
        /// The full name of the relation.
        relation: &'static str,
        /// Its row.
        row: usize,
        /// The source, the target and the value here.
        here: Option<String>,
        /// And there.
        there: Option<String>,
    },
    /// Which ids the next entities get.
    NextIds,
}

/// A value, or that there is none.
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
