//! Files with some of the entities of a world.
//!
//! What is left of a world is made by its own operations: it is written, read into a world of its own, and the others are taken off there.

use std::collections::HashSet;

use strata_ecs::prelude::{Entity, World};
use strata_ecs::query::QueryFilter;

use crate::bytes::Writer;
use crate::consumers::ConsumersData;
use crate::error::SaveError;
use crate::format::WorldFormat;

/// The entities of a world that match a filter.
pub(crate) type Selected = fn(&mut World) -> Vec<Entity>;

impl WorldFormat {
    /// Only the entities are saved that match a filter: those that a query with it has. The loaded world is as if
    /// the others had [never been](strata_ecs::selection::EntitySelection::forget): what names one of them in a value names an entity that
    /// is dead and stays so, a link to one is removed, and so is a pair. The component that the filter asks for need not be saved.
    ///
    /// All that the format does not know has to be left out as in a whole world, also of the entities that are not saved:
    /// [`with_known_only`](Self::with_known_only) says so. `O(world)`: all is written, read, and what is left of it is written.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Health(u32);
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Hit(Entity);
    /// #[derive(Component)]
    /// struct Saved;
    ///
    /// let mut world = World::new();
    /// let spark = world.spawn(Health(1)).id();
    /// let ann = world.spawn((Health(9), Hit(spark), Saved)).id();
    ///
    /// let format = WorldFormat::new()
    ///     .with_components(components![Health, Hit])
    ///     .with_known_only()
    ///     .with_only_entities::<With<Saved>>();
    /// let bytes = format.save(&mut world)?;
    /// let mut loaded = World::new();
    /// format.load(&mut loaded, &bytes)?;
    /// assert_eq!(loaded.len(), 1);
    /// let hit = loaded.get::<Hit>(ann).unwrap().0;
    /// loaded.spawn_batch((0..10).map(Health));
    /// assert!(!loaded.contains(hit));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_only_entities<F: QueryFilter + 'static>(mut self) -> Self {
        self.only = Some(|world| world.query_filtered::<Entity, F>().iter(world).collect());
        self
    }

    /// A world with the selected entities of another one, and all else that is saved of it.
    pub(crate) fn part_of(&self, world: &mut World, selected: Selected) -> Result<World, SaveError> {
        let kept: HashSet<Entity> = selected(world).into_iter().collect();
        let mut whole = Writer::new(Vec::new());
        // What consumers have seen stays with those of the world.
        self.write_whole(world, Some(ConsumersData::default()), &mut whole)?;
        let mut part = World::new();
        self.load(&mut part, &whole.bytes).map_err(SaveError::Load)?;
        let all = part.tables().iter().flat_map(|table| table.entities()).copied();
        let others: Vec<Entity> = all.filter(|entity| !kept.contains(entity)).collect();
        part.many(&others).forget();
        Ok(part)
    }
}
