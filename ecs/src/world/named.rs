//! Finding entities by paths of names in a hierarchy.
//!
//! Tests: tests/relationships/names.rs

use alloc::vec::Vec;

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use crate::entity::Entity;
use crate::relations::hierarchy::{ChildOf, Children};
use crate::relations::name::{Name, go_down, split_path};

impl World {
    /// Returns the entity at the end of a path of [`Name`]s, which are separated by `/`; `None` if there is no such
    /// entity. The first name belongs to an entity without parent, and each further name to a child of the previous
    /// entity.
    ///
    /// If several entities match the path, the first one is returned: entities without parent are ordered by index, and
    /// children by their order in the list. If several entities have a name of the path, all of them are tried until
    /// the rest of the path matches, too.
    ///
    /// A name that contains a `/` cannot be found by a path. An empty part of a path stands for an empty name.
    /// [Disabled](crate::entity_disabling) entities are found, too.
    ///
    /// The cost is `O(entities with a name)` for the first name, and one step for each child of the entities that match
    /// the previous name. There is no index. To find an entity often, keep its id, or begin the path further down, with
    /// [`descendant_by_path`](Self::descendant_by_path).
    ///
    /// ```
    /// use strata_ecs::name::Name;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let turret = |side| (Name::new("turret"), children![(Name::new("barrel"), Side(side))]);
    /// world.spawn((Name::new("ship"), children![Name::new("turret"), turret("left"), turret("right")]));
    /// # #[derive(Component, Debug, PartialEq)] struct Side(&'static str);
    ///
    /// let barrel = world.entity_by_path("ship/turret/barrel").unwrap();
    /// assert_eq!(world.get(barrel), Some(&Side("left")));
    /// assert_eq!(world.entity_by_path("turret/barrel"), None);
    /// ```
    #[must_use]
    pub fn entity_by_path(&self, path: &str) -> Option<Entity> {
        let (first, rest) = split_path(path);
        let name_id = self.component_id::<Name>()?;
        let tables =
            self.store.structure.archetypes.tables.iter().filter(|table| table.column_index(name_id).is_some());
        let is_meant = |&entity: &Entity| {
            self.get::<Name>(entity).is_some_and(|name| name.as_str() == first) && self.get::<ChildOf>(entity).is_none()
        };
        let named = tables.flat_map(|table| table.entities()).copied();
        let mut roots: Vec<Entity> = named.filter(is_meant).collect();
        roots.sort_unstable_by_key(|root| root.index());
        match rest {
            Some(rest) => self.go_down(roots, rest),
            None => roots.first().copied(),
        }
    }

    /// Returns the entity at the end of a path of names that begins below `entity`. The name of `entity` is not part of
    /// the path: the first name belongs to a child of it. Otherwise like [`entity_by_path`](Self::entity_by_path). The
    /// cost is one step for each child of the entities on the path.
    ///
    /// Systems use the method of a query: [`Query::descendant_by_path`](crate::query::Query::descendant_by_path).
    ///
    /// ```
    /// use strata_ecs::name::Name;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let ship = world.spawn(children![(Name::new("turret"), children![Name::new("barrel")])]).id();
    /// let barrel = world.descendant_by_path(ship, "turret/barrel").unwrap();
    /// assert_eq!(world.get::<Name>(barrel).unwrap().as_str(), "barrel");
    /// assert_eq!(world.entity_mut(ship).descendant_by_path("turret/barrel"), Some(barrel));
    /// assert_eq!(world.descendant_by_path(ship, "barrel"), None);
    /// ```
    #[must_use]
    pub fn descendant_by_path(&self, entity: Entity, path: &str) -> Option<Entity> {
        self.go_down(alloc::vec![entity], path)
    }

    fn go_down(&self, from: Vec<Entity>, path: &str) -> Option<Entity> {
        let children = |entity| self.get::<Children>(entity).map_or(&[][..], |children| children).iter().copied();
        go_down(from, path, |entity| self.get::<Name>(entity), children)
    }
}

impl EntityWorldMut<'_> {
    /// Returns the entity at the end of a path of names that begins below this entity: see
    /// [`World::descendant_by_path`].
    #[must_use]
    pub fn descendant_by_path(&self, path: &str) -> Option<Entity> {
        self.world().descendant_by_path(self.target(), path)
    }
}
