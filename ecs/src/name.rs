//! Names of entities, for people to read.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;
use core::fmt;
use core::ops::Deref;

use strata_ecs_derive::{Component, QueryData};

use crate::entity::Entity;

/// A name for people: for logs, editors and errors. Several entities may have the same one; nothing finds entities by it.
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

impl Name {
    /// The name of this text. One that is known at compile time allocates nothing.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Sets another text.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>) {
        self.0 = name.into();
    }

    /// Changes the text by a function.
    pub fn mutate(&mut self, change: impl FnOnce(&mut String)) {
        change(self.0.to_mut());
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self::new(name.to_owned())
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0.into_owned()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// An entity, and its name if it has one: query data that prints as the name, or else as the id.
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
    /// The name, if there is one.
    pub name: Option<&'static Name>,
    /// The id.
    pub entity: Entity,
}

impl fmt::Display for NameOrEntityItem<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => name.fmt(f),
            None => self.entity.fmt(f),
        }
    }
}
