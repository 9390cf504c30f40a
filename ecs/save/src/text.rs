//! Worlds as text, or in any other format that has a `serde` serializer and describes itself.
//!
//! What is read is first written as the bytes of a saved world, and those are loaded: what a file may say is checked in one place.

mod read;
mod value;
mod write;

use serde_core::de::{Deserializer, Error as _};
use serde_core::ser::{Error as _, Serializer};
use strata_ecs::prelude::World;

pub(crate) use self::value::TextOf;
use crate::format::WorldFormat;

/// The version of the order of a text.
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
    /// Resources of which there is no value, among those that have a text form.
    pub(super) const ABSENT: &str = "absent resources";
    pub(super) const CONSUMERS: &str = "consumers";
    pub(super) const STAMP: &str = "stamp";
    pub(super) const COLUMNS: &str = "columns";
    pub(super) const ROWS: &str = "rows";
    pub(super) const ENTITY: &str = "entity";
}

/// Frame, whether it is open, and ticks.
type Clock = (u64, bool, u32, u32, u32);
/// Generations, free and retired indexes, and the first generation.
type Ids = (Vec<u32>, Vec<u32>, Vec<u32>, u32);
/// When a value was added and changed.
type Ticks = (u32, u32);
/// The name of a column, its stamp, and the ticks of its values, if these are kept.
type ColumnTimes = (String, u32, Option<Vec<Ticks>>);

/// What is behind the name of a relation for the components of its sources and targets.
const ENDS: [&str; 2] = [" source", " target"];

/// A type with its version, as texts have it.
fn key(name: &str, version: u32) -> String {
    format!("{name}@{version}")
}

impl WorldFormat {
    /// Writes a world by a `serde` serializer, entity by entity: as JSON or RON, for instance. It is all of the world, as in
    /// [`save`](Self::save): what is done with the loaded world has the same results.
    ///
    /// A table has rows, in their order, and each row the id of its entity and the values of its components by name and
    /// version, `"health@1"`. The components in sparse storage, the pairs of relations and the resources follow, and what systems have seen;
    /// the values that these keep are there as bytes. A text that says nothing of systems has them prepared anew.
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
    /// As [`save`](Self::save); also if a number in a value is not finite, which JSON could not write, and if there are
    /// values of [unknown types](Self::keeping_unknown), since these are known as bytes only. The error names the component and the
    /// entity.
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

    /// Makes a world what [`serialize`](Self::serialize) has written, as [`load`](Self::load) does with bytes. The format has to
    /// describe itself. Parts and components may be in any order; rows, ids and ticks are what they are.
    ///
    /// # Errors
    ///
    /// If it is no world in this format, or something is running in the world, which is as before then. The error names the component
    /// and, if the id is before the value, the entity.
    pub fn deserialize<'de, D: Deserializer<'de>>(&self, world: &mut World, deserializer: D) -> Result<(), D::Error> {
        let bytes = read::read(&self.for_world(world), deserializer)?;
        self.load(world, &bytes).map_err(D::Error::custom)
    }
}
