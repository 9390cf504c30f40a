//! Files with some of the entities of a world.
//!
//! The other entities are removed by the operations of a world: the world is written, read into a separate world, and there the others are
//! removed.

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
    /// Saves only the entities that match a filter: those that a query with this filter yields. The loaded world is as if the others had
    /// [never existed](strata_ecs::selection::EntitySelection::forget): values that name one of them name a dead entity, and links and
    /// pairs with one are removed. The component in the filter need not be saved.
    ///
    /// Data that the format does not know must be left out as in a whole world, even for entities that are not saved: see
    /// [`with_known_only`](Self::with_known_only). `O(world)`: the world is written, read, and its remaining part is written again.
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

    /// A world with the selected entities of another one, and all of its other saved data.
    pub(crate) fn part_of(&self, world: &mut World, selected: Selected) -> Result<World, SaveError> {
        let kept: HashSet<Entity> = selected(world).into_iter().collect();
        let mut whole = Writer::new(Vec::new());
        // The consumer state is not written here, because it is taken from the original world.
        self.write_whole(world, Some(ConsumersData::default()), &mut whole)?;
        let mut part = World::new();
        self.load(&mut part, &whole.bytes).map_err(SaveError::Load)?;
        let all = part.tables().iter().flat_map(|table| table.entities()).copied();
        let others: Vec<Entity> = all.filter(|entity| !kept.contains(entity)).collect();
        part.many(&others).forget();
        Ok(part)
    }
}
