//! The parts of a text: their names and types.
//!
//! Tests: tests/snapshots/text.rs

use serde_core::de::Error;

/// The version of the layout of a text.
pub(super) const VERSION: u32 = 1;

/// Names of the parts of a world.
pub(super) mod part {
    pub(in crate::text) const VERSION: &str = "strata world";
    pub(in crate::text) const CLOCK: &str = "clock";
    pub(in crate::text) const IDS: &str = "ids";
    pub(in crate::text) const TABLES: &str = "tables";
    pub(in crate::text) const STORAGES: &str = "storages";
    pub(in crate::text) const PAIRS: &str = "pairs";
    pub(in crate::text) const RESOURCES: &str = "resources";
    /// The resources with a text form that the world does not have.
    pub(in crate::text) const ABSENT: &str = "absent resources";
    pub(in crate::text) const CONSUMERS: &str = "consumers";
    pub(in crate::text) const STAMP: &str = "stamp";
    pub(in crate::text) const COLUMNS: &str = "columns";
    pub(in crate::text) const ROWS: &str = "rows";
    pub(in crate::text) const ENTITY: &str = "entity";
}

/// The frame number, whether the frame is open, and three ticks: see `SnapshotClock`.
pub(super) type Clock = (u64, bool, u32, u32, u32);
/// Generations, free and retired indexes, and the first generation.
pub(super) type Ids = (Vec<u32>, Vec<u32>, Vec<u32>, u32);
/// The ticks at which a value was added and changed.
pub(super) type Ticks = (u32, u32);
/// The name of a column, its stamp, and the ticks of its values, if they are tracked.
pub(super) type ColumnTimes = (String, u32, Option<Vec<Ticks>>);

/// The suffixes of the name of a relation for the components of its sources and targets.
pub(super) const ENDS: [&str; 2] = [" source", " target"];

/// Returns the key of a type in texts: its name and version.
pub(super) fn key(name: &str, version: u32) -> String {
    format!("{name}@{version}")
}

/// Returns the value of a required part, or an error that names the part.
pub(super) fn there<T, E: Error>(value: Option<T>, name: &'static str) -> Result<T, E> {
    value.ok_or_else(|| E::missing_field(name))
}
