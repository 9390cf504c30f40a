//! Operations on many entities at once.
//!
//! Tests: tests/storage/selections, tests/storage/transfer.rs

use super::cast::World;
use super::hooks::QUIET;
use super::links::{mend_before_move, rename_before_move};
use crate::component::ComponentDescriptor;
use crate::entity::{Entity, EntityMap};
use crate::query::selection::EntitySelection;
use crate::query::{QueryFilter, select};
use crate::structure::store::move_all_to;

impl World {
    /// Selects all entities that match a filter, for operations on all of them. `O(tables)`, and `O(entities)` if the filter has
    /// sparse components.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone)]
    /// struct Burning;
    /// #[derive(Component)]
    /// struct Wood;
    /// #[derive(Component)]
    /// struct Wet;
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..10).map(|_| Wood));
    /// world.spawn((Wood, Wet));
    /// let lit = world.all::<(With<Wood>, Without<Wet>)>().insert(Burning);
    /// assert_eq!(lit, 10);
    /// assert_eq!(world.all::<With<Burning>>().remove::<Burning>(), 10);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("delete_with", "remove_all", "AddComponent"))]
    pub fn all<F: QueryFilter>(&mut self) -> EntitySelection<'_> {
        let selections = select::<F>(self.store.track_caller());
        EntitySelection::new(&mut self.store, selections)
    }

    /// Selects the entities of a list, in any order, for operations on all of them. Entities that are not alive are skipped, and duplicates
    /// count once. `O(entities)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone)]
    /// struct Marked;
    ///
    /// let mut world = World::new();
    /// let [a, b, dead] = [world.spawn_empty().id(), world.spawn_empty().id(), world.spawn_empty().id()];
    /// world.despawn(dead);
    /// assert_eq!(world.many(&[b, dead, a, b]).insert(Marked), 2);
    /// assert_eq!(world.many(&[a, b]).despawn(), 2);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn many(&mut self, entities: &[Entity]) -> EntitySelection<'_> {
        let selections = self.store.track_caller().select(entities);
        EntitySelection::new(&mut self.store, selections)
    }
}

impl World {
    /// Moves all entities of another world into this one, with all components, links and pairs, and returns the map to their new ids.
    ///
    /// Entities inside of values that are [mapped](crate::entity::MapEntities) are replaced by the new ids, including in immutable
    /// components and in the values of pairs. An entity that is not alive in the other world is mapped to an id that no entity of this
    /// world has or will ever have, the same one at each occurrence. In a component that lists the sources of a relationship only the list
    /// is updated. A pair with a dead target is dropped.
    ///
    /// Hooks and observers of this world are notified as for a spawn, when all entities are in place. The other world is dropped with its
    /// resources, without notifying its hooks and observers. `O(components)` copies of bytes for each table, `O(entities)`, and one call
    /// for each value that is mapped.
    ///
    /// # Panics
    ///
    /// Same as [`EntitySelection::move_to`]; also if a `MapEntities` does: then this world is unchanged.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Target(Entity);
    ///
    /// let mut loading = World::new();
    /// let prey = loading.spawn_empty().id();
    /// let hunter = loading.spawn(Target(prey)).id();
    /// let dead = loading.spawn_empty().id();
    /// let ghost = loading.spawn(Target(dead)).id();
    /// loading.despawn(dead);
    ///
    /// let mut game = World::new();
    /// game.spawn_batch([(), (), (), ()]);
    /// let map = game.move_entities_from(loading);
    /// let [prey, hunter, ghost] = [prey, hunter, ghost].map(|old| map.get(old).unwrap());
    /// assert_eq!(game.get::<Target>(hunter).unwrap().0, prey);
    /// let dead = game.get::<Target>(ghost).unwrap().0;
    /// game.spawn_batch((0..100).map(|_| ()));
    /// assert!(!game.contains(dead));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("MoveEntitiesFrom", "move_from", "write_to_world", "append"))]
    pub fn move_entities_from(&mut self, other: Self) -> EntityMap {
        self.move_entities_and_resources_from(other, false, |_, _| false)
    }

    /// Like [`move_entities_from`](Self::move_entities_from), but an entity keeps its id if its index is free here: no living entity has
    /// the index, and no entity has had it with the same or a later generation, so that dead ids stay dead. The others get new ids, and the
    /// map contains the id of each entity.
    ///
    /// It costs `O(free ids of this world)` in addition.
    ///
    /// # Panics
    ///
    /// Same as [`move_entities_from`](Self::move_entities_from).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, PartialEq, Debug)]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let player = world.spawn(Health(9)).id();
    /// let mut level = World::new();
    /// let ids: Vec<Entity> = level.spawn_batch((0..3).map(Health)).collect();
    ///
    /// let map = world.move_entities_keeping_ids(level);
    /// // The first one has the index of the player.
    /// assert_eq!(world.get(player), Some(&Health(9)));
    /// assert_eq!(world.get(map.get(ids[0]).unwrap()), Some(&Health(0)));
    /// assert_eq!(ids[1..].iter().map(|id| map.get(*id).unwrap()).collect::<Vec<_>>(), ids[1..]);
    /// assert_eq!(world.get(ids[2]), Some(&Health(2)));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn move_entities_keeping_ids(&mut self, other: Self) -> EntityMap {
        self.move_entities_and_resources_from(other, true, |_, _| false)
    }

    /// Like [`move_entities_from`](Self::move_entities_from), or like [`move_entities_keeping_ids`](Self::move_entities_keeping_ids) if
    /// `keeps_ids`, and resources of the other world are moved, too.
    ///
    /// `takes` returns whether a resource of the other world is moved. Its second argument is whether this world has a resource of the same
    /// type, which is then replaced and dropped. Entities inside of a resource are mapped like those inside of components. The resources
    /// are in place when hooks and observers are notified of the entities. Messages and non-send values are not moved.
    ///
    /// # Panics
    ///
    /// Same as [`move_entities_from`](Self::move_entities_from); also if a resource has the stable name of another one of this world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Boss(Option<Entity>);
    ///
    /// let mut level = World::new();
    /// let boss = level.spawn_empty().id();
    /// level.insert_resource(Boss(Some(boss)));
    ///
    /// let mut game = World::new();
    /// game.spawn_empty();
    /// let map = game.move_entities_and_resources_from(level, false, |_, is_present| !is_present);
    /// assert_eq!(game.resource::<Boss>().0, map.get(boss));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn move_entities_and_resources_from(
        &mut self,
        other: Self,
        keeps_ids: bool,
        mut takes: impl FnMut(&'static ComponentDescriptor, bool) -> bool,
    ) -> EntityMap {
        let Self { mut store } = other;
        mend_before_move(&mut store);
        EntityMap::new(move_all_to(store, self.store.track_caller(), rename_before_move, keeps_ids, &mut takes))
    }
}

impl EntitySelection<'_> {
    /// Removes the entities as if they had never existed, and returns their number: for a world that is being assembled, such as the part
    /// of another one that is written to a file.
    ///
    /// Unlike [`despawn`](Self::despawn) this notifies no hooks and no observers. Entities that are linked to them, their children for
    /// instance, lose the link and stay alive. Pairs with them are removed.
    ///
    /// If a `Drop` panics, the rest of its table is removed, and later tables are unchanged.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let parent = world.spawn_empty().id();
    /// let child = world.spawn(ChildOf(parent)).id();
    /// assert_eq!(world.many(&[parent]).forget(), 1);
    /// assert!(world.contains(child) && world.get::<ChildOf>(child).is_none());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn forget(self) -> usize {
        self.forget_in_store(&QUIET)
    }

    /// Moves the entities into another world, with all components, and returns the map to their new ids.
    ///
    /// The old ids are dead afterwards. Ids of entities inside of components are not changed; the map can be used to replace them, see
    /// [`EntityMap`]. `O(components)` copies of bytes for each table, and `O(entities)`.
    ///
    /// # Panics
    ///
    /// If not enough entity ids are left in the other world, or if it has a component with the name of one that was made at run time but
    /// another definition. No entity has moved then; rows may have another order, and the other world may have registered more components.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let (mut loading, mut game) = (World::new(), World::new());
    /// let entity = loading.spawn(Health(3)).id();
    /// let map = loading.all::<()>().move_to(&mut game);
    /// assert!(loading.is_empty());
    /// assert_eq!(game.get(map.get(entity).unwrap()), Some(&Health(3)));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("MoveEntitiesFrom", "migrate", "move_from"))]
    pub fn move_to(self, other: &mut World) -> EntityMap {
        self.move_to_store(other.store.track_caller())
    }
}
