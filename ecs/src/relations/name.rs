//! Human-readable names of entities, and paths of names in a hierarchy.
// Tests: tests/relationships/names.rs

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use strata_ecs_derive::Component;

use crate::entity::Entity;
pub use crate::reexports::name::*;

/// A human-readable name of an entity, for logs, editors and errors. Several entities may have the same name.
///
/// Entities of a hierarchy can be found by a path of names, such as `"ship/turret/barrel"`: see
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
#[component(name = "strata_ecs::name::Name")]
pub struct Name(Cow<'static, str>);

#[cfg(feature = "serde")]
mod serialized {
    //! Serializes a name as its text.

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
    /// Returns a name with this text. A `&'static str` is not copied, so there is no allocation for it.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    /// Returns the text.
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

/// Splits a path into its first name and the rest; the rest is `None` if the path has only one name.
pub(crate) fn split_path(path: &str) -> (&str, Option<&str>) {
    path.split_once(SEPARATOR).map_or((path, None), |(first, rest)| (first, Some(rest)))
}

/// Returns the first entity to which a path leads. The first name of the path is searched among the sources of the entities `from`, and
/// each further name among the sources of the entities found so far, in order.
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
