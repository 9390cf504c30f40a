//! Loads entities into a world that already has entities.
//!
//! The bytes are first loaded into a separate world, with all checks. Then the entities of that world are moved, which can only fail if
//! there are no ids left or there is no memory.
//!
//! Tests: tests/snapshots/living.rs

use std::path::Path;

use strata_ecs::component::ComponentDescriptor;
use strata_ecs::entity::EntityMap;
use strata_ecs::prelude::World;
use strata_ecs::snapshot::Updated;

use crate::error::LoadError;
use crate::file;
use crate::format::WorldFormat;

impl WorldFormat {
    /// Entities that are [loaded](Self::load_entities) into a world with entities keep their ids where possible. An entity keeps its id if
    /// no live entity has the index, and no despawned entity had the index with this or a later generation, so that dead ids stay dead.
    /// Other entities get new ids, as without this option. See [`World::move_entities_keeping_ids`].
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// struct Health(u32);
    ///
    /// let format = WorldFormat::new().with_components(components![Health]).keeping_ids();
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..3).map(Health)).collect();
    /// let bytes = format.save(&mut world)?;
    /// let mut part = World::new();
    /// let map = format.load_entities(&mut part, &bytes)?;
    /// assert!(map.iter().all(|(old, new)| old == new));
    /// assert_eq!(part.get(ids[1]), Some(&Health(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn keeping_ids(mut self) -> Self {
        self.keeps_ids = true;
        self
    }

    /// When entities are [loaded](Self::load_entities) into a world, resources of the file replace the resources of the world. Without this
    /// option, only resources that the world does not have are added.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, resources};
    ///
    /// #[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
    /// struct Weather(u32);
    ///
    /// let format = WorldFormat::new().with_resources(resources![Weather]);
    /// let mut level = World::new();
    /// level.insert_resource(Weather(3));
    /// let bytes = format.save(&mut level)?;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Weather(1));
    /// format.load_entities(&mut world, &bytes)?;
    /// assert_eq!(world.resource::<Weather>(), &Weather(1));
    /// format.replacing_resources().load_entities(&mut world, &bytes)?;
    /// assert_eq!(world.resource::<Weather>(), &Weather(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn replacing_resources(mut self) -> Self {
        self.replaces_resources = true;
        self
    }

    /// Adds the entities of a saved world to a world, and returns their new ids. Use it for parts of a level, or for entities that another
    /// program has created. See [`World::move_entities_from`].
    ///
    /// - Entities inside components and inside the values of pairs are replaced by the new entities, in fields that are
    ///   [mapped](strata_ecs::entity::MapEntities). So are the ends of links and pairs. Ids that are dead in the saved world are dead in
    ///   this world, too, and stay dead.
    /// - Hooks and observers run as for a spawn, after everything is in place. Systems see all loaded data as new.
    /// - Values of unknown types are rejected or [skipped](Self::skipping_unknown), even if the format otherwise keeps them, because
    ///   entities inside them could not be mapped.
    /// - A resource is added if the world has no resource of its type; entities inside it are mapped. Existing resources are unchanged
    ///   unless the format [replaces](Self::replacing_resources) them. The resources are in place before hooks and observers run.
    /// - Messages, the frame, the tick and the state of systems of the saved world are skipped: the world has its own.
    ///
    /// # Errors
    ///
    /// If the bytes are not a world in this format. The world is unchanged.
    ///
    /// # Panics
    ///
    /// See [`World::move_entities_from`].
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// struct Health(u32);
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Hunts(Entity);
    ///
    /// let format = WorldFormat::new().with_components(components![Health, Hunts]);
    /// let mut camp = World::new();
    /// let rabbit = camp.spawn(Health(3)).id();
    /// let wolf = camp.spawn((Health(9), Hunts(rabbit))).id();
    /// let bytes = format.save(&mut camp)?;
    ///
    /// let mut world = World::new();
    /// let player = world.spawn(Health(100)).id();
    /// for _ in 0..2 {
    ///     let map = format.load_entities(&mut world, &bytes)?;
    ///     let hunted = world.get::<Hunts>(map.get(wolf).unwrap()).unwrap().0;
    ///     assert_eq!(Some(hunted), map.get(rabbit));
    /// }
    /// assert_eq!(world.len(), 5);
    /// assert_eq!(world.get(player), Some(&Health(100)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("write_to_world", "DynamicScene", "append"))]
    pub fn load_entities(&self, world: &mut World, bytes: &[u8]) -> Result<EntityMap, LoadError> {
        let mut loaded = World::new();
        // Unknown values are not kept as bytes, because entities inside of them cannot be mapped.
        let mut known = self.for_world(world);
        known.keeps_unknown = false;
        known.new_consumers = true;
        let builder = known.read(world, bytes)?;
        known.restore(&mut loaded, builder)?;
        let takes = |descriptor: &'static ComponentDescriptor, is_present: bool| {
            let is_saved = self.resources.iter().any(|ty| ty.descriptor.identity() == descriptor.identity());
            is_saved && (self.replaces_resources || !is_present)
        };
        let map = world.move_entities_and_resources_from(loaded, self.keeps_ids, takes);
        world.trigger(Updated);
        Ok(map)
    }

    /// Like [`load_entities`](Self::load_entities), from a file.
    ///
    /// # Errors
    ///
    /// See [`load_entities`](Self::load_entities); also if the file cannot be read.
    ///
    /// # Panics
    ///
    /// See [`load_entities`](Self::load_entities).
    pub fn load_entities_from_file(&self, world: &mut World, path: impl AsRef<Path>) -> Result<EntityMap, LoadError> {
        self.load_entities(world, &file::read(path.as_ref())?)
    }
}
