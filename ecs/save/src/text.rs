//! Worlds as text, or in any other self-describing format with a `serde` serializer.
//!
//! A text is first converted to the bytes of a saved world, and those are loaded: so the contents are validated in one place.

mod read;
mod value;
mod write;

use serde_core::de::{Deserializer, Error as _};
use serde_core::ser::{Error as _, Serializer};
use strata_ecs::prelude::World;

pub(crate) use self::value::TextOf;
use crate::format::WorldFormat;

/// The version of the layout of a text.
const VERSION: u32 = 1;

/// Names of the parts of a world.
mod part {
    pub(super) const VERSION: &str = "strata world";
    pub(super) const CLOCK: &str = "clock";
    pub(super) const IDS: &str = "ids";
    pub(super) const TABLES: &str = "tables";
    pub(super) const STORAGES: &str = "storages";
    pub(super) const PAIRS: &str = "pairs";
    pub(super) const RESOURCES: &str = "resources";
    /// Resources with a text form that have no value.
    pub(super) const ABSENT: &str = "absent resources";
    pub(super) const CONSUMERS: &str = "consumers";
    pub(super) const STAMP: &str = "stamp";
    pub(super) const COLUMNS: &str = "columns";
    pub(super) const ROWS: &str = "rows";
    pub(super) const ENTITY: &str = "entity";
}

/// The frame number, whether the frame is open, and ticks.
type Clock = (u64, bool, u32, u32, u32);
/// Generations, free and retired indexes, and the first generation.
type Ids = (Vec<u32>, Vec<u32>, Vec<u32>, u32);
/// The ticks at which a value was added and changed.
type Ticks = (u32, u32);
/// The name of a column, its stamp, and the ticks of its values, if they are tracked.
type ColumnTimes = (String, u32, Option<Vec<Ticks>>);

/// The suffixes of the name of a relation for the components of its sources and targets.
const ENDS: [&str; 2] = [" source", " target"];

/// The key of a type in texts: its name and version.
fn key(name: &str, version: u32) -> String {
    format!("{name}@{version}")
}

impl WorldFormat {
    /// Writes a world with a `serde` serializer, entity by entity: as JSON or RON, for instance. The whole world is written, as by
    /// [`save`](Self::save): later operations have the same results in the loaded world.
    ///
    /// A table has rows, in their order, and each row has the id of its entity and the values of its components by name and version,
    /// `"health@1"`. The sparse components, the pairs of relations, the resources and the state of systems follow; values in that state are
    /// written as bytes. If a text contains no state of systems, they are prepared again.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    /// #[component(name = "health")]
    /// struct Health {
    ///     now: u32,
    /// }
    ///
    /// let format = WorldFormat::new().with_components(components![Health]);
    /// let mut world = World::new();
    /// let id = world.spawn(Health { now: 3 }).id();
    ///
    /// let mut text = Vec::new();
    /// format.serialize(&mut world, &mut serde_json::Serializer::pretty(&mut text))?;
    /// let text = String::from_utf8(text)?.replace("\"now\": 3", "\"now\": 4");
    /// format.deserialize(&mut world, &mut serde_json::Deserializer::from_str(&text))?;
    /// assert_eq!(world.get(id), Some(&Health { now: 4 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`save`](Self::save); also if a number in a value is not finite, which JSON cannot represent, and if there are values of
    /// [unknown types](Self::keeping_unknown), since these only exist as bytes. The error names the component and the entity.
    pub fn serialize<S: Serializer>(&self, world: &mut World, serializer: S) -> Result<S::Ok, S::Error> {
        let format = self.for_world(world);
        format.check_names().map_err(|name| S::Error::custom(crate::SaveError::SameName(name)))?;
        let part = format.only.map(|selected| format.part_of(world, selected));
        let mut part = part.transpose().map_err(S::Error::custom)?;
        let consumers = format.consumers_of(world).map_err(S::Error::custom)?;
        let options = format.snapshot_options();
        let living = part.as_mut().unwrap_or(world).living_contents(&options).map_err(S::Error::custom)?;
        write::write(&format, living.contents(), &consumers, serializer)
    }

    /// Loads a world that [`serialize`](Self::serialize) has written, like [`load`](Self::load). The format must be self-describing. Parts
    /// and components may be in any order; rows, ids and ticks are taken as they are.
    ///
    /// # Errors
    ///
    /// If the input is not a world in this format, or something is running in the world. The world is unchanged. The error names the
    /// component and, if the id precedes the value, the entity.
    pub fn deserialize<'de, D: Deserializer<'de>>(&self, world: &mut World, deserializer: D) -> Result<(), D::Error> {
        let bytes = read::read(&self.for_world(world), deserializer)?;
        self.load(world, &bytes).map_err(D::Error::custom)
    }
}
