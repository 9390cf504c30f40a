//! Worlds as text, or in any other self-describing format with a `serde` serializer.
//!
//! A text is first converted to the bytes of a saved world, and these bytes are loaded, so that contents are validated in one place.
//!
//! Tests: tests/snapshots/text.rs

mod parts;
mod read;
mod convert;
mod write;

use serde_core::de::{Deserializer, Error as _};
use serde_core::ser::{Error as _, Serializer};
use strata_ecs::prelude::World;

use crate::format::WorldFormat;

impl WorldFormat {
    /// Writes a world with a `serde` serializer, for instance as JSON or RON, row by row. The world is written as completely as by
    /// [`save`](Self::save): later operations have the same results in the loaded world.
    ///
    /// A table is a list of rows. Each row has the id of its entity, and the values of its components by name and version, such as
    /// `"health@1"`. The sparse components, the pairs of relations, the resources and the state of systems follow; values in the state of
    /// systems are written as bytes. If a text contains no state of systems, a load prepares the systems again.
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
    /// See [`save`](Self::save). Also if a number in a value is not finite, because JSON cannot represent it: the error names the component
    /// and the entity. Also if there are values of [unknown types](Self::keeping_unknown), because they only exist as bytes.
    pub fn serialize<S: Serializer>(&self, world: &mut World, serializer: S) -> Result<S::Ok, S::Error> {
        let format = self.for_world(world);
        format.check_names().map_err(|name| S::Error::custom(crate::error::SaveError::SameName(name)))?;
        let part = format.only.map(|selected| format.part_of(world, selected));
        let mut part = part.transpose().map_err(S::Error::custom)?;
        let consumers = format.consumers_of(world).map_err(S::Error::custom)?;
        let options = format.snapshot_options();
        let living = part.as_mut().unwrap_or(world).living_contents(&options).map_err(S::Error::custom)?;
        write::write(&format, living.contents(), &consumers, serializer)
    }

    /// Loads a world that [`serialize`](Self::serialize) has written, like [`load`](Self::load). The format of the input must be
    /// self-describing. Parts and components may be in any order; the order of rows, the ids and the ticks are loaded as written.
    ///
    /// # Errors
    ///
    /// If the input is not a world in this format, or something is running in the world. The world is unchanged. The error names the
    /// component and, if the id precedes the value, the entity.
    pub fn deserialize<'de, D: Deserializer<'de>>(&self, world: &mut World, deserializer: D) -> Result<(), D::Error> {
        let bytes = convert::convert(&self.for_world(world), deserializer)?;
        self.load(world, &bytes).map_err(D::Error::custom)
    }
}
