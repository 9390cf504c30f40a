//! Names of entities for people, and paths of names in a hierarchy.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use strata_ecs_derive::Component;

use crate::entity::Entity;
use crate::query::{Query, QueryData, QueryFilter};
use crate::relationship::RelationshipTarget;

/// A name for people: for logs, editors and errors. Several entities may have the same name.
///
/// Entities of a hierarchy are found by a path of names, as `"ship/turret/barrel"`: see
/// [`World::entity_by_path`](crate::world::World::entity_by_path).
///
/// ```
/// use strata_ecs::name::Name;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let entity = world.spawn(Name::new("player")).id();
/// world.spawn(Name::new(format!("enemy {}", 1)));
/// assert_eq!(world.get::<Name>(entity).unwrap().as_str(), "player");
/// ```
#[derive(Component, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Name(Cow<'static, str>);

#[cfg(feature = "serde")]
mod serialized {
    //! Serialized as its text.

    use alloc::string::String;

    use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Name;

    impl Serialize for Name {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> Deserialize<'de> for Name {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            String::deserialize(deserializer).map(Self::new)
        }
    }
}

impl Name {
    /// A name with this text. A `&'static str` is not copied, so it does not allocate.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Replaces the text.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>) {
        self.0 = name.into();
    }

    /// Changes the text by a function.
    pub fn mutate(&mut self, change: impl FnOnce(&mut String)) {
        change(self.0.to_mut());
    }
}

impl_deref!([] Name => str, |this| this.0);

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl_from!([] &str => Name, |name| Self::new(name.to_owned()));

impl_from!([] String => Name, |name| Self::new(name));

impl_from!([] Name => String, |name| name.0.into_owned());

impl_display!([] Name => |this, f| this.0.fmt(f));

impl_debug!([] Name => |this, f| fmt::Debug::fmt(&this.0, f));

/// The separator between the names of a path.
const SEPARATOR: char = '/';

/// Splits a path into its first name and the rest, if there is one.
pub(crate) fn split_path(path: &str) -> (&str, Option<&str>) {
    path.split_once(SEPARATOR).map_or((path, None), |(first, rest)| (first, Some(rest)))
}

/// The first entity to which a path leads down from the given ones, in their order.
pub(crate) fn go_down<'n, I: IntoIterator<Item = Entity>>(
    from: Vec<Entity>,
    path: &str,
    name: impl Fn(Entity) -> Option<&'n Name>,
    sources: impl Fn(Entity) -> I,
) -> Option<Entity> {
    let mut found = from;
    for part in path.split(SEPARATOR) {
        let below = found.iter().flat_map(|&entity| sources(entity));
        found = below.filter(|&entity| name(entity).is_some_and(|name| name.as_str() == part)).collect();
    }
    found.first().copied()
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Returns the entity to which a path of names leads down from another one, like [`World::descendant_by_path`], along a relationship
    /// and only through entities that the query matches.
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

/// Query data: an entity with its name, if it has one. Prints as the name, or else as the id.
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
