//! Queries by name.
//!
//! Tests: tests/relationships/names.rs, tests/storage/world.rs

use super::{Query, QueryData, QueryFilter};
use crate::entity::Entity;
use crate::relations::name::{Name, go_down};
use crate::relations::relationship::RelationshipTarget;

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Returns the entity to which a path of names leads down from another entity. Like [`World::descendant_by_path`], but along a
    /// relationship, and only through entities that the query matches.
    ///
    /// [`World::descendant_by_path`]: crate::world::World::descendant_by_path
    ///
    /// ```
    /// use strata_ecs::name::Name;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Player;
    /// #[derive(Component)]
    /// struct Loaded;
    ///
    /// fn load(ships: Query<Entity, With<Player>>, parts: Query<(Option<&Name>, Option<&Children>)>, mut commands: Commands) {
    ///     for ship in &ships {
    ///         if let Some(barrel) = parts.descendant_by_path::<Children>(ship, "turret/barrel") {
    ///             commands.entity(barrel).insert(Loaded);
    ///         }
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn((Player, children![(Name::new("turret"), children![Name::new("barrel")])]));
    /// world.run_system_once(load).unwrap();
    /// assert_eq!(world.query::<(&Loaded, &Name)>().single(&world).unwrap().1.as_str(), "barrel");
    /// ```
    #[must_use]
    pub fn descendant_by_path<S: RelationshipTarget>(&'w self, entity: Entity, path: &str) -> Option<Entity>
    where
        D::ReadOnly: QueryData<Item<'w, 's> = (Option<&'w Name>, Option<&'w S>)>,
    {
        let name = |entity| self.get(entity).ok()?.0;
        let sources = |entity| self.get(entity).ok().and_then(|(_, sources)| sources).into_iter().flat_map(S::iter);
        go_down(alloc::vec![entity], path, name, sources)
    }
}

/// Query data: an entity with its name, if it has one. Displays the name, or the id if there is no name.
///
/// ```
/// use strata_ecs::name::{Name, NameOrEntity};
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let named = world.spawn(Name::new("player")).id();
/// let other = world.spawn_empty().id();
/// let mut query = world.query::<NameOrEntity>();
/// assert_eq!(query.get(&world, named).unwrap().to_string(), "player");
/// assert_eq!(query.get(&world, other).unwrap().to_string(), other.to_string());
/// ```
#[derive(QueryData)]
#[query_data(derive(Debug))]
pub struct NameOrEntity {
    /// The name, if the entity has one.
    pub name: Option<&'static Name>,
    /// The id.
    pub entity: Entity,
}

impl_display!([] NameOrEntityItem<'_, '_> => |this, f| match this.name {
    Some(name) => name.fmt(f),
    None => this.entity.fmt(f),
});
