//! Components in files.
//!
//! Tests: tests/snapshots/versions.rs

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::change::Tick;
use strata_ecs::component::{ComponentDescriptor, ComponentIdentity, ErasedSlice, UpgradeList, UpgradeSource};
use strata_ecs::prelude::Component;
use strata_ecs::snapshot::{NewColumnContents, StorageContents};

use super::earlier::Earlier;
use crate::bytes::Lengths;
use crate::error::Problem;
#[cfg(feature = "text")]
use crate::text_values::TextOf;
use crate::values::{Values, are_bytes, of_plain_bytes, read_values, write_values};

pub(super) type WriteValues = fn(ErasedSlice<'_>, &mut Vec<u8>, &mut Lengths) -> Result<(), String>;
pub(super) type ReadValues = fn(&[Values<'_>], Tick) -> Result<NewColumnContents, (usize, Problem)>;
type ReadOld = dyn Fn(&[Values<'_>], Tick) -> Result<NewColumnContents, (usize, Problem)> + Send + Sync;

/// The entry of a component in a [`WorldFormat`](crate::WorldFormat): see [`components!`](crate::components).
#[derive(Clone)]
pub struct ComponentType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WriteValues,
    pub(crate) read: ReadValues,
    /// Earlier names, with the parameters of the type.
    earlier: Earlier<Arc<ReadOld>>,
    #[cfg(feature = "text")]
    pub(crate) show: for<'v> fn(ErasedSlice<'v>, usize) -> Option<&'v dyn erased_serde::Serialize>,
    #[cfg(feature = "text")]
    pub(crate) text: TextOf,
}

impl fmt::Debug for ComponentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { descriptor, version, earlier, .. } = self;
        earlier.show(f.debug_struct("ComponentType").field("component", &descriptor.name()).field("version", version))
    }
}

impl ComponentType {
    /// Creates the entry of a component that `serde` can write and read. The name in files is the [stable
    /// name](strata_ecs::component::StableName) of the component. The version, earlier names and upgrades are taken from its definition.
    #[must_use]
    pub fn of<C: Component + Clone + Serialize + DeserializeOwned>() -> Self {
        let write: WriteValues = |values, out, lengths| {
            let Some(values) = values.downcast_ref::<C>() else { unreachable!("the values are of this component") };
            write_values(values, out, lengths)
        };
        let read: ReadValues = |values, stamp| Ok(NewColumnContents::of_clone(read_values::<C>(values)?, stamp));
        let mut ty = Self::with(ComponentDescriptor::of::<C>(), write, read);
        #[cfg(feature = "text")]
        {
            ty.show = show_component::<C>;
            ty.text = TextOf::of::<C>();
        }
        C::upgrades(&mut ty);
        ty
    }

    pub(super) fn with(descriptor: &'static ComponentDescriptor, write: WriteValues, read: ReadValues) -> Self {
        Self {
            descriptor,
            version: descriptor.version(),
            write,
            read,
            earlier: Earlier::of(descriptor),
            // The components of a relation have no values.
            #[cfg(feature = "text")]
            show: |_, _| Some(&()),
            #[cfg(feature = "text")]
            text: TextOf::of::<()>(),
        }
    }

    /// Sets the version. Values are written in this version, and values of another version are rejected unless they can be
    /// [upgraded](Self::with_upgrade). The default is the version in the definition, or 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Reads values of an older version as the type `Old`, and converts them to the current type. Only the `serde` format of `Old` matters:
    /// use a copy of the old struct.
    ///
    /// # Panics
    ///
    /// If the function creates values of another component, or if there already is a function for this version.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{ComponentType, WorldFormat, components};
    ///
    /// /// As it was in version 1.
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// #[component(name = "game.health")]
    /// struct HealthV1(u8);
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(name = "game.life")]
    /// struct Life {
    ///     now: f32,
    ///     most: f32,
    /// }
    ///
    /// let mut old = World::new();
    /// let ann = old.spawn(HealthV1(3)).id();
    /// let bytes = WorldFormat::new().with_components(components![HealthV1]).save(&mut old)?;
    ///
    /// let life = ComponentType::of::<Life>()
    ///     .with_version(2)
    ///     .with_alias("game.health")
    ///     .with_upgrade(1, |HealthV1(now)| Life { now: now.into(), most: 100.0 });
    /// let mut world = World::new();
    /// WorldFormat::new().with_components([life]).load(&mut world, &bytes)?;
    /// assert_eq!(world.get(ann), Some(&Life { now: 3.0, most: 100.0 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_upgrade<Old, C>(mut self, version: u32, upgrade: fn(Old) -> C) -> Self
    where
        Old: DeserializeOwned + 'static,
        C: Component + Clone,
    {
        self.add_upgrade(version, upgrade);
        self
    }

    /// Adds the functions that read values of an older version as the type `Old`.
    #[track_caller]
    fn add_upgrade<Old: DeserializeOwned + 'static, C: Component>(&mut self, version: u32, upgrade: fn(Old) -> C) {
        let made = ComponentDescriptor::of::<C>();
        let read = move |values: &[Values<'_>], stamp| {
            let values = read_values::<Old>(values)?;
            Ok(NewColumnContents::of(values.into_iter().map(upgrade).collect(), stamp))
        };
        self.earlier.add(version, self.descriptor, made, Arc::new(read));
        #[cfg(feature = "text")]
        self.text.add(version, upgrade);
    }

    /// Adds an earlier name of the component in files. Values under that name can be read; the current name is written. This is the whole
    /// name: the name of a generic type includes its parameters, as in `bag<sword>`, unlike the option `alias` of the definition.
    #[must_use]
    pub fn with_alias(mut self, name: &'static str) -> Self {
        self.earlier.names.push(name.to_owned());
        self
    }

    /// Returns the current name and the earlier names in files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.earlier.names(self.descriptor)
    }

    /// Returns the function that reads values of a version; `None` if that version is not supported.
    pub(crate) fn reader(&self, version: u32) -> Option<ReadColumn> {
        if version == self.version {
            return Some(ReadColumn::Current(self.descriptor, self.read));
        }
        self.earlier.reader(version).map(|read| ReadColumn::Old(self.descriptor, read))
    }

    /// Like [`reader`](Self::reader), but returns a problem if a version is not supported.
    pub(crate) fn find_reader(&self, version: u32) -> Result<ReadColumn, Problem> {
        self.reader(version).ok_or(Problem::ValueVersion(version))
    }
}

impl<C: Component> UpgradeList<C> for ComponentType {
    fn add<Old: UpgradeSource>(&mut self, version: u32, upgrade: fn(Old) -> C) {
        self.add_upgrade(version, upgrade);
    }
}

/// How the values of a component in a file are read.
#[derive(Clone)]
pub(crate) enum ReadColumn {
    Current(&'static ComponentDescriptor, ReadValues),
    Old(&'static ComponentDescriptor, Arc<ReadOld>),
}

impl ReadColumn {
    /// Returns the descriptor of the component.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        match self {
            Self::Current(descriptor, _) | Self::Old(descriptor, _) => descriptor,
        }
    }

    /// Checks the number of bytes of the values, if the encoding determines it.
    pub(crate) fn check(&self, values: &Values<'_>) -> Result<(), (usize, Problem)> {
        let size = match self {
            Self::Current(descriptor, _) if values.are_plain() && are_bytes(descriptor) => {
                Some(descriptor.layout().size())
            }
            Self::Current(..) | Self::Old(..) => None,
        };
        values.check(size)
    }

    pub(crate) fn read(&self, values: &[Values<'_>], stamp: Tick) -> Result<NewColumnContents, (usize, Problem)> {
        match self {
            Self::Current(descriptor, read) => match of_plain_bytes(descriptor, values, stamp)? {
                Some(column) => Ok(column),
                None => read(values, stamp),
            },
            Self::Old(_, read) => read(values, stamp),
        }
    }
}

#[cfg(feature = "text")]
fn show_component<C: Serialize + 'static>(values: ErasedSlice<'_>, row: usize) -> Option<&dyn erased_serde::Serialize> {
    Some(values.downcast_ref::<C>()?.get(row)?)
}

/// Returns the components that are one side of a relationship whose other side is not in `components`.
pub(crate) fn one_sided(components: &[ComponentType]) -> HashSet<ComponentIdentity> {
    let all: HashSet<ComponentIdentity> = components.iter().map(|ty| ty.descriptor.identity()).collect();
    let has_no_other = |ty: &&ComponentType| {
        StorageContents::other_side_of(ty.descriptor).is_some_and(|other| !all.contains(&other.identity()))
    };
    components.iter().filter(has_no_other).map(|ty| ty.descriptor.identity()).collect()
}
