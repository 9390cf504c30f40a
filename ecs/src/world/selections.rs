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
    /// Selects all entities that match a filter, for operations on all of them. `O(tables)`, or `O(entities)` if the
    /// filter has sparse components.
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

    /// Selects the entities of a list, for operations on all of them. The order of the list does not matter. Entities
    /// that are not alive are skipped, and duplicates count once. `O(entities)`.
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
    /// Entity ids inside of [mapped](crate::entity::MapEntities) values are replaced by the new ids, including in
    /// immutable components and in the values of pairs. If an entity is not alive in the other world, its id is
    /// replaced by an id that no entity of this world has or will ever have, the same one at each occurrence. In a
    /// component that lists the sources of a relationship, only the list is updated. If the target of a pair is not
    /// alive, the pair is dropped.
    ///
    /// When all entities have been moved, hooks and observers of this world are notified as for a spawn. The other
    /// world is dropped with its resources, without notifying its hooks and observers. The cost is `O(components)`
    /// copies of bytes for each table, `O(entities)`, and one call for each mapped value.
    ///
    /// # Panics
    ///
    /// Same as [`EntitySelection::move_to`]. Also if a `MapEntities` panics: then this world is unchanged.
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

    /// Moves all entities of another world, like [`move_entities_from`](Self::move_entities_from), but an entity keeps
    /// its id if possible. An id is kept if no living entity of this world has its index, and no entity has had the
    /// index with the same or a later generation; so dead ids stay dead. The other entities get new ids. The map
    /// contains the id of each entity.
    ///
    /// In addition to the cost of [`move_entities_from`](Self::move_entities_from), it costs `O(free ids of this
    /// world)`.
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

    /// Moves all entities of another world, and resources as well. If `keeps_ids` is set, entities are moved like by
    /// [`move_entities_keeping_ids`](Self::move_entities_keeping_ids), otherwise like by
    /// [`move_entities_from`](Self::move_entities_from).
    ///
    /// `takes` is called for each resource of the other world, and returns whether to move it. Its second argument is
    /// true if this world has a resource of the same type, which would be replaced and dropped. Entity ids inside of a
    /// resource are mapped like those inside of components. The resources are in place when hooks and observers are
    /// notified of the entities. Messages and non-send values are not moved.
    ///
    /// # Panics
    ///
    /// Same as [`move_entities_from`](Self::move_entities_from). Also if a resource has the same stable name as another
    /// resource of this world.
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
    /// Removes the entities as if they had never existed, and returns their number. This is meant for a world that is
    /// being assembled, such as a part of another world that is written to a file.
    ///
    /// Unlike [`despawn`](Self::despawn), this notifies no hooks or observers. Entities that are linked to the removed
    /// ones, for instance their children, lose the link and stay alive. Pairs with a removed entity are removed.
    ///
    /// If the `Drop` of a value panics, the other entities of the same table are still removed, and those of later
    /// tables are not.
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
    /// Afterwards the old ids are dead. Ids of entities inside of components are not changed; the map can be used to
    /// replace them, see [`EntityMap`]. The cost is `O(components)` copies of bytes for each table, and `O(entities)`.
    ///
    /// # Panics
    ///
    /// If not enough entity ids are left in the other world. Also if a component was made at run time, and the other
    /// world has a component with the same name but another definition. In both cases no entity has moved; but rows may
    /// be in another order, and the other world may have registered more components.
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
