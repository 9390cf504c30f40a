//! Resources in files.
//!
//! Tests: tests/snapshots/bounds.rs, tests/snapshots/versions.rs

use std::sync::Arc;
use std::{fmt, slice};

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::change::ComponentTicks;
use strata_ecs::component::{ComponentDescriptor, PersistenceKind, UpgradeList, UpgradeSource};
use strata_ecs::prelude::Resource;
use strata_ecs::snapshot::{ResourceContents, SnapshotBuilder, SnapshotOptions};

use super::earlier::Earlier;
use crate::bytes::Lengths;
use crate::error::Problem;
#[cfg(feature = "text")]
use crate::text_values::TextOf;
use crate::values::{Values, read_values, write_values};

type WriteResource = fn(ResourceContents<'_>, &mut Vec<u8>, &mut Lengths) -> Result<(), String>;
type ReadResource =
    dyn Fn(Values<'_>, &mut SnapshotBuilder, ComponentTicks) -> Result<(), (usize, Problem)> + Send + Sync;

/// The version that marks values in the [text form](strata_ecs::component::TextForm) of their type. Other versions start at 1.
pub(crate) const TEXT_VERSION: u32 = 0;

/// Returns a function that reads a resource in its text form.
fn read_text(descriptor: &'static ComponentDescriptor) -> Arc<ReadResource> {
    Arc::new(move |values: Values<'_>, builder: &mut SnapshotBuilder, ticks| {
        for text in read_values::<String>(&[values])? {
            builder
                .add_resource_text(descriptor, &text, ticks)
                .map_err(|error| (values.offset, Problem::Value(error)))?;
        }
        Ok(())
    })
}

/// The entry of a resource in a [`WorldFormat`](crate::WorldFormat): see [`resources!`](crate::resources).
#[derive(Clone)]
pub struct ResourceType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WriteResource,
    pub(crate) read: Arc<ReadResource>,
    pub(crate) with_clone: fn(SnapshotOptions) -> SnapshotOptions,
    earlier: Earlier<Arc<ReadResource>>,
    #[cfg(feature = "text")]
    pub(crate) show: for<'v> fn(ResourceContents<'v>) -> Option<Box<dyn erased_serde::Serialize + 'v>>,
    #[cfg(feature = "text")]
    pub(crate) text: TextOf,
}

impl fmt::Debug for ResourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { descriptor, version, earlier, .. } = self;
        earlier.show(f.debug_struct("ResourceType").field("resource", &descriptor.name()).field("version", version))
    }
}

impl ResourceType {
    /// Creates the entry of a resource that `serde` can write and read. `R` may be a list of messages, `Messages<M>`. The name in files is
    /// the [stable name](strata_ecs::component::StableName) of the resource. The version, earlier names and upgrades are taken from its
    /// definition.
    #[must_use]
    pub fn of<R: Resource + Clone + Serialize + DeserializeOwned>() -> Self {
        let write: WriteResource = |resource, out, lengths| {
            let Some(value) = resource.get::<R>() else { unreachable!("the value is of this type") };
            write_values(slice::from_ref(value), out, lengths)
        };
        let read = |values: Values<'_>, builder: &mut SnapshotBuilder, ticks| {
            read_values::<R>(&[values])?.into_iter().for_each(|value| _ = builder.add_resource(value, ticks));
            Ok(())
        };
        let descriptor = ComponentDescriptor::of_resource::<R>();
        let mut ty = Self {
            descriptor,
            version: descriptor.version(),
            write,
            read: Arc::new(read),
            with_clone: SnapshotOptions::with_clone::<R>,
            earlier: Earlier::of(descriptor),
            #[cfg(feature = "text")]
            show: show_resource::<R>,
            #[cfg(feature = "text")]
            text: TextOf::of::<R>(),
        };
        R::upgrades(&mut ty);
        ty
    }

    /// Creates the entry of a resource that is written in its [text form](strata_ecs::component::TextForm).
    pub(crate) fn of_text(descriptor: &'static ComponentDescriptor) -> Self {
        let write: WriteResource = |resource, out, lengths| {
            let Some(text) = resource.text() else { unreachable!("the type has a text form") };
            write_values(&[text], out, lengths)
        };
        Self {
            descriptor,
            version: TEXT_VERSION,
            write,
            read: read_text(descriptor),
            with_clone: |options| options,
            earlier: Earlier::of(descriptor),
            #[cfg(feature = "text")]
            show: show_text,
            #[cfg(feature = "text")]
            text: TextOf::of::<String>(),
        }
    }

    /// Adds the function that reads values in the text form, if the type has a text form.
    pub(crate) fn add_text_form(&mut self) {
        let has_form = self.descriptor.persistence() == PersistenceKind::Text;
        if has_form && self.version != TEXT_VERSION && self.earlier.reader(TEXT_VERSION).is_none() {
            self.earlier.upgrades.push((TEXT_VERSION, read_text(self.descriptor)));
            #[cfg(feature = "text")]
            self.text.add_text_form(TEXT_VERSION);
        }
    }

    /// Sets the version. The value is written in this version, and a value of another version is rejected unless it can be
    /// [upgraded](Self::with_upgrade). The default is the version in the definition, or 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Reads a value of an older version as the type `Old`, and converts it to the current type. Only the `serde` format of `Old` matters.
    ///
    /// # Panics
    ///
    /// If the function creates another resource, or if there already is a function for this version.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{ResourceType, WorldFormat, resources};
    ///
    /// #[derive(Resource, Clone, Serialize, Deserialize)]
    /// #[resource(name = "game.score")]
    /// struct OldScore(u32);
    ///
    /// #[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
    /// #[resource(name = "game.points")]
    /// struct Points {
    ///     of_players: Vec<u32>,
    /// }
    ///
    /// let mut old = World::new();
    /// old.insert_resource(OldScore(3));
    /// let bytes = WorldFormat::new().with_resources(resources![OldScore]).save(&mut old)?;
    ///
    /// let points = ResourceType::of::<Points>()
    ///     .with_version(2)
    ///     .with_alias("game.score")
    ///     .with_upgrade(1, |score: u32| Points { of_players: vec![score] });
    /// let mut world = World::new();
    /// WorldFormat::new().with_resources([points]).load(&mut world, &bytes)?;
    /// assert_eq!(world.resource::<Points>(), &Points { of_players: vec![3] });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_upgrade<Old, R>(mut self, version: u32, upgrade: fn(Old) -> R) -> Self
    where
        Old: DeserializeOwned + 'static,
        R: Resource,
    {
        self.add_upgrade(version, upgrade);
        self
    }

    /// Adds the function that reads a value of an older version as the type `Old`.
    #[track_caller]
    fn add_upgrade<Old: DeserializeOwned + 'static, R: Resource>(&mut self, version: u32, upgrade: fn(Old) -> R) {
        let made = ComponentDescriptor::of_resource::<R>();
        let read = move |values: Values<'_>, builder: &mut SnapshotBuilder, ticks| {
            let values = read_values::<Old>(&[values])?;
            values.into_iter().for_each(|value| _ = builder.add_resource(upgrade(value), ticks));
            Ok(())
        };
        self.earlier.add(version, self.descriptor, made, Arc::new(read));
        #[cfg(feature = "text")]
        self.text.add(version, upgrade);
    }

    /// Adds an earlier name of the resource in files. A value under that name can be read; the current name is written. This is the whole
    /// name, including type parameters, unlike the option `alias` of the definition.
    #[must_use]
    pub fn with_alias(mut self, name: &'static str) -> Self {
        self.earlier.names.push(name.to_owned());
        self
    }

    /// Returns the current name and the earlier names in files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.earlier.names(self.descriptor)
    }

    /// Returns a copy of this entry that reads values of a version; `None` if that version is not supported.
    pub(crate) fn reader(&self, version: u32) -> Option<Self> {
        if version == self.version {
            return Some(self.clone());
        }
        self.earlier.reader(version).map(|read| Self { read, ..self.clone() })
    }

    /// Like [`reader`](Self::reader), but returns a problem if a version is not supported. A resource that the format does not list has the
    /// version [`TEXT_VERSION`]; listed resources have the other versions.
    pub(crate) fn find_reader(&self, version: u32) -> Result<Self, Problem> {
        let is_listed = self.version != TEXT_VERSION;
        let problem = if is_listed { Problem::ValueVersion(version) } else { Problem::NotListed };
        self.reader(version).ok_or(problem)
    }
}

impl<R: Resource> UpgradeList<R> for ResourceType {
    fn add<Old: UpgradeSource>(&mut self, version: u32, upgrade: fn(Old) -> R) {
        self.add_upgrade(version, upgrade);
    }
}

#[cfg(feature = "text")]
fn show_resource<R: Resource + Serialize>(
    resource: ResourceContents<'_>,
) -> Option<Box<dyn erased_serde::Serialize + '_>> {
    Some(Box::new(resource.get::<R>()?))
}

#[cfg(feature = "text")]
fn show_text(resource: ResourceContents<'_>) -> Option<Box<dyn erased_serde::Serialize + '_>> {
    Some(Box::new(resource.text()?))
}
